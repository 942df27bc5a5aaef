/**
 * Does a finished tree hold its contract? The verdict over every key, type, value and bound, with the first
 * fault's place. For a union the fault of the branch that came furthest is told.
 */

import type { Fault, FaultCode } from '../reader/fault.ts';
import { type JsonNode, stringOf } from '../reader/json-node.ts';
import { canonicalNode } from './canonical-value.ts';
import { compareDecimals, isInteger } from './decimal.ts';
import type { Bounds, SchemaNode } from './schema.ts';

/** The first violation of `schema` by the tree `root` over `text`, or undefined; linear but for nested unions. */
export function check(
  schema: SchemaNode,
  text: string,
  root: JsonNode,
  repaired: boolean,
): Fault | undefined {
  return new Checker(text, root, repaired).check(schema, root);
}

class Checker {
  private readonly text: string;
  private readonly root: JsonNode;
  private readonly repaired: boolean;
  /** Verdicts on objects and lists under union branches, so that nested unions cost no more than their product. */
  private readonly known = new Map<JsonNode, Map<SchemaNode, Fault | undefined>>();

  constructor(text: string, root: JsonNode, repaired: boolean) {
    this.text = text;
    this.root = root;
    this.repaired = repaired;
  }

  check(schema: SchemaNode, node: JsonNode): Fault | undefined {
    if (schema.never) return this.fault('wrong_type', node, 'nothing is allowed here');
    return (
      this.kind(schema, node) ??
      this.value(schema, node) ??
      (schema.bounds === undefined ? undefined : this.bounded(schema.bounds, node)) ??
      (node.kind === 'object' ? this.object(schema, node) : undefined) ??
      (node.kind === 'list' ? this.list(schema, node) : undefined) ??
      (schema.ref === undefined ? undefined : this.check(schema.ref, node)) ??
      (schema.anyOf === undefined ? undefined : this.union(schema.anyOf, node, false)) ??
      (schema.oneOf === undefined ? undefined : this.union(schema.oneOf, node, true))
    );
  }

  private kind(schema: SchemaNode, node: JsonNode): Fault | undefined {
    if (schema.kinds !== undefined && !schema.kinds.has(node.kind)) {
      const code = node === this.root ? 'wrong_shape' : 'wrong_type';
      return this.fault(code, node, `${wantedKinds(schema)} expected, ${nameOf(node)} found`);
    }
    if (schema.integer && node.kind === 'number' && !isInteger(this.text.slice(node.start, node.end))) {
      return this.fault('wrong_type', node, 'an integer expected, a fraction found');
    }
    return undefined;
  }

  private value(schema: SchemaNode, node: JsonNode): Fault | undefined {
    const { values } = schema;
    if (values === undefined || values.has(canonicalNode(this.text, node))) return undefined;
    const allowed = [...values].slice(0, 8).join(', ');
    const more = values.size > 8 ? ` and ${values.size - 8} more` : '';
    return this.fault('wrong_type', node, `one of ${allowed}${more} expected`);
  }

  private bounded(bounds: Bounds, node: JsonNode): Fault | undefined {
    const found = brokenBound(bounds, this.text, node);
    return found === undefined ? undefined : this.fault('wrong_type', node, found);
  }

  private object(schema: SchemaNode, node: JsonNode): Fault | undefined {
    const { properties, additional } = schema;
    const closed = additional?.never === true || (this.repaired && schema.closedWhenRepaired);
    for (let i = 0; i < node.items.length; i += 1) {
      const item = node.items[i] as JsonNode;
      const key = node.keys[i] as string;
      const sub = properties.get(key) ?? additional;
      if (closed && !properties.has(key)) {
        const allowed = properties.size === 0 ? 'no key is' : `allowed: ${[...properties.keys()].join(', ')}`;
        return {
          code: 'unknown_key',
          at: node.keyAt[i] ?? node.start,
          path: [key],
          key,
          detail: properties.size === 0 ? `${allowed} allowed` : allowed,
        };
      }
      const fault = sub === undefined ? undefined : this.check(sub, item);
      if (fault !== undefined) return under(key, fault);
    }
    for (const key of schema.required) {
      if (!node.keys.includes(key)) {
        const detail = `required: ${schema.required.join(', ')}`;
        return { code: 'missing_key', at: node.end - 1, path: [], key, detail };
      }
    }
    return undefined;
  }

  private list(schema: SchemaNode, node: JsonNode): Fault | undefined {
    if (schema.items === undefined) return undefined;
    for (let i = 0; i < node.items.length; i += 1) {
      const fault = this.check(schema.items, node.items[i] as JsonNode);
      if (fault !== undefined) return under(i, fault);
    }
    return undefined;
  }

  private union(branches: readonly SchemaNode[], node: JsonNode, exactlyOne: boolean): Fault | undefined {
    let held = 0;
    let furthest: Fault | undefined;
    for (const branch of branches) {
      const fault = this.branch(branch, node);
      if (fault === undefined) held += 1;
      else if (furthest === undefined || fault.at > furthest.at) furthest = fault;
      if (held > 0 && !exactlyOne) return undefined;
    }
    if (held === 1) return undefined;
    if (held > 1) return this.fault('wrong_type', node, `${held} alternatives fit where one must`);
    return furthest;
  }

  private branch(branch: SchemaNode, node: JsonNode): Fault | undefined {
    if (node.items.length === 0) return this.check(branch, node);
    let verdicts = this.known.get(node);
    if (verdicts === undefined) {
      verdicts = new Map();
      this.known.set(node, verdicts);
    }
    if (!verdicts.has(branch)) verdicts.set(branch, this.check(branch, node));
    return verdicts.get(branch);
  }

  private fault(code: FaultCode, node: JsonNode, detail: string): Fault {
    return { code, at: node.start, path: [], detail };
  }
}

/** The fault of a value inside another, its path counted from there. */
function under(step: string | number, fault: Fault): Fault {
  return { ...fault, path: [step, ...fault.path] };
}

function brokenBound(bounds: Bounds, text: string, node: JsonNode): string | undefined {
  switch (node.kind) {
    case 'number':
      return brokenNumberBound(bounds, text.slice(node.start, node.end));
    case 'string':
      return bounds.minLength === undefined && bounds.maxLength === undefined
        ? undefined
        : brokenCount(codePoints(stringOf(text, node)), bounds.minLength, bounds.maxLength, 'characters');
    case 'list':
      return brokenCount(node.items.length, bounds.minItems, bounds.maxItems, 'items');
    case 'object':
      return brokenCount(node.items.length, bounds.minProperties, bounds.maxProperties, 'members');
    default:
      return undefined;
  }
}

function brokenNumberBound(bounds: Bounds, number: string): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = bounds;
  if (minimum !== undefined && compareDecimals(number, minimum) < 0) return `at least ${minimum} expected`;
  if (maximum !== undefined && compareDecimals(number, maximum) > 0) return `at most ${maximum} expected`;
  if (exclusiveMinimum !== undefined && compareDecimals(number, exclusiveMinimum) <= 0) {
    return `more than ${exclusiveMinimum} expected`;
  }
  if (exclusiveMaximum !== undefined && compareDecimals(number, exclusiveMaximum) >= 0) {
    return `less than ${exclusiveMaximum} expected`;
  }
  return undefined;
}

function brokenCount(
  count: number,
  minimum: number | undefined,
  maximum: number | undefined,
  what: string,
): string | undefined {
  if (minimum !== undefined && count < minimum) return `at least ${minimum} ${what} expected, ${count} found`;
  if (maximum !== undefined && count > maximum) return `at most ${maximum} ${what} expected, ${count} found`;
  return undefined;
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function wantedKinds(schema: SchemaNode): string {
  const kinds = [...(schema.kinds ?? [])];
  const names = kinds.map((kind) =>
    kind === 'number' && schema.integer ? 'integer' : kind === 'true' || kind === 'false' ? 'boolean' : kind,
  );
  return [...new Set(names)].join(' or ');
}

function nameOf(node: JsonNode): string {
  return node.kind === 'true' || node.kind === 'false' ? 'boolean' : node.kind;
}
