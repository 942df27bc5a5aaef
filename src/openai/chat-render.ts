/**
 * What body does the client of a chat completion get? The upstream's own, with the verified text in place of the
 * content: spliced, so that everything else keeps its bytes.
 */

import type { Outcome, VerifiedChoice } from '../exchange/outcome.ts';
import { type JsonNode, memberOf } from '../reader/json-node.ts';
import type { ChatEnvelope } from './chat-reply.ts';

type Verified = Extract<Outcome<ChatEnvelope>, { kind: 'verified' }>;

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The body of a plain (not streamed) answer. */
export function renderChat(outcome: Verified): string {
  const { envelope } = outcome.reply;
  return envelope.source === 'body'
    ? splice(envelope.text, envelope.root, outcome)
    : build(envelope, outcome);
}

function splice(text: string, root: JsonNode, outcome: Verified): string {
  const edits: Edit[] = [];
  const nodes = memberOf(root, 'choices')?.items ?? [];
  for (const [position, choice] of outcome.choices.entries()) {
    const node = nodes[position];
    if (node !== undefined) edits.push(...choiceEdits(text, node, choice));
  }
  if (outcome.calls > 1 && outcome.usage !== undefined) {
    const told = JSON.stringify(outcome.usage);
    const usage = memberOf(root, 'usage');
    // Only the second attempt told its usage: the member goes before the last brace.
    if (usage === undefined) edits.push({ start: root.end - 1, end: root.end - 1, text: `,"usage":${told}` });
    else edits.push({ start: usage.start, end: usage.end, text: told });
  }
  return applyEdits(text, edits);
}

function choiceEdits(text: string, node: JsonNode, choice: VerifiedChoice): readonly Edit[] {
  const message = memberOf(node, 'message');
  const edits: Edit[] = [];
  const replace = (target: JsonNode | undefined, by: string): void => {
    if (target !== undefined && text.slice(target.start, target.end) !== by) {
      edits.push({ start: target.start, end: target.end, text: by });
    }
  };
  // An odd finish reason of the upstream is told in the words that SDKs know.
  replace(memberOf(node, 'finish_reason'), JSON.stringify(choice.finishWire ?? 'stop'));
  if (message === undefined) return edits;
  const content = memberOf(message, 'content');
  // SDKs read a string: parts of text are joined.
  if (choice.changed || content?.kind !== 'string') replace(content, JSON.stringify(choice.text));
  if (!choice.changed) return edits;
  // These describe the text that was replaced.
  replace(memberOf(node, 'logprobs'), 'null');
  replace(memberOf(message, 'annotations'), '[]');
  return edits;
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  let out = '';
  let from = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    out += text.slice(from, edit.start) + edit.text;
    from = edit.end;
  }
  return out + text.slice(from);
}

/** A server that streamed although it was not asked to. */
function build(envelope: Extract<ChatEnvelope, { source: 'stream' }>, outcome: Verified): string {
  const choices = outcome.choices.map(({ index, text, finishWire }) => ({
    index,
    message: { role: 'assistant', content: text, refusal: null, ...envelope.reasoning.get(index) },
    logprobs: null,
    finish_reason: finishWire ?? 'stop',
  }));
  return JSON.stringify({ ...envelope.head, object: 'chat.completion', choices, usage: outcome.usage });
}
