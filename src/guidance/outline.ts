/**
 * What are the keys of a contract, in words that a model understands? A sketch of the value, such as
 * `{"verdict": "yes" | "no", "notes"?: [string, …]}`. Its length and its cost are bounded, whatever the contract:
 * a recursive shape is drawn a few levels deep, a huge one to the end of the budget.
 */

import type { JsonKind } from '../reader/json-node.ts';
import type { Shape, ShapeAlternative } from '../reader/reply-contract.ts';

/** Longest outline, UTF-16 code units, give or take the brackets that close it. */
export const MAX_OUTLINE = 4000;
const MAX_DEPTH = 6;
const MAX_WAYS = 8;
const MAX_VALUES = 24;
const MAX_WORD = 120;
const LEFT_OUT = '…';

/** The order in which the kinds of one value are told. */
const KINDS: readonly JsonKind[] = ['object', 'list', 'string', 'number', 'true', 'false', 'null'];

/** Sketches a shape. Members that may be left out carry a question mark after their name. */
export function outline(shape: Shape): string {
  return new Sketch().shape(shape, 0);
}

class Sketch {
  private left = MAX_OUTLINE;

  shape(shape: Shape, depth: number): string {
    this.left -= 1;
    if (this.left <= 0 || depth > MAX_DEPTH) return LEFT_OUT;
    const ways = new Set<string>();
    for (const alternative of shape.alternatives.slice(0, MAX_WAYS))
      for (const way of this.ways(alternative, depth)) ways.add(way);
    if (shape.alternatives.length > MAX_WAYS) ways.add(LEFT_OUT);
    return ways.size === 0 ? 'nothing' : [...ways].join(' | ');
  }

  private ways(alternative: ShapeAlternative, depth: number): readonly string[] {
    const { values, kinds, members, items } = alternative;
    if (values !== undefined) return this.values(values);
    const untyped = kinds.size === KINDS.length;
    if (untyped && members.size === 0 && items === undefined) return [this.word('any value')];
    // An untyped node that has members or items is meant as the object, or the list of them.
    const told = untyped
      ? KINDS.filter((kind) =>
          kind === 'object' ? members.size > 0 : kind === 'list' && items !== undefined,
        )
      : KINDS.filter((kind) => kinds.has(kind));
    return told.map((kind) => this.kind(kind, alternative, depth));
  }

  private kind(kind: JsonKind, alternative: ShapeAlternative, depth: number): string {
    const { items, kinds, integer } = alternative;
    switch (kind) {
      case 'object':
        return this.object(alternative, depth);
      case 'list':
        return items === undefined ? this.word('list') : `[${this.shape(items, depth + 1)}, …]`;
      case 'number':
        return this.word(integer ? 'integer' : 'number');
      case 'true':
      case 'false':
        return this.word(kinds.has('true') && kinds.has('false') ? 'true or false' : kind);
      case 'string':
      case 'null':
        return this.word(kind);
    }
  }

  private object({ members, others, required }: ShapeAlternative, depth: number): string {
    const told: string[] = [];
    for (const [key, member] of members) {
      if (this.left <= 0) {
        told.push(LEFT_OUT);
        break;
      }
      const name = this.word(`${JSON.stringify(key)}${required.includes(key) ? '' : '?'}: `);
      told.push(name + this.shape(member, depth + 1));
    }
    if (others !== undefined && !isAnything(others))
      told.push(`${this.word('any other key: ')}${this.shape(others, depth + 1)}`);
    return told.length === 0 ? this.word('object') : `{${told.join(', ')}}`;
  }

  private values(values: ReadonlySet<string>): readonly string[] {
    const told: string[] = [];
    for (const value of values) {
      if (told.length === MAX_VALUES || this.left <= 0) return [...told, LEFT_OUT];
      told.push(this.word(value));
    }
    return told;
  }

  private word(text: string): string {
    const word = text.length <= MAX_WORD ? text : `${text.slice(0, MAX_WORD)}${LEFT_OUT}`.toWellFormed();
    this.left -= word.length;
    return word;
  }
}

function isAnything(shape: Shape): boolean {
  return shape.alternatives.some(
    ({ kinds, members, items, values }) =>
      kinds.size === KINDS.length && members.size === 0 && items === undefined && values === undefined,
  );
}
