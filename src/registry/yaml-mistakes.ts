/**
 * Which YAML is more than JSON can say? A contract is a JSON value; whatever would be read as something else than
 * it looks like (an alias, a tag, a key that is no text, a number that cannot be held) is a mistake.
 */

import { type Document, isAlias, isNode, isPair, isScalar, type ParsedNode, visit } from 'yaml';

/** A mistake and its offset in the text, UTF-16 code units. */
export interface YamlMistake {
  readonly offset: number;
  readonly message: string;
}

/** Most mistakes that are told of one text. */
const MAX_TOLD = 20;
/** Deepest nesting, in YAML nodes: a schema inside a schema takes four of them. */
const MAX_DEPTH = 600;
const TOO_DEEP = 'nested too deep';
const KEY = 'a key must be text; put it in quotes';

/** The mistakes of a parsed document: those of its syntax, or else what YAML can say and JSON cannot. */
export function yamlMistakes(document: Document.Parsed): readonly YamlMistake[] {
  const syntax = [...document.errors, ...document.warnings];
  const exhausted = syntax.find(({ code }) => code === 'RESOURCE_EXHAUSTION');
  if (exhausted !== undefined) return [{ offset: exhausted.pos[0], message: TOO_DEEP }];
  const found: YamlMistake[] = syntax.map(({ pos, message }) => ({ offset: pos[0], message }));
  if (found.length > 0) return found.slice(0, MAX_TOLD);
  visit(document, (_, item, path) => {
    if (path.length > MAX_DEPTH) found.push({ offset: offsetOf(item), message: TOO_DEEP });
    if (isPair(item) && !isText(item.key)) found.push({ offset: offsetOf(item.key), message: KEY });
    if (path.length > MAX_DEPTH || found.length >= MAX_TOLD) return visit.BREAK;
    const message = isNode(item) ? mistakeOf(item as ParsedNode) : undefined;
    if (message !== undefined) found.push({ offset: offsetOf(item), message });
    return undefined;
  });
  return found;
}

function mistakeOf(node: ParsedNode): string | undefined {
  if (isAlias(node)) return 'aliases are not allowed; share schemas with $ref and $defs';
  if (node.tag !== undefined) return `tags are not allowed: ${node.tag}`;
  if (!isScalar(node) || typeof node.value !== 'number') return undefined;
  // JSON knows no infinity, and an integer beyond 2^53 would be enforced as another one.
  if (Number.isFinite(node.value) && (!Number.isInteger(node.value) || Number.isSafeInteger(node.value))) {
    return undefined;
  }
  return 'the number cannot be held exactly';
}

function isText(key: unknown): boolean {
  return isScalar(key) && typeof key.value === 'string';
}

function offsetOf(item: unknown): number {
  return isNode(item) ? (item.range?.[0] ?? 0) : 0;
}
