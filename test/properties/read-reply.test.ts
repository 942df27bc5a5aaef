import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toValue } from '../../src/reader/json-value.ts';
import { readReply } from '../../src/reader/read-reply.ts';
import { contractOf } from '../reader/contracts.ts';

const anything = contractOf({ reply: true });
const anyObject = contractOf({ reply: { type: 'object' } });

describe('properties of readReply', () => {
  it('agrees with JSON.parse on every valid text', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        const result = readReply(text, anything);
        if (!result.ok) throw new Error(JSON.stringify(result.fault));
        expect(result.text).toBe(text);
        expect(toValue(result.text, result.root)).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  it('accepts no text as strict that JSON.parse refuses', () => {
    const strict = contractOf({ reply: true, repair: 'none' });
    const fragments = fc.array(
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        '"',
        'a',
        ':',
        ',',
        '1',
        '-',
        '.',
        'e',
        'true',
        'null',
        '\\',
        '\\u00',
        '\n',
        ' ',
        '\u0000',
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(fragments, (parts) => {
        const text = parts.join('');
        const result = readReply(text, strict);
        if (result.ok) expect(() => JSON.parse(text)).not.toThrow();
      }),
      { numRuns: 20_000 },
    );
  });

  it('never throws, whatever the text', () => {
    const noise = fc.string({
      unit: fc.constantFrom(...'{}[]":,\\/`~<>think\n\t 0e-.\u0000\uFEFF\uD83C’“'),
      maxLength: 60,
    });
    fc.assert(
      fc.property(noise, (text) => {
        expect(typeof readReply(text, anyObject).ok).toBe('boolean');
      }),
      { numRuns: 20_000 },
    );
  });

  it('changes nothing outside the recorded repairs, and what it returns needs no further repair', () => {
    const damaged = fc
      .tuple(
        fc.dictionary(
          fc.string({ maxLength: 4 }),
          fc.string({ unit: fc.constantFrom(...'ab\n\t\u0001 {}é'), maxLength: 12 }),
        ),
        fc.constantFrom('', '```json\n', '<think>x</think>', '\uFEFF'),
      )
      .map(([value, before]) => {
        const raw = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:"${item}"`);
        return `${before}{${raw.join(',')}}${before.startsWith('`') ? '\n```' : ''}`;
      });
    fc.assert(
      fc.property(damaged, (reply) => {
        const result = readReply(reply, anyObject);
        if (!result.ok) return;
        let rebuilt = '';
        let from = 0;
        for (const { start, end, before, after } of result.repairs) {
          expect(reply.slice(start, end)).toBe(before);
          rebuilt += reply.slice(from, start) + after;
          from = end;
        }
        rebuilt += reply.slice(from);
        expect(rebuilt.trim()).toBe(result.text);
        expect(readReply(result.text, anyObject)).toMatchObject({ ok: true, text: result.text, repairs: [] });
      }),
      { numRuns: 3000 },
    );
  });
});
