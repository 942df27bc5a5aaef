/**
 * What does a compiled schema look like? A graph of nodes, one for each subschema, with every keyword that is
 * enforced. A field that is undefined does not constrain.
 */

import type { JsonKind } from '../reader/json-node.ts';

export interface SchemaNode {
  /** True for the schema `false`, which nothing satisfies. */
  readonly never: boolean;
  readonly kinds: ReadonlySet<JsonKind> | undefined;
  /** True where, of numbers, only integers are allowed. */
  readonly integer: boolean;
  readonly properties: ReadonlyMap<string, SchemaNode>;
  readonly required: readonly string[];
  /** The schema of members that `properties` does not name; undefined where they are free. */
  readonly additional: SchemaNode | undefined;
  /** True where a member that `properties` does not name refuses a repaired reply, though not a strict one. */
  readonly closedWhenRepaired: boolean;
  readonly items: SchemaNode | undefined;
  /** Canonical texts of the only values allowed (see canonical-value). */
  readonly values: ReadonlySet<string> | undefined;
  readonly bounds: Bounds | undefined;
  readonly anyOf: readonly SchemaNode[] | undefined;
  readonly oneOf: readonly SchemaNode[] | undefined;
  readonly ref: SchemaNode | undefined;
}

/** Limits of numbers (JSON number texts) and of lengths (numbers of code points, items, members). */
export interface Bounds {
  readonly minimum: string | undefined;
  readonly maximum: string | undefined;
  readonly exclusiveMinimum: string | undefined;
  readonly exclusiveMaximum: string | undefined;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  readonly minProperties: number | undefined;
  readonly maxProperties: number | undefined;
}

/** The schema `true`; other nodes are built from it. */
export const ANYTHING: SchemaNode = {
  never: false,
  kinds: undefined,
  integer: false,
  properties: new Map(),
  required: [],
  additional: undefined,
  closedWhenRepaired: false,
  items: undefined,
  values: undefined,
  bounds: undefined,
  anyOf: undefined,
  oneOf: undefined,
  ref: undefined,
};

/** The schema `false`. */
export const NOTHING: SchemaNode = { ...ANYTHING, never: true };
