/** What does a demo model put on the wire? A chat completion, or the chunks of its stream, as OpenAI sends them. */

import type { DemoModel, DemoReply } from './demo-models.ts';
import type { DemoRequest } from './demo-request.ts';

/** Length of a streamed piece, UTF-16 code units. */
const PIECE = 16;
const CREATED = 1_767_225_600;

/** The model's reply to a request: the second one where the conversation shows the model its own first reply. */
function replyTo(model: DemoModel, asked: DemoRequest): DemoReply {
  const shown = asked.texts.at(-2);
  return shown !== undefined && shown === model.first.content ? (model.second ?? model.first) : model.first;
}

/** The body of a plain answer. */
export function completion(model: DemoModel, asked: DemoRequest): unknown {
  const { content, finish, refusal } = replyTo(model, asked);
  return {
    ...head(model, 'chat.completion'),
    choices: Array.from({ length: asked.n }, (_, index) => ({
      index,
      message: { role: 'assistant', content, refusal: refusal ?? null },
      logprobs: null,
      finish_reason: finish,
    })),
    usage: usage(asked, content),
  };
}

/** The chunks of a streamed answer, in order, without `[DONE]`. */
export function chunks(model: DemoModel, asked: DemoRequest): readonly unknown[] {
  const { content, finish, refusal } = replyTo(model, asked);
  const base = { ...head(model, 'chat.completion.chunk'), ...(asked.includeUsage ? { usage: null } : {}) };
  const pieces = content?.match(new RegExp(`[^]{1,${PIECE}}`, 'g')) ?? [];
  const deltas = [
    { role: 'assistant', content: '', refusal: null },
    ...(refusal === undefined ? [] : [{ refusal }]),
    ...pieces.map((piece) => ({ content: piece })),
  ];
  const list: unknown[] = [];
  for (let index = 0; index < asked.n; index += 1) {
    for (const delta of deltas) {
      list.push({ ...base, choices: [{ index, delta, logprobs: null, finish_reason: null }] });
    }
    list.push({ ...base, choices: [{ index, delta: {}, logprobs: null, finish_reason: finish }] });
  }
  if (asked.includeUsage) list.push({ ...base, choices: [], usage: usage(asked, content) });
  return list;
}

function head(model: DemoModel, object: string): Record<string, unknown> {
  return {
    id: `chatcmpl-${model.id.replace('/', '-')}`,
    object,
    created: CREATED,
    model: model.id,
    system_fingerprint: 'fp_demo',
  };
}

/** Four characters count as one token. */
function usage(asked: DemoRequest, content: string | null): Record<string, number> {
  const prompt = tokens(asked.texts.join(''));
  const completed = tokens(content ?? '') * asked.n;
  return { prompt_tokens: prompt, completion_tokens: completed, total_tokens: prompt + completed };
}

function tokens(text: string): number {
  return Math.ceil(text.length / 4);
}
