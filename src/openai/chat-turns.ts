/** What is sent upstream for an attempt? The client's own request, with turns appended where there are any. */

import type { AttemptRequest } from '../exchange/upstream.ts';
import type { ChatRequest } from './chat-request.ts';

/**
 * The request body of an attempt under a contract. `store` is forced off, so that no unverified text can be fetched
 * later; a streamed attempt always asks for usage, which is summed over attempts.
 */
export function chatAttemptBody(request: ChatRequest, attempt: AttemptRequest): string {
  const body: Record<string, unknown> = { ...request.body };
  if ('store' in body) body.store = false;
  if (request.stream) {
    const options = typeof body.stream_options === 'object' ? body.stream_options : {};
    body.stream_options = { ...options, include_usage: true };
  }
  if (attempt.purpose === 'first') return JSON.stringify(body);
  delete body.n;
  delete body.prediction;
  const messages = Array.isArray(body.messages) ? body.messages : [];
  body.messages = [...messages, ...attempt.turns.map(({ role, text }) => ({ role, content: text }))];
  return JSON.stringify(body);
}
