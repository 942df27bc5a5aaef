/** What does a reply say under its contract? One reading, or a refusal. */

import { refuse } from './fault.ts';
import type { ReadResult } from './reading.ts';
import type { ReplyContract } from './reply-contract.ts';

/** What is known of how the reply ended. */
export interface ReadOptions {
  /** `length`: the model was stopped, so the text is a cut whatever it looks like. */
  readonly finish?: 'stop' | 'length';
}

/** Decides the one reading of `text` under `contract`. */
export function readReply(text: string, contract: ReplyContract, options: ReadOptions = {}): ReadResult {
  void contract;
  void options;
  return refuse('malformed', 0, `not read: ${text.length}`);
}
