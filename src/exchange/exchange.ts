/**
 * How does one client request live? A first attempt for every choice, then one more for each choice that needs it,
 * and an end: every choice verified, one refusal, or the upstream's own failure. The only loop that awaits.
 */

import type { Contract } from '../contract/contract.ts';
import { continuationPrompt } from '../guidance/continuation-prompt.ts';
import { correctionPrompt } from '../guidance/correction-prompt.ts';
import type { Fault } from '../reader/fault.ts';
import { readReply } from '../reader/read-reply.ts';
import type { Reading, ReadResult } from '../reader/reading.ts';
import type { UpstreamFailed, UpstreamFault } from '../refusal/upstream-fault.ts';
import { type Decision, decide, decideSecond, decideUnread, type Refuse, readAs } from './decide.ts';
import { joinContinuation } from './join-continuation.ts';
import type { Clock, Observer } from './observer.ts';
import { type Outcome, type RefusedChoice, VERDICTS, type Verdict, type VerifiedChoice } from './outcome.ts';
import type { AttemptRequest, AttemptResult, Purpose, ReplyChoice, Upstream } from './upstream.ts';
import { sumUsage, type Usage } from './usage.ts';

/** What an exchange needs: the promise, the way to the model, who is told, and the client's patience. */
export interface ExchangeParts<Envelope> {
  readonly contract: Contract;
  readonly upstream: Upstream<Envelope>;
  readonly observer: Observer;
  readonly clock: Clock;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

/**
 * Runs one exchange to its end. At most two upstream calls for each choice; none is made once a choice is lost or the
 * client is gone. Verified choices keep the order of the first reply. Never throws while its parts do not.
 */
export async function runExchange<Envelope>(parts: ExchangeParts<Envelope>): Promise<Outcome<Envelope>> {
  return await new Exchange(parts).run();
}

const CANCELLED: UpstreamFailed = { kind: 'cancelled', detail: 'the client went away' };
const GENERATION_FAILED: UpstreamFailed = {
  kind: 'invalid',
  detail: 'the model server says that the generation failed',
};
const NO_CHOICE: UpstreamFailed = { kind: 'invalid', detail: 'the answer has no choices' };

/** How one choice ended. */
type Settled =
  | { readonly kind: 'verified'; readonly choice: VerifiedChoice }
  | { readonly kind: 'refused'; readonly refused: RefusedChoice };

/** A first reply that is not lost, and what is to be done with it. */
interface Open {
  readonly choice: ReplyChoice;
  readonly decision: Exclude<Decision, Refuse>;
}

class Exchange<Envelope> {
  private readonly parts: ExchangeParts<Envelope>;
  private calls = 0;
  private usage: Usage | undefined;

  constructor(parts: ExchangeParts<Envelope>) {
    this.parts = parts;
  }

  async run(): Promise<Outcome<Envelope>> {
    const first = await this.attempt({ purpose: 'first', turns: [] });
    if (!first.ok) return this.failed(first.fault);
    const { reply } = first;
    if (reply.choices.length === 0) return this.failed(NO_CHOICE);
    if (reply.choices.some(({ finish }) => finish === 'failed')) return this.failed(GENERATION_FAILED);
    const lost: Settled[] = [];
    const open: Open[] = [];
    for (const choice of reply.choices) {
      const decision = this.judge(choice, reply.atMaximum);
      if (decision.kind === 'refuse') lost.push(refused(choice, decision, [choice.text]));
      else open.push({ choice, decision });
    }
    // refuse: one lost choice loses the exchange, so nothing more is asked for the others.
    const settled = lost.length > 0 ? lost : await Promise.all(open.map((one) => this.settle(one)));
    if (this.parts.signal.aborted) return this.failed(CANCELLED);
    const choices: VerifiedChoice[] = [];
    const refusals: RefusedChoice[] = [];
    for (const one of settled) {
      if (one.kind === 'verified') choices.push(one.choice);
      else refusals.push(one.refused);
    }
    const [lowest] = refusals.toSorted((a, b) => a.index - b.index);
    if (lowest !== undefined) return { kind: 'refused', refused: lowest, ...this.costs() };
    return { kind: 'verified', verdict: highest(choices), choices, reply, ...this.costs() };
  }

  private async settle({ choice, decision }: Open): Promise<Settled> {
    const { shape } = this.parts.contract;
    switch (decision.kind) {
      case 'accept': {
        const { reading } = decision;
        return verified(choice, choice, reading, reading.repairs.length > 0 ? 'repaired' : 'verified');
      }
      case 'correct': {
        const asked = correctionPrompt(choice.text, decision.fault, shape);
        return await this.askAgain('correction', choice, decision.fault, asked);
      }
      case 'continue': {
        const asked = continuationPrompt(choice.text, shape);
        return await this.askAgain('continuation', choice, decision.fault, asked);
      }
    }
  }

  private async askAgain(
    purpose: 'correction' | 'continuation',
    choice: ReplyChoice,
    first: Fault,
    asked: { readonly assistant: string; readonly user: string },
  ): Promise<Settled> {
    const result = await this.attempt({
      purpose,
      turns: [
        { role: 'assistant', text: asked.assistant },
        { role: 'user', text: asked.user },
      ],
    });
    const answer = result.ok ? result.reply.choices[0] : undefined;
    if (!result.ok || answer === undefined || answer.finish === 'failed') {
      const why = result.ok ? (answer === undefined ? NO_CHOICE : GENERATION_FAILED) : result.fault;
      const fault: Refuse = { kind: 'refuse', code: first.code, fault: first };
      return refused(choice, fault, [choice.text], { secondAttempt: why });
    }
    const decision = decideUnread(answer) ?? decideSecond(this.read(purpose, choice, answer, result.reply));
    if (decision.kind === 'accept') {
      return verified(choice, answer, decision.reading, purpose === 'correction' ? 'corrected' : 'continued');
    }
    return refused(choice, decision, [choice.text, answer.text], { first });
  }

  private judge(choice: ReplyChoice, atMaximum: boolean): Decision {
    return (
      decideUnread(choice) ?? decide(this.read('first', choice, choice, { atMaximum }), this.parts.contract)
    );
  }

  /** Reads an answer; `choice` is the first reply, which a continuation goes on with. */
  private read(
    purpose: Purpose,
    choice: ReplyChoice,
    answer: ReplyChoice,
    { atMaximum }: { readonly atMaximum: boolean },
  ): ReadResult {
    const { contract, clock, observer } = this.parts;
    const finish = readAs(answer, atMaximum);
    const started = clock.now();
    const result =
      purpose === 'continuation'
        ? joinContinuation(choice.text, answer.text, contract, { finish })
        : readReply(answer.text, contract, { finish });
    observer.read(purpose, result, clock.now() - started);
    return result;
  }

  private async attempt(request: AttemptRequest): Promise<AttemptResult<Envelope>> {
    const { upstream, signal, clock, observer } = this.parts;
    if (signal.aborted) return { ok: false, fault: CANCELLED };
    this.calls += 1;
    const started = clock.now();
    const result = await upstream.send(request, signal);
    observer.attempted(request, result, clock.now() - started);
    if (result.ok) this.usage = sumUsage(this.usage, result.reply.usage);
    return result;
  }

  private failed(fault: UpstreamFault): Outcome<Envelope> {
    return { kind: 'failed', fault, ...this.costs() };
  }

  private costs(): { readonly calls: number; readonly usage: Usage | undefined } {
    return { calls: this.calls, usage: this.usage };
  }
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
  { code, fault }: Refuse,
  replies: readonly string[],
  second: { readonly first?: Fault; readonly secondAttempt?: UpstreamFault } = {},
): Settled {
  const { first, secondAttempt } = second;
  return { kind: 'refused', refused: { index: choice.index, code, fault, first, secondAttempt, replies } };
}

function highest(choices: readonly VerifiedChoice[]): Verdict {
  const ranks = choices.map(({ verdict }) => VERDICTS.indexOf(verdict));
  return VERDICTS[Math.max(0, ...ranks)] ?? 'verified';
}
