/** How did an exchange end? Every choice verified, or one refusal, or the upstream's own failure. */

import type { Fault } from '../reader/fault.ts';
import type { Repair } from '../reader/reading.ts';
import type { RefusalCode } from '../refusal/catalogue.ts';
import type { UpstreamFault } from '../refusal/upstream-fault.ts';
import type { UpstreamReply } from './upstream.ts';
import type { Usage } from './usage.ts';

/** From the least to the most that had to be done; an exchange of several choices has the highest of theirs. */
export const VERDICTS = ['verified', 'repaired', 'corrected', 'continued'] as const;

export type Verdict = (typeof VERDICTS)[number];

/** One verified choice. */
export interface VerifiedChoice {
  readonly index: number;
  readonly verdict: Verdict;
  /** The verified JSON text. */
  readonly text: string;
  /** True where `text` differs from the text the first attempt gave for this choice. */
  readonly changed: boolean;
  /** The finish reason of its last attempt, in the wire's spelling. */
  readonly finishWire: string | null;
  readonly repairs: readonly Repair[];
}

/** A choice that ended without a reading. */
export interface RefusedChoice {
  readonly index: number;
  /** The code that ended the exchange: a fault of the reader, or what the model or its provider ruled out. */
  readonly code: RefusalCode;
  readonly fault: Fault;
  /** The fault of the first attempt, where a second was made. */
  readonly first: Fault | undefined;
  /** Why the second attempt failed, where its upstream call did; then `fault` is the first one's. */
  readonly secondAttempt: UpstreamFault | undefined;
  /** The raw replies, in the order of the attempts. */
  readonly replies: readonly string[];
}

/** The costs of an exchange, whatever its end. */
interface Costs {
  /** Upstream calls made. */
  readonly calls: number;
  readonly usage: Usage | undefined;
}

/** An exchange's end: every choice verified, one refusal for all of them, or the upstream's own failure. */
export type Outcome<Envelope> =
  | ({
      readonly kind: 'verified';
      readonly verdict: Verdict;
      readonly choices: readonly VerifiedChoice[];
      /** The first attempt's reply, whose envelope is handed on. */
      readonly reply: UpstreamReply<Envelope>;
    } & Costs)
  | ({ readonly kind: 'refused'; readonly refused: RefusedChoice } & Costs)
  | ({ readonly kind: 'failed'; readonly fault: UpstreamFault } & Costs);
