import { describe, expect, it } from 'vitest';
import { type Fault, refuse } from '../../src/reader/fault.ts';
import { messageOf, refusalOf } from '../../src/refusal/refusal.ts';

const duplicate: Fault = refuse('duplicate_key', 71, 'the key "verdict" comes twice', {
  key: 'verdict',
}).fault;

const asked = { choice: 0, route: 'falsify', calls: 2, usage: { total_tokens: 9 }, refusalId: 'r-1' };

describe('refusalOf', () => {
  it('tells a key, its place, the costs and the first fault', () => {
    const first = refuse('unknown_key', 40, 'no such key', { key: 'extra' }).fault;
    expect(
      refusalOf({ ...asked, code: 'duplicate_key', fault: duplicate, first, secondAttempt: undefined }),
    ).toEqual({
      code: 'duplicate_key',
      message: 'Duplicate key "verdict" in reply at 71: the key "verdict" comes twice',
      param: 'verdict',
      route: 'falsify',
      choice: 0,
      at: 71,
      path: '$',
      calls: 2,
      refusalId: 'r-1',
      first: { code: 'unknown_key', at: 40 },
      secondAttempt: undefined,
      rivals: undefined,
      usage: { total_tokens: 9 },
    });
  });

  it('names the path where no key is at fault', () => {
    const fault = refuse('wrong_type', 12, 'a number is asked for, this is a string', {
      path: ['lines', 2, 'qty'],
    }).fault;
    const refusal = refusalOf({
      ...asked,
      code: 'wrong_type',
      fault,
      first: undefined,
      secondAttempt: undefined,
    });
    expect([refusal.param, refusal.path]).toEqual(['lines[2].qty', 'lines[2].qty']);
  });

  it('has no param, route or usage where there are none', () => {
    const { fault } = refuse('no_object', 0, 'no object');
    const refusal = refusalOf({
      ...asked,
      code: 'no_object',
      fault,
      first: undefined,
      secondAttempt: undefined,
      route: undefined,
      usage: undefined,
    });
    expect([refusal.param, refusal.route, refusal.usage]).toEqual([null, null, null]);
  });

  it('says why there was no second reply', () => {
    const secondAttempt = 'the upstream answered 503';
    const refusal = refusalOf({
      ...asked,
      code: 'duplicate_key',
      fault: duplicate,
      first: undefined,
      secondAttempt,
    });
    expect(refusal.secondAttempt).toBe(secondAttempt);
    expect(refusal.message).toMatch(/; the second attempt failed: the upstream answered 503$/);
  });

  it('caps a key of any length, in the message and in the param', () => {
    const { fault } = refuse('unknown_key', 1, 'd'.repeat(9000), { key: 'k'.repeat(9000) });
    const refusal = refusalOf({
      ...asked,
      code: 'unknown_key',
      fault,
      first: undefined,
      secondAttempt: undefined,
    });
    expect(refusal.param).toBe(`${'k'.repeat(200)}…`);
    expect(refusal.message.length).toBeLessThan(700);
  });
});

const MESSAGES: readonly (readonly [string, string, string])[] = [
  [
    'names an unknown key and the object it is in',
    messageOf(
      'unknown_key',
      refuse('unknown_key', 9, 'allowed: a, b', { key: 'c', path: ['items', 0] }).fault,
    ),
    'Unknown key "c" in reply (items[0]) at 9: allowed: a, b',
  ],
  [
    'names a missing key',
    messageOf('missing_key', refuse('missing_key', 0, 'required: a', { key: 'a' }).fault),
    'Missing key "a" in reply at 0: required: a',
  ],
  [
    'has the sentence of the catalogue for the others',
    messageOf('text_after', refuse('text_after', 5, 'a digit').fault),
    'The text after the object is not what follows a whole reply at 5: a digit',
  ],
  [
    'gives no place to what has none',
    messageOf('declined', refuse('empty', 0, 'I cannot help').fault),
    'The model declined to answer: I cannot help',
  ],
];

describe('messageOf', () => {
  for (const [name, message, expected] of MESSAGES) {
    it(name, () => {
      expect(message).toBe(expected);
    });
  }
});
