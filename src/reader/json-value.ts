/** What JavaScript value does a tree stand for? As `JSON.parse` would say it; numbers become doubles. */

import { type JsonNode, stringOf } from './json-node.ts';

/** The value of a node of `text`. A member named `__proto__` becomes an own property like any other. */
export function toValue(text: string, node: JsonNode): unknown {
  switch (node.kind) {
    case 'object': {
      return Object.fromEntries(node.items.map((item, i) => [node.keys[i], toValue(text, item)]));
    }
    case 'list':
      return node.items.map((item) => toValue(text, item));
    case 'string':
      return stringOf(text, node);
    case 'number':
      return Number(text.slice(node.start, node.end));
    case 'true':
      return true;
    case 'false':
      return false;
    case 'null':
      return null;
  }
}
