import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Line, LineSplitter } from '../../src/cli/lines.ts';

/** Splits the bytes of a text that come in pieces of these sizes, over and over. */
function split(text: string, sizes: readonly number[], maxCodeUnits = 1000): readonly Line[] {
  const bytes = Buffer.from(text, 'utf8');
  const splitter = new LineSplitter(maxCodeUnits);
  const lines: Line[] = [];
  for (let at = 0, i = 0; at < bytes.length; i += 1) {
    const size = sizes[i % sizes.length] ?? 1;
    lines.push(...splitter.push(bytes.subarray(at, at + size)));
    at += size;
  }
  return [...lines, splitter.end()];
}

describe('the line splitter', () => {
  it('finds the same lines whatever pieces the bytes come in', () => {
    const text = fc.array(fc.constantFrom('a', '\n', '\r', '\u2028', '字', '🎉', '"'), { maxLength: 60 });
    const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(text, sizes, (characters, pieces) => {
        const whole = characters.join('');
        const expected = whole.split('\n').map((line) => ({ ok: true, text: line }));
        expect(split(whole, pieces)).toEqual(expected);
      }),
    );
  });

  it('tells a line over the limit once, and goes on with the next', () => {
    const lines = split('aaaa\nbbbbb\ncccccccccccc\ndd', [3], 4);
    expect(lines).toEqual([
      { ok: true, text: 'aaaa' },
      { ok: false },
      { ok: false },
      { ok: true, text: 'dd' },
    ]);
  });
});
