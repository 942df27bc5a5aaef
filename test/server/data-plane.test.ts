import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, type Started, startPortcullis } from '../support/portcullis.ts';
import { answer, completionBody, ScriptedUpstream, says } from '../support/scripted-upstream.ts';

let upstream: ScriptedUpstream;
let portcullis: Started;

beforeAll(async () => {
  upstream = await ScriptedUpstream.start();
  portcullis = await startPortcullis(upstream.url);
});
afterAll(async () => {
  await portcullis.close();
  await upstream.close();
});

/** A request whose target is sent exactly as given. */
async function raw(method: string, path: string, body = ''): Promise<{ status: number; body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  const { hostname, port } = new URL(portcullis.dataUrl);
  const request = httpRequest(
    {
      hostname,
      port,
      method,
      path,
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    },
    (response) => {
      let text = '';
      response.on('data', (piece: Buffer) => {
        text += piece.toString('utf8');
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
    },
  );
  request.on('error', reject);
  request.end(body);
  return await promise;
}

describe('what passes through', () => {
  it('hands on bytes both ways untouched', async () => {
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => i % 256));
    upstream.script(
      answer(201, bytes, { 'content-type': 'application/octet-stream', 'x-odd': 'a', etag: '"e"' }),
    );
    const response = await fetch(`${portcullis.dataUrl}/v1/files?purpose=x&y=%20`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-thing', 'x-client': '1' },
      body: bytes,
    });
    expect(response.status).toBe(201);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'x-odd': 'a',
      etag: '"e"',
      'x-portcullis-verdict': 'passthrough',
    });
    const [seen] = upstream.seen;
    expect(seen).toMatchObject({ method: 'POST', url: '/v1/files?purpose=x&y=%20' });
    expect(seen?.body).toEqual(bytes);
    expect(seen?.headers).toMatchObject({ 'content-type': 'application/x-thing', 'x-client': '1' });
  });

  it('hands on a chat request without a contract exactly as it came', async () => {
    const sent = ' {"model":"m", "messages":[], "n":1.0}';
    upstream.script(answer(200, 'not even JSON'));
    const response = await portcullis.chat(undefined, sent);
    expect(await response.text()).toBe('not even JSON');
    expect(response.headers.get('x-portcullis-verdict')).toBe('passthrough');
    expect(upstream.seen[0]?.body.toString()).toBe(sent);
  });

  it('streams as the upstream does', async () => {
    const gate = Promise.withResolvers<void>();
    upstream.script(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
      await gate.promise;
      response.end('data: 2\n\n');
    });
    const response = await portcullis.chat(undefined, ask({ stream: true }));
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe('data: 1\n\n');
    gate.resolve();
    expect((await reader?.read())?.value).toBe('data: 2\n\n');
  });

  it('keeps a compressed answer as it is where the client asked for it', async () => {
    upstream.script(answer(200, gzipSync('{"data":[]}'), { 'content-encoding': 'gzip' }));
    const response = await fetch(`${portcullis.dataUrl}/v1/models`);
    expect(await response.json()).toEqual({ data: [] });
    expect(upstream.seen[0]?.headers['accept-encoding']).toContain('gzip');
  });

  it('keeps the headers of one connection from the other', async () => {
    upstream.script(
      answer(200, '{}', {
        connection: 'keep-alive, x-hop',
        'x-hop': '1',
        'keep-alive': 'timeout=9',
        'x-end': '1',
      }),
    );
    const { hostname, port } = new URL(portcullis.dataUrl);
    const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>();
    const headers = {
      connection: 'close, x-mine',
      'x-mine': '1',
      te: 'trailers',
      'proxy-authorization': 'x',
      'x-end': '2',
    };
    httpRequest({ hostname, port, path: '/v1/models', headers }, (response) => {
      response.resume();
      resolve(response.headers);
    }).end();
    const returned = await promise;
    expect(returned).toMatchObject({ 'x-end': '1' });
    expect(returned).not.toHaveProperty('x-hop');
    const sent = upstream.seen[0]?.headers;
    expect(sent).toMatchObject({ 'x-end': '2', host: new URL(upstream.url).host });
    for (const name of ['x-mine', 'te', 'proxy-authorization']) expect(sent).not.toHaveProperty(name);
  });

  it('hands on the body of a method that seldom has one', async () => {
    upstream.script(answer(200, '{}'));
    expect((await raw('GET', '/v1/search', '{"q":1}')).status).toBe(200);
    expect(upstream.seen[0]?.body.toString()).toBe('{"q":1}');
  });

  it('hands on a redirect as it is, and follows none', async () => {
    upstream.script(answer(307, '', { location: 'http://elsewhere/' }));
    const response = await fetch(`${portcullis.dataUrl}/v1/files/f/content`, { redirect: 'manual' });
    expect(response.status).toBe(307);
    expect(response.headers.get('location')).toBe('http://elsewhere/');
    expect(upstream.seen).toHaveLength(1);
  });

  it('writes a line for each, and gives it a request id', async () => {
    upstream.script(answer(404, '{}'));
    const response = await fetch(`${portcullis.dataUrl}/v1/models/x`);
    const id = response.headers.get('x-request-id');
    expect(id).toMatch(/^req_/);
    const line = portcullis
      .log()
      .split('\n')
      .find((text) => text.includes(String(id)));
    expect(JSON.parse(line ?? '')).toMatchObject({
      route: null,
      surface: 'other',
      verdict: 'passthrough',
      status: 404,
    });
  });

  it('answers HEAD and 204 without a body', async () => {
    upstream.script(answer(200, ''));
    expect((await fetch(`${portcullis.dataUrl}/v1/models`, { method: 'HEAD' })).status).toBe(200);
    upstream.script((_request, response) => {
      response.writeHead(204).end();
    });
    expect((await fetch(`${portcullis.dataUrl}/v1/files/f`, { method: 'DELETE' })).status).toBe(204);
  });

  it('cancels the upstream call when the client goes away', async () => {
    upstream.script((_request, response) => {
      response.writeHead(200).write('x');
    });
    const response = await fetch(`${portcullis.dataUrl}/v1/models`);
    await response.body?.cancel();
    await upstream.seen[0]?.gone;
  });

  it('breaks off where the upstream does, and appends nothing', async () => {
    upstream.script((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' }).write('half', () => response.destroy());
    });
    const response = await fetch(`${portcullis.dataUrl}/v1/models`);
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('half');
    await expect(reader?.read()).rejects.toThrow();
  });

  it('answers 502 in JSON where the upstream is down', async () => {
    const down = await ScriptedUpstream.start();
    const alone = await startPortcullis(down.url);
    await down.close();
    const response = await fetch(`${alone.dataUrl}/v1/models`);
    expect(response.status).toBe(502);
    expect(((await response.json()) as { error: { code: string } }).error.code).toBe('upstream_unreachable');
    await alone.close();
  });

  it('answers 504 where the upstream takes too long', async () => {
    const slow = await startPortcullis(upstream.url, undefined, {
      upstream: { url: new URL(upstream.url), key: undefined, headersTimeoutMs: 50, bodyTimeoutMs: 50 },
    });
    upstream.script(() => undefined);
    const response = await slow.chat('note', ask());
    expect(response.status).toBe(504);
    expect(((await response.json()) as { error: { code: string } }).error.code).toBe('upstream_timeout');
    await slow.close();
  });

  it('puts the path before the query of the base URL', async () => {
    const azure = await startPortcullis(`${upstream.url}?api-version=1`);
    upstream.script(says('{"t":"a"}'));
    await azure.chat('note', ask());
    expect(upstream.seen[0]?.url).toBe('/v1/chat/completions?api-version=1');
    await azure.close();
  });

  it('presents its own key where it has one, and asks clients for theirs', async () => {
    const keyed = await startPortcullis(upstream.url, undefined, {
      upstream: {
        url: new URL(upstream.url),
        key: 'upstream-secret',
        headersTimeoutMs: 5000,
        bodyTimeoutMs: 5000,
      },
      clientKeys: new Set(['one', 'client-secret']),
    });
    upstream.script(says('{"t":1}'));
    const text = await (await keyed.chat('note', ask())).text();
    expect(upstream.seen.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer upstream-secret',
      'Bearer upstream-secret',
    ]);
    expect(text + keyed.log()).not.toContain('secret');
    upstream.script(says('{"t":"a"}'));
    for (const headers of [{}, { authorization: 'Bearer two' }, { authorization: 'client-secret' }]) {
      const refused = await keyed.chat('note', ask(), { headers });
      expect(refused.status).toBe(401);
    }
    expect(upstream.seen).toHaveLength(0);
    await keyed.close();
  });
});

describe('an upstream that repeats the key it was given', () => {
  let keyed: Started;
  beforeAll(async () => {
    const upstreamOptions = { url: new URL(upstream.url), headersTimeoutMs: 5000, bodyTimeoutMs: 5000 };
    keyed = await startPortcullis(upstream.url, undefined, {
      upstream: { ...upstreamOptions, key: 'upstream-secret' },
    });
  });
  afterAll(async () => await keyed.close());

  const ECHO = '{"error":{"message":"Incorrect API key: upstream-secret"}}';
  for (const [name, send] of [
    ['under a contract', async () => await keyed.chat('note', ask())],
    ['passed through', async () => await fetch(`${keyed.dataUrl}/v1/models`)],
  ] as const) {
    it(`gives it away to no client: ${name}`, async () => {
      for (const script of [
        answer(401, ECHO),
        answer(401, gzipSync(ECHO), { 'content-encoding': 'gzip' }),
        answer(401, ECHO.replace('-', '\\u002D')),
      ]) {
        upstream.script(script);
        const response = await send();
        expect(response.status).toBe(401);
        expect(await response.json()).toEqual({
          error: {
            message: 'The upstream answered 401.',
            type: 'upstream_error',
            code: 'upstream_status_401',
            param: null,
          },
        });
        expect(upstream.seen).toHaveLength(1);
      }
      expect(keyed.log()).not.toContain('upstream-secret');
    });

    it(`gives it away in no header: ${name}`, async () => {
      for (const status of [200, 401]) {
        upstream.script(
          answer(status, completionBody([{ content: '{"t":"a"}' }]), {
            'www-authenticate': 'Bearer error="upstream-secret"',
            'x-odd': '1',
          }),
        );
        const response = await send();
        expect(response.status).toBe(status);
        expect([...response.headers].flat().join()).not.toContain('upstream-secret');
        expect(response.headers.get('x-odd')).toBe('1');
      }
    });

    it(`keeps every other error as it is: ${name}`, async () => {
      upstream.script(answer(403, '{"error": {"message":"no" } }', { 'x-odd': '1' }));
      const response = await send();
      expect(response.status).toBe(403);
      expect(await response.text()).toBe('{"error": {"message":"no" } }');
      expect(response.headers.get('x-odd')).toBe('1');
    });
  }
});

describe('what a registered route forwards', () => {
  it('forwards the endpoints that cannot return a completion', async () => {
    upstream.script(answer(200, '{"data":[]}'));
    expect((await fetch(`${portcullis.dataUrl}/note/v1/models`)).status).toBe(200);
    expect(upstream.seen[0]?.url).toBe('/v1/models');
  });

  for (const [method, path] of [
    ['POST', '/note/v1/completions'],
    ['POST', '/note/v1/responses'],
    ['GET', '/note/v1/chat/completions/chatcmpl-1'],
    ['POST', '/note/v1/batches'],
  ] as const) {
    it(`refuses ${method} ${path}, which could bypass the contract`, async () => {
      upstream.script(answer(200, '{}'));
      const { status, body } = await raw(method, path, method === 'POST' ? '{}' : '');
      expect(status).toBe(400);
      expect(JSON.parse(body)).toMatchObject({ error: { code: 'unsupported', type: 'invalid_reply_error' } });
      expect(upstream.seen).toHaveLength(0);
    });
  }

  for (const path of [
    '/note/v1/chat/completions/',
    '/note/v1//chat/completions',
    '/note//v1/chat/completions',
    '/note/v1/chat/../chat/completions',
    '/note/v1/chat/%63ompletions',
    '/note/v1/Chat/Completions',
    '/note/v1/chat%2fcompletions',
    '/note/v1/chat/completions;x',
    '/v1/chat/completions/',
    '/v1/./chat/completions',
    '/v1/chat\\completions',
    '/V1/chat/completions',
    '/Note/v1/chat/completions',
    '/v1/',
    '/v1',
    '/',
    '//v1/chat/completions',
  ]) {
    it(`serves nothing at ${path}`, async () => {
      upstream.script(says('{"t":"a"}'));
      const { status, body } = await raw('POST', path, JSON.stringify(ask()));
      expect(status).toBe(404);
      expect(JSON.parse(body)).toMatchObject({ error: { code: 'not_found', param: null } });
      expect(upstream.seen).toHaveLength(0);
    });
  }

  it('serves nothing at an absolute-form target', async () => {
    upstream.script(says('{"t":"a"}'));
    const { status } = await raw('POST', `${portcullis.dataUrl}/v1/chat/completions`, JSON.stringify(ask()));
    expect(status).toBe(404);
    expect(upstream.seen).toHaveLength(0);
  });

  it('takes POST only where replies are verified, and refuses a preflight clearly', async () => {
    for (const method of ['GET', 'PUT', 'OPTIONS', 'DELETE']) {
      const { status, body } = await raw(method, '/note/v1/chat/completions');
      expect(status).toBe(405);
      expect(JSON.parse(body)).toMatchObject({ error: { code: 'method_not_allowed' } });
    }
  });
});

describe('a body over the limit', () => {
  it('is answered 413, also where its length is not told', async () => {
    upstream.script(says('{"t":"a"}'));
    const piece = new Uint8Array(65_536).fill(0x20);
    const body = (): ReadableStream<Uint8Array> => {
      let left = 64;
      return new ReadableStream({
        pull(controller): void {
          left -= 1;
          if (left < 0) controller.close();
          else controller.enqueue(piece);
        },
      });
    };
    const init = { method: 'POST', body: body(), duplex: 'half' } as RequestInit;
    const response = await fetch(`${portcullis.dataUrl}/note/v1/chat/completions`, init);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: 'request_too_large' } });
    expect(upstream.seen).toHaveLength(0);
  });

  it('is taken where it names the identity coding in any case', async () => {
    upstream.script(says('{"t":"a"}'));
    const response = await portcullis.chat('note', ask(), { headers: { 'content-encoding': 'Identity' } });
    expect(response.status).toBe(200);
  });

  it('is refused where it is compressed', async () => {
    const response = await portcullis.chat('note', '{}', { headers: { 'content-encoding': 'gzip' } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_request' } });
  });
});

describe('stopping', () => {
  it('lets a running exchange end, and takes no new one', async () => {
    const gate = Promise.withResolvers<void>();
    const stopping = await startPortcullis(upstream.url);
    upstream.script(async (request, response) => {
      await gate.promise;
      await says('{"t":"a"}')(request, response);
    });
    const running = stopping.chat('note', ask());
    await upstream.requests(1);
    const closed = stopping.close();
    await expect(fetch(`${stopping.dataUrl}/v1/models`)).rejects.toThrow();
    gate.resolve();
    expect((await running).status).toBe(200);
    await closed;
  });

  it('cancels what still runs when its time is up', async () => {
    const stopping = await startPortcullis(upstream.url, undefined, { drainMs: 20 });
    upstream.script(() => undefined);
    const running = stopping.chat('note', ask()).then(
      (response) => response.status,
      () => 'gone',
    );
    await upstream.requests(1);
    await stopping.close();
    await upstream.seen[0]?.gone;
    expect([502, 'gone']).toContain(await running);
  });
});
