/**
 * Which schema nodes does a JSON Schema compile to? Draft 2020-12 and draft-07, the keywords listed here and no
 * other: a keyword that cannot be enforced is an issue, never skipped.
 */

import type { JsonKind } from '../reader/json-node.ts';
import { canonicalValue } from './canonical-value.ts';
import type { ContractIssue } from './contract.ts';
import { ANYTHING, type Bounds, NOTHING, type SchemaNode } from './schema.ts';

/** Deepest nesting of a schema, and most subschemas in it. */
const MAX_SCHEMA_DEPTH = 100;
const MAX_SUBSCHEMAS = 20_000;

const KINDS: Readonly<Record<string, readonly JsonKind[]>> = {
  object: ['object'],
  array: ['list'],
  string: ['string'],
  number: ['number'],
  integer: ['number'],
  boolean: ['true', 'false'],
  null: ['null'],
};

const ANNOTATIONS = new Set([
  '$schema',
  '$id',
  '$comment',
  '$defs',
  'definitions',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
]);

const NUMBER_BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const;
const COUNT_BOUNDS = [
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
] as const;

const ENFORCED = new Set<string>([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
  'anyOf',
  'oneOf',
  '$ref',
  ...NUMBER_BOUNDS,
  ...COUNT_BOUNDS,
]);

type Draft = { -readonly [Field in keyof SchemaNode]: SchemaNode[Field] };

/** Compiles a schema; issues name their place below `place`. The node is complete only where there are none. */
export function fromJsonSchema(
  schema: unknown,
  place: string,
): { readonly node: SchemaNode; readonly issues: readonly ContractIssue[] } {
  const compiler = new Compiler(schema, place);
  const node = compiler.compile(schema, place, 0);
  compiler.refuseEndlessReferences(node);
  return { node, issues: compiler.issues };
}

class Compiler {
  readonly issues: ContractIssue[] = [];
  /** One node for each subschema object, so that references may be cyclic. */
  private readonly nodes = new Map<object, Draft>();
  private readonly places = new Map<SchemaNode, string>();
  private readonly root: unknown;
  private readonly rootPlace: string;

  constructor(root: unknown, rootPlace: string) {
    this.root = root;
    this.rootPlace = rootPlace;
  }

  compile(schema: unknown, place: string, depth: number): SchemaNode {
    if (schema === true) return ANYTHING;
    if (schema === false) return NOTHING;
    if (!isRecord(schema)) return this.issue(place, 'must be a schema: an object, true or false');
    const known = this.nodes.get(schema);
    if (known !== undefined) return known;
    if (depth > MAX_SCHEMA_DEPTH) return this.issue(place, `nests deeper than ${MAX_SCHEMA_DEPTH} schemas`);
    if (this.nodes.size >= MAX_SUBSCHEMAS)
      return this.issue(place, `has more than ${MAX_SUBSCHEMAS} subschemas`);
    const node: Draft = { ...ANYTHING };
    this.nodes.set(schema, node);
    this.places.set(node, place);
    this.refuseUnknownKeywords(schema, place, depth);
    this.types(schema, place, node);
    this.object(schema, place, depth, node);
    node.bounds = this.bounds(schema, place);
    if ('items' in schema) node.items = this.items(schema.items, `${place}.items`, depth);
    node.values = this.values(schema, place);
    node.anyOf = this.branches(schema.anyOf, `${place}.anyOf`, depth);
    node.oneOf = this.branches(schema.oneOf, `${place}.oneOf`, depth);
    if ('$ref' in schema) node.ref = this.reference(schema.$ref, `${place}.$ref`, depth);
    return node;
  }

  /** A reference or union that comes back to itself without descending into the value constrains nothing. */
  refuseEndlessReferences(root: SchemaNode): void {
    const done = new Set<SchemaNode>();
    const visit = (node: SchemaNode, open: ReadonlySet<SchemaNode>): void => {
      if (open.has(node)) {
        this.issue(
          this.places.get(node) ?? this.rootPlace,
          'refers to itself without descending into the value',
        );
        return;
      }
      if (done.has(node)) return;
      done.add(node);
      const inside = new Set(open).add(node);
      for (const next of inPlace(node)) visit(next, inside);
      for (const next of below(node)) visit(next, new Set());
    };
    visit(root, new Set());
  }

  private refuseUnknownKeywords(schema: Record<string, unknown>, place: string, depth: number): void {
    for (const keyword of Object.keys(schema)) {
      if (ENFORCED.has(keyword) || ANNOTATIONS.has(keyword) || keyword.startsWith('x-')) continue;
      this.issue(`${place}.${keyword}`, `the keyword "${keyword}" cannot be enforced`);
    }
    if ('$id' in schema && depth > 0) {
      this.issue(`${place}.$id`, 'the keyword "$id" is allowed at the root of the schema only');
    }
    for (const group of ['$defs', 'definitions'] as const) {
      if (group in schema && !isRecord(schema[group])) this.issue(`${place}.${group}`, 'must be an object');
    }
  }

  private types(schema: Record<string, unknown>, place: string, node: Draft): void {
    if (!('type' in schema)) return;
    const names = Array.isArray(schema.type) ? schema.type : [schema.type];
    if (
      names.length === 0 ||
      !names.every((name) => typeof name === 'string' && Object.hasOwn(KINDS, name))
    ) {
      this.issue(`${place}.type`, `must be one or more of ${Object.keys(KINDS).join(', ')}`);
      return;
    }
    node.kinds = new Set(names.flatMap((name: string) => KINDS[name] ?? []));
    node.integer = names.includes('integer') && !names.includes('number');
  }

  private object(schema: Record<string, unknown>, place: string, depth: number, node: Draft): void {
    if ('properties' in schema) {
      if (isRecord(schema.properties)) {
        node.properties = new Map(
          Object.entries(schema.properties).map(([key, sub]) => [
            key,
            this.compile(sub, `${place}.properties.${key}`, depth + 1),
          ]),
        );
      } else this.issue(`${place}.properties`, 'must be an object of schemas');
    }
    if ('required' in schema) {
      const names = schema.required;
      if (Array.isArray(names) && names.every((name) => typeof name === 'string')) node.required = names;
      else this.issue(`${place}.required`, 'must be a list of member names');
    }
    if ('additionalProperties' in schema) {
      node.additional = this.compile(schema.additionalProperties, `${place}.additionalProperties`, depth + 1);
    }
    // An author who wrote `additionalProperties` meant it; one who did not may not have thought of it.
    node.closedWhenRepaired =
      node.properties.size > 0 &&
      !['additionalProperties', 'anyOf', 'oneOf', '$ref'].some((keyword) => keyword in schema);
  }

  private items(items: unknown, place: string, depth: number): SchemaNode {
    if (Array.isArray(items))
      return this.issue(place, 'a list of item schemas cannot be enforced; use one schema');
    return this.compile(items, place, depth + 1);
  }

  private values(schema: Record<string, unknown>, place: string): ReadonlySet<string> | undefined {
    let values: Set<string> | undefined;
    if ('enum' in schema) {
      if (Array.isArray(schema.enum) && schema.enum.length > 0)
        values = new Set(schema.enum.map(canonicalValue));
      else this.issue(`${place}.enum`, 'must be a list of at least one value');
    }
    if ('const' in schema) {
      const only = canonicalValue(schema.const);
      values = new Set(values === undefined || values.has(only) ? [only] : []);
    }
    return values;
  }

  private branches(branches: unknown, place: string, depth: number): readonly SchemaNode[] | undefined {
    if (branches === undefined) return undefined;
    if (!Array.isArray(branches) || branches.length === 0) {
      this.issue(place, 'must be a list of at least one schema');
      return undefined;
    }
    return branches.map((branch, i) => this.compile(branch, `${place}[${i}]`, depth + 1));
  }

  private bounds(schema: Record<string, unknown>, place: string): Bounds | undefined {
    const number = (keyword: (typeof NUMBER_BOUNDS)[number]): string | undefined => {
      const value = schema[keyword];
      if (value === undefined) return undefined;
      if (typeof value === 'number' && Number.isFinite(value)) return String(value);
      this.issue(`${place}.${keyword}`, 'must be a number');
      return undefined;
    };
    const count = (keyword: (typeof COUNT_BOUNDS)[number]): number | undefined => {
      const value = schema[keyword];
      if (value === undefined) return undefined;
      if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
      this.issue(`${place}.${keyword}`, 'must be a whole number, zero or more');
      return undefined;
    };
    if (![...NUMBER_BOUNDS, ...COUNT_BOUNDS].some((keyword) => keyword in schema)) return undefined;
    return {
      minimum: number('minimum'),
      maximum: number('maximum'),
      exclusiveMinimum: number('exclusiveMinimum'),
      exclusiveMaximum: number('exclusiveMaximum'),
      minLength: count('minLength'),
      maxLength: count('maxLength'),
      minItems: count('minItems'),
      maxItems: count('maxItems'),
      minProperties: count('minProperties'),
      maxProperties: count('maxProperties'),
    };
  }

  private reference(ref: unknown, place: string, depth: number): SchemaNode {
    if (typeof ref !== 'string' || (ref !== '#' && !ref.startsWith('#/'))) {
      return this.issue(place, 'must point into this schema: "#" or "#/…"');
    }
    let target: unknown = this.root;
    let targetPlace = this.rootPlace;
    for (const raw of ref.split('/').slice(1)) {
      const step = decodePointerStep(raw);
      const children: object | undefined = typeof target === 'object' && target !== null ? target : undefined;
      if (step === undefined || children === undefined || !Object.hasOwn(children, step)) {
        return this.issue(place, `points to nothing: ${ref}`);
      }
      target = (children as Record<string, unknown>)[step];
      targetPlace += `.${step}`;
    }
    return this.compile(target, targetPlace, depth + 1);
  }

  private issue(place: string, message: string): SchemaNode {
    this.issues.push({ place, message });
    return NOTHING;
  }
}

/** The schemas that constrain the same value. */
function inPlace(node: SchemaNode): readonly SchemaNode[] {
  return [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.ref === undefined ? [] : [node.ref])];
}

/** The schemas of values inside the value. */
function below(node: SchemaNode): readonly SchemaNode[] {
  return [...node.properties.values(), node.additional, node.items].filter((next) => next !== undefined);
}

function decodePointerStep(raw: string): string | undefined {
  try {
    return decodeURIComponent(raw).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
