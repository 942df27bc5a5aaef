/**
 * What did an exchange cost? Usage as the wire spells it, a tree of numbers, summed leaf by leaf over attempts.
 * A leaf that no attempt reported stays absent: absent is not zero.
 */

/** The wire's usage object: numbers, and nested details of numbers. */
export interface Usage {
  readonly [leaf: string]: number | Usage | null | undefined;
}

/** Adds every numeric leaf. `undefined` where neither side has one. */
export function sumUsage(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  if (a === undefined) return b;
  if (b === undefined) return a;
  const sum = new Map<string, number | Usage | null | undefined>(Object.entries(a));
  for (const [leaf, right] of Object.entries(b)) {
    const left = sum.get(leaf);
    if (typeof left === 'number' && typeof right === 'number') sum.set(leaf, left + right);
    else if (isUsage(left) && isUsage(right)) sum.set(leaf, sumUsage(left, right));
    else if (left === undefined || left === null) sum.set(leaf, right);
  }
  return Object.fromEntries(sum);
}

function isUsage(value: number | Usage | null | undefined): value is Usage {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
