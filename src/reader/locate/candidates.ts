/**
 * Which objects in prose could be the reply? Every `{` that begins JSON is looked at in order. One that fails after
 * its first quote ends the search, because everything after it may be inside it.
 */

import type { JsonNode } from '../json-node.ts';
import type { ReplyContract } from '../reply-contract.ts';
import { parseJson, skipWhiteSpace } from '../strict/parse-json.ts';

export interface Candidates {
  /** Whole objects, in order of place. */
  readonly whole: readonly JsonNode[];
  /** The first object that begins JSON and fails, if the search ended there. */
  readonly broken: { readonly start: number } | undefined;
  /** Starts of objects in another language's spelling whose first key is one of the contract's. */
  readonly literals: readonly number[];
}

/** Finds objects (and, where the contract wants one, lists) in `text` from `at` on; linear in the text. */
export function findCandidates(text: string, at: number, contract: ReplyContract): Candidates {
  const whole: JsonNode[] = [];
  const literals: number[] = [];
  const wantsList = wants(contract, 'list');
  const opener = wantsList ? /[{[]/g : /\{/g;
  opener.lastIndex = at;
  for (let match = opener.exec(text); match !== null; match = opener.exec(text)) {
    const start = match.index;
    const literal = literalKey(text, start);
    if (literal !== undefined) {
      if (knowsKey(contract, literal)) literals.push(start);
      const end = skipLiteral(text, start);
      // refuse: an open literal may hold everything after it.
      if (end === -1) break;
      opener.lastIndex = end;
      continue;
    }
    if (!beginsJson(text, start)) continue;
    const parsed = parseJson(text, start, contract.limits.depth);
    if (!parsed.ok) return { whole, broken: { start }, literals };
    whole.push(parsed.root);
    opener.lastIndex = parsed.root.end;
  }
  return { whole, broken: undefined, literals };
}

/** True where the contract's shape lets the reply be of this kind. */
export function wants(contract: ReplyContract, kind: 'object' | 'list'): boolean {
  return contract.shape.alternatives.some((alternative) => alternative.kinds.has(kind));
}

/** True where an object has a key that the contract knows at the top, or where the contract knows none. */
export function hasContractKey(node: JsonNode, contract: ReplyContract): boolean {
  if (node.kind !== 'object') return wants(contract, 'list');
  const { alternatives } = contract.shape;
  if (alternatives.every((alternative) => alternative.members.size === 0)) return true;
  return node.keys.some((key) => knowsKey(contract, key));
}

function knowsKey(contract: ReplyContract, key: string): boolean {
  return contract.shape.alternatives.some((alternative) => alternative.members.has(key));
}

/** The first key of `{'key':` or `{key:`, a Python or JavaScript literal, whose braces hide the objects inside it. */
function literalKey(text: string, start: number): string | undefined {
  LITERAL.lastIndex = start;
  const match = LITERAL.exec(text);
  return match?.[1] ?? match?.[2];
}

const LITERAL = /\{\s*(?:['‘’“”]([^'‘’“”\n]{0,64})['‘’“”]|([A-Za-z_$][\w$]{0,63}))\s*:/y;

/** The offset after the brace that closes the literal at `start`, strings skipped; -1 where none does. */
function skipLiteral(text: string, start: number): number {
  let depth = 0;
  for (let i = start; i < text.length; i += 1) {
    const c = text.charAt(i);
    if (c === '{') depth += 1;
    else if (c === '}') {
      depth -= 1;
      if (depth === 0) return i + 1;
    } else if (c === '"' || c === "'") {
      i = skipString(text, i, c);
      if (i === -1) return -1;
    }
  }
  return -1;
}

function skipString(text: string, open: number, quote: string): number {
  for (let i = open + 1; i < text.length; i += 1) {
    const c = text.charAt(i);
    if (c === '\\') i += 1;
    else if (c === quote) return i;
  }
  return -1;
}

/** `{` then a quote or `}`; `[` then a value that an array of JSON starts with. */
function beginsJson(text: string, start: number): boolean {
  const next = text.charAt(skipWhiteSpace(text, start + 1));
  return text.charAt(start) === '{'
    ? next === '"' || next === '}'
    : next === '{' || next === '"' || next === ']';
}
