import { describe, expect, it } from 'vitest';
import type { ReplyChoice } from '../../src/exchange/upstream.ts';
import { readChatReply } from '../../src/openai/chat-reply.ts';

/** A body with one choice. */
function body(choice: Record<string, unknown>, more: Record<string, unknown> = {}): string {
  return JSON.stringify({ choices: [choice], ...more });
}

function choicesOf(text: string, maxTokens?: number): readonly ReplyChoice[] {
  const read = readChatReply(text, maxTokens);
  if (!read.ok) throw new Error(read.fault.detail);
  return read.reply.choices;
}

const STOP: ReplyChoice = { index: 0, text: 'a', finish: 'stop', finishWire: 'stop', declined: undefined };
const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };

describe('readChatReply', () => {
  const ROWS: readonly (readonly [string, Record<string, unknown>, Partial<ReplyChoice>])[] = [
    ['text', { message: { content: 'a' }, finish_reason: 'stop' }, {}],
    ['its index', { index: 3, message: { content: 'a' }, finish_reason: 'stop' }, { index: 3 }],
    [
      'a cut',
      { message: { content: 'a' }, finish_reason: 'MAX_TOKENS' },
      { finish: 'length', finishWire: 'length' },
    ],
    ['no finish reason', { message: { content: 'a' } }, { finish: 'absent' }],
    ['no text', { message: { content: null }, finish_reason: 'stop' }, { text: '' }],
    [
      'a refusal',
      { message: { content: null, refusal: 'No.' }, finish_reason: 'stop' },
      { text: '', declined: 'No.' },
    ],
    ['an empty refusal as none', { message: { content: 'a', refusal: '' }, finish_reason: 'stop' }, {}],
    [
      'a refusal without a finish reason',
      { message: { content: '', refusal: 'No.' }, finish_reason: null },
      { text: '', finish: 'absent', declined: 'No.' },
    ],
    [
      'tool calls whatever the finish reason',
      { message: { content: 'a', tool_calls: [call] }, finish_reason: 'stop' },
      { finish: 'tool_calls' },
    ],
    [
      'tool calls that are no list',
      { message: { content: 'a', tool_calls: { 0: call } }, finish_reason: 'stop' },
      { finish: 'tool_calls' },
    ],
    [
      'a function call that is no object',
      { message: { content: 'a', function_call: 'f' }, finish_reason: 'stop' },
      { finish: 'tool_calls' },
    ],
    [
      'empty members as none',
      { message: { content: 'a', tool_calls: [], function_call: '', audio: null, refusal: false } },
      { finish: 'absent' },
    ],
    [
      'an old function call',
      { message: { content: null, function_call: { name: 'f' } }, finish_reason: null },
      { text: '', finish: 'tool_calls' },
    ],
    ['no tool calls', { message: { content: 'a', tool_calls: [] }, finish_reason: 'stop' }, {}],
    ['parts', { message: { content: [{ type: 'text', text: 'a' }] }, finish_reason: 'stop' }, { text: 'a' }],
  ];
  for (const [name, choice, expected] of ROWS) {
    it(`reads ${name}`, () => {
      expect(choicesOf(body(choice))).toEqual([{ ...STOP, ...expected }]);
    });
  }

  it('reads white space before the body, and usage', () => {
    const read = readChatReply(
      `\n  ${body({ message: { content: 'a' } }, { usage: { prompt_tokens: 1, details: { cached: 0 } } })}`,
      undefined,
    );
    expect(read).toMatchObject({
      ok: true,
      reply: { usage: { prompt_tokens: 1, details: { cached: 0 } }, atMaximum: false },
    });
  });

  it('knows a single choice that used every token it was allowed', () => {
    const one = { message: { content: 'a' }, finish_reason: 'stop' };
    const at = (tokens: number, maxTokens: number | undefined, choices: readonly unknown[]): unknown => {
      const text = JSON.stringify({ choices, usage: { completion_tokens: tokens } });
      const read = readChatReply(text, maxTokens);
      return read.ok && read.reply.atMaximum;
    };
    expect(at(7, 7, [one])).toBe(true);
    expect(at(8, 7, [one])).toBe(true);
    expect(at(6, 7, [one])).toBe(false);
    expect(at(7, undefined, [one])).toBe(false);
    expect(at(7, 0, [one])).toBe(false);
    expect(at(7, -1, [one])).toBe(false);
    expect(at(7, 7, [one, one])).toBe(false);
  });

  const good = { message: { content: 'a' }, finish_reason: 'stop' };
  const INVALID: readonly (readonly [string, string, string])[] = [
    ['HTML', '<html>', 'the body is not JSON without repeated members'],
    ['nothing', '', 'the body is not JSON without repeated members'],
    [
      'NaN',
      '{"choices":[{"message":{"content":"a"}}],"x":NaN}',
      'the body is not JSON without repeated members',
    ],
    ['text after the body', `${body(good)}x`, 'the body is not JSON without repeated members'],
    [
      'two contents',
      '{"choices":[{"message":{"content":"a","content":"b"}}]}',
      'the body is not JSON without repeated members',
    ],
    ['an error object', body(good, { error: { code: 1 } }), 'an error object under a status of success'],
    ['an error text', body(good, { error: 'busy' }), 'an error object under a status of success'],
    ['a list', '[]', 'the body has no choices'],
    ['null', 'null', 'the body has no choices'],
    ['choices that are none', '{"choices":{}}', 'the body has no choices'],
    ['no choice', '{"choices":[]}', 'the body has no choices'],
    ['a choice without a message', '{"choices":[{"text":"a"}]}', 'choice 0 is none'],
    ['content of another kind', body({ message: { content: 5 } }), 'choice 0 is none'],
    ...[-1, 0.5, '0', [0]].map((index): [string, string, string] => [
      `the index ${JSON.stringify(index)}`,
      body({ ...good, index }),
      'choice 0 is none',
    ]),
    ['the index 1e999', '{"choices":[{"index":1e999,"message":{"content":"a"}}]}', 'choice 0 is none'],
    [
      'two choices with one index',
      JSON.stringify({
        choices: [
          { ...good, index: 0 },
          { ...good, index: 0 },
        ],
      }),
      'two choices have the same index',
    ],
    [
      'an index that is the place of another choice',
      JSON.stringify({ choices: [{ ...good, index: 1 }, good] }),
      'two choices have the same index',
    ],
    ['audio', body({ message: { content: 'a', audio: { data: 'AA' } } }), 'choice 0 is none'],
    [
      'a refusal of another kind',
      body({ message: { content: 'a', refusal: { no: 1 } } }),
      'choice 0 is none',
    ],
    ['neither text nor end', body({ message: { content: '' }, finish_reason: null }), 'choice 0 is none'],
  ];
  for (const [name, text, detail] of INVALID) {
    it(`takes ${name} for no reply`, () => {
      expect(readChatReply(text, undefined)).toEqual({ ok: false, fault: { kind: 'invalid', detail } });
    });
  }

  it('takes an error that is null for none', () => {
    expect(choicesOf(body(good, { error: null }))).toEqual([STOP]);
  });
});
