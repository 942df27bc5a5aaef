import { describe, expect, it } from 'vitest';
import type { Contract } from '../../src/contract/contract.ts';
import { decide, decideSecond, decideUnread, readAs } from '../../src/exchange/decide.ts';
import type { Finish, ReplyChoice } from '../../src/exchange/upstream.ts';
import { type FaultCode, refuse } from '../../src/reader/fault.ts';
import { readReply } from '../../src/reader/read-reply.ts';
import type { Reading } from '../../src/reader/reading.ts';
import { closedObject, STRING } from '../reader/contracts.ts';

const contract = closedObject({ text: STRING });

function choice(more: Partial<ReplyChoice> = {}): ReplyChoice {
  return { index: 0, text: '{"text":"a"}', finish: 'stop', finishWire: 'stop', declined: undefined, ...more };
}

function readingOf(text: string): Reading {
  const result = readReply(text, contract);
  if (!result.ok) throw new Error(result.fault.detail);
  return result;
}

type Options = Pick<Contract, 'correct' | 'continue'>;

const BOTH: Options = { correct: true, continue: true };
const NEITHER: Options = { correct: false, continue: false };

type Next = 'correct' | 'continue' | 'refuse';

/** What follows each fault of a first reply: under a contract with both second attempts, only one, and none. */
const FIRST: Readonly<Record<FaultCode, readonly [both: Next, correctOnly: Next, continueOnly: Next]>> = {
  malformed: ['correct', 'correct', 'refuse'],
  repair_refused: ['correct', 'correct', 'refuse'],
  ambiguous_repair: ['correct', 'correct', 'refuse'],
  unknown_key: ['correct', 'correct', 'refuse'],
  duplicate_key: ['correct', 'correct', 'refuse'],
  missing_key: ['correct', 'correct', 'refuse'],
  wrong_type: ['correct', 'correct', 'refuse'],
  wrong_shape: ['correct', 'correct', 'refuse'],
  wrong_order: ['correct', 'correct', 'refuse'],
  no_object: ['correct', 'correct', 'refuse'],
  second_object: ['correct', 'correct', 'refuse'],
  text_after: ['correct', 'correct', 'refuse'],
  cut: ['continue', 'refuse', 'continue'],
  empty: ['refuse', 'refuse', 'refuse'],
  too_large: ['correct', 'correct', 'refuse'],
  too_deep: ['correct', 'correct', 'refuse'],
  repair_budget: ['correct', 'correct', 'refuse'],
  seal_missing: ['correct', 'correct', 'refuse'],
  evidence_missing: ['correct', 'correct', 'refuse'],
};

describe('decide', () => {
  it('accepts a reading, whatever the contract says of second attempts', () => {
    const reading = readingOf('{"text":"a"}');
    expect(decide(reading, BOTH)).toEqual({ kind: 'accept', reading });
    expect(decide(reading, NEITHER)).toEqual({ kind: 'accept', reading });
  });

  for (const [code, [both, correctOnly, continueOnly]] of Object.entries(FIRST)) {
    const result = refuse(code as FaultCode, 3, 'a detail');
    const { fault } = result;
    const expected = { correct: { kind: 'correct', fault }, continue: { kind: 'continue', fault } };
    const end = { kind: 'refuse', code, fault };
    const next = (kind: Next) => (kind === 'refuse' ? end : expected[kind]);

    it(`answers a first ${code} with: ${both}`, () => {
      expect(decide(result, BOTH)).toEqual(next(both));
    });
    it(`answers a first ${code} without continuation with: ${correctOnly}`, () => {
      expect(decide(result, { correct: true, continue: false })).toEqual(next(correctOnly));
    });
    it(`answers a first ${code} without correction with: ${continueOnly}`, () => {
      expect(decide(result, { correct: false, continue: true })).toEqual(next(continueOnly));
    });
    it(`ends at a first ${code} without second attempts`, () => {
      expect(decide(result, NEITHER)).toEqual(end);
    });
    it(`ends at a second ${code}`, () => {
      expect(decideSecond(result)).toEqual(end);
    });
  }
});

describe('decideSecond', () => {
  it('accepts a reading', () => {
    const reading = readingOf('{"text":"b"}');
    expect(decideSecond(reading)).toEqual({ kind: 'accept', reading });
  });
});

const UNREAD: readonly (readonly [string, Partial<ReplyChoice>, string, FaultCode, number, string])[] = [
  ['declined', { text: '', declined: 'I cannot' }, 'declined', 'empty', 0, 'I cannot'],
  ['declined beside a whole reply', { declined: 'No' }, 'declined', 'empty', 0, 'No'],
  ['declined with an empty text', { declined: '' }, 'declined', 'empty', 0, ''],
  [
    'declined and filtered',
    { text: '', declined: 'No', finish: 'content_filter' },
    'declined',
    'empty',
    0,
    'No',
  ],
  [
    'stopped by a content filter',
    { text: '{"te', finish: 'content_filter' },
    'content_filter',
    'cut',
    4,
    'the finish reason is content_filter',
  ],
  [
    'stopped by a content filter after a whole reply',
    { finish: 'content_filter' },
    'content_filter',
    'cut',
    12,
    'the finish reason is content_filter',
  ],
  [
    'a tool call',
    { text: '', finish: 'tool_calls' },
    'unsupported',
    'no_object',
    0,
    'tool calls came where the contract asks for content',
  ],
];

describe('decideUnread', () => {
  for (const [name, more, code, faultCode, at, detail] of UNREAD) {
    it(`ends a choice that is ${name} as ${code}`, () => {
      expect(decideUnread(choice(more))).toEqual({
        kind: 'refuse',
        code,
        fault: { code: faultCode, at, detail, path: [] },
      });
    });
  }

  it("tells at most 200 code units of the model's own refusal, and never half a character", () => {
    const end = decideUnread(choice({ declined: `${'n'.repeat(199)}😀 and more` }));
    expect(end?.fault.detail).toBe(`${'n'.repeat(199)}�`);
  });

  for (const finish of ['stop', 'length', 'absent', 'failed'] as const) {
    it(`leaves a choice that ended with ${finish} to be read`, () => {
      expect(decideUnread(choice({ finish }))).toBeUndefined();
    });
  }
});

const READ_AS: readonly (readonly [Finish, boolean, 'stop' | 'length'])[] = [
  ['stop', false, 'stop'],
  ['stop', true, 'length'],
  ['length', false, 'length'],
  ['length', true, 'length'],
  ['absent', false, 'stop'],
  ['absent', true, 'length'],
];

describe('readAs', () => {
  for (const [finish, atMaximum, expected] of READ_AS) {
    it(`reads ${finish} ${atMaximum ? 'at' : 'below'} the token maximum as ${expected}`, () => {
      expect(readAs(choice({ finish }), atMaximum)).toBe(expected);
    });
  }
});
