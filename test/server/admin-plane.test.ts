import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, NOTE, type Started, startPortcullis } from '../support/portcullis.ts';
import { ScriptedUpstream, says } from '../support/scripted-upstream.ts';

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

async function get(path: string, init?: RequestInit): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${portcullis.adminUrl}${path}`, init);
  return { status: response.status, body: await response.json() };
}

async function read(body: unknown): Promise<{ status: number; body: unknown }> {
  return await get('/read', { method: 'POST', body: JSON.stringify(body) });
}

describe('the admin plane', () => {
  it('tells health and readiness', async () => {
    expect(await get('/healthz')).toEqual({ status: 200, body: { status: 'ok' } });
    expect(await get('/readyz')).toEqual({ status: 200, body: { status: 'ready', in_flight: 0 } });
  });

  it.each([
    [
      'lists as deep as they are long',
      `{"text":"{}","contract":{"enum":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`,
      null,
    ],
    [
      'a member that comes twice',
      '{"text":"{}","contract":{"type":"object","type":"array"}}',
      'contract.type',
    ],
  ])('reads no request with %s', async (_name, body, param) => {
    const answer = await get('/read', { method: 'POST', body });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_request', param } } });
  });

  it('lists contracts with their state, and shows one with its definition', async () => {
    const { body } = await get('/contracts');
    expect(body).toMatchObject({
      contracts: [
        { route: 'broken', state: 'broken', issues: [{ place: 'reply.pattern' }] },
        { route: 'note', state: 'active', fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/) },
      ],
    });
    expect((await get('/contracts/note')).body).toMatchObject({ definition: NOTE });
    expect((await get('/contracts/nowhere')).status).toBe(404);
  });

  it('reads a text under a route or a contract, without an upstream', async () => {
    upstream.script(says('{}'));
    expect(await read({ text: '```\n{"t":"a"}\n```', route: 'note' })).toMatchObject({
      status: 200,
      body: {
        ok: true,
        text: '{"t":"a"}',
        repairs: [{ kind: 'fence', start: 0, end: 4 }, { kind: 'fence' }],
      },
    });
    expect(await read({ text: '{\n"t":1}', contract: NOTE })).toMatchObject({
      status: 200,
      body: { ok: false, code: 'wrong_type', at: 6, line: 2, column: 5, path: 't' },
    });
    expect((await read({ text: '{"t":"a"}', route: 'note', finish_reason: 'length' })).body).toMatchObject({
      code: 'cut',
    });
    expect((await read({ text: '1', contract: { type: 'integer' } })).body).toMatchObject({
      ok: true,
      text: '1',
    });
    expect(await read({ text: '1', contract: { reply: { not: {} } } })).toMatchObject({
      status: 400,
      body: { issues: [{ place: 'reply.not' }] },
    });
    expect(await read({ text: '1' })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request' } },
    });
    expect((await read({ text: '1', route: 'nowhere' })).status).toBe(404);
    expect(upstream.seen).toHaveLength(0);
  });

  it('keeps refused replies, newest first, and filters them', async () => {
    upstream.script(says('{"t":1}'));
    await portcullis.chat('note', ask());
    upstream.script(says('{"x":1}'));
    await portcullis.chat('note', ask({ model: 'other' }));
    const { body } = await get('/refusals?limit=2');
    const { refusals } = body as { refusals: { id: string; code: string; model: string; calls: number }[] };
    expect(refusals.map(({ code, model, calls }) => [code, model, calls])).toEqual([
      ['unknown_key', 'other', 2],
      ['wrong_type', 'm', 2],
    ]);
    expect((await get(`/refusals/${refusals[0]?.id}`)).body).toMatchObject({
      replies: ['{"x":1}', '{"x":1}'],
    });
    expect((await get('/refusals?code=wrong_type')).body).toMatchObject({
      refusals: [{ code: 'wrong_type' }],
    });
    expect((await get('/refusals?route=elsewhere')).body).toEqual({ refusals: [] });
    expect((await get('/refusals?since=2999-01-01T00:00:00Z')).body).toEqual({ refusals: [] });
    expect((await get('/refusals?limit=0')).status).toBe(400);
    expect((await get('/refusals?since=yesterday')).status).toBe(400);
    expect((await get('/refusals/none')).status).toBe(404);
  });

  it('counts exchanges, attempts, refusals, repairs, tokens and contracts', async () => {
    const counted = await startPortcullis(upstream.url);
    upstream.script(says('```\n{"t":"a"}\n```'));
    await counted.chat('note', ask());
    upstream.script(says('{"t":1}'));
    await counted.chat('note', ask());
    upstream.script(says('x'));
    await counted.chat(undefined, ask());
    const response = await fetch(`${counted.adminUrl}/metrics`);
    expect(response.headers.get('content-type')).toContain('text/plain');
    const text = await response.text();
    for (const line of [
      'portcullis_exchanges_total{route="note",surface="chat",verdict="repaired"} 1',
      'portcullis_exchanges_total{route="note",surface="chat",verdict="refused"} 1',
      'portcullis_exchanges_total{route="-",surface="chat",verdict="passthrough"} 1',
      'portcullis_attempts_total{route="note",purpose="first",outcome="reply"} 2',
      'portcullis_attempts_total{route="note",purpose="correction",outcome="reply"} 1',
      'portcullis_refusals_total{route="note",code="wrong_type"} 1',
      'portcullis_repairs_total{route="note",kind="fence"} 2',
      'portcullis_tokens_total{route="note",purpose="correction",direction="completion"} 7',
      'portcullis_in_flight 0',
      'portcullis_overhead_seconds_count{route="note"} 2',
      'portcullis_upstream_seconds_count{route="note",purpose="first"} 2',
      'portcullis_read_seconds_count{route="note"} 3',
    ]) {
      expect(text.split('\n')).toContain(line);
    }
    expect(text).toMatch(/portcullis_contract_info\{route="note",fingerprint="[0-9a-f]{16}"\} 1/);
    await counted.close();
  });

  it('asks for its token everywhere but at the health pages', async () => {
    const guarded = await startPortcullis(upstream.url, undefined, { adminToken: 'secret' });
    const status = async (path: string, authorization?: string): Promise<number> =>
      (
        await fetch(
          `${guarded.adminUrl}${path}`,
          authorization === undefined ? {} : { headers: { authorization } },
        )
      ).status;
    expect(await status('/healthz')).toBe(200);
    expect(await status('/readyz')).toBe(200);
    for (const path of ['/', '/metrics', '/contracts', '/refusals', '/nothing']) {
      expect(await status(path)).toBe(401);
      expect(await status(path, 'Bearer wrong')).toBe(401);
    }
    expect(await status('/metrics', 'Bearer secret')).toBe(200);
    await guarded.close();
  });
});
