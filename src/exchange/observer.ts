/** Who is told what happened in an exchange? Observers: metrics, the refusal log, the log. They never throw. */

import type { ReadResult } from '../reader/reading.ts';
import type { AttemptRequest, AttemptResult, Purpose } from './upstream.ts';

/** Told during an exchange; times are in milliseconds. */
export interface Observer {
  attempted(attempt: AttemptRequest, result: AttemptResult<unknown>, tookMs: number): void;
  read(purpose: Purpose, result: ReadResult, tookMs: number): void;
}

/** Monotonic time in milliseconds. */
export interface Clock {
  now(): number;
}
