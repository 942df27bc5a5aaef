import type { Outcome, VerifiedChoice } from '../../src/exchange/outcome.ts';
import type { Usage } from '../../src/exchange/usage.ts';
import { type ChatEnvelope, readChatReply } from '../../src/openai/chat-reply.ts';
import { ChatStream } from '../../src/openai/chat-stream.ts';

type Verified = Extract<Outcome<ChatEnvelope>, { kind: 'verified' }>;

/** A choice that needed nothing. */
export const AS_IT_CAME: VerifiedChoice = {
  index: 0,
  verdict: 'verified',
  text: '{}',
  changed: false,
  finishWire: 'stop',
  repairs: [],
};
/** The same with another text than came. */
export const CHANGED: VerifiedChoice = { ...AS_IT_CAME, verdict: 'repaired', text: '{"a":1}', changed: true };

/** A verified exchange whose upstream answered with this body. */
export function verified(
  body: string,
  choices: readonly VerifiedChoice[],
  calls = 1,
  usage: Usage | undefined = undefined,
): Verified {
  const read = readChatReply(body, undefined);
  if (!read.ok) throw new Error(read.fault.detail);
  return { kind: 'verified', verdict: 'verified', choices, reply: read.reply, calls, usage };
}

/** A verified exchange whose upstream streamed these chunks. */
export function streamed(
  events: readonly unknown[],
  choices: readonly VerifiedChoice[],
  usage?: Usage,
): Verified {
  const stream = new ChatStream(undefined);
  for (const event of events) stream.push(JSON.stringify(event));
  const read = stream.end();
  if (!read.ok) throw new Error(read.fault.detail);
  return { kind: 'verified', verdict: 'verified', choices, reply: read.reply, calls: 1, usage };
}
