import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, type Started, startPortcullis } from '../support/portcullis.ts';
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
/** Sends its status line at once, and a comment every few milliseconds. */
let hasty: Started;

beforeAll(async () => {
  upstream = await ScriptedUpstream.start();
  portcullis = await startPortcullis(upstream.url);
  hasty = await startPortcullis(upstream.url, undefined, { holdStatusMs: 1, commentEveryMs: 2 });
});
afterAll(async () => {
  await portcullis.close();
  await hasty.close();
  await upstream.close();
});

const SSE = { 'content-type': 'text/event-stream' };

function eventsOf(text: string): unknown[] {
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: ') && event !== 'data: [DONE]')
    .map((event) => JSON.parse(event.slice(6)));
}

describe('a streamed chat exchange', () => {
  it('sends well-formed chunks of the verified text, with usage where it was asked for', async () => {
    upstream.script(says('```json\n{"t":"a"}\n```'));
    const response = await portcullis.chat(
      'note',
      ask({ stream: true, stream_options: { include_usage: true } }),
    );
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(response.headers.get('x-portcullis-verdict')).toBe('repaired');
    const text = await response.text();
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' };
    const choice = (delta: unknown, finish: string | null): unknown => ({
      ...head,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      usage: null,
    });
    expect(eventsOf(text)).toEqual([
      choice({ role: 'assistant', content: '', refusal: null }, null),
      choice({ content: '{"t":"a"}' }, null),
      choice({}, 'stop'),
      { ...head, choices: [], usage: usageOf(5, 7) },
    ]);
    expect(upstream.seen[0]?.json().stream_options).toEqual({ include_usage: true });
    expect(upstream.seen).toHaveLength(1);
  });

  it('sends no usage chunk where none was asked for', async () => {
    upstream.script(says('{"t":"a"}'));
    const text = await (await portcullis.chat('note', ask({ stream: true }))).text();
    expect(text).not.toContain('usage');
  });

  it('refuses two choices of one index, which clients would put together to one text', async () => {
    const body = completionBody([{ content: '{"t":"a"}' }, { content: '{"t":"b"}' }]);
    upstream.script(answer(200, body.replace('"index":1', '"index":0')));
    const response = await portcullis.chat('note', ask({ stream: true, n: 2 }));
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { code: 'upstream_invalid' } });
  });

  it('refuses a stream with an event too deep to be written again', async () => {
    const deep = `data: {"choices":[],"usage":{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}}\n\n`;
    upstream.script(answer(200, deep + streamBody(['{"t":"a"}']), SSE));
    const options = { stream: true, stream_options: { include_usage: true } };
    const response = await portcullis.chat('note', ask(options));
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { code: 'upstream_invalid' } });
  });

  it('tells a late upstream error that is too deep to be written again', async () => {
    const gate = Promise.withResolvers<void>();
    const body = `{"error":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;
    upstream.script(async (request, response) => {
      await gate.promise;
      await answer(500, body)(request, response);
    });
    const response = await hasty.chat('note', ask({ stream: true }));
    gate.resolve();
    expect(eventsOf(await response.text())).toMatchObject([{ error: { code: 'upstream_status_500' } }]);
  });

  it('never splits a surrogate pair between chunks', async () => {
    const long = `{"t":"${'x'.repeat(1017)}🍸"}`;
    upstream.script(says(long));
    const text = await (await portcullis.chat('note', ask({ stream: true }))).text();
    const pieces = eventsOf(text).map(
      (event) => (event as { choices: { delta: { content?: string } }[] }).choices[0]?.delta.content ?? '',
    );
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    expect(pieces.join('')).toBe(long);
  });

  it('refuses with a real status while the status line is held', async () => {
    upstream.script(says('{"t":1}'));
    const response = await portcullis.chat('note', ask({ stream: true }));
    expect(response.status).toBe(400);
    expect(response.headers.get('x-should-retry')).toBe('false');
    expect(((await response.json()) as { error: { code: string } }).error.code).toBe('wrong_type');
    expect(upstream.seen).toHaveLength(2);
  });

  it('sends comments while it waits, then the chunks', async () => {
    const gate = Promise.withResolvers<void>();
    upstream.script(async (request, response) => {
      await gate.promise;
      await says('{"t":"a"}')(request, response);
    });
    const response = await hasty.chat('note', ask({ stream: true }));
    expect(response.status).toBe(200);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (let comments = 0; comments < 3; comments += 1) text += (await reader?.read())?.value ?? '';
    expect(text).toMatch(/^(?:: [^\n]+\n\n){3,}$/);
    gate.resolve();
    for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read())
      text += piece.value;
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(eventsOf(text)).toHaveLength(3);
  });

  it('tells a late refusal as one error event and ends without [DONE]', async () => {
    const gate = Promise.withResolvers<void>();
    upstream.script(async (request, response) => {
      await gate.promise;
      await says('{"t":1}')(request, response);
    });
    const response = await hasty.chat('note', ask({ stream: true }));
    gate.resolve();
    const text = await response.text();
    expect(text).not.toContain('[DONE]');
    expect(eventsOf(text)).toMatchObject([
      { error: { code: 'wrong_type', type: 'invalid_reply_error', param: 't' } },
    ]);
  });

  const FAILURES: readonly (readonly [string, string, unknown])[] = [
    ['an HTML page', '<html>', { code: 'upstream_status_500' }],
    ['an error object', '{"error":{"message":"full","code":"x"}}', { message: 'full', code: 'x' }],
    ['another form', '{"detail":"x"}', { code: 'upstream_status_500' }],
  ];
  for (const [name, body, error] of FAILURES) {
    it(`tells a late upstream failure that came as ${name} as one error event`, async () => {
      const gate = Promise.withResolvers<void>();
      upstream.script(async (_request, response) => {
        await gate.promise;
        response.writeHead(500).end(body);
      });
      const response = await hasty.chat('note', ask({ stream: true }), {
        headers: { 'content-type': 'application/json', 'x-request-id': 'mine' },
      });
      gate.resolve();
      expect(response.headers.get('x-request-id')).toBe('mine');
      expect(response.headers.get('x-portcullis-route')).toBe('note');
      const text = await response.text();
      expect(eventsOf(text)).toMatchObject([{ error }]);
      expect(text).not.toContain('[DONE]');
      expect(upstream.seen).toHaveLength(1);
    });
  }

  it('cancels the upstream call when the client of an open stream goes away', async () => {
    upstream.script(() => undefined);
    const response = await hasty.chat('note', ask({ stream: true }));
    await upstream.requests(1);
    await response.body?.cancel();
    await upstream.seen[0]?.gone;
  });

  const INVALID: readonly (readonly [string, string | Buffer])[] = [
    [
      'a stream that ends early',
      streamBody(['{"t":"a"}']).split(
        'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{}',
      )[0] ?? '',
    ],
    ['an error as the first event', 'data: {"error":{"message":"quota"}}\n\ndata: [DONE]\n\n'],
    ['an error beside empty choices', 'data: {"choices":[],"error":{"code":502}}\n\ndata: [DONE]\n\n'],
    ['an event that is no JSON', 'data: {"choices":\n\n'],
    ['nothing at all', ''],
    ['a last event that stops in a character', Buffer.from('data: "\u00e9').subarray(0, -1)],
    ['bytes that are no UTF-8', Buffer.from(streamBody(['{"t":"\u00e9"}']), 'latin1')],
    [
      'an end without a reply',
      'data: {"choices":[{"index":0,"delta":{"role":"assistant"},"finish_reason":null}]}\n\ndata: [DONE]\n\n',
    ],
  ];
  for (const [name, body] of INVALID) {
    it(`answers 502 to ${name}`, async () => {
      upstream.script(answer(200, body, SSE));
      const response = await portcullis.chat('note', ask({ stream: true }));
      expect(response.status).toBe(502);
      expect(((await response.json()) as { error: { code: string } }).error.code).toBe('upstream_invalid');
      expect(upstream.seen).toHaveLength(1);
    });
  }

  const ODD: readonly (readonly [string, (body: string) => string])[] = [
    ['CRLF', (body) => body.replaceAll('\n', '\r\n')],
    ['CR', (body) => body.replaceAll('\n', '\r')],
    ['no space after data:', (body) => body.replaceAll('data: ', 'data:')],
    ['comments, ids and pings', (body) => `: hi\n\n${body.replaceAll('data: ', 'id: 1\ndata: ')}`],
    ['a comment wrapped as data', (body) => `data: : PROCESSING\n\n${body}`],
    ['an empty first chunk', (body) => `data: {"id":"","choices":[],"prompt_filter_results":[]}\n\n${body}`],
    [
      'a usage chunk without choices',
      (body) => body.replace('data: [DONE]', 'data: {"usage":{"prompt_tokens":1}}\n\ndata: [DONE]'),
    ],
    ['an odd finish reason', (body) => body.replace('"stop"', '"eos"')],
    ['no finish reason before [DONE]', (body) => body.replace('"stop"', 'null')],
    ['no [DONE]', (body) => body.replace('data: [DONE]\n\n', '')],
    ['text after [DONE]', (body) => `${body}data: {"choices":[{"index":0,"delta":{"content":"x"}}]}\n\n`],
    [
      'reasoning beside the answer',
      (body) =>
        `data: {"choices":[{"index":0,"delta":{"content":null,"reasoning_content":"hm"}}]}\n\n${body}`,
    ],
    ['content as parts', (body) => body.replace('"content":"{"', '"content":[{"type":"text","text":"{"}]')],
  ];
  for (const [name, change] of ODD) {
    it(`reads a stream with ${name}`, async () => {
      upstream.script(answer(200, change(streamBody(['{', '"t":"修复', '"}'])), SSE));
      const text = await (await portcullis.chat('note', ask({ stream: true }))).text();
      const choices = eventsOf(text).flatMap(
        (event) =>
          (event as { choices: { delta: { content?: string }; finish_reason: string | null }[] }).choices,
      );
      expect(choices.map(({ delta }) => delta.content ?? '').join('')).toBe('{"t":"修复"}');
      expect(choices.at(-1)?.finish_reason).toBe('stop');
    });
  }

  it('reads a stream cut anywhere between its bytes', async () => {
    const bytes = Buffer.from(streamBody(['{"t":"修', '复🍸"}']).replaceAll('\n', '\r\n'));
    for (let cut = 1; cut < bytes.length; cut += 7) {
      upstream.script((_request, response) => {
        response.writeHead(200, SSE);
        response.write(bytes.subarray(0, cut), () => response.end(bytes.subarray(cut)));
      });
      const response = await portcullis.chat('note', ask());
      const body = (await response.json()) as { choices: { message: { content: string } }[] };
      expect(body.choices[0]?.message.content).toBe('{"t":"修复🍸"}');
    }
  });

  it('ends with [DONE] although the upstream keeps the connection open', async () => {
    upstream.script((_request, response) => {
      response.writeHead(200, SSE).write(streamBody(['{"t":"a"}']));
    });
    const response = await portcullis.chat('note', ask());
    expect(response.headers.get('x-portcullis-verdict')).toBe('verified');
    await upstream.seen[0]?.gone;
  });

  it('puts interleaved choices together by their index', async () => {
    const event = (index: number, content: string, finish: string | null = null): string =>
      `data: ${JSON.stringify({ id: 'c', choices: [{ index, delta: { content }, finish_reason: finish }] })}\n\n`;
    const body = `${event(1, '{"t":')}${event(0, '{"t":')}${event(1, '"b"}', 'stop')}${event(0, '"a"}', 'stop')}data: [DONE]\n\n`;
    upstream.script(answer(200, body, SSE));
    const response = await portcullis.chat('note', ask({ n: 2 }));
    const { choices } = (await response.json()) as {
      choices: { index: number; message: { content: string } }[];
    };
    expect(choices.map(({ index, message }) => [index, message.content])).toEqual([
      [0, '{"t":"a"}'],
      [1, '{"t":"b"}'],
    ]);
  });

  it('streams the verified text of a server that ignores stream', async () => {
    upstream.script(answer(200, completionBody([{ content: '{"t":"a"}' }])));
    const text = await (await portcullis.chat('note', ask({ stream: true }))).text();
    expect(eventsOf(text)).toHaveLength(3);
  });
});
