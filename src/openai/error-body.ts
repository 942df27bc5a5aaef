/** How is a failure told on the OpenAI wire? A body with the four keys that every SDK reads, and our details beside. */

import { PROBLEMS, type ProblemCode } from '../refusal/catalogue.ts';
import type { Refusal } from '../refusal/refusal.ts';

/** The HTTP status of every refusal, and its type: chosen so that no SDK retries it. */
export const REFUSAL_STATUS = 400;
const REFUSAL_TYPE = 'invalid_reply_error';

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

/** An upstream's error that came without a JSON body, told in JSON under the same status. */
export function upstreamErrorBody(status: number): string {
  const message = `The upstream answered ${status} without a JSON body.`;
  return JSON.stringify({
    error: { message, type: 'upstream_error', code: `upstream_status_${status}`, param: null },
  });
}
