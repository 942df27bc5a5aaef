/**
 * How does an exchange reach the model? Through this interface, which the exchange owns. Whoever implements it
 * knows the wire: it turns turns into a request body, sends it, and hands back the replies it found.
 */

import type { UpstreamFault } from '../refusal/upstream-fault.ts';
import type { Usage } from './usage.ts';

export type Purpose = 'first' | 'correction' | 'continuation';

/** A message appended to the client's own conversation. */
interface Turn {
  readonly role: 'assistant' | 'user';
  readonly text: string;
}

/** One upstream call to make. `first` has no turns and asks for all choices; the others ask for one. */
export interface AttemptRequest {
  readonly purpose: Purpose;
  readonly turns: readonly Turn[];
}

/** How the model stopped, whatever its server calls it. `absent`: the stream or body said nothing of it. */
export type Finish = 'stop' | 'length' | 'content_filter' | 'tool_calls' | 'failed' | 'absent';

/** One choice as it came. */
export interface ReplyChoice {
  readonly index: number;
  /** The reply's text; empty where there was none. */
  readonly text: string;
  readonly finish: Finish;
  /** The wire's own spelling of it, handed on to the client. */
  readonly finishWire: string | null;
  /** The model's own refusal, where it declined. */
  readonly declined: string | undefined;
}

/** Every choice of one upstream call. `envelope` is the wire's business and is handed back to it untouched. */
export interface UpstreamReply<Envelope> {
  readonly choices: readonly ReplyChoice[];
  readonly usage: Usage | undefined;
  /** True where the completion used every token the request allowed, so that it may be cut whatever it says. */
  readonly atMaximum: boolean;
  readonly envelope: Envelope;
}

export type AttemptResult<Envelope> =
  | { readonly ok: true; readonly reply: UpstreamReply<Envelope> }
  | { readonly ok: false; readonly fault: UpstreamFault };

/** Sends one attempt. Never throws; a cancelled call answers with a fault of kind `cancelled`. */
export interface Upstream<Envelope> {
  send(attempt: AttemptRequest, signal: AbortSignal): Promise<AttemptResult<Envelope>>;
}
