/** What does the proxy owe a client in the situation that a report tells of? One judgement a report. */

import { expect } from 'vitest';
import type { Started } from '../support/portcullis.ts';
import { answer, type Script, type ScriptedUpstream, says } from '../support/scripted-upstream.ts';
import type { ClientReport } from './report.ts';

/** Sends the report's request to an upstream that answers by `scripts`. */
type Send = (...scripts: readonly Script[]) => Promise<Response>;

const JUDGEMENTS: Readonly<Record<string, (send: Send, upstream: ScriptedUpstream) => Promise<void>>> = {
  '216': async (send, upstream) => {
    const response = await send(says('{}'));
    expect(response.status).toBe(405);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect(upstream.seen).toHaveLength(0);
  },
  '218': async (send, upstream) => {
    const { status, headers } = await send(says('{"x":1}'));
    expect([status, headers.get('x-should-retry')]).toEqual([400, 'false']);
    expect(upstream.seen).toHaveLength(2);
  },
  '220': async (send) => {
    const text = await (await send(says('{"t":"hi"}'))).text();
    expect(text).toMatch(/^data: .*data: \[DONE\]\n\n$/s);
    expect(text).not.toContain('usage');
  },
  '222': async (send) => {
    const response = await send(says('{"x":1}'));
    expect([response.status, response.headers.get('x-portcullis-verdict')]).toEqual([400, 'refused']);
  },
  '224': async (send, upstream) => {
    const response = await send(says('The answer is hi.'), says('{"t":"hi"}'));
    expect([response.status, response.headers.get('x-portcullis-verdict')]).toEqual([200, 'corrected']);
    expect(upstream.seen).toHaveLength(2);
  },
  '226': async (send, upstream) => {
    await send(answer(200, '{}'));
    expect(upstream.seen.map(({ url }) => url)).toEqual(['/v1/chat/completions?api-version=1']);
  },
  '228': async (send) => {
    const response = await send(says('{"t":"hi"}'));
    expect(response.headers.get('x-portcullis-verdict')).toBe('verified');
  },
};

/** Judges one report. Its route is that of its id, or none where it has no contract. */
export async function judgeClient(
  { id, contract, input }: ClientReport,
  upstream: ScriptedUpstream,
  portcullis: Started,
): Promise<void> {
  const { method, headers, body } = input;
  const path = `${contract === null ? '' : `/r${id}`}/v1/chat/completions`;
  const judge = JUDGEMENTS[id];
  if (judge === undefined) throw new Error(`no judgement of the client report ${id}`);
  await judge(async (...scripts) => {
    upstream.script(...scripts);
    return await fetch(portcullis.dataUrl + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === null ? {} : { body: JSON.stringify(body) }),
    });
  }, upstream);
}
