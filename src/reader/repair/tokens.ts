/**
 * What stands at a place of a near-JSON text, quotes aside? White space, comments, keys, numbers and words, in JSON's
 * spelling or one of the well-known others. Each of these can be read in one way only; which quote closes a string
 * is not decided here.
 */

import type { JsonKind } from '../json-node.ts';
import type { Repair } from '../reading.ts';
import { skipWhiteSpace } from '../strict/parse-json.ts';

/** Is told every repair that a token needs. */
export type Note = (repair: Repair) => void;

const ODD_SPACE = /[\u00A0\u1680\u2000-\u200B\u2028\u2029\u202F\u205F\u2060\u3000\uFEFF]+/y;
const LINE_COMMENT = /(?:\/\/|#)[^\n]*/y;

/** The offset of the next character that is neither white space nor comment; the text's length in an open comment. */
export function skipGap(text: string, at: number, note?: Note): number {
  let i = at;
  for (;;) {
    const c = text.charCodeAt(i);
    if (c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09) i += 1;
    else if (c === 0x2f && text.charCodeAt(i + 1) === 0x2a) {
      const close = text.indexOf('*/', i + 2);
      if (close === -1) return text.length;
      i = blank(text, i, close + 2, 'comment', note);
    } else if (
      (c === 0x23 && text.charCodeAt(i + 1) === 0x20) ||
      (c === 0x2f && text.charCodeAt(i + 1) === 0x2f)
    ) {
      LINE_COMMENT.lastIndex = i;
      LINE_COMMENT.test(text);
      i = blank(text, i, LINE_COMMENT.lastIndex, 'comment', note);
    } else if (c >= 0xa0) {
      ODD_SPACE.lastIndex = i;
      if (!ODD_SPACE.test(text)) return i;
      i = blank(text, i, ODD_SPACE.lastIndex, 'bom', note);
    } else return i;
  }
}

/** Longer comments after a value are none, UTF-16 code units. */
const MAX_COMMENT_AFTER_VALUE = 1024;

/**
 * The same after a value. There a comment stands apart and holds no quote, or the value may be a string that goes on.
 */
export function skipGapAfterValue(text: string, at: number, note?: Note): number {
  const mark = skipWhiteSpace(text, at);
  const c = text.charAt(mark);
  if (c !== '/' && c !== '#') return skipGap(text, at, note);
  if (mark === at) return mark;
  const comment = text.slice(mark, mark + MAX_COMMENT_AFTER_VALUE);
  const end = comment.startsWith('/*') ? comment.indexOf('*/') : comment.indexOf('\n');
  if (end === -1 || /["'“”]/.test(comment.slice(0, end))) return mark;
  return skipGap(text, at, note);
}

/** A key and the offset after it. */
export interface Key {
  readonly key: string;
  readonly end: number;
}

const MAX_KEY = 1024;
const BARE_KEY = /[A-Za-z_$][\w$-]*/y;

/** The key at `at`, or undefined where none stands there. Keys are never repaired inside. */
export function readKey(text: string, at: number, note?: Note): Key | undefined {
  const opener = text.charAt(at);
  if (opener === '"') return readPlainKey(text, at);
  const closers = closersOf(opener);
  if (closers !== '') {
    const end = nextCloser(text, at + 1, closers);
    const key = text.slice(at + 1, end);
    if (end === -1 || end - at > MAX_KEY || /["\\\p{Cc}]/u.test(key)) return undefined;
    note?.({
      kind: opener === "'" ? 'single_quotes' : 'smart_quotes',
      start: at,
      end: end + 1,
      before: text.slice(at, end + 1),
      after: JSON.stringify(key),
    });
    return { key, end: end + 1 };
  }
  BARE_KEY.lastIndex = at;
  const bare = BARE_KEY.exec(text)?.[0];
  if (bare === undefined || bare.length > MAX_KEY) return undefined;
  note?.({
    kind: 'unquoted_key',
    start: at,
    end: at + bare.length,
    before: bare,
    after: JSON.stringify(bare),
  });
  return { key: bare, end: at + bare.length };
}

/** The scalar at `at` that is not a string, or undefined. */
export function readScalar(
  text: string,
  at: number,
  note?: Note,
): { readonly kind: JsonKind; readonly end: number; readonly text: string } | undefined {
  NUMBER.lastIndex = at;
  const number = NUMBER.exec(text)?.[0];
  if (number !== undefined) return { kind: 'number', end: at + number.length, text: number };
  WORD.lastIndex = at;
  const word = WORD.exec(text)?.[0];
  if (word === undefined) return undefined;
  if (word === 'true' || word === 'false' || word === 'null')
    return { kind: word, end: at + word.length, text: word };
  const kind = PYTHON.get(word);
  if (kind === undefined) return undefined;
  // repair: Python's words for the three literals.
  note?.({ kind: 'python_literal', start: at, end: at + word.length, before: word, after: kind });
  return { kind, end: at + word.length, text: kind };
}

/** A whole number of JSON's grammar that nothing continues: `1,234` ends here, `1_000` and `5.` do not match. */
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+$%'-])/y;
const WORD = /[A-Za-z]{4,5}(?![\w$])/y;
const PYTHON: ReadonlyMap<string, 'true' | 'false' | 'null'> = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
]);

/** The characters that may close what `opener` opens; empty where it opens no string. */
export function closersOf(opener: string): string {
  switch (opener) {
    case '"':
    case "'":
      return opener;
    case '“':
    case '”':
      return '”';
    case '„':
      return '“”';
    case '‘':
    case '’':
      return '’';
    default:
      return '';
  }
}

/** The next closer from `at` on that no backslash escapes, or -1. */
export function nextCloser(text: string, at: number, closers: string): number {
  for (let i = nextOf(text, at, closers); i !== -1; i = nextOf(text, i + 1, closers)) {
    let run = 0;
    while (i - 1 - run >= at && text.charCodeAt(i - 1 - run) === 0x5c) run += 1;
    if (run % 2 === 0) return i;
  }
  return -1;
}

function nextOf(text: string, at: number, closers: string): number {
  const first = text.indexOf(closers.charAt(0), at);
  if (closers.length === 1) return first;
  const second = text.indexOf(closers.charAt(1), at);
  return first === -1 ? second : second === -1 ? first : Math.min(first, second);
}

function readPlainKey(text: string, at: number): Key | undefined {
  const close = nextCloser(text, at + 1, '"');
  if (close === -1 || close - at > MAX_KEY) return undefined;
  const raw = text.slice(at + 1, close);
  if (!/[\\\p{Cc}]/u.test(raw)) return { key: raw, end: close + 1 };
  try {
    return { key: JSON.parse(text.slice(at, close + 1)) as string, end: close + 1 };
  } catch {
    return undefined;
  }
}

function blank(
  text: string,
  start: number,
  end: number,
  kind: 'comment' | 'bom',
  note: Note | undefined,
): number {
  // repair: a space, so that what stood apart stays apart.
  note?.({ kind, start, end, before: text.slice(start, end), after: ' ' });
  return end;
}
