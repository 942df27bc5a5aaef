import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, NOTE, type Started, startPortcullis } from '../support/portcullis.ts';
import {
  answer,
  completionBody,
  ScriptedUpstream,
  says,
  streamBody,
  usageOf,
} from '../support/scripted-upstream.ts';

let upstream: ScriptedUpstream;
let portcullis: Started;

beforeAll(async () => {
  upstream = await ScriptedUpstream.start();
  portcullis = await startPortcullis(upstream.url, { note: NOTE, broken: { reply: { pattern: 'x' } } });
});
afterAll(async () => {
  await portcullis.close();
  await upstream.close();
});

interface Told {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly code: string;
    readonly param: unknown;
    readonly portcullis?: Record<string, unknown>;
  };
}

async function content(response: Response): Promise<unknown> {
  const body = (await response.json()) as { choices: { message: { content: unknown } }[] };
  return body.choices[0]?.message.content;
}

describe('a chat exchange', () => {
  it('hands on a verified body byte for byte', async () => {
    const body = ` {"id":"x","model":"m","n":12345678901234567890, "choices" : [ {"index":0,"message":{"content":"{\\u0022t\\":\\"a\\"}", "odd":1.0},"finish_reason":"stop"}],"usage":{"prompt_tokens":1},"service_tier":"s"}\n`;
    upstream.script(answer(200, body, { 'x-request-id': 'up-1', 'x-ratelimit-remaining': '7' }));
    const response = await portcullis.chat('note', ask());
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(body);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json',
      'x-portcullis-verdict': 'verified',
      'x-portcullis-route': 'note',
      'x-portcullis-calls': '1',
      'x-request-id': 'up-1',
      'x-ratelimit-remaining': '7',
    });
    expect(response.headers.get('x-portcullis-overhead-ms')).toMatch(/^\d+\.\d\d$/);
    expect(upstream.seen).toHaveLength(1);
  });

  it('changes nothing of a repaired body but the content', async () => {
    const body =
      '{"big":12345678901234567890,"choices":[{"index":0,"message":{"content":"```json\\n{\\"t\\":\\"a\\"}\\n```","annotations":[{"start_index":1}]},"logprobs":{"content":[]},"finish_reason":"stop"}]}';
    upstream.script(answer(200, body));
    const response = await portcullis.chat('note', ask());
    expect(await response.text()).toBe(
      '{"big":12345678901234567890,"choices":[{"index":0,"message":{"content":"{\\"t\\":\\"a\\"}","annotations":[]},"logprobs":null,"finish_reason":"stop"}]}',
    );
    expect(response.headers.get('x-portcullis-verdict')).toBe('repaired');
    expect(response.headers.get('x-portcullis-repairs')).toBe('fence=2');
    expect(upstream.seen).toHaveLength(1);
  });

  it('corrects once, telling the model the key at fault, and sums the usage', async () => {
    upstream.script(
      answer(200, completionBody([{ content: '{"t":"a","t":"b"}' }])),
      answer(200, completionBody([{ content: '{"t":"b"}' }], usageOf(11, 3))),
    );
    const response = await portcullis.chat('note', ask({ store: true, n: 1 }));
    expect(response.headers.get('x-portcullis-verdict')).toBe('corrected');
    expect(response.headers.get('x-portcullis-calls')).toBe('2');
    const body = (await response.json()) as { choices: { message: { content: string } }[]; usage: unknown };
    expect(body.choices[0]?.message.content).toBe('{"t":"b"}');
    expect(body.usage).toEqual({
      prompt_tokens: 16,
      completion_tokens: 10,
      total_tokens: 26,
      completion_tokens_details: { reasoning_tokens: 2 },
    });
    expect(upstream.seen).toHaveLength(2);
    const [first, second] = upstream.seen.map((request) => request.json());
    expect(first).toEqual({ ...ask({ n: 1 }), store: false });
    const messages = second?.messages as { role: string; content: string }[];
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(messages[1]?.content).toBe('{"t":"a","t":"b"}');
    expect(messages[2]?.content).toContain('Duplicate key "t"');
    expect(second).not.toHaveProperty('n');
    expect(second?.store).toBe(false);
  });

  it('continues a cut reply once', async () => {
    upstream.script(
      answer(200, completionBody([{ content: '{"t":"al', finish: 'length' }])),
      answer(200, completionBody([{ content: 'pha"}', finish: 'stop' }])),
    );
    const response = await portcullis.chat('note', ask());
    expect(response.headers.get('x-portcullis-verdict')).toBe('continued');
    const body = (await response.json()) as {
      choices: { message: { content: string }; finish_reason: string }[];
    };
    expect(body.choices[0]).toMatchObject({ message: { content: '{"t":"alpha"}' }, finish_reason: 'stop' });
    expect(upstream.seen).toHaveLength(2);
  });

  it('continues a reply that used every token although it parses', async () => {
    upstream.script(
      answer(200, completionBody([{ content: '{"t":"a"}' }], usageOf(5, 7))),
      answer(200, completionBody([{ content: '' }], usageOf(9, 0))),
    );
    const response = await portcullis.chat('note', ask({ max_tokens: 7 }));
    expect(response.headers.get('x-portcullis-verdict')).toBe('continued');
    expect(await content(response)).toBe('{"t":"a"}');
    expect(upstream.seen).toHaveLength(2);
  });

  it('refuses after two refused replies with everything a client needs', async () => {
    upstream.script(
      answer(200, completionBody([{ content: '{"x":1}' }])),
      answer(200, completionBody([{ content: '{"t":1}' }])),
    );
    const response = await portcullis.chat('note', ask());
    expect(response.status).toBe(400);
    expect(response.headers.get('x-should-retry')).toBe('false');
    expect(response.headers.get('x-portcullis-verdict')).toBe('refused');
    const { error } = (await response.json()) as Told;
    expect(error).toMatchObject({
      type: 'invalid_reply_error',
      code: 'wrong_type',
      param: 't',
      portcullis: {
        route: 'note',
        choice: 0,
        at: 5,
        calls: 2,
        first: { code: 'unknown_key', at: 1 },
        usage: { total_tokens: 24 },
      },
    });
    expect(upstream.seen).toHaveLength(2);
    const id = String(error.portcullis?.refusal_id);
    const kept = (await (await fetch(`${portcullis.adminUrl}/refusals/${id}`)).json()) as Record<
      string,
      unknown
    >;
    expect(kept).toMatchObject({ id, code: 'wrong_type', replies: ['{"x":1}', '{"t":1}'], model: 'm' });
  });

  const ENDS: readonly (readonly [string, string, string])[] = [
    ['a declined reply', completionBody([{ refusal: 'No.' }]), 'declined'],
    [
      'a refusal part',
      completionBody([{ extra: { content: [{ type: 'refusal', refusal: 'No.' }] } }]),
      'declined',
    ],
    [
      'a filtered reply',
      completionBody([{ content: '{"t":"a"}', finish: 'content_filter' }]),
      'content_filter',
    ],
    ['an empty reply', completionBody([{ content: '' }]), 'empty'],
    ['reasoning alone', completionBody([{ content: '<think>hm', finish: 'length' }]), 'empty'],
    [
      'tool calls',
      completionBody([
        {
          content: '{"t":"a"}',
          extra: { tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }] },
        },
      ]),
      'unsupported',
    ],
  ];
  for (const [name, body, code] of ENDS) {
    it(`ends at once with ${code} for ${name}`, async () => {
      upstream.script(answer(200, body));
      const response = await portcullis.chat('note', ask());
      expect(response.status).toBe(400);
      expect(((await response.json()) as Told).error.code).toBe(code);
      expect(upstream.seen).toHaveLength(1);
    });
  }

  it('verifies every choice, and gives each its own second attempt', async () => {
    upstream.script(
      answer(
        200,
        completionBody([{ content: '{"t":"a"}' }, { content: '{"t":2}' }, { content: '{"t":"c"}' }]),
      ),
      answer(200, completionBody([{ content: '{"t":"b"}' }])),
    );
    const response = await portcullis.chat('note', ask({ n: 3 }));
    const body = (await response.json()) as { choices: { message: { content: string } }[] };
    expect(body.choices.map(({ message }) => message.content)).toEqual([
      '{"t":"a"}',
      '{"t":"b"}',
      '{"t":"c"}',
    ]);
    expect(upstream.seen).toHaveLength(2);
  });

  it('refuses the call where one choice is refused', async () => {
    upstream.script(
      answer(200, completionBody([{ content: '{"t":"a"}' }, { content: '{"t":2}' }])),
      answer(200, completionBody([{ content: '{"t":3}' }])),
    );
    const response = await portcullis.chat('note', ask({ n: 2 }));
    expect(((await response.json()) as Told).error).toMatchObject({
      code: 'wrong_type',
      portcullis: { choice: 1, calls: 2 },
    });
    expect(upstream.seen).toHaveLength(2);
  });

  it('returns the first refusal where the second attempt fails upstream, and says so', async () => {
    upstream.script(answer(200, completionBody([{ content: '{"t":1}' }])), answer(503, '{"error":{}}'));
    const response = await portcullis.chat('note', ask());
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as Told;
    expect(error.code).toBe('wrong_type');
    expect(error.message).toContain('503');
    expect(error.portcullis?.second_attempt).toContain('503');
    expect(upstream.seen).toHaveLength(2);
  });

  it('asks no more for an answer with more choices than were asked for', async () => {
    upstream.script(answer(200, completionBody(Array.from({ length: 50 }, () => ({ content: '{"t":1}' })))));
    const response = await portcullis.chat('note', ask({ n: 49 }));
    expect(response.status).toBe(502);
    expect(((await response.json()) as Told).error.code).toBe('upstream_invalid');
    expect(upstream.seen).toHaveLength(1);
  });

  it('takes no second answer that has several choices', async () => {
    upstream.script(
      says('{"t":1}'),
      answer(200, completionBody([{ content: '{"t":"a"}' }, { content: '{"t":"b"}' }])),
    );
    const response = await portcullis.chat('note', ask());
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as Told;
    expect(error.code).toBe('wrong_type');
    expect(error.portcullis?.second_attempt).toContain('more choices');
  });

  it('verifies a reply whose usage is beyond all numbers', async () => {
    const body = completionBody([{ content: '{"t":"a"}' }]).replace(
      '"prompt_tokens":5',
      '"prompt_tokens":1e999',
    );
    upstream.script(answer(200, body));
    const response = await portcullis.chat('note', ask());
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(body);
  });

  it('passes an upstream error on unchanged, with its retry headers', async () => {
    const body = '{ "error" : {"message":"slow down","extra":1.0}}';
    upstream.script(answer(429, body, { 'retry-after': '3', 'retry-after-ms': '2500' }));
    const response = await portcullis.chat('note', ask());
    expect(response.status).toBe(429);
    expect(await response.text()).toBe(body);
    expect(response.headers.get('retry-after')).toBe('3');
    expect(response.headers.get('retry-after-ms')).toBe('2500');
    expect(response.headers.get('x-should-retry')).toBeNull();
    expect(upstream.seen).toHaveLength(1);
  });

  const BROKEN: readonly (readonly [
    string,
    number,
    string | Buffer,
    Record<string, string>,
    number,
    string,
  ])[] = [
    ['an HTML error page', 504, '<html>', { 'content-type': 'text/html' }, 504, 'upstream_status_504'],
    [
      'a plain-text refusal of a gateway',
      403,
      'no',
      { 'content-type': 'text/plain' },
      403,
      'upstream_status_403',
    ],
    [
      'an error page with a stale content-encoding',
      500,
      'upstream failed',
      { 'content-encoding': 'gzip' },
      500,
      'upstream_status_500',
    ],
    ['a redirect', 302, '', { location: 'http://127.0.0.1:9/' }, 502, 'upstream_invalid'],
    ['an answer without news', 304, '', {}, 502, 'upstream_invalid'],
    ['an answer without a body', 204, '', {}, 502, 'upstream_invalid'],
    ['a status that is none', 777, 'x', {}, 502, 'upstream_invalid'],
    ['an error object under 200', 200, '{"error":{"code":429}}', {}, 502, 'upstream_invalid'],
    ['HTML under 200', 200, '<html>', {}, 502, 'upstream_invalid'],
    ['a body without choices', 200, '{"choices":[]}', {}, 502, 'upstream_invalid'],
    [
      'an envelope that is no JSON',
      200,
      '{"choices":[{"message":{"content":"{}"},"logprobs":-Infinity}]}',
      {},
      502,
      'upstream_invalid',
    ],
    [
      'a failed finish with text',
      200,
      completionBody([{ content: '{"t":"a"}', finish: 'failed' }]),
      {},
      502,
      'upstream_invalid',
    ],
    [
      'no finish and no text',
      200,
      completionBody([{ content: '', finish: null }]),
      {},
      502,
      'upstream_invalid',
    ],
    [
      'a body that does not decode',
      200,
      completionBody([{ content: '{"t":"a"}' }]),
      { 'content-encoding': 'gzip' },
      502,
      'upstream_invalid',
    ],
    ['a redirect', 307, '{}', { location: 'http://elsewhere/v1/chat/completions' }, 502, 'upstream_invalid'],
    ['a status of its own', 999, '{}', {}, 502, 'upstream_invalid'],
    ['an error that is null', 500, 'null', {}, 500, 'upstream_status_500'],
    [
      'bytes that are no UTF-8',
      200,
      Buffer.from(completionBody([{ content: '{"t":"\u00e9"}' }]), 'latin1'),
      {},
      502,
      'upstream_invalid',
    ],
    ['an unknown content-encoding', 200, 'x', { 'content-encoding': 'rot13' }, 502, 'upstream_invalid'],
  ];
  for (const [name, status, body, headers, told, code] of BROKEN) {
    it(`tells ${name} in JSON with status ${told}`, async () => {
      upstream.script(answer(status, body, headers));
      const response = await portcullis.chat('note', ask());
      expect(response.status).toBe(told);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(response.headers.get('retry-after')).toBeNull();
      expect(response.headers.get('location')).toBeNull();
      expect(((await response.json()) as Told).error).toMatchObject({ code, param: null });
      expect(upstream.seen).toHaveLength(1);
    });
  }

  it('tells a connection that breaks as unreachable, and leaks nothing of the exception', async () => {
    upstream.script((_request, response) => {
      response.socket?.destroy();
    });
    const response = await portcullis.chat('note', ask());
    expect(response.status).toBe(502);
    const text = await response.text();
    expect(text).toContain('upstream_unreachable');
    expect(text).not.toMatch(/ECONN|socket|undici|at /);
  });

  it('cancels the upstream call when the client goes away', async () => {
    upstream.script(() => undefined);
    const abort = new AbortController();
    const gone = portcullis.chat('note', ask(), { signal: abort.signal }).catch(() => 'gone');
    await upstream.requests(1);
    abort.abort();
    expect(await gone).toBe('gone');
    await upstream.seen[0]?.gone;
  });

  it('sends the key upstream and writes it nowhere', async () => {
    upstream.script(says('{"t":1}'));
    const response = await portcullis.chat('note', ask());
    expect(upstream.seen[0]?.headers.authorization).toBe('Bearer client-secret');
    expect(upstream.seen[0]?.headers['accept-encoding']).toBe('identity');
    expect(await response.text()).not.toContain('client-secret');
    expect(portcullis.log()).toContain('"verdict":"refused"');
    expect(portcullis.log()).not.toMatch(/client-secret|Hello/);
  });

  it('sends the request with the spelling that the client chose', async () => {
    upstream.script(says('{"t":"a"}'));
    const sent = '{"model":"m","messages":[],"seed":12345678901234567890,"temperature":1.0}';
    expect((await portcullis.chat('note', sent)).status).toBe(200);
    expect(upstream.seen[0]?.body.toString()).toBe(sent);
  });

  it('answers with a request id: the upstream has the first word, then the client', async () => {
    const json = { 'content-type': 'application/json' };
    const idOf = async (headers: Record<string, string>): Promise<string | null> =>
      (await portcullis.chat('note', ask(), { headers: { ...json, ...headers } })).headers.get(
        'x-request-id',
      );
    upstream.script(says('{"t":"a"}'));
    expect(await idOf({})).toMatch(/^req_[0-9a-f]{32}$/);
    expect(await idOf({ 'x-request-id': 'mine-1' })).toBe('mine-1');
    expect(await idOf({ 'x-request-id': 'not a word' })).toMatch(/^req_/);
    upstream.script(answer(200, completionBody([{ content: '{"t":"a"}' }]), { 'x-request-id': 'theirs' }));
    expect(await idOf({ 'x-request-id': 'mine-1' })).toBe('theirs');
    const unknown = await portcullis.chat('nowhere', ask(), {
      headers: { ...json, 'x-request-id': 'mine-2' },
    });
    expect(unknown.headers.get('x-request-id')).toBe('mine-2');
  });

  it('hands on no verdict that the upstream claims', async () => {
    const claims = { 'x-portcullis-verdict': 'verified', 'x-portcullis-repairs': 'fence=9' };
    upstream.script(answer(429, '{"error":{}}', claims));
    const response = await portcullis.chat('note', ask());
    expect(response.status).toBe(429);
    expect(response.headers.get('x-portcullis-verdict')).toBeNull();
    expect(response.headers.get('x-portcullis-repairs')).toBeNull();
  });

  it('counts, logs and keeps a request that cannot be held to the contract', async () => {
    const response = await portcullis.chat('note', ask({ tools: [{}] }));
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-portcullis-verdict': 'refused',
      'x-portcullis-route': 'note',
      'x-portcullis-calls': '0',
      'x-should-retry': 'false',
    });
    const { error } = (await response.json()) as Told;
    expect(error).toMatchObject({ code: 'unsupported', type: 'invalid_reply_error', param: 'tools' });
    const id = String(error.portcullis?.refusal_id);
    expect(await (await fetch(`${portcullis.adminUrl}/refusals/${id}`)).json()).toMatchObject({
      code: 'unsupported',
      calls: 0,
      replies: [],
    });
    expect(portcullis.log()).toContain(id);
    const metrics = await (await fetch(`${portcullis.adminUrl}/metrics`)).text();
    expect(metrics).toMatch(/portcullis_refusals_total\{route="note",code="unsupported"\} [1-9]/);
  });

  const REJECTED: readonly (readonly [string, string, unknown, number, string])[] = [
    ['an unknown route', 'nowhere', ask(), 404, 'unknown_route'],
    ['a route whose contract is broken', 'broken', ask(), 503, 'contract_unavailable'],
    ['a body that is no JSON', 'note', '{"model":', 400, 'invalid_request'],
    [
      'a member that comes twice',
      'note',
      '{"stream":false,"stream":true,"messages":[]}',
      400,
      'invalid_request',
    ],
    ['messages that are no list', 'note', ask({ messages: 'x' }), 400, 'invalid_request'],
    ['an n out of range', 'note', ask({ n: 0 }), 400, 'invalid_request'],
    ['tools under a contract', 'note', ask({ tools: [{ type: 'function' }] }), 400, 'unsupported'],
    ['audio under a contract', 'note', ask({ modalities: ['text', 'audio'] }), 400, 'unsupported'],
    ['a body over the limit', 'note', ask({ user: 'x'.repeat(1_000_001) }), 413, 'request_too_large'],
  ];
  for (const [name, route, body, status, code] of REJECTED) {
    it(`answers ${status} ${code} to ${name}, without an upstream call`, async () => {
      upstream.script(says('{"t":"a"}'));
      const response = await portcullis.chat(route, body);
      expect(response.status).toBe(status);
      expect(((await response.json()) as Told).error.code).toBe(code);
      expect(upstream.seen).toHaveLength(0);
    });
  }

  it("takes the request's own schema as the contract where no route is named", async () => {
    const schema = (NOTE as { reply: unknown }).reply;
    upstream.script(says('{"t":"a","x":1}'), says('{"t":"a"}'));
    const format = { type: 'json_schema', json_schema: { name: 'x', strict: true, schema } };
    const response = await portcullis.chat(undefined, ask({ response_format: format }));
    expect(response.headers.get('x-portcullis-verdict')).toBe('corrected');
    expect(await content(response)).toBe('{"t":"a"}');
    expect(upstream.seen).toHaveLength(2);
  });

  it('holds json_object without a schema to an object', async () => {
    upstream.script(says('[1]'), says('{"any":1}'));
    const response = await portcullis.chat(undefined, ask({ response_format: { type: 'json_object' } }));
    expect(await content(response)).toBe('{"any":1}');
    expect(upstream.seen).toHaveLength(2);
  });

  it('refuses a schema that it cannot enforce, naming the keyword', async () => {
    upstream.script(says('{}'));
    const format = {
      type: 'json_schema',
      json_schema: { name: 'x', schema: { type: 'object', patternProperties: {} } },
    };
    const response = await portcullis.chat(undefined, ask({ response_format: format }));
    expect(response.status).toBe(400);
    expect(((await response.json()) as Told).error.message).toContain('patternProperties');
    expect(upstream.seen).toHaveLength(0);
  });

  it('takes the route from the header where the path names none', async () => {
    upstream.script(says('{"t":1}'));
    const headers = { 'content-type': 'application/json', 'x-portcullis-contract': 'note' };
    const response = await portcullis.chat(undefined, ask(), { headers });
    expect(response.headers.get('x-portcullis-route')).toBe('note');
    expect(response.status).toBe(400);
    expect(upstream.seen[0]?.headers).not.toHaveProperty('x-portcullis-contract');
    const clash = await portcullis.chat('broken', ask(), { headers });
    expect(clash.status).toBe(400);
  });

  it('decodes a compressed answer although it did not ask for one', async () => {
    const { gzipSync } = await import('node:zlib');
    upstream.script(
      answer(200, gzipSync(completionBody([{ content: '{"t":"a"}' }])), { 'content-encoding': 'gzip' }),
    );
    const response = await portcullis.chat('note', ask());
    expect(await content(response)).toBe('{"t":"a"}');
    expect(response.headers.get('content-encoding')).toBeNull();
  });

  it('reads a server that streams although it was not asked to', async () => {
    upstream.script(answer(200, streamBody(['{"t":', '"a"}']), { 'content-type': 'text/event-stream' }));
    const response = await portcullis.chat('note', ask());
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await content(response)).toBe('{"t":"a"}');
  });
});
