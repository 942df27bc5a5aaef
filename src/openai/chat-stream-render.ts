/**
 * What stream does the client of a chat completion get? Well-formed chunks of the verified text: the role first, the
 * content, the finish reason, usage only where it was asked for, `[DONE]`, and nothing after it.
 */

import type { Outcome } from '../exchange/outcome.ts';
import { toValue } from '../reader/json-value.ts';
import type { ChatEnvelope } from './chat-reply.ts';
import { sseEvent } from './sse.ts';

/** Content is sent in pieces of about this many UTF-16 code units. */
const PIECE = 1024;

/** Every event of the answer, ready to be sent. */
export function renderChatStream(
  outcome: Extract<Outcome<ChatEnvelope>, { kind: 'verified' }>,
  includeUsage: boolean,
): string {
  const { envelope } = outcome.reply;
  const head = { ...headOf(envelope), object: 'chat.completion.chunk' };
  const events: string[] = [];
  const send = (choices: unknown, usage: unknown = null): void => {
    events.push(sseEvent(JSON.stringify({ ...head, choices, ...(includeUsage ? { usage } : {}) })));
  };
  const sendDelta = (index: number, delta: unknown, finish: string | null = null): void => {
    send([{ index, delta, logprobs: null, finish_reason: finish }]);
  };
  for (const { index, text, finishWire } of outcome.choices) {
    const reasoning = envelope.source === 'stream' ? envelope.reasoning.get(index) : undefined;
    sendDelta(index, { role: 'assistant', content: '', refusal: null, ...reasoning });
    for (const piece of piecesOf(text)) sendDelta(index, { content: piece });
    sendDelta(index, {}, finishWire ?? 'stop');
  }
  if (includeUsage) send([], outcome.usage ?? null);
  events.push(sseEvent('[DONE]'));
  return events.join('');
}

/** Pieces that never split a surrogate pair. */
function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + PIECE, text.length);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end += 1;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

function headOf(envelope: ChatEnvelope): Readonly<Record<string, unknown>> {
  if (envelope.source === 'stream') return envelope.head;
  const {
    choices: _choices,
    usage: _usage,
    ...head
  } = toValue(envelope.text, envelope.root) as Record<string, unknown>;
  return head;
}
