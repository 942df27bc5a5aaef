import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  decodedBody,
  HttpUpstream,
  readBody,
  type UpstreamCall,
  type UpstreamResponse,
} from '../../src/transport/http-upstream.ts';
import { answer, type Script, ScriptedUpstream } from '../support/scripted-upstream.ts';

let scripted: ScriptedUpstream;
let upstream: HttpUpstream;
/** Waits for a few milliseconds only. */
let hasty: HttpUpstream;

beforeAll(async () => {
  scripted = await ScriptedUpstream.start();
  const url = new URL(`${scripted.url}?api-version=1`);
  upstream = new HttpUpstream({ url, key: undefined, headersTimeoutMs: 5000, bodyTimeoutMs: 5000 });
  hasty = new HttpUpstream({ url, key: 'ours', headersTimeoutMs: 30, bodyTimeoutMs: 30 });
});
afterAll(async () => {
  await upstream.close();
  await hasty.close();
  await scripted.close();
});

const CALL: UpstreamCall = {
  method: 'POST',
  path: 'chat/completions',
  query: '',
  headers: [
    'Authorization',
    'Bearer theirs',
    'Host',
    'proxy',
    'Accept-Encoding',
    'br',
    'Content-Length',
    '99',
  ],
  body: '{}',
  verbatim: false,
  signal: new AbortController().signal,
};

async function respond(script: Script, call: Partial<UpstreamCall> = {}): Promise<UpstreamResponse> {
  scripted.script(script);
  const response = await upstream.send({ ...CALL, ...call });
  if (!response.ok) throw new Error(response.fault.detail);
  return response;
}

async function read(response: UpstreamResponse, maxBytes = 1000): Promise<unknown> {
  const body = decodedBody(response);
  const result = body === undefined ? undefined : await readBody(body, maxBytes, CALL.signal);
  return result?.ok ? result.bytes.toString() : result?.fault.kind;
}

describe('what is sent', () => {
  it('puts the path before the query of the base URL, and the query of the client after it', async () => {
    await read(await respond(answer(200, ''), { query: 'a=%20b' }));
    expect(scripted.seen[0]).toMatchObject({
      method: 'POST',
      url: '/v1/chat/completions?api-version=1&a=%20b',
    });
  });

  it('sends the length and the host of its own, and asks for bytes as they are', async () => {
    await read(await respond(answer(200, '')));
    const { headers, body } = scripted.seen[0] ?? {};
    expect(body?.toString()).toBe('{}');
    expect(headers).toMatchObject({
      authorization: 'Bearer theirs',
      host: new URL(scripted.url).host,
      'content-length': '2',
      'accept-encoding': 'identity',
    });
    expect(Object.keys(headers ?? {}).filter((name) => name.startsWith('x-forwarded'))).toEqual([]);
  });

  it('keeps the accept-encoding of a client that gets the answer as it is', async () => {
    const headers = ['accept-encoding', 'br'];
    await read(await respond(answer(200, ''), { verbatim: true, headers }));
    expect(scripted.seen[0]?.headers['accept-encoding']).toBe('br');
  });

  it('presents its own key in place of the one that came', async () => {
    scripted.script(answer(200, ''));
    const response = await hasty.send(CALL);
    if (response.ok) await read(response);
    expect(scripted.seen[0]?.headers.authorization).toBe('Bearer ours');
    expect(hasty.hasKey).toBe(true);
    expect([hasty.isKeyIn(Buffer.from('x ours y')), hasty.isKeyIn(Buffer.from('our s'))]).toEqual([
      true,
      false,
    ]);
    expect([upstream.hasKey, upstream.isKeyIn(Buffer.from('theirs'))]).toEqual([false, false]);
  });
});

describe('what comes back', () => {
  it('has the end-to-end headers, repeated ones repeated, and no claims of verification', async () => {
    const response = await respond((_request, outgoing) => {
      outgoing.writeHead(429, [
        ...['connection', 'x-hop', 'x-hop', '1', 'set-cookie', 'a', 'set-cookie', 'b'],
        ...['retry-after', '3', 'x-portcullis-verdict', 'verified', 'alt-svc', 'h3'],
      ]);
      outgoing.end('no');
    });
    expect(response.status).toBe(429);
    const names = response.headers.map(([name, value]) => `${name}=${value}`);
    expect(names).toEqual(expect.arrayContaining(['set-cookie=a', 'set-cookie=b', 'retry-after=3']));
    for (const name of ['x-hop', 'connection', 'x-portcullis-verdict', 'alt-svc']) {
      expect(response.headers.some(([other]) => other === name)).toBe(false);
    }
    expect(await read(response)).toBe('no');
  });

  const ENCODINGS: readonly (readonly [string, Buffer, unknown])[] = [
    ['gzip', gzipSync('text'), 'text'],
    ['x-gzip', gzipSync('text'), 'text'],
    [' GZIP ', gzipSync('text'), 'text'],
    ['deflate', deflateSync('text'), 'text'],
    ['br', brotliCompressSync('text'), 'text'],
    ['identity', Buffer.from('text'), 'text'],
    ['gzip', Buffer.from('text'), 'invalid'],
    ['gzip', gzipSync('text').subarray(0, -4), 'invalid'],
    ['rot13', Buffer.from('text'), undefined],
  ];
  for (const [encoding, bytes, expected] of ENCODINGS) {
    it(`reads ${bytes.length} bytes of ${encoding} as ${expected}`, async () => {
      const response = await respond(answer(200, bytes, { 'content-encoding': encoding }));
      expect(await read(response)).toBe(expected);
      response.body.destroy();
    });
  }

  it('gives up a body that is too large, also where it is large only once it is decoded', async () => {
    expect(await read(await respond(answer(200, 'x'.repeat(1001))))).toBe('too_large');
    expect(await read(await respond(answer(200, 'x'.repeat(1000))))).toBe('x'.repeat(1000));
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    expect(await read(await respond(answer(200, bomb, { 'content-encoding': 'gzip' })), 1_000_000)).toBe(
      'too_large',
    );
  });
});

describe('what goes wrong', () => {
  it('is unreachable where nobody listens, or the connection breaks before an answer', async () => {
    const down = await ScriptedUpstream.start();
    const alone = new HttpUpstream({
      url: new URL(down.url),
      key: undefined,
      headersTimeoutMs: 5000,
      bodyTimeoutMs: 5000,
    });
    await down.close();
    const fault = { kind: 'unreachable', detail: 'no connection, or it broke before an answer came' };
    expect(await alone.send(CALL)).toEqual({ ok: false, fault });
    await alone.close();
    scripted.script((_request, response) => {
      response.destroy();
    });
    expect(await upstream.send(CALL)).toEqual({ ok: false, fault });
  });

  it('is invalid where the body breaks off', async () => {
    const response = await respond((_request, outgoing) => {
      outgoing.writeHead(200, { 'content-length': '10' }).write('half', () => outgoing.destroy());
    });
    expect(await read(response)).toBe('invalid');
  });

  it('is a timeout where no headers come, or no more of the body', async () => {
    scripted.script(() => undefined);
    expect(await hasty.send(CALL)).toMatchObject({ ok: false, fault: { kind: 'timeout' } });
    scripted.script((_request, outgoing) => {
      outgoing.writeHead(200).write('half');
    });
    const response = await hasty.send(CALL);
    if (!response.ok) throw new Error(response.fault.detail);
    expect(await read(response)).toBe('timeout');
  });

  it('is cancelled where the signal says so, before the answer and during it', async () => {
    const early = new AbortController();
    scripted.script(() => undefined);
    const sent = upstream.send({ ...CALL, signal: early.signal });
    await scripted.requests(1);
    early.abort();
    expect(await sent).toMatchObject({ ok: false, fault: { kind: 'cancelled' } });
    await scripted.seen[0]?.gone;

    const late = new AbortController();
    const response = await respond(
      (_request, outgoing) => {
        outgoing.writeHead(200).write('half');
      },
      { signal: late.signal },
    );
    const reading = readBody(response.body, 1000, late.signal);
    late.abort();
    expect(await reading).toMatchObject({ ok: false, fault: { kind: 'cancelled' } });
    await scripted.seen[0]?.gone;
  });

  it('ends the calls that run when it is closed', async () => {
    const closing = new HttpUpstream({
      url: new URL(scripted.url),
      key: undefined,
      headersTimeoutMs: 5000,
      bodyTimeoutMs: 5000,
    });
    scripted.script(() => undefined);
    const sent = closing.send(CALL);
    await scripted.requests(1);
    await closing.close();
    expect(await sent).toMatchObject({ ok: false, fault: { kind: 'unreachable' } });
    await scripted.seen[0]?.gone;
  });
});
