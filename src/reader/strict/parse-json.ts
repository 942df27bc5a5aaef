/**
 * Is there a strict JSON value at this place, and what is its tree? RFC 8259 to the letter, one pass, spans only.
 *
 * Duplicate keys are compared after decoding and fault at every level. Recursion is bounded by the depth limit,
 * so no input can exhaust the stack. What follows the value is the caller's business.
 */

import type { JsonKind, JsonNode } from '../json-node.ts';
import type { Path } from '../span.ts';

/** How strict reading failed. `end`: the text stopped inside the value, which is what a cut looks like. */
export interface ParseFault {
  readonly ok: false;
  readonly kind: 'syntax' | 'end' | 'duplicate' | 'deep';
  /** UTF-16 code units from the start of the text; for `end` the length of the text. */
  readonly at: number;
  readonly path: Path;
  /** The repeated key, for `duplicate`. */
  readonly key: string | undefined;
  /** What was expected there. */
  readonly detail: string;
}

export interface Parsed {
  readonly ok: true;
  readonly root: JsonNode;
  /** How many strings decode to U+0008 or U+000C. */
  readonly suspectEscapes: number;
}

const NONE: readonly never[] = [];
/** Above this many keys an object's keys are looked up in a set instead of one by one. */
const FEW_KEYS = 12;

/** Parses one JSON value that starts at `start` (after white space); linear in its length. */
export function parseJson(text: string, start: number, maxDepth: number): Parsed | ParseFault {
  const parser = new Parser(text, maxDepth);
  const root = parser.value(skipWhiteSpace(text, start), 0);
  if (root !== undefined) return { ok: true, root, suspectEscapes: parser.suspectEscapes };
  return {
    ok: false,
    kind: parser.kind,
    at: parser.at,
    path: parser.path.reverse(),
    key: parser.key,
    detail: parser.detail,
  };
}

/** The first offset at or after `at` that is not JSON white space. */
export function skipWhiteSpace(text: string, at: number): number {
  let i = at;
  for (;;) {
    const c = text.charCodeAt(i);
    if (c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09) i += 1;
    else return i;
  }
}

class Parser {
  suspectEscapes = 0;
  kind: ParseFault['kind'] = 'syntax';
  at = 0;
  detail = '';
  key: string | undefined;
  /** From the fault outwards. */
  readonly path: (string | number)[] = [];
  private readonly text: string;
  private readonly maxDepth: number;
  /** True where the string scanned last holds a backslash. */
  private escaped = false;

  constructor(text: string, maxDepth: number) {
    this.text = text;
    this.maxDepth = maxDepth;
  }

  value(at: number, depth: number): JsonNode | undefined {
    switch (this.text.charCodeAt(at)) {
      case 0x22: {
        const end = this.string(at);
        return end === -1 ? undefined : leaf('string', at, end);
      }
      case 0x7b:
        return depth < this.maxDepth ? this.object(at, depth + 1) : this.fault('deep', at, 'less nesting');
      case 0x5b:
        return depth < this.maxDepth ? this.list(at, depth + 1) : this.fault('deep', at, 'less nesting');
      case 0x74:
        return this.word('true', at);
      case 0x66:
        return this.word('false', at);
      case 0x6e:
        return this.word('null', at);
      default:
        return this.number(at);
    }
  }

  private object(start: number, depth: number): JsonNode | undefined {
    const text = this.text;
    const keys: string[] = [];
    const keyAt: number[] = [];
    const items: JsonNode[] = [];
    let seen: Set<string> | undefined;
    let at = skipWhiteSpace(text, start + 1);
    if (text.charCodeAt(at) === 0x7d) return leaf('object', start, at + 1);
    for (;;) {
      if (text.charCodeAt(at) !== 0x22) return this.fault('syntax', at, 'a key in double quotes');
      const keyEnd = this.string(at);
      if (keyEnd === -1) return undefined;
      const key = this.escaped
        ? (JSON.parse(text.slice(at, keyEnd)) as string)
        : text.slice(at + 1, keyEnd - 1);
      if (keys.length < FEW_KEYS) {
        if (keys.includes(key)) return this.duplicate(at, key);
      } else {
        seen ??= new Set(keys);
        if (seen.has(key)) return this.duplicate(at, key);
        seen.add(key);
      }
      const colon = skipWhiteSpace(text, keyEnd);
      if (text.charCodeAt(colon) !== 0x3a) return this.fault('syntax', colon, '":" after the key');
      const item = this.value(skipWhiteSpace(text, colon + 1), depth);
      if (item === undefined) {
        this.path.push(key);
        return undefined;
      }
      keys.push(key);
      keyAt.push(at);
      items.push(item);
      at = skipWhiteSpace(text, item.end);
      const next = text.charCodeAt(at);
      if (next === 0x7d) return { kind: 'object', start, end: at + 1, keys, keyAt, items };
      if (next !== 0x2c) return this.fault('syntax', at, '"," or "}" after the value');
      at = skipWhiteSpace(text, at + 1);
    }
  }

  private list(start: number, depth: number): JsonNode | undefined {
    const text = this.text;
    const items: JsonNode[] = [];
    let at = skipWhiteSpace(text, start + 1);
    if (text.charCodeAt(at) === 0x5d) return leaf('list', start, at + 1);
    for (;;) {
      const item = this.value(at, depth);
      if (item === undefined) {
        this.path.push(items.length);
        return undefined;
      }
      items.push(item);
      at = skipWhiteSpace(text, item.end);
      const next = text.charCodeAt(at);
      if (next === 0x5d) return { kind: 'list', start, end: at + 1, keys: NONE, keyAt: NONE, items };
      if (next !== 0x2c) return this.fault('syntax', at, '"," or "]" after the item');
      at = skipWhiteSpace(text, at + 1);
    }
  }

  /** The offset after the closing quote, or -1. */
  private string(start: number): number {
    const text = this.text;
    let suspect = false;
    this.escaped = false;
    for (let i = start + 1; ; i += 1) {
      const c = text.charCodeAt(i);
      if (c === 0x22) {
        if (suspect) this.suspectEscapes += 1;
        return i + 1;
      }
      if (c === 0x5c) {
        this.escaped = true;
        const length = escapeLength(text, i);
        if (length === 0) {
          const atEnd = text.length - i < (text.charCodeAt(i + 1) === 0x75 ? 6 : 2);
          this.fault(atEnd ? 'end' : 'syntax', i, 'a JSON escape after the backslash');
          return -1;
        }
        const kind = text.charCodeAt(i + 1);
        if (
          kind === 0x62 ||
          kind === 0x66 ||
          (kind === 0x75 && /^000[8c]$/i.test(text.slice(i + 2, i + 6)))
        ) {
          suspect = true;
        }
        i += length - 1;
      } else if (!(c >= 0x20)) {
        // NaN past the end of the text fails the comparison as well.
        this.fault('syntax', i, i < text.length ? 'an escape for the control character' : 'a closing quote');
        return -1;
      }
    }
  }

  private number(start: number): JsonNode | undefined {
    const text = this.text;
    let i = text.charCodeAt(start) === 0x2d ? start + 1 : start;
    const first = text.charCodeAt(i);
    if (first === 0x30) i += 1;
    else if (first >= 0x31 && first <= 0x39) i = skipDigits(text, i + 1);
    else return this.fault('syntax', i, i === start ? 'a value' : 'a digit');
    if (text.charCodeAt(i) === 0x2e) {
      const fraction = skipDigits(text, i + 1);
      if (fraction === i + 1) return this.fault('syntax', fraction, 'a digit after the point');
      i = fraction;
    }
    if ((text.charCodeAt(i) | 0x20) === 0x65) {
      const sign = text.charCodeAt(i + 1);
      const from = sign === 0x2b || sign === 0x2d ? i + 2 : i + 1;
      const exponent = skipDigits(text, from);
      if (exponent === from) return this.fault('syntax', from, 'a digit in the exponent');
      i = exponent;
    }
    return leaf('number', start, i);
  }

  private word(word: 'true' | 'false' | 'null', at: number): JsonNode | undefined {
    if (this.text.startsWith(word, at)) return leaf(word, at, at + word.length);
    const rest = this.text.slice(at);
    if (rest.length < word.length && word.startsWith(rest))
      return this.fault('end', this.text.length, 'a value');
    return this.fault('syntax', at, 'a value');
  }

  private duplicate(at: number, key: string): undefined {
    this.key = key;
    this.path.push(key);
    return this.fault('duplicate', at, 'each key once in an object');
  }

  private fault(kind: ParseFault['kind'], at: number, detail: string): undefined {
    this.kind = kind === 'syntax' && at >= this.text.length ? 'end' : kind;
    this.at = this.kind === 'end' ? this.text.length : at;
    this.detail = detail;
    return undefined;
  }
}

/** Length of the JSON escape at the backslash `at`: 2, or 6 for `\uXXXX`; 0 where it is none (RFC 8259, 7). */
export function escapeLength(text: string, at: number): 0 | 2 | 6 {
  switch (text.charCodeAt(at + 1)) {
    case 0x22:
    case 0x5c:
    case 0x2f:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return 2;
    case 0x75:
      for (let i = at + 2; i < at + 6; i += 1) if (!isHexDigit(text.charCodeAt(i))) return 0;
      return 6;
    default:
      return 0;
  }
}

function isHexDigit(c: number): boolean {
  return (c >= 0x30 && c <= 0x39) || ((c | 0x20) >= 0x61 && (c | 0x20) <= 0x66);
}

function skipDigits(text: string, at: number): number {
  let i = at;
  for (;;) {
    const c = text.charCodeAt(i);
    if (c >= 0x30 && c <= 0x39) i += 1;
    else return i;
  }
}

function leaf(kind: JsonKind, start: number, end: number): JsonNode {
  return { kind, start, end, keys: NONE, keyAt: NONE, items: NONE };
}
