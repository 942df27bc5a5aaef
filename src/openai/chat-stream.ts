/**
 * Which replies does a chat completion stream hold? Chunks are put together by choice; a stream that ends early is
 * never a short success.
 */

import type { ReplyChoice } from '../exchange/upstream.ts';
import type { Usage } from '../exchange/usage.ts';
import { type ChatRead, indexOf, invalid, isAtMaximum } from './chat-reply.ts';
import { finishOf, wireFinish } from './finish-reason.ts';
import { contentOf } from './reply-content.ts';

interface Gathered {
  text: string;
  refusal: string;
  reason: string | null;
  called: boolean;
  readonly reasoning: Record<string, string>;
}

type Fields = Readonly<Record<string, unknown>>;

/** Deepest nesting of an event: what is handed on is written by recursion. */
const MAX_EVENT_DEPTH = 256;

const REASONING = ['reasoning_content', 'reasoning'] as const;

/** Puts a stream's events together. Push each event's data; the first fault or `[DONE]` ends it. */
export class ChatStream {
  private readonly maxTokens: number | undefined;
  private readonly gathered = new Map<number, Gathered>();
  private head: Record<string, unknown> = {};
  private usage: Usage | undefined;
  private fault: ChatRead | undefined;
  private done = false;

  constructor(maxTokens: number | undefined) {
    this.maxTokens = maxTokens;
  }

  /** Takes one event's data; false where no further event is wanted. */
  push(data: string): boolean {
    if (this.done || this.fault !== undefined) return false;
    if (data === '[DONE]') this.done = true;
    // A comment that a gateway wrapped as data, or an empty event: no JSON and no choice.
    else if (data.trim() !== '' && !data.startsWith(':')) this.chunk(data);
    return !this.done && this.fault === undefined;
  }

  /** The replies, once the body has ended. */
  end(): ChatRead {
    if (this.fault !== undefined) return this.fault;
    const all = [...this.gathered].toSorted(([a], [b]) => a - b);
    if (all.length === 0) return invalid('the stream has no choices');
    if (!this.done && all.some(([, { reason }]) => reason === null)) return invalid('the stream ended early');
    const choices = all.map(([index, choice]) => toChoice(index, choice));
    if (
      choices.some(
        ({ finish, text, declined }) => finish === 'absent' && text === '' && declined === undefined,
      )
    ) {
      return invalid('the stream ended without a reply');
    }
    const reasoning = new Map(all.map(([index, choice]) => [index, choice.reasoning]));
    return {
      ok: true,
      reply: {
        choices,
        usage: this.usage,
        atMaximum: isAtMaximum(this.usage, this.maxTokens, choices.length),
        envelope: { source: 'stream', head: this.head, reasoning },
      },
    };
  }

  private chunk(data: string): void {
    const chunk = fieldsOf(parse(data));
    if (chunk === undefined) {
      this.fault = invalid('an event of the stream is not JSON');
      return;
    }
    if (!isWithin(chunk, MAX_EVENT_DEPTH)) {
      this.fault = invalid('an event of the stream is too deep');
      return;
    }
    if (chunk.error !== undefined && chunk.error !== null) {
      this.fault = invalid('an error in the stream');
      return;
    }
    const { choices, usage, obfuscation: _padding, ...head } = chunk;
    if (fieldsOf(usage) !== undefined) this.usage = usage as Usage;
    if (!Array.isArray(choices) || choices.length === 0) return;
    this.head = { ...head, ...this.head };
    for (const choice of choices) this.delta(fieldsOf(choice) ?? {});
  }

  private delta(choice: Fields): void {
    const index = indexOf(choice.index, 0);
    if (index === undefined) {
      this.fault = invalid('a choice of the stream has no index');
      return;
    }
    let gathered = this.gathered.get(index);
    if (gathered === undefined) {
      gathered = { text: '', refusal: '', reason: null, called: false, reasoning: {} };
      this.gathered.set(index, gathered);
    }
    const delta = fieldsOf(choice.delta) ?? fieldsOf(choice.message) ?? {};
    const said = contentOf(delta.content);
    if (said === undefined) this.fault = invalid('a piece of the reply is neither text nor parts of text');
    gathered.text += said?.text ?? '';
    gathered.refusal += said?.declined ?? '';
    if (typeof delta.refusal === 'string') gathered.refusal += delta.refusal;
    for (const name of REASONING) {
      const words = delta[name];
      if (typeof words === 'string') gathered.reasoning[name] = (gathered.reasoning[name] ?? '') + words;
    }
    if (
      (Array.isArray(delta.tool_calls) && delta.tool_calls.length > 0) ||
      fieldsOf(delta.function_call) !== undefined
    ) {
      gathered.called = true;
    }
    if (typeof choice.finish_reason === 'string') gathered.reason = choice.finish_reason;
  }
}

function toChoice(index: number, gathered: Gathered): ReplyChoice {
  const { text, refusal, reason, called } = gathered;
  return {
    index,
    text,
    finish: called ? 'tool_calls' : finishOf(reason),
    finishWire: wireFinish(reason),
    declined: refusal === '' ? undefined : refusal,
  };
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

function isWithin(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((member) => isWithin(member, depth - 1));
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}
