import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_MODELS } from '../../src/demo/demo-models.ts';
import { type DemoUpstream, startDemoUpstream } from '../../src/demo/demo-upstream.ts';

const USER = { role: 'user', content: 'Triage this ticket.' };
const FAST = DEMO_MODELS.filter(({ delayMs }) => delayMs === undefined);

interface Chunk {
  readonly choices: readonly {
    readonly index: number;
    readonly delta: { readonly content?: string; readonly refusal?: string | null };
    readonly finish_reason: string | null;
  }[];
  readonly usage?: unknown;
}

let demo: DemoUpstream;

beforeAll(async () => {
  demo = await startDemoUpstream();
});
afterAll(async () => {
  await demo.close();
});

async function post(body: unknown): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return await fetch(`${demo.url}/chat/completions`, { method: 'POST', body: text });
}

async function complete(body: unknown): Promise<unknown> {
  return await (await post(body)).json();
}

/** The chunks of a stream, which ends with `[DONE]`. */
async function stream(body: Record<string, unknown>): Promise<readonly Chunk[]> {
  const response = await post({ ...body, stream: true });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const events = (await response.text()).split('\n\n');
  expect(events.slice(-2)).toEqual(['data: [DONE]', '']);
  return events.slice(0, -2).map((event) => JSON.parse(event.replace(/^data: /, '')) as Chunk);
}

describe('the wire of the demo upstream', () => {
  for (const { id, first, second } of FAST) {
    it(`${id} says its first reply, whole and in pieces`, async () => {
      const { content, finish } = first;
      expect(await complete({ model: id, messages: [USER] })).toMatchObject({
        object: 'chat.completion',
        model: id,
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content, refusal: first.refusal ?? null },
            finish_reason: finish,
          },
        ],
      });
      const chunks = await stream({ model: id, messages: [USER] });
      const deltas = chunks.flatMap(({ choices }) => choices);
      expect(deltas.map(({ delta }) => delta.content ?? '').join('')).toBe(content ?? '');
      expect(deltas.map(({ delta }) => delta.refusal ?? '').join('')).toBe(first.refusal ?? '');
      expect(deltas.map((choice) => choice.finish_reason).filter((reason) => reason !== null)).toEqual([
        finish,
      ]);
    });

    it(`${id} says its second reply where it is shown its first`, async () => {
      const messages = [USER, { role: 'assistant', content: first.content }, USER];
      const { content } = second ?? first;
      expect(await complete({ model: id, messages })).toMatchObject({ choices: [{ message: { content } }] });
    });
  }

  it('takes a longer conversation for a new question', async () => {
    const messages = [USER, { role: 'assistant', content: 'Hello!' }, USER];
    const [duplicate] = DEMO_MODELS.filter(({ id }) => id === 'demo/duplicate');
    expect(await complete({ model: 'demo/duplicate', messages })).toMatchObject({
      choices: [{ message: { content: duplicate?.first.content } }],
    });
  });

  it('answers n choices and counts each', async () => {
    const one = (await complete({ model: 'demo/clean', messages: [USER] })) as {
      usage: { prompt_tokens: number; completion_tokens: number };
    };
    const { prompt_tokens: prompt, completion_tokens: completed } = one.usage;
    expect(prompt).toBe(5);
    const usage = {
      prompt_tokens: prompt,
      completion_tokens: 3 * completed,
      total_tokens: prompt + 3 * completed,
    };
    expect(await complete({ model: 'demo/clean', messages: [USER], n: 3 })).toMatchObject({
      choices: [{ index: 0 }, { index: 1 }, { index: 2 }],
      usage,
    });
    const chunks = await stream({
      model: 'demo/clean',
      messages: [USER],
      n: 3,
      stream_options: { include_usage: true },
    });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage });
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
    const ends = chunks.flatMap(({ choices }) => choices).filter((choice) => choice.finish_reason !== null);
    expect(ends.map(({ index }) => index)).toEqual([0, 1, 2]);
  });

  it('sends no usage in a stream that did not ask for it', async () => {
    const chunks = await stream({ model: 'demo/clean', messages: [USER] });
    expect(chunks.filter((chunk) => 'usage' in chunk)).toEqual([]);
  });

  it('sends the first piece of a slow stream long before the last', async () => {
    const response = await post({ model: 'demo/slow', messages: [USER], stream: true });
    const reader = response.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    expect(first).toContain('data: ');
    expect(first).not.toContain('[DONE]');
    await reader?.cancel();
  });

  it('refuses what it does not have in the form of OpenAI', async () => {
    const rows: readonly (readonly [unknown, number, string])[] = [
      [{ model: 'gpt-4o', messages: [USER] }, 404, 'model_not_found'],
      [{ model: 'demo/clean' }, 400, 'invalid_request'],
      [{ model: 'demo/clean', messages: [USER], n: 0 }, 400, 'invalid_request'],
      [{ model: 'demo/clean', messages: [USER], n: 1e9 }, 400, 'invalid_request'],
      ['null', 400, 'invalid_request'],
      ['{', 400, 'invalid_request'],
    ];
    for (const [body, status, code] of rows) {
      const response = await post(body);
      expect(response.status).toBe(status);
      expect(await response.json()).toEqual({
        error: { message: expect.any(String), type: 'invalid_request_error', param: null, code },
      });
    }
    const response = await fetch(`${demo.url}/embeddings`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(404);
  });
});
