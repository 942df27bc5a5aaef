import { describe, expect, it } from 'vitest';
import type { ReplyChoice } from '../../src/exchange/upstream.ts';
import type { ChatRead } from '../../src/openai/chat-reply.ts';
import { ChatStream } from '../../src/openai/chat-stream.ts';

/** Reads a stream of these events; strings are sent as they are. */
function read(events: readonly unknown[], maxTokens?: number): ChatRead {
  const stream = new ChatStream(maxTokens);
  events.every((event) => stream.push(typeof event === 'string' ? event : JSON.stringify(event)));
  return stream.end();
}

function choice(delta: unknown, finish: string | null = null, index = 0): unknown {
  return { id: 'c', model: 'm', choices: [{ index, delta, finish_reason: finish }] };
}

const STOP: ReplyChoice = { index: 0, text: 'ab', finish: 'stop', finishWire: 'stop', declined: undefined };

describe('ChatStream', () => {
  const ROWS: readonly (readonly [string, readonly unknown[], Partial<ReplyChoice>])[] = [
    [
      'deltas',
      [choice({ role: 'assistant' }), choice({ content: 'a' }), choice({ content: 'b' }, 'stop')],
      {},
    ],
    ['no index', [{ choices: [{ delta: { content: 'ab' }, finish_reason: 'stop' }] }], {}],
    [
      'a message in place of a delta',
      [{ choices: [{ message: { content: 'ab' }, finish_reason: 'stop' }] }],
      {},
    ],
    ['parts', [choice({ content: [{ type: 'text', text: 'ab' }] }, 'stop')], {}],
    ['a cut', [choice({ content: 'ab' }, 'length')], { finish: 'length', finishWire: 'length' }],
    ['[DONE] without a finish reason', [choice({ content: 'ab' }), '[DONE]'], { finish: 'absent' }],
    ['a finish reason without [DONE]', [choice({ content: 'ab' }), choice({}, 'stop')], {}],
    ['text after the finish reason', [choice({ content: 'a' }, 'stop'), choice({ content: 'b' })], {}],
    [
      'a refusal in deltas',
      [choice({ refusal: 'N' }), choice({ refusal: 'o' }, 'stop')],
      { text: '', declined: 'No' },
    ],
    [
      'a refusal part',
      [choice({ content: [{ type: 'refusal', refusal: 'No' }] }, 'stop')],
      { text: '', declined: 'No' },
    ],
    [
      'tool calls whatever the finish reason',
      [choice({ content: 'ab', tool_calls: [{ index: 0 }] }, 'stop')],
      { finish: 'tool_calls' },
    ],
    [
      'an old function call',
      [choice({ content: 'ab', function_call: {} }, 'stop')],
      { finish: 'tool_calls' },
    ],
    ['wrapped comments and empty events', [': hi', ' ', '', choice({ content: 'ab' }, 'stop')], {}],
  ];
  for (const [name, events, expected] of ROWS) {
    it(`reads ${name}`, () => {
      const result = read(events);
      expect(result.ok ? result.reply.choices : result.fault).toEqual([{ ...STOP, ...expected }]);
    });
  }

  it('keeps the head of the first chunk that has a choice, its usage and its reasoning', () => {
    const result = read(
      [
        { id: '', choices: [], prompt_filter_results: [] },
        { id: 'c', model: 'm', obfuscation: 'x', choices: [{ index: 0, delta: { reasoning_content: 'h' } }] },
        { id: 'other', service_tier: 's', choices: [{ index: 0, delta: { reasoning_content: 'm' } }] },
        choice({ content: 'ab' }, 'stop'),
        { choices: [], usage: { completion_tokens: 7 } },
        '[DONE]',
      ],
      7,
    );
    expect(result).toEqual({
      ok: true,
      reply: {
        choices: [STOP],
        usage: { completion_tokens: 7 },
        atMaximum: true,
        envelope: {
          source: 'stream',
          head: { id: 'c', model: 'm', service_tier: 's' },
          reasoning: new Map([[0, { reasoning_content: 'hm' }]]),
        },
      },
    });
  });

  it('wants nothing after [DONE], nor after a fault', () => {
    const ended = new ChatStream(undefined);
    expect(ended.push(JSON.stringify(choice({ content: 'ab' }, 'stop')))).toBe(true);
    expect(ended.push('[DONE]')).toBe(false);
    expect(ended.push(JSON.stringify(choice({ content: 'c' })))).toBe(false);
    expect(ended.end()).toMatchObject({ ok: true, reply: { choices: [STOP] } });
    const broken = new ChatStream(undefined);
    expect(broken.push('{')).toBe(false);
    expect(broken.push(JSON.stringify(choice({ content: 'ab' }, 'stop')))).toBe(false);
    expect(broken.end().ok).toBe(false);
  });

  const whole = choice({ content: 'ab' }, 'stop');
  const INVALID: readonly (readonly [string, readonly unknown[], string])[] = [
    ['nothing', [], 'the stream has no choices'],
    ['[DONE] alone', ['[DONE]'], 'the stream has no choices'],
    ['an end without either mark', [choice({ content: 'ab' })], 'the stream ended early'],
    [
      'an end before one of two choices ended',
      [whole, choice({ content: 'x' }, null, 1)],
      'the stream ended early',
    ],
    ['an end without a reply', [choice({ role: 'assistant' }), '[DONE]'], 'the stream ended without a reply'],
    ['an event that is no JSON', ['{"choices":'], 'an event of the stream is not JSON'],
    ['an event that is a list', ['[]'], 'an event of the stream is not JSON'],
    [
      'an event that is too deep',
      [whole, `{"usage":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
      'an event of the stream is too deep',
    ],
    ['an index that is none', [choice({ content: 'ab' }, 'stop', -1)], 'a choice of the stream has no index'],
    [
      'an endless index',
      ['{"choices":[{"index":1e999,"delta":{"content":"ab"},"finish_reason":"stop"}]}'],
      'a choice of the stream has no index',
    ],
    ['an error after a whole reply', [whole, { error: { message: 'x' } }], 'an error in the stream'],
    ['an error beside choices', [{ choices: [], error: 'x' }], 'an error in the stream'],
    [
      'content of another kind',
      [choice({ content: 5 }), whole],
      'a piece of the reply is neither text nor parts of text',
    ],
  ];
  for (const [name, events, detail] of INVALID) {
    it(`takes ${name} for no reply`, () => {
      expect(read(events)).toEqual({ ok: false, fault: { kind: 'invalid', detail } });
    });
  }
});
