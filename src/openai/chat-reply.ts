/** Which replies does a chat completion body hold? Read by spans, so that everything else can be handed on as it is. */

import type { ReplyChoice, UpstreamReply } from '../exchange/upstream.ts';
import type { Usage } from '../exchange/usage.ts';
import { type JsonNode, memberOf, stringOf } from '../reader/json-node.ts';
import { toValue } from '../reader/json-value.ts';
import { parseJson, skipWhiteSpace } from '../reader/strict/parse-json.ts';
import type { UpstreamFailed } from '../refusal/upstream-fault.ts';
import { finishOf, wireFinish } from './finish-reason.ts';
import { contentOf } from './reply-content.ts';

/** What the upstream's answer is rendered from: its body with a tree over it, or the head of a stream. */
export type ChatEnvelope =
  | { readonly source: 'body'; readonly text: string; readonly root: JsonNode }
  | {
      readonly source: 'stream';
      /** The members of the stream's chunks beside `choices` and `usage`. */
      readonly head: Readonly<Record<string, unknown>>;
      /** Reasoning text by choice, under the name the upstream gives it. */
      readonly reasoning: ReadonlyMap<number, Readonly<Record<string, string>>>;
    };

export type ChatRead =
  | { readonly ok: true; readonly reply: UpstreamReply<ChatEnvelope> }
  | { readonly ok: false; readonly fault: UpstreamFailed };

const MAX_ENVELOPE_DEPTH = 256;

/** Reads a chat completion body. Faults are all `invalid`: an error object, no choices, or not JSON at all. */
export function readChatReply(text: string, maxTokens: number | undefined): ChatRead {
  const parsed = parseJson(text, 0, MAX_ENVELOPE_DEPTH);
  if (!parsed.ok || skipWhiteSpace(text, parsed.root.end) < text.length)
    return invalid('the body is not JSON without repeated members');
  const { root } = parsed;
  const error = memberOf(root, 'error');
  if (error !== undefined && error.kind !== 'null')
    return invalid('an error object under a status of success');
  const list = memberOf(root, 'choices');
  if (list?.kind !== 'list' || list.items.length === 0) return invalid('the body has no choices');
  const choices: ReplyChoice[] = [];
  for (const [position, node] of list.items.entries()) {
    const choice = readChoice(text, node, position);
    if (choice === undefined) return invalid(`choice ${position} is none`);
    choices.push(choice);
  }
  // refuse: clients put a stream together by index, so two verified texts would become one that nobody verified.
  if (new Set(choices.map(({ index }) => index)).size < choices.length)
    return invalid('two choices have the same index');
  const usage = usageOf(text, root);
  return {
    ok: true,
    reply: {
      choices,
      usage,
      atMaximum: isAtMaximum(usage, maxTokens, choices.length),
      envelope: { source: 'body', text, root },
    },
  };
}

/** True where the only choice used every token that the request allowed. */
export function isAtMaximum(
  usage: Usage | undefined,
  maxTokens: number | undefined,
  choices: number,
): boolean {
  const used = usage?.completion_tokens;
  // Servers take 0 or -1 for no limit.
  if (maxTokens === undefined || maxTokens <= 0) return false;
  return choices === 1 && typeof used === 'number' && used >= maxTokens;
}

function readChoice(text: string, node: JsonNode, position: number): ReplyChoice | undefined {
  const message = memberOf(node, 'message');
  if (message?.kind !== 'object') return undefined;
  const said = (member: JsonNode | undefined): unknown => member && toValue(text, member);
  const index = indexOf(said(memberOf(node, 'index')), position);
  const content = contentOf(said(memberOf(message, 'content')));
  const refusal = stringMember(text, message, 'refusal');
  const reason = stringMember(text, node, 'finish_reason');
  const calledTools = holds(memberOf(message, 'tool_calls')) || holds(memberOf(message, 'function_call'));
  // refuse: the message is handed on, and with it words that nobody can verify.
  const unreadable =
    holds(memberOf(message, 'audio')) || (refusal === null && holds(memberOf(message, 'refusal')));
  if (content === undefined || index === undefined || unreadable) return undefined;
  // No text, no end, no refusal, no call: nothing came.
  if (
    reason === null &&
    content.text === '' &&
    refusal === null &&
    content.declined === undefined &&
    !calledTools
  ) {
    return undefined;
  }
  return {
    index,
    text: content.text,
    finish: calledTools ? 'tool_calls' : finishOf(reason),
    finishWire: wireFinish(reason),
    declined: content.declined ?? (refusal === null || refusal === '' ? undefined : refusal),
  };
}

/** A choice's index as the wire gives it, `otherwise` where it gives none; undefined for whatever is no index. */
export function indexOf(value: unknown, otherwise: number): number | undefined {
  if (value === undefined || value === null) return otherwise;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** True for a member that says something: not null, not false, not empty. */
function holds(node: JsonNode | undefined): boolean {
  switch (node?.kind) {
    case undefined:
    case 'null':
    case 'false':
      return false;
    case 'string':
      return node.end - node.start > 2;
    case 'object':
    case 'list':
      return node.items.length > 0;
    default:
      return true;
  }
}

function stringMember(text: string, node: JsonNode, key: string): string | null {
  const member = memberOf(node, key);
  return member?.kind === 'string' ? stringOf(text, member) : null;
}

function usageOf(text: string, root: JsonNode): Usage | undefined {
  const node = memberOf(root, 'usage');
  return node?.kind === 'object' ? (toValue(text, node) as Usage) : undefined;
}

/** The failing half: the upstream answered, but not with a reply. */
export function invalid(detail: string): { readonly ok: false; readonly fault: UpstreamFailed } {
  return { ok: false, fault: { kind: 'invalid', detail } };
}
