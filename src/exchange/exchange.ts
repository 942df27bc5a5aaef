/**
 * How does one client request live? A first attempt for every choice, then for each choice that needs it one more,
 * and an end: every choice verified, one refusal, or the upstream's own failure. The only loop that awaits.
 */

import type { Contract } from '../contract/contract.ts';
import { continuationPrompt } from '../guidance/continuation-prompt.ts';
import { correctionPrompt } from '../guidance/correction-prompt.ts';
import type { Fault } from '../reader/fault.ts';
import { readReply } from '../reader/read-reply.ts';
import type { Reading, ReadResult } from '../reader/reading.ts';
import type { UpstreamFault } from '../refusal/upstream-fault.ts';
import { type Decision, decide, decideUnread } from './decide.ts';
import { joinContinuation } from './join-continuation.ts';
import type { Clock, Observer } from './observer.ts';
import { type Outcome, type RefusedChoice, VERDICTS, type Verdict, type VerifiedChoice } from './outcome.ts';
import type { AttemptRequest, AttemptResult, Purpose, ReplyChoice, Turn, Upstream } from './upstream.ts';
import { sumUsage, type Usage } from './usage.ts';

export interface ExchangeParts<Envelope> {
  readonly contract: Contract;
  readonly upstream: Upstream<Envelope>;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Runs one exchange to its end. Never throws; at most two upstream calls for each choice. */
export async function runExchange<Envelope>(parts: ExchangeParts<Envelope>): Promise<Outcome<Envelope>> {
  const exchange = new Exchange(parts);
  return await exchange.run();
}

type Settled =
  | { readonly kind: 'verified'; readonly choice: VerifiedChoice }
  | { readonly kind: 'refused'; readonly refused: RefusedChoice };

class Exchange<Envelope> {
  private readonly parts: ExchangeParts<Envelope>;
  private calls = 0;
  private usage: Usage | undefined;

  constructor(parts: ExchangeParts<Envelope>) {
    this.parts = parts;
  }

  async run(): Promise<Outcome<Envelope>> {
    const first = await this.attempt({ purpose: 'first', turns: [] });
    if (!first.ok) return { kind: 'failed', fault: first.fault, ...this.costs() };
    const { reply } = first;
    const failed = reply.choices.find((choice) => choice.finish === 'failed');
    if (failed !== undefined || reply.choices.length === 0) {
      const detail =
        failed === undefined ? 'the answer has no choices' : `the finish reason is ${failed.finishWire}`;
      return { kind: 'failed', fault: { kind: 'invalid', detail }, ...this.costs() };
    }
    const settled = await Promise.all(reply.choices.map((choice) => this.settle(choice, reply.atMaximum)));
    if (this.parts.signal.aborted) {
      return {
        kind: 'failed',
        fault: { kind: 'cancelled', detail: 'the client went away' },
        ...this.costs(),
      };
    }
    const choices: VerifiedChoice[] = [];
    for (const one of settled) {
      if (one.kind === 'refused') return { kind: 'refused', refused: one.refused, ...this.costs() };
      choices.push(one.choice);
    }
    return { kind: 'verified', verdict: highest(choices), choices, reply, ...this.costs() };
  }

  private async settle(choice: ReplyChoice, atMaximum: boolean): Promise<Settled> {
    const decision = this.judge('first', choice, atMaximum, undefined);
    switch (decision.kind) {
      case 'accept':
        return verified(
          choice,
          choice,
          decision.reading,
          decision.reading.repairs.length > 0 ? 'repaired' : 'verified',
        );
      case 'refuse':
        return refused(choice, decision, undefined, undefined, [choice.text]);
      case 'correct': {
        const { assistant, user } = correctionPrompt(choice.text, decision.fault, this.parts.contract.shape);
        return await this.secondAttempt('correction', choice, decision.fault, turns(assistant, user));
      }
      case 'continue': {
        const { assistant, user } = continuationPrompt(choice.text, this.parts.contract.shape);
        return await this.secondAttempt('continuation', choice, decision.fault, turns(assistant, user));
      }
    }
  }

  private async secondAttempt(
    purpose: 'correction' | 'continuation',
    choice: ReplyChoice,
    first: Fault,
    asked: readonly Turn[],
  ): Promise<Settled> {
    const result = await this.attempt({ purpose, turns: asked });
    const answer = result.ok ? result.reply.choices[0] : undefined;
    if (!result.ok || answer === undefined || answer.finish === 'failed') {
      const fault: UpstreamFault = result.ok
        ? { kind: 'invalid', detail: 'the answer has no choice' }
        : result.fault;
      return refused(choice, { kind: 'refuse', code: first.code, fault: first }, undefined, fault, [
        choice.text,
      ]);
    }
    const decision = this.judge(purpose, answer, result.reply.atMaximum, choice.text);
    if (decision.kind === 'accept') {
      return verified(choice, answer, decision.reading, purpose === 'correction' ? 'corrected' : 'continued');
    }
    const end =
      decision.kind === 'refuse'
        ? decision
        : { ...decision, kind: 'refuse' as const, code: decision.fault.code };
    return refused(choice, end, first, undefined, [choice.text, answer.text]);
  }

  /** Reads a choice and decides; `partial` is the cut reply that a continuation goes on with. */
  private judge(
    purpose: Purpose,
    choice: ReplyChoice,
    atMaximum: boolean,
    partial: string | undefined,
  ): Decision {
    const unread = decideUnread(choice);
    if (unread !== undefined) return unread;
    const { contract, clock, observer } = this.parts;
    const started = clock.now();
    const finish = choice.finish === 'length' || atMaximum ? 'length' : 'stop';
    const result: ReadResult =
      purpose === 'continuation' && partial !== undefined
        ? joinContinuation(partial, choice.text, contract, { finish })
        : readReply(choice.text, contract, { finish });
    observer.read(purpose, result, clock.now() - started);
    return decide(purpose, result, contract);
  }

  private async attempt(request: AttemptRequest): Promise<AttemptResult<Envelope>> {
    const { upstream, signal, clock, observer } = this.parts;
    this.calls += 1;
    const started = clock.now();
    const result = await upstream.send(request, signal);
    observer.attempted(request, result, clock.now() - started);
    if (result.ok) this.usage = sumUsage(this.usage, result.reply.usage);
    return result;
  }

  private costs(): { readonly calls: number; readonly usage: Usage | undefined } {
    return { calls: this.calls, usage: this.usage };
  }
}

function turns(assistant: string, user: string): readonly Turn[] {
  return [
    { role: 'assistant', text: assistant },
    { role: 'user', text: user },
  ];
}

function verified(first: ReplyChoice, last: ReplyChoice, reading: Reading, verdict: Verdict): Settled {
  // A reply that needed nothing is handed on as it came, white space around it included.
  const text = verdict === 'verified' ? first.text : reading.text;
  return {
    kind: 'verified',
    choice: {
      index: first.index,
      verdict,
      text,
      changed: text !== first.text,
      finishWire: last.finishWire,
      repairs: reading.repairs,
    },
  };
}

function refused(
  choice: ReplyChoice,
  end: { readonly code: RefusedChoice['code']; readonly fault: Fault; readonly kind: 'refuse' },
  first: Fault | undefined,
  secondAttempt: UpstreamFault | undefined,
  replies: readonly string[],
): Settled {
  const { code, fault } = end;
  return { kind: 'refused', refused: { index: choice.index, code, fault, first, secondAttempt, replies } };
}

function highest(choices: readonly VerifiedChoice[]): Verdict {
  const ranks = choices.map(({ verdict }) => VERDICTS.indexOf(verdict));
  return VERDICTS[Math.max(0, ...ranks)] ?? 'verified';
}
