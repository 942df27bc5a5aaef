/** What are the keys of a contract, in words that a model understands? A sketch of the value, capped. */

import type { Shape, ShapeAlternative } from '../reader/reply-contract.ts';

/** Longest outline, UTF-16 code units. */
const MAX_OUTLINE = 4000;
const MAX_DEPTH = 6;

/** A sketch such as `{"verdict": "yes" | "no", "notes"?: [string]}`. Optional members carry a question mark. */
export function outline(shape: Shape): string {
  const text = sketch(shape, 0);
  return text.length <= MAX_OUTLINE ? text : `${text.slice(0, MAX_OUTLINE)} …`;
}

function sketch(shape: Shape, depth: number): string {
  const ways = new Set(shape.alternatives.slice(0, 8).map((alternative) => sketchOne(alternative, depth)));
  return [...ways].join(' | ') || 'nothing';
}

function sketchOne(alternative: ShapeAlternative, depth: number): string {
  const { values, kinds } = alternative;
  if (values !== undefined) return [...values].slice(0, 12).join(' | ');
  if (kinds.size === 7 && alternative.members.size === 0 && alternative.items === undefined)
    return 'any value';
  const names = new Set<string>();
  for (const kind of kinds) {
    if (kind === 'object') names.add(sketchObject(alternative, depth));
    else if (kind === 'list')
      names.add(alternative.items === undefined ? 'list' : sketchList(alternative.items, depth));
    else if (kind === 'true' || kind === 'false') names.add('boolean');
    else names.add(kind === 'number' && alternative.integer ? 'integer' : kind);
  }
  // A key table says nothing of scalars: there a member is the object, or a list of them.
  return kinds.size === 7
    ? [...names].filter((name) => /^[[{]/.test(name)).join(' | ')
    : [...names].join(' | ');
}

function sketchObject(alternative: ShapeAlternative, depth: number): string {
  if (alternative.members.size === 0) return 'object';
  if (depth >= MAX_DEPTH) return 'object';
  const members = [...alternative.members].map(([key, member]) => {
    const optional = alternative.required.includes(key) ? '' : '?';
    return `${JSON.stringify(key)}${optional}: ${sketch(member, depth + 1)}`;
  });
  return `{${members.join(', ')}}`;
}

function sketchList(items: Shape, depth: number): string {
  return depth >= MAX_DEPTH ? 'list' : `[${sketch(items, depth + 1)}, …]`;
}
