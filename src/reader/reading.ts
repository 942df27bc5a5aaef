/**
 * What does a reply say? A reading: the verified JSON text, the tree over it, and the recorded repairs that lead
 * from the reply to that text. Text outside the recorded spans never changes.
 */

import type { Refused } from './fault.ts';
import type { JsonNode } from './json-node.ts';

/** Every kind of repair, in the order in which they are reported. */
export const REPAIR_KINDS = [
  'control_char',
  'invalid_escape',
  'inner_quote',
  'fence',
  'prose',
  'reasoning',
  'bom',
  'one_item_list',
  'double_encoded',
  'trailing_comma',
  'comment',
  'python_literal',
  'single_quotes',
  'unquoted_key',
  'smart_quotes',
] as const;

export type RepairKind = (typeof REPAIR_KINDS)[number];

/** The classes a contract may name instead of kinds. */
export const REPAIR_CLASSES: Readonly<Record<'strings' | 'wrapping' | 'syntax', readonly RepairKind[]>> = {
  strings: ['control_char', 'invalid_escape', 'inner_quote'],
  wrapping: ['fence', 'prose', 'reasoning', 'bom', 'one_item_list', 'double_encoded'],
  syntax: ['trailing_comma', 'comment', 'python_literal', 'single_quotes', 'unquoted_key', 'smart_quotes'],
};

/** One recorded change: the reply's code units `start..end` (which read `before`) became `after`. */
export interface Repair {
  readonly kind: RepairKind;
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

/** The repair that leaves `start..end` of the reply out. */
export function leaveOut(text: string, start: number, end: number, kind: RepairKind): Repair {
  return { kind, start, end, before: text.slice(start, end), after: '' };
}

/** The one reading of a reply. */
export interface Reading {
  readonly ok: true;
  /** Strict JSON: a slice of the reply where nothing was repaired inside it. */
  readonly text: string;
  /** The tree over `text`. */
  readonly root: JsonNode;
  /** In order of their place in the reply, never overlapping. */
  readonly repairs: readonly Repair[];
  /** How many strings decode to U+0008 or U+000C: valid JSON that often is LaTeX read wrongly. */
  readonly suspectEscapes: number;
}

export type ReadResult = Reading | Refused;

/** Counts repairs by kind, in the order of {@link REPAIR_KINDS}; kinds that did not occur are left out. */
export function countRepairs(repairs: readonly Repair[]): readonly (readonly [RepairKind, number])[] {
  const counts = new Map<RepairKind, number>();
  for (const { kind } of repairs) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return REPAIR_KINDS.flatMap((kind) => {
    const count = counts.get(kind);
    return count === undefined ? [] : [[kind, count] as const];
  });
}
