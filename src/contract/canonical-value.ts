/** When are two JSON values equal? When their canonical texts are: sorted keys, one spelling for each number. */

import { type JsonNode, stringOf } from '../reader/json-node.ts';
import { canonicalDecimal } from './decimal.ts';

/** The canonical text of a node of `text`. */
export function canonicalNode(text: string, node: JsonNode): string {
  switch (node.kind) {
    case 'object':
      return objectText(node.keys.map((key, i) => [key, canonicalItem(text, node, i)]));
    case 'list':
      return `[${node.items.map((item) => canonicalNode(text, item)).join(',')}]`;
    case 'string':
      return JSON.stringify(stringOf(text, node));
    case 'number':
      return canonicalDecimal(text.slice(node.start, node.end));
    default:
      return node.kind;
  }
}

/** The canonical text of a value that came from JSON or YAML. */
export function canonicalValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalValue).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    return objectText(Object.entries(value).map(([key, item]) => [key, canonicalValue(item)]));
  }
  if (typeof value === 'number' || typeof value === 'bigint') return canonicalDecimal(String(value));
  return JSON.stringify(value) ?? 'undefined';
}

function canonicalItem(text: string, node: JsonNode, index: number): string {
  const item = node.items[index];
  return item === undefined ? '' : canonicalNode(text, item);
}

function objectText(members: readonly (readonly [string, string])[]): string {
  const sorted = members.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${sorted.map(([key, item]) => `${JSON.stringify(key)}:${item}`).join(',')}}`;
}
