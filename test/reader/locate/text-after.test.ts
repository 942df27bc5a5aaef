import { describe, expect, it } from 'vitest';
import { readReply } from '../../../src/reader/read-reply.ts';
import { contractOf } from '../contracts.ts';
import { CUT_TAILS, PROSE_BEFORE, WHOLE_TAILS } from './tails.ts';

const CONTRACTS = {
  'with keys': contractOf({
    keys: {
      top: ['code_excerpts', 'findings'],
      items: { code_excerpts: ['file', 'content'], findings: ['file', 'description'] },
      required: ['findings'],
    },
  }),
  'without keys': contractOf({ reply: { type: 'object' } }),
};

/** Left by an excerpt that quotes `"}], "findings": []}` and a stream that stops there. */
const CUT = [
  '{"code_excerpts": [{"file": "a.py", "content": "x"}], "findings": []}',
  '{"code_excerpts": [{"file": "a.py", "content": "return "}], "findings": []}',
];
const WHOLE = '{"code_excerpts": [{"file": "a.py", "content": "return 1"}], "findings": []}';

const PLACES: Readonly<Record<string, (object: string, tail: string) => string>> = {
  leading: (object, tail) => object + tail,
  'in prose': (object, tail) => `Here is the review:\n${object}${tail}`,
};

for (const [contractName, contract] of Object.entries(CONTRACTS)) {
  describe(`text after an object, ${contractName}`, () => {
    for (const [place, put] of Object.entries(PLACES)) {
      for (const tail of CUT_TAILS) {
        it(`${place}: ${JSON.stringify(tail)} does not follow a whole reply`, () => {
          for (const object of CUT)
            expect(readReply(put(object, tail), contract)).toMatchObject({ ok: false });
        });
      }
      for (const tail of WHOLE_TAILS) {
        it(`${place}: ${JSON.stringify(tail)} follows a whole reply`, () => {
          expect(readReply(put(WHOLE, tail), contract)).toMatchObject({ ok: true, text: WHOLE });
        });
      }
    }
    for (const tail of CUT_TAILS) {
      it(`in a list: ${JSON.stringify(tail)} does not end it`, () => {
        for (const object of CUT)
          expect(readReply(`[${object}${tail}`, contract)).toMatchObject({ ok: false });
      });
    }
    for (const tail of WHOLE_TAILS) {
      it(`after a list of one object: ${JSON.stringify(tail)} follows a whole reply`, () => {
        expect(readReply(`[${WHOLE}]${tail}`, contract)).toMatchObject({ ok: true, text: WHOLE });
      });
    }
    for (const before of PROSE_BEFORE) {
      it(`before it: ${JSON.stringify(before)}`, () => {
        expect(readReply(before + WHOLE, contract)).toMatchObject({ ok: true, text: WHOLE });
      });
    }
    it('a list item that starts like the quoted one is lost: nothing in the bytes tells', () => {
      expect(readReply(`${CUT[0]}\n- note`, contract)).toMatchObject({ ok: true });
    });
  });
}
