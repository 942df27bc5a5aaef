import { describe, expect, it } from 'vitest';
import { renderChat } from '../../src/openai/chat-render.ts';
import { AS_IT_CAME, CHANGED, streamed, verified } from './outcomes.ts';

describe('renderChat', () => {
  it('hands on the bytes of a body in which nothing changed', () => {
    const body =
      ' { "choices" : [ {"message":{"content":"\\u007b}"},"logprobs":{"x":1e400}, "finish_reason":"stop"}] }\n';
    expect(renderChat(verified(body, [AS_IT_CAME]))).toBe(body);
  });

  it('changes the content, and takes out what described the old one', () => {
    const body =
      '{"n":1.0,"choices":[{"message":{"content":"x","annotations":[1],"role":"assistant"},"logprobs":{"content":[]},"finish_reason":"stop"}],"z":[]}';
    expect(renderChat(verified(body, [CHANGED]))).toBe(
      '{"n":1.0,"choices":[{"message":{"content":"{\\"a\\":1}","annotations":[],"role":"assistant"},"logprobs":null,"finish_reason":"stop"}],"z":[]}',
    );
  });

  it('changes each choice by its place, and tells its last finish reason', () => {
    const one = (content: string, finish: string): string =>
      `{"finish_reason":"${finish}","message":{"content":"${content}"}}`;
    const body = `{"choices":[${one('{}', 'eos')},${one('x', 'length')}]}`;
    expect(renderChat(verified(body, [AS_IT_CAME, { ...CHANGED, index: 1 }]))).toBe(
      `{"choices":[${one('{}', 'stop')},${one('{\\"a\\":1}', 'stop')}]}`,
    );
  });

  it('joins parts of text to one string', () => {
    const body = '{"choices":[{"message":{"content":[{"type":"text","text":"{}"}]},"finish_reason":"stop"}]}';
    expect(renderChat(verified(body, [AS_IT_CAME]))).toBe(
      '{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}]}',
    );
  });

  it('tells the sum of the usage of two calls, also where the first told none', () => {
    const choice = '"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}]';
    const sum = { total_tokens: 5 };
    const body = `{"usage":{"total_tokens":2,"x":1e9},${choice}}`;
    expect(renderChat(verified(body, [AS_IT_CAME], 2, sum))).toBe(`{"usage":{"total_tokens":5},${choice}}`);
    expect(renderChat(verified(body, [AS_IT_CAME], 1, sum))).toBe(body);
    expect(renderChat(verified(`{${choice} }`, [AS_IT_CAME], 2, sum))).toBe(
      `{${choice} ,"usage":{"total_tokens":5}}`,
    );
    expect(renderChat(verified(`{${choice}}`, [AS_IT_CAME], 2))).toBe(`{${choice}}`);
  });

  it('builds a body from a stream that nobody asked for', () => {
    const outcome = streamed(
      [
        { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { reasoning: 'hm' } }] },
        { choices: [{ index: 0, delta: { content: '{}' }, finish_reason: 'eos' }] },
      ],
      [AS_IT_CAME],
      { total_tokens: 5 },
    );
    expect(JSON.parse(renderChat(outcome))).toEqual({
      id: 'c',
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: '{}', refusal: null, reasoning: 'hm' },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: { total_tokens: 5 },
    });
  });
});
