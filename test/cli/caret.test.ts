import { describe, expect, it } from 'vitest';
import { caret } from '../../src/cli/caret.ts';

interface Row {
  readonly name: string;
  readonly text: string;
  readonly at: number;
  readonly shown: string;
}

const ROWS: readonly Row[] = [
  { name: 'stands under the first character', text: '{x}', at: 0, shown: '1 | {x}\n    ^\n' },
  { name: 'stands behind the last character', text: '{"a":1', at: 6, shown: '1 | {"a":1\n          ^\n' },
  { name: 'shows the line of the place alone', text: 'a\nbc\nd', at: 3, shown: '2 | bc\n     ^\n' },
  {
    name: 'counts wide characters as two columns and combining marks as none',
    text: '字🎉e\u0301X',
    at: 5,
    shown: '1 | 字🎉e\u0301X\n         ^\n',
  },
  {
    name: 'shows control characters as pictures and hidden marks as dots',
    text: '\t\u001b[31m\u009b\u202e\u2028X',
    at: 9,
    shown: '1 | ␉␛[31m···X\n             ^\n',
  },
  {
    name: 'clips a long line on both sides',
    text: `${'a'.repeat(60)}X${'b'.repeat(60)}`,
    at: 60,
    shown: `1 | …${'a'.repeat(50)}X${'b'.repeat(27)}…\n${' '.repeat(55)}^\n`,
  },
  {
    name: 'does not clip in the middle of a surrogate pair',
    text: `🎉🎉${'a'.repeat(49)}X`,
    at: 53,
    shown: `1 | …${'a'.repeat(49)}X\n${' '.repeat(54)}^\n`,
  },
  {
    name: 'shows lone surrogates as the replacement character',
    text: '\ud800X',
    at: 1,
    shown: '1 | \ufffdX\n     ^\n',
  },
  { name: 'stands on an empty text', text: '', at: 0, shown: '1 | \n    ^\n' },
];

describe('the caret', () => {
  for (const { name, text, at, shown } of ROWS) {
    it(name, () => {
      expect(caret(text, at)).toBe(shown);
    });
  }
});
