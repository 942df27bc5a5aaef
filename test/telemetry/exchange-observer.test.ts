import { describe, expect, it } from 'vitest';
import { compileContract } from '../../src/contract/compile-contract.ts';
import type { AttemptRequest, AttemptResult, Purpose } from '../../src/exchange/upstream.ts';
import type { Usage } from '../../src/exchange/usage.ts';
import { refuse } from '../../src/reader/fault.ts';
import { readReply } from '../../src/reader/read-reply.ts';
import { ExchangeObserver } from '../../src/telemetry/exchange-observer.ts';
import { Metrics } from '../../src/telemetry/metrics.ts';

class FakeClock {
  time = 0;
  now(): number {
    return this.time;
  }
}

function attempt(purpose: Purpose): AttemptRequest {
  return { purpose, turns: [] };
}

function reply(usage?: Usage): AttemptResult<unknown> {
  return { ok: true, reply: { choices: [], usage, atMaximum: false, envelope: undefined } };
}

async function linesOf(metrics: Metrics): Promise<string[]> {
  return (await metrics.registry.metrics()).split('\n').filter((line) => !line.startsWith('#'));
}

describe('ExchangeObserver', () => {
  it('adds up the wait for the upstream, overlapping calls once', () => {
    const clock = new FakeClock();
    const observer = new ExchangeObserver(new Metrics(), 'r', clock);
    clock.time = 110;
    observer.attempted(attempt('first'), reply(), 100);
    // Two corrections that began together at 120.
    clock.time = 150;
    observer.attempted(attempt('correction'), reply(), 30);
    clock.time = 170;
    observer.attempted(attempt('correction'), reply(), 50);
    expect(observer.upstreamMs).toBe(100 + 50);
  });

  it('counts no tokens that are no number', async () => {
    const metrics = new Metrics();
    const observer = new ExchangeObserver(metrics, 'r', new FakeClock());
    for (const tokens of [Number.POSITIVE_INFINITY, Number.NaN, -1]) {
      observer.attempted(attempt('first'), reply({ prompt_tokens: tokens, completion_tokens: 2 }), 1);
    }
    expect((await linesOf(metrics)).filter((line) => line.startsWith('portcullis_tokens_total'))).toEqual([
      'portcullis_tokens_total{route="r",purpose="first",direction="completion"} 6',
    ]);
  });

  it('counts attempts by purpose and outcome, and their tokens by direction', async () => {
    const metrics = new Metrics();
    const observer = new ExchangeObserver(metrics, 'r', new FakeClock());
    observer.attempted(attempt('first'), reply({ prompt_tokens: 5, completion_tokens: 7 }), 250);
    observer.attempted(attempt('correction'), reply({ prompt_tokens: 0, completion_tokens: null }), 1);
    observer.attempted(
      attempt('correction'),
      { ok: false, fault: { kind: 'answered', status: 503, headers: [], body: Buffer.alloc(0) } },
      1,
    );
    const lines = await linesOf(metrics);
    expect(lines.filter((line) => /^portcullis_(attempts|tokens)_total/.test(line))).toEqual([
      'portcullis_attempts_total{route="r",purpose="first",outcome="reply"} 1',
      'portcullis_attempts_total{route="r",purpose="correction",outcome="reply"} 1',
      'portcullis_attempts_total{route="r",purpose="correction",outcome="answered"} 1',
      'portcullis_tokens_total{route="r",purpose="first",direction="prompt"} 5',
      'portcullis_tokens_total{route="r",purpose="first",direction="completion"} 7',
    ]);
    expect(lines).toContain('portcullis_upstream_seconds_sum{route="r",purpose="first"} 0.25');
  });

  it('times readings, and counts the escapes that look like LaTeX read wrongly', async () => {
    const metrics = new Metrics();
    const observer = new ExchangeObserver(metrics, 'r', new FakeClock());
    observer.read('first', refuse('cut', 0, ''), 500);
    expect((await linesOf(metrics)).join('\n')).not.toContain('portcullis_suspect_escapes_total{');
    const compiled = compileContract({ reply: { type: 'object' } });
    if (!compiled.ok) throw new Error('the contract does not compile');
    observer.read('first', readReply('{"t":"\\f","u":"\\b"}', compiled.contract, { finish: 'stop' }), 500);
    const lines = await linesOf(metrics);
    expect(lines).toContain('portcullis_read_seconds_sum{route="r"} 1');
    expect(lines).toContain('portcullis_suspect_escapes_total{route="r"} 2');
  });
});
