import { describe, expect, it } from 'vitest';
import { sumUsage, type Usage } from '../../src/exchange/usage.ts';

const SUMS: readonly (readonly [string, Usage | undefined, Usage | undefined, Usage | undefined])[] = [
  ['is absent where neither attempt has one', undefined, undefined, undefined],
  ['is the first where the second has none', { total_tokens: 3 }, undefined, { total_tokens: 3 }],
  ['is the second where the first has none', undefined, { total_tokens: 4 }, { total_tokens: 4 }],
  ['adds leaf by leaf', { a: 1, b: 2 }, { a: 10, b: 20 }, { a: 11, b: 22 }],
  ['keeps a leaf that one attempt lacks', { a: 1 }, { b: 2 }, { a: 1, b: 2 }],
  [
    'adds nested details',
    { d: { cached: 1 } },
    { d: { cached: 2, audio: 3 } },
    { d: { cached: 3, audio: 3 } },
  ],
  [
    'takes the other side of a null',
    { d: null, e: { x: 1 } },
    { d: { x: 2 }, e: null },
    { d: { x: 2 }, e: { x: 1 } },
  ],
  [
    'adds no lists',
    { d: [1] as unknown as Usage },
    { d: [2] as unknown as Usage },
    { d: [1] as unknown as Usage },
  ],
  ['keeps what cannot be added', { d: 1 }, { d: { x: 2 } }, { d: 1 }],
];

describe('sumUsage', () => {
  for (const [name, a, b, sum] of SUMS) {
    it(name, () => {
      expect(sumUsage(a, b)).toEqual(sum);
    });
  }
});
