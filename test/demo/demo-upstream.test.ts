import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_MODELS } from '../../src/demo/demo-models.ts';
import { type DemoUpstream, startDemoUpstream } from '../../src/demo/demo-upstream.ts';
import { loadContractFolder } from '../../src/registry/contract-folder.ts';
import { REPOSITORY } from '../support/command-line.ts';
import { ask, type Started, startPortcullis } from '../support/portcullis.ts';

let demo: DemoUpstream;
let portcullis: Started;

beforeAll(async () => {
  demo = await startDemoUpstream();
  portcullis = await startPortcullis(
    demo.url,
    {},
    {
      registry: await loadContractFolder(`${REPOSITORY}/contracts`),
      holdStatusMs: 15_000,
    },
  );
});
afterAll(async () => {
  await portcullis.close();
  await demo.close();
});

describe('the demo models', () => {
  it('are those that the documentation names', () => {
    const names = 'clean fenced unescaped ambiguous duplicate unknown-key cut stubborn declined slow';
    expect(DEMO_MODELS.map(({ id }) => id)).toEqual(names.split(' ').map((name) => `demo/${name}`));
  });

  for (const { id, shows } of DEMO_MODELS) {
    const [verdict = ''] = shows.split(/[:,]/);
    for (const stream of [false, true]) {
      it(`${id}${stream ? ', streamed,' : ''} is ${verdict}`, async () => {
        const response = await portcullis.chat('demo', ask({ model: id, stream }));
        expect(response.headers.get('x-portcullis-verdict')).toBe(verdict);
        expect(response.status).toBe(verdict === 'refused' ? 400 : 200);
        const text = await response.text();
        if (verdict !== 'refused') expect(text).toContain('\\"category\\":\\"bug\\"');
      });
    }
  }

  it('are listed, and an unknown one is named', async () => {
    const models = (await (await fetch(`${demo.url}/models`)).json()) as { data: { id: string }[] };
    expect(models.data.map(({ id }) => id)).toEqual(DEMO_MODELS.map(({ id }) => id));
    const response = await portcullis.chat('demo', ask({ model: 'demo/none' }));
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('demo/none');
  });
});
