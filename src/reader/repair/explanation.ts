/**
 * What is an explanation of a damaged object? A way through its text that says for each quote whether it is structure
 * or content: here as far as it has come, with what it has cost.
 */

import type { Frame } from './frame.ts';

/** A string that closes later than at its first closer; the newest of an explanation first. */
export interface LateClose {
  readonly open: number;
  readonly close: number;
  readonly inList: boolean;
  readonly before: LateClose | undefined;
}

/** A key that an explanation has twice in one object. */
export interface RepeatedKey {
  readonly key: string;
  readonly at: number;
}

/** Explanations that came to the same place in the same frames with the same costs. */
export interface Meeting {
  tied: LateClose | undefined | false;
  readonly unbalanced: number;
  readonly swallowed: number;
  readonly before: Meeting | undefined;
}

/** One explanation so far, at a place between tokens. */
export interface Explanation {
  readonly awaited: 'value' | 'first' | 'next';
  readonly at: number;
  readonly frame: Frame;
  readonly unbalanced: number;
  readonly late: LateClose | undefined;
  /** The first key that comes twice: such an explanation never stands, but it may beat the others. */
  readonly repeated: RepeatedKey | undefined;
  /** The meeting points that it came through: a tie at any of them is a tie at the end. */
  readonly via: Meeting | undefined;
}
