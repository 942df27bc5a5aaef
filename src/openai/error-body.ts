/** How is a failure told on the OpenAI wire? A body with the four keys that every SDK reads, and our details beside. */

import { toValue } from '../reader/json-value.ts';
import { parseJson, skipWhiteSpace } from '../reader/strict/parse-json.ts';
import { PROBLEMS, type ProblemCode } from '../refusal/catalogue.ts';
import type { Refusal } from '../refusal/refusal.ts';

/** The HTTP status of every refusal, and its type: chosen so that no SDK retries it. */
export const REFUSAL_STATUS = 400;
const REFUSAL_TYPE = 'invalid_reply_error';

/** Deepest upstream error that is told in an event: it is written by recursion. */
const MAX_ERROR_DEPTH = 64;

/** A refusal's body. Undefined details are left out. */
export function refusalBody(refusal: Refusal): string {
  const { code, message, param, refusalId, secondAttempt, ...rest } = refusal;
  return JSON.stringify({
    error: {
      message,
      type: REFUSAL_TYPE,
      code,
      param,
      portcullis: { ...rest, refusal_id: refusalId, second_attempt: secondAttempt },
    },
  });
}

/** The body of a failure that is no refusal; `detail` says what, where and what is allowed. */
export function problemBody(code: ProblemCode, detail?: string, param: string | null = null): string {
  const { sentence, type } = PROBLEMS[code];
  const message = detail === undefined ? sentence : `${sentence.replace(/\.$/, '')}: ${detail}`;
  return JSON.stringify({ error: { message, type, code, param } });
}

/** An upstream's error that came without an error object, told in JSON under the same status. */
export function upstreamErrorBody(status: number, message = `The upstream answered ${status}.`): string {
  return JSON.stringify({
    error: { message, type: 'upstream_error', code: `upstream_status_${status}`, param: null },
  });
}

/**
 * The data of the event that tells an error on a stream that has begun. An upstream's error in another form (a string,
 * a list, FastAPI's `detail`) is told in ours: SDKs take an event without an `error` object for a piece of the reply.
 */
export function errorEvent(status: number, body: string): string {
  const value = parse(body);
  const error = errorIn(value) ?? errorIn(Array.isArray(value) ? value[0] : undefined);
  if (typeof error === 'object') return JSON.stringify({ error });
  return typeof error === 'string' ? upstreamErrorBody(status, error) : upstreamErrorBody(status);
}

function errorIn(value: unknown): object | string | undefined {
  if (typeof value !== 'object' || value === null || !('error' in value)) return undefined;
  const { error } = value;
  return typeof error === 'string' || (typeof error === 'object' && error !== null) ? error : undefined;
}

function parse(text: string): unknown {
  const parsed = parseJson(text, 0, MAX_ERROR_DEPTH);
  if (!parsed.ok || skipWhiteSpace(text, parsed.root.end) < text.length) return undefined;
  return toValue(text, parsed.root);
}
