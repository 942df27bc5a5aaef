/**
 * What may a value at a place be, for the reader's search? The alternatives of a schema node: its own keywords
 * met with those of each branch and reference. Built when asked for, so recursive schemas are fine; a shape may
 * allow more than the check, never less.
 */

import type { JsonKind } from '../reader/json-node.ts';
import type { Shape, ShapeAlternative } from '../reader/reply-contract.ts';
import type { SchemaNode } from './schema.ts';

const ALL_KINDS: ReadonlySet<JsonKind> = new Set<JsonKind>([
  'object',
  'list',
  'string',
  'number',
  'true',
  'false',
  'null',
]);

/** Past this many alternatives a union's branches no longer constrain the shape. */
const MAX_ALTERNATIVES = 64;

class LazyShape implements Shape {
  private readonly build: () => readonly ShapeAlternative[];
  private built: readonly ShapeAlternative[] | undefined;

  constructor(build: () => readonly ShapeAlternative[]) {
    this.build = build;
  }

  get alternatives(): readonly ShapeAlternative[] {
    this.built ??= this.build();
    return this.built;
  }
}

const shapes = new WeakMap<SchemaNode, Shape>();

/** The shape of a schema node; the same node has the same shape. */
export function shapeOf(node: SchemaNode): Shape {
  const known = shapes.get(node);
  if (known !== undefined) return known;
  const shape = new LazyShape(() => alternativesOf(node));
  shapes.set(node, shape);
  return shape;
}

function alternativesOf(node: SchemaNode): readonly ShapeAlternative[] {
  if (node.never) return [];
  let all: readonly ShapeAlternative[] = [ownAlternative(node)];
  for (const branches of [node.anyOf, node.oneOf, node.ref === undefined ? undefined : [node.ref]]) {
    if (branches === undefined) continue;
    const met = branches.flatMap((branch) => shapeOf(branch).alternatives);
    if (met.length * all.length <= MAX_ALTERNATIVES) all = all.flatMap((a) => met.flatMap((b) => meet(a, b)));
  }
  return all;
}

function ownAlternative(node: SchemaNode): ShapeAlternative {
  return {
    kinds: node.kinds ?? ALL_KINDS,
    integer: node.integer,
    members: new Map([...node.properties].map(([key, sub]) => [key, shapeOf(sub)])),
    others:
      node.additional === undefined
        ? ANY_SHAPE
        : node.additional.never
          ? undefined
          : shapeOf(node.additional),
    closedWhenRepaired: node.closedWhenRepaired,
    required: node.required,
    items: node.items === undefined ? undefined : shapeOf(node.items),
    values: node.values,
  };
}

const ANY_SHAPE: Shape = new LazyShape(() => [
  {
    kinds: ALL_KINDS,
    integer: false,
    members: new Map(),
    others: ANY_SHAPE,
    closedWhenRepaired: false,
    required: [],
    items: undefined,
    values: undefined,
  },
]);

/** What satisfies both, or nothing. */
function meet(a: ShapeAlternative, b: ShapeAlternative): readonly ShapeAlternative[] {
  const kinds = a.kinds.intersection(b.kinds);
  if (kinds.size === 0) return [];
  const members = new Map<string, Shape>();
  for (const key of new Set([...a.members.keys(), ...b.members.keys()])) {
    const both = meetShapes(a.members.get(key) ?? a.others, b.members.get(key) ?? b.others);
    if (both !== undefined) members.set(key, both);
  }
  return [
    {
      kinds,
      integer: a.integer || b.integer,
      members,
      others: meetShapes(a.others, b.others),
      closedWhenRepaired: a.closedWhenRepaired || b.closedWhenRepaired,
      required: [...new Set([...a.required, ...b.required])],
      items:
        a.items === undefined || b.items === undefined ? (a.items ?? b.items) : meetShapes(a.items, b.items),
      values:
        a.values === undefined
          ? b.values
          : b.values === undefined
            ? a.values
            : a.values.intersection(b.values),
    },
  ];
}

function meetShapes(a: Shape | undefined, b: Shape | undefined): Shape | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (a === b || b === ANY_SHAPE) return a;
  if (a === ANY_SHAPE) return b;
  return new LazyShape(() => {
    if (a.alternatives.length * b.alternatives.length > MAX_ALTERNATIVES) return a.alternatives;
    return a.alternatives.flatMap((x) => b.alternatives.flatMap((y) => meet(x, y)));
  });
}
