import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Started, startPortcullis } from '../support/portcullis.ts';
import { answer, completionBody, type Script, ScriptedUpstream, says } from '../support/scripted-upstream.ts';
import { countRequests, nextStatus } from '../support/watch-requests.ts';
import { AI_CLIENTS } from './ai-sdk.ts';
import { type Client, type Ended, NOTE_CONTRACT } from './client.ts';
import { LANGCHAIN_CLIENTS } from './langchain.ts';
import { OPENAI_CLIENTS, openaiAt } from './openai-sdk.ts';

const CLIENTS: readonly Client[] = [...OPENAI_CLIENTS, ...AI_CLIENTS, ...LANGCHAIN_CLIENTS];
const VALUE = { t: 'alpha', n: null };
const GOOD = JSON.stringify(VALUE);
const WRONG = '{"t":1,"n":null}';
const REFUSED: Ended = { code: 'wrong_type', type: 'invalid_reply_error' };

let upstream: ScriptedUpstream;
let portcullis: Started;
/** Sends the status line of a stream at once. */
let hasty: Started;

beforeAll(async () => {
  upstream = await ScriptedUpstream.start();
  portcullis = await startPortcullis(upstream.url, { note: NOTE_CONTRACT });
  hasty = await startPortcullis(upstream.url, { note: NOTE_CONTRACT }, { holdStatusMs: 1 });
});
afterAll(async () => {
  await portcullis.close();
  await hasty.close();
  await upstream.close();
});

/** How a call ended, and what it cost: the requests that the SDK sent, and those that went upstream. */
interface Came extends Ended {
  readonly requests: number;
  readonly calls: number;
}

async function call(
  client: Client,
  scripts: readonly Script[],
  { server = portcullis, ...more }: { server?: Started; maxRetries?: number; signal?: AbortSignal } = {},
): Promise<Came> {
  upstream.script(...scripts);
  const requests = countRequests(server.dataUrl);
  try {
    const signal = new AbortController().signal;
    const ended = await client.call({ baseURL: `${server.dataUrl}/note/v1`, signal, ...more });
    return { ...ended, requests: requests.count, calls: upstream.seen.length };
  } finally {
    requests.stop();
  }
}

/** Answers like `script`, once the client has the status line of a stream. */
function late(script: Script): Script {
  const status = nextStatus(hasty.dataUrl);
  return async (request, response) => {
    expect(await status).toBe(200);
    await script(request, response);
  };
}

/** Replies that a client gets an object from, and the calls upstream that it takes. */
const OBJECTS: readonly (readonly [name: string, scripts: readonly Script[], calls: number])[] = [
  ['a verified reply', [says(GOOD)], 1],
  ['a repaired reply', [says(`\`\`\`json\n${GOOD}\n\`\`\``)], 1],
  ['a corrected reply', [says('{"t":"alpha","t":"beta","n":null}'), says(GOOD)], 2],
  ['a continued reply', [says(GOOD.slice(0, 12), 'length'), says(GOOD.slice(12))], 2],
];

const LIMITED = '{"error":{"message":"slow down","type":"rate_limit","code":"slow"}}';

describe.each(CLIENTS.map((client) => [client.name, client] as const))('%s', (_name, client) => {
  for (const [name, scripts, calls] of OBJECTS) {
    it(`gets the object of ${name}`, async () => {
      expect(await call(client, scripts)).toEqual({ value: VALUE, requests: 1, calls });
    });
  }

  it('gets a refusal, and does not try again', async () => {
    const came = await call(client, [says(WRONG)]);
    expect(came).toMatchObject({ status: 400, ...REFUSED, requests: 1, calls: 2 });
    expect(came.requestId).toMatch(/^req_/);
  });

  it("gets the upstream's 429 with its retry-after", async () => {
    const scripts = [answer(429, LIMITED, { 'retry-after': '7' })];
    const came = await call(client, scripts, { maxRetries: 0 });
    expect(came).toMatchObject({ status: 429, code: 'slow', retryAfter: '7', requests: 1, calls: 1 });
  });

  it('gets the object at its next try after a 429', async () => {
    const soon = { 'retry-after': '0', 'retry-after-ms': '1' };
    const came = await call(client, [answer(429, LIMITED, soon), says(GOOD)], { maxRetries: 1 });
    expect(came).toEqual({ value: VALUE, requests: 2, calls: 2 });
  });

  it('cancels the call upstream by its abort', async () => {
    const abort = new AbortController();
    const ended = call(client, [(): void => undefined], { signal: abort.signal }).then(
      () => 'an answer',
      () => 'aborted',
    );
    await upstream.requests(1);
    abort.abort();
    await upstream.seen[0]?.gone;
    expect(await ended).toBe('aborted');
    expect(upstream.seen).toHaveLength(1);
  });

  if (!client.streams) return;

  it('gets the object of a stream that began before the verdict', async () => {
    const came = await call(client, [late(says(GOOD))], { server: hasty });
    expect(came).toEqual({ value: VALUE, requests: 1, calls: 1 });
  });

  it('gets a refusal in a stream that began before the verdict, and does not try again', async () => {
    const came = await call(client, [late(says(WRONG)), says(WRONG)], { server: hasty });
    expect(came).toMatchObject({ ...REFUSED, requests: 1, calls: 2 });
    expect(came.value).toBeUndefined();
  });
});

describe('the openai SDK', () => {
  it('shows everything of a refusal', async () => {
    upstream.script(answer(200, completionBody([{ content: WRONG }]), { 'x-request-id': 'up-9' }));
    const error = await openaiAt({ baseURL: `${portcullis.dataUrl}/note/v1` })
      .chat.completions.create({ model: 'm', messages: [] })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({
      status: 400,
      ...REFUSED,
      param: 't',
      requestID: 'up-9',
      error: {
        portcullis: { route: 'note', choice: 0, at: 5, calls: 2, first: { code: 'wrong_type', at: 5 } },
      },
    });
  });
});
