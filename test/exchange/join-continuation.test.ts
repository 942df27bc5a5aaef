import { describe, expect, it } from 'vitest';
import { joinContinuation } from '../../src/exchange/join-continuation.ts';
import { closedObject, INTEGER, STRING } from '../reader/contracts.ts';

const contract = closedObject({ text: STRING, 'n?': INTEGER });

const JOINED: readonly (readonly [string, string, string, string])[] = [
  ['goes on exactly', '{"text":"alpha be', 'ta gam"}', '{"text":"alpha beta gam"}'],
  ['goes on in a fence', '{"text":"a","n"', '```json\n:3}\n```', '{"text":"a","n":3}'],
  ['restates the whole reply', '{"text":"alpha be', '{"text":"alpha beta"}', '{"text":"alpha beta"}'],
  [
    'restates the whole reply in a fence',
    '{"text":"al',
    '```json\n{"text":"alpha"}\n```',
    '{"text":"alpha"}',
  ],
  ['repeats the end', '{"text":"alpha", "n', '"n": 3}', '{"text":"alpha", "n": 3}'],
  ['adds nothing to a whole reply', '{"text":"a"}', ' \n', '{"text":"a"}'],
  ['adds a bracket that is already there', '{"text":"a"}', '}', '{"text":"a"}'],
  ['goes on in the middle of a number', '{"text":"","n":12', '50}', '{"text":"","n":1250}'],
  ['goes on in the middle of an escape', '{"text":"a\\', 'n"}', '{"text":"a\\n"}'],
  ['closes the fence of the partial', '```json\n{"text":"a', 'b"}\n```', '{"text":"ab"}'],
];

const REFUSED: readonly (readonly [string, string, string])[] = [
  ['repeats a word or goes on with the same word', '{"text":"alpha beta gam', 'beta gamma delta"}'],
  ['repeats the digits or goes on with them', '{"text":"","n":12', '1250}'],
  ['starts with words about itself', '{"text":"alpha', 'Sure, here is the rest:\n beta"}'],
  ['never closes', '{"text":"alpha', ' beta'],
  ['holds another object than the partial', '{"text":"a"}', '\n{"text":"b"}'],
];

describe('joinContinuation', () => {
  for (const [name, partial, continuation, text] of JOINED) {
    it(`joins a continuation that ${name}`, () => {
      const result = joinContinuation(partial, continuation, contract, { finish: 'stop' });
      expect(result.ok ? result.text : result.fault).toBe(text);
    });
  }
  for (const [name, partial, continuation] of REFUSED) {
    it(`refuses a continuation that ${name}`, () => {
      expect(joinContinuation(partial, continuation, contract, { finish: 'stop' })).toMatchObject({
        ok: false,
        fault: { code: 'cut' },
      });
    });
  }
  it('refuses a continuation that was cut as well', () => {
    expect(joinContinuation('{"text":"a', 'b"}', contract, { finish: 'length' })).toMatchObject({
      fault: { code: 'cut', at: 10 },
    });
  });
});
