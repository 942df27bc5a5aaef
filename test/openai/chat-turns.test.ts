import { describe, expect, it } from 'vitest';
import { chatAttemptBody } from '../../src/openai/chat-turns.ts';
import { requestOf } from './requests.ts';

const FIRST = { purpose: 'first', turns: [] } as const;
const CORRECTION = {
  purpose: 'correction',
  turns: [
    { role: 'assistant', text: 'a"b' },
    { role: 'user', text: 'again' },
  ],
} as const;

describe('chatAttemptBody', () => {
  it('spells every value as the client did', () => {
    const body = '{"messages":[{"role":"user","content":"\\u0041"}],"seed":12345678901234567890,"x":[ 1.0 ]}';
    expect(chatAttemptBody(requestOf(body), FIRST)).toBe(body);
  });

  it('forces store off where it is there, and does not add it', () => {
    expect(chatAttemptBody(requestOf('{"messages":[],"store":true}'), FIRST)).toBe(
      '{"messages":[],"store":false}',
    );
  });

  it('keeps a member named __proto__ where it is', () => {
    const body = '{"messages":[],"__proto__":{"a":1}}';
    expect(chatAttemptBody(requestOf(body), FIRST)).toBe(body);
  });

  it('asks a stream for its usage, and keeps its other options', () => {
    const streamed = (options: string): string =>
      chatAttemptBody(requestOf(`{"messages":[],"stream":true${options}}`), FIRST);
    expect(streamed('')).toBe('{"messages":[],"stream":true,"stream_options":{"include_usage":true}}');
    expect(streamed(',"stream_options":null')).toBe(streamed(''));
    expect(streamed(',"stream_options":{"include_obfuscation":false,"include_usage":false}')).toBe(
      '{"messages":[],"stream":true,"stream_options":{"include_obfuscation":false,"include_usage":true}}',
    );
  });

  it('appends the turns, asks for one choice and drops the prediction', () => {
    const body = '{"n":3,"messages":[ {"role":"user","content":"\\u0041"} ],"prediction":{},"seed":1.0}';
    expect(chatAttemptBody(requestOf(body), CORRECTION)).toBe(
      '{"messages":[{"role":"user","content":"\\u0041"},{"role":"assistant","content":"a\\"b"},{"role":"user","content":"again"}],"seed":1.0}',
    );
  });

  it('appends the turns to an empty conversation', () => {
    expect(chatAttemptBody(requestOf('{"messages":[ ]}'), CORRECTION)).toBe(
      '{"messages":[{"role":"assistant","content":"a\\"b"},{"role":"user","content":"again"}]}',
    );
  });
});
