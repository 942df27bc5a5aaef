/** An upstream that answers from a script and keeps every attempt; an observer that keeps what it was told. */

import type { Observer } from '../../src/exchange/observer.ts';
import type {
  AttemptRequest,
  AttemptResult,
  Purpose,
  ReplyChoice,
  Upstream,
} from '../../src/exchange/upstream.ts';
import type { Usage } from '../../src/exchange/usage.ts';
import type { UpstreamFault } from '../../src/refusal/upstream-fault.ts';

/** An answer, or a function that gives one when it is asked for. */
export type Scripted =
  | AttemptResult<string>
  | ((
      attempt: AttemptRequest,
      signal: AbortSignal,
    ) => Promise<AttemptResult<string>> | AttemptResult<string>);

export class ScriptedUpstream implements Upstream<string> {
  readonly attempts: AttemptRequest[] = [];
  private readonly script: readonly Scripted[];

  constructor(...script: readonly Scripted[]) {
    this.script = script;
  }

  get purposes(): readonly Purpose[] {
    return this.attempts.map(({ purpose }) => purpose);
  }

  async send(attempt: AttemptRequest, signal: AbortSignal): Promise<AttemptResult<string>> {
    const answer = this.script[this.attempts.length];
    this.attempts.push(attempt);
    if (answer === undefined) throw new Error(`call ${this.attempts.length} is not in the script`);
    return typeof answer === 'function' ? await answer(attempt, signal) : answer;
  }
}

export class KeptObserver implements Observer {
  readonly told: string[] = [];

  attempted(attempt: AttemptRequest, result: AttemptResult<unknown>, tookMs: number): void {
    this.told.push(`${attempt.purpose} ${result.ok ? 'reply' : result.fault.kind} ${tookMs}`);
  }

  read(purpose: Purpose, result: { readonly ok: boolean }, tookMs: number): void {
    this.told.push(`read ${purpose} ${result.ok ? 'ok' : 'refused'} ${tookMs}`);
  }
}

/** A reply of one choice for each text; a choice may be given whole. */
export function replied(
  choices: string | readonly (string | Partial<ReplyChoice>)[],
  more: { readonly usage?: Usage; readonly atMaximum?: boolean; readonly finish?: 'stop' | 'length' } = {},
): AttemptResult<string> {
  const { usage, atMaximum = false, finish = 'stop' } = more;
  const list = typeof choices === 'string' ? [choices] : choices;
  return {
    ok: true,
    reply: {
      choices: list.map((one, index) => ({
        index,
        text: '',
        finish,
        finishWire: finish,
        declined: undefined,
        ...(typeof one === 'string' ? { text: one } : one),
      })),
      usage,
      atMaximum,
      envelope: 'the envelope',
    },
  };
}

export function failed(fault: UpstreamFault): AttemptResult<string> {
  return { ok: false, fault };
}
