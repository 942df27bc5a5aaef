import { expect, it } from 'vitest';
import type { Finish } from '../../src/exchange/upstream.ts';
import { finishOf, wireFinish } from '../../src/openai/finish-reason.ts';

const ROWS: readonly (readonly [string | null, Finish, string])[] = [
  ['stop', 'stop', 'stop'],
  ['STOP', 'stop', 'stop'],
  ['eos', 'stop', 'stop'],
  ['end_turn', 'stop', 'stop'],
  ['length', 'length', 'length'],
  ['MAX_TOKENS', 'length', 'length'],
  ['model_length', 'length', 'length'],
  ['content_filter', 'content_filter', 'content_filter'],
  ['SAFETY', 'content_filter', 'content_filter'],
  ['tool_calls', 'tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls', 'tool_calls'],
  ['error', 'failed', 'stop'],
  ['failed', 'failed', 'stop'],
  [null, 'absent', 'stop'],
];

for (const [reason, finish, wire] of ROWS) {
  it(`reads ${reason} as ${finish} and tells ${wire}`, () => {
    expect([finishOf(reason), wireFinish(reason)]).toEqual([finish, wire]);
  });
}
