/**
 * What is the tree over a strict JSON text? Nodes carry spans into the text instead of values, so numbers keep
 * their spelling and a member named `__proto__` is a member like any other.
 */

export type JsonKind = 'object' | 'list' | 'string' | 'number' | 'true' | 'false' | 'null';

/** One value; `keys[i]` names `items[i]` in an object, and `keyAt[i]` is the offset of that key's opening quote. */
export interface JsonNode {
  readonly kind: JsonKind;
  readonly start: number;
  readonly end: number;
  readonly keys: readonly string[];
  readonly keyAt: readonly number[];
  readonly items: readonly JsonNode[];
}

/** The decoded content of a string node. */
export function stringOf(text: string, node: JsonNode): string {
  const raw = text.slice(node.start + 1, node.end - 1);
  return raw.includes('\\') ? (JSON.parse(text.slice(node.start, node.end)) as string) : raw;
}

/** The member of an object node, or undefined. */
export function memberOf(node: JsonNode, key: string): JsonNode | undefined {
  const index = node.keys.indexOf(key);
  return index === -1 ? undefined : node.items[index];
}
