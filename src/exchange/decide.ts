/** What happens next to a choice? Pure: from the attempt, what came and what was read, to one of four ends. */

import type { Contract } from '../contract/contract.ts';
import { type Fault, refuse } from '../reader/fault.ts';
import type { Reading, ReadResult } from '../reader/reading.ts';
import { REFUSALS, type RefusalCode } from '../refusal/catalogue.ts';
import type { Purpose, ReplyChoice } from './upstream.ts';

export type Decision =
  | { readonly kind: 'accept'; readonly reading: Reading }
  | { readonly kind: 'correct'; readonly fault: Fault }
  | { readonly kind: 'continue'; readonly fault: Fault }
  | { readonly kind: 'refuse'; readonly code: RefusalCode; readonly fault: Fault };

/**
 * Whether the choice needs reading at all: what the model or its provider refused is not a reply. Undefined where it
 * does. A reply that also has a `declined` text is declined, whatever else it holds.
 */
export function decideUnread(choice: ReplyChoice): Extract<Decision, { kind: 'refuse' }> | undefined {
  if (choice.declined !== undefined) {
    return {
      kind: 'refuse',
      code: 'declined',
      fault: refuse('empty', 0, choice.declined.slice(0, 200)).fault,
    };
  }
  if (choice.finish === 'content_filter') {
    const detail = 'the finish reason is content_filter';
    return { kind: 'refuse', code: 'content_filter', fault: refuse('cut', choice.text.length, detail).fault };
  }
  if (choice.finish === 'tool_calls') {
    const detail = 'tool calls came where the contract asks for content';
    return { kind: 'refuse', code: 'unsupported', fault: refuse('no_object', 0, detail).fault };
  }
  return undefined;
}

/** Decides on a reply that was read. After a second attempt there is no third. */
export function decide(
  purpose: Purpose,
  result: ReadResult,
  contract: Pick<Contract, 'correct' | 'continue'>,
): Decision {
  if (result.ok) return { kind: 'accept', reading: result };
  const { fault } = result;
  if (purpose === 'first') {
    if (fault.code === 'cut' && contract.continue) return { kind: 'continue', fault };
    if (REFUSALS[fault.code].correctable && contract.correct) return { kind: 'correct', fault };
  }
  return { kind: 'refuse', code: fault.code, fault };
}
