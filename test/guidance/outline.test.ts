import { describe, expect, it } from 'vitest';
import { MAX_OUTLINE, outline } from '../../src/guidance/outline.ts';
import type { Shape, ShapeAlternative } from '../../src/reader/reply-contract.ts';
import { contractOf } from '../reader/contracts.ts';

const OUTLINES: readonly (readonly [string, unknown, string])[] = [
  [
    'marks what may be left out and lists what an enum allows',
    {
      reply: {
        type: 'object',
        additionalProperties: false,
        required: ['verdict'],
        properties: {
          verdict: { enum: ['yes', 'no'] },
          count: { type: 'integer' },
          score: { type: 'number' },
          sure: { type: 'boolean' },
          note: { type: ['string', 'null'] },
          free: {},
        },
      },
    },
    '{"verdict": "yes" | "no", "count"?: integer, "score"?: number, "sure"?: true or false, "note"?: string | null, "free"?: any value}',
  ],
  [
    'shows nested lists and objects',
    {
      reply: {
        type: 'object',
        required: ['lines'],
        properties: {
          lines: {
            type: 'array',
            items: { type: 'object', required: ['qty'], properties: { qty: { type: 'number' } } },
          },
        },
      },
    },
    '{"lines": [{"qty": number}, …]}',
  ],
  [
    'shows a member of a key table as an object or a list of them',
    { keys: { top: ['findings', 'note'], items: { findings: ['file', 'line'] }, required: ['findings'] } },
    '{"findings": {"file"?: any value, "line"?: any value} | [{"file"?: any value, "line"?: any value}, …], "note"?: any value}',
  ],
  [
    'shows what keys without a name of their own hold',
    { reply: { type: 'object', additionalProperties: { type: 'number' } } },
    '{any other key: number}',
  ],
  [
    'shows each branch of a union once',
    {
      reply: {
        oneOf: [
          { type: 'object', required: ['a'], properties: { a: { const: 1 } } },
          { type: 'object', required: ['b'], properties: { b: { const: 2 } } },
        ],
      },
    },
    '{"a": 1} | {"b": 2}',
  ],
  ['says object where no keys are named', { reply: { type: 'object' } }, 'object'],
  ['says list where items may be anything', { reply: { type: 'array' } }, 'list'],
  ['says nothing where nothing is allowed', { reply: false }, 'nothing'],
];

describe('outline', () => {
  for (const [name, definition, expected] of OUTLINES) {
    it(name, () => {
      expect(outline(contractOf(definition).shape)).toBe(expected);
    });
  }

  it('draws a recursive shape a few levels deep', () => {
    const reply = {
      type: 'object',
      properties: { name: { type: 'string' }, next: { $ref: '#' } },
    };
    const text = outline(contractOf({ reply }).shape);
    expect(text.match(/"name"/g)).toHaveLength(7);
    expect(text).toMatch(/"next"\?: …\}+$/);
  });

  it('stays within its budget for a shape that branches without end', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`member${i}`, { $ref: '#' }]),
    );
    const text = outline(contractOf({ reply: { type: 'object', properties } }).shape);
    expect(text.length).toBeLessThan(MAX_OUTLINE * 1.5);
    expect(text).toContain('…');
  });

  it('cuts long enums and long names', () => {
    const reply = {
      type: 'object',
      properties: {
        ['n'.repeat(5000)]: { enum: Array.from({ length: 1000 }, (_, i) => `value ${i}`) },
      },
    };
    const text = outline(contractOf({ reply }).shape);
    expect(text).toContain('"value 23" | …');
    expect(text.length).toBeLessThan(1000);
  });

  it('costs no more than its budget where every branch is a list of the same', () => {
    let visits = 0;
    const shape: Shape = {
      get alternatives(): readonly ShapeAlternative[] {
        visits += 1;
        return Array.from({ length: 8 }, () => listOf(shape));
      },
    };
    expect(outline(shape)).toMatch(/^\[\[\[\[\[\[\[…, …\]/);
    // Each sketch of a shape looks at its alternatives twice.
    expect(visits).toBeLessThan(2 * MAX_OUTLINE);
  });
});

function listOf(items: Shape): ShapeAlternative {
  return {
    kinds: new Set(['list'] as const),
    integer: false,
    members: new Map(),
    others: undefined,
    closedWhenRepaired: false,
    required: [],
    items,
    values: undefined,
  };
}
