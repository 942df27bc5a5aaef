/**
 * What is sent upstream for an attempt? The client's own request as it was spelt, with turns appended where there are
 * any: numbers and schemas reach the upstream with the bytes that the client chose.
 */

import type { AttemptRequest } from '../exchange/upstream.ts';
import type { ChatRequest } from './chat-request.ts';

/**
 * The request body of an attempt under a contract. `store` is forced off, so that no unverified text can be fetched
 * later; a streamed attempt always asks for usage, which is summed over attempts.
 */
export function chatAttemptBody(request: ChatRequest, attempt: AttemptRequest): string {
  const members = membersOf(request);
  if (members.has('store')) members.set('store', 'false');
  if (request.stream && !request.includeUsage) {
    const options = request.body.stream_options;
    const asked = typeof options === 'object' && options !== null ? options : {};
    members.set('stream_options', JSON.stringify({ ...asked, include_usage: true }));
  }
  if (attempt.purpose !== 'first') {
    // One choice is asked for again, and a prediction was of another answer.
    members.delete('n');
    members.delete('prediction');
    members.set('messages', withTurns(members.get('messages') ?? '[]', attempt));
  }
  return `{${[...members].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}

/** The members of the request, each value as it was spelt. */
function membersOf({ text, root }: ChatRequest): Map<string, string> {
  return new Map(root.keys.map((name, i) => [name, text.slice(root.items[i]?.start, root.items[i]?.end)]));
}

/** A JSON list of messages with the attempt's turns at its end. */
function withTurns(list: string, { turns }: AttemptRequest): string {
  const added = turns.map(({ role, text }) => JSON.stringify({ role, content: text })).join(',');
  const kept = list.slice(1, -1).trim();
  return `[${kept === '' ? added : `${kept},${added}`}]`;
}
