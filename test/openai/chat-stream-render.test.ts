import { describe, expect, it } from 'vitest';
import { renderChatStream } from '../../src/openai/chat-stream-render.ts';
import { AS_IT_CAME, CHANGED, streamed, verified } from './outcomes.ts';

function eventsOf(text: string): unknown[] {
  const events = text.split('\n\n');
  expect(events.splice(-2)).toEqual(['data: [DONE]', '']);
  return events.map((event) => JSON.parse(event.slice('data: '.length)));
}

describe('renderChatStream', () => {
  const head = { id: 'c', model: 'm', system_fingerprint: 'f' };
  const events = [{ ...head, choices: [{ index: 0, delta: { content: '{}' }, finish_reason: 'stop' }] }];
  const chunk = (delta: unknown, finish: string | null, index = 0): unknown => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index, delta, logprobs: null, finish_reason: finish }],
  });
  const ROLE = { role: 'assistant', content: '', refusal: null };

  it('sends the role, the text, the finish reason and [DONE]', () => {
    const outcome = streamed(events, [CHANGED], { total_tokens: 5 });
    expect(eventsOf(renderChatStream(outcome, false))).toEqual([
      chunk(ROLE, null),
      chunk({ content: '{"a":1}' }, null),
      chunk({}, 'stop'),
    ]);
  });

  it('sends usage where it was asked for, null before and null where nobody told it', () => {
    for (const usage of [{ total_tokens: 5 }, undefined]) {
      const sent = eventsOf(renderChatStream(streamed(events, [AS_IT_CAME], usage), true));
      expect(sent.map((event) => (event as { usage: unknown }).usage)).toEqual([
        null,
        null,
        null,
        usage ?? null,
      ]);
      expect(sent.at(-1)).toMatchObject({ ...head, choices: [] });
    }
  });

  it('sends one choice after the other', () => {
    const outcome = streamed(events, [AS_IT_CAME, { ...CHANGED, index: 1, finishWire: 'length' }]);
    expect(eventsOf(renderChatStream(outcome, false)).slice(2)).toEqual([
      chunk({}, 'stop'),
      chunk(ROLE, null, 1),
      chunk({ content: '{"a":1}' }, null, 1),
      chunk({}, 'length', 1),
    ]);
  });

  it('sends long text in pieces that are well-formed each', () => {
    const text = `{"t":"${'🍸'.repeat(2000)}"}`;
    const outcome = streamed(events, [{ ...AS_IT_CAME, text }]);
    const pieces = eventsOf(renderChatStream(outcome, false)).map(
      (event) => (event as { choices: { delta: { content?: string } }[] }).choices[0]?.delta.content ?? '',
    );
    expect(pieces.length).toBeGreaterThan(4);
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    expect(pieces.join('')).toBe(text);
  });

  it('streams what came as a body, under the head of that body', () => {
    const body = `{"id":"c","object":"chat.completion","choices":[{"message":{"content":"{}"},"finish_reason":"stop"}],"usage":{}}`;
    expect(eventsOf(renderChatStream(verified(body, [AS_IT_CAME]), false))[0]).toEqual({
      id: 'c',
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: ROLE, logprobs: null, finish_reason: null }],
    });
  });
});
