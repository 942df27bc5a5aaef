/** What happens next to a choice? Pure: from what came and what was read to one of four ends. */

import type { Contract } from '../contract/contract.ts';
import { type Fault, refuse } from '../reader/fault.ts';
import type { Reading, ReadResult } from '../reader/reading.ts';
import { REFUSALS, type RefusalCode } from '../refusal/catalogue.ts';
import type { ReplyChoice } from './upstream.ts';

/** What is done next: hand it on, ask once more in one of two ways, or end. */
export type Decision =
  | Accept
  | { readonly kind: 'correct'; readonly fault: Fault }
  | { readonly kind: 'continue'; readonly fault: Fault }
  | Refuse;

/** The end of a choice with its one reading. */
export interface Accept {
  readonly kind: 'accept';
  readonly reading: Reading;
}

/** The end of a choice without a reading. `code` says more than the fault's where the reader was not asked. */
export interface Refuse {
  readonly kind: 'refuse';
  readonly code: RefusalCode;
  readonly fault: Fault;
}

/** How much of the model's own refusal is told, UTF-16 code units. */
const MAX_DECLINED = 200;

/**
 * Whether the choice needs reading at all: what the model declined or its provider stopped is not a reply. Undefined
 * where it does. Codes: `declined` (whatever else the choice holds), `content_filter`, `unsupported`.
 */
export function decideUnread(choice: ReplyChoice): Refuse | undefined {
  const { declined, finish, text } = choice;
  if (declined !== undefined)
    return end('declined', refuse('empty', 0, declined.slice(0, MAX_DECLINED).toWellFormed()));
  if (finish === 'content_filter') {
    return end('content_filter', refuse('cut', text.length, 'the finish reason is content_filter'));
  }
  if (finish === 'tool_calls') {
    return end('unsupported', refuse('no_object', 0, 'tool calls came where the contract asks for content'));
  }
  return undefined;
}

/**
 * How the reader is told that a choice ended. One that used every token the request allowed may be cut whatever it
 * says; one whose server says nothing of its end ended.
 */
export function readAs(choice: ReplyChoice, atMaximum: boolean): 'stop' | 'length' {
  return choice.finish === 'length' || atMaximum ? 'length' : 'stop';
}

/** Decides on the first reply, as it was read: a cut one is continued, one that the model can mend is corrected. */
export function decide(result: ReadResult, contract: Pick<Contract, 'correct' | 'continue'>): Decision {
  if (result.ok) return { kind: 'accept', reading: result };
  const { fault } = result;
  if (fault.code === 'cut' && contract.continue) return { kind: 'continue', fault };
  if (REFUSALS[fault.code].correctable && contract.correct) return { kind: 'correct', fault };
  return end(fault.code, result);
}

/** Decides on the answer to a correction or continuation: there is no third attempt. */
export function decideSecond(result: ReadResult): Accept | Refuse {
  return result.ok ? { kind: 'accept', reading: result } : end(result.fault.code, result);
}

function end(code: RefusalCode, { fault }: { readonly fault: Fault }): Refuse {
  return { kind: 'refuse', code, fault };
}
