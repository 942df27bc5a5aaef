/**
 * What does one string of a damaged object say? Its delimiters become plain quotes, quotes inside it and raw control
 * characters become escapes, and backslashes that start no escape are doubled, where that is the one reading. Which
 * quote closes the string has been decided before.
 */

import { type Fault, refuse } from '../fault.ts';
import type { Repair, RepairKind } from '../reading.ts';
import { escapeLength } from '../strict/parse-json.ts';
import { escapeThatMayBeLiteral, secondMeaning } from './escapes.ts';

/** A string's repairs, in order, and why it has no one reading, if it has none. */
export interface RepairedString {
  readonly repairs: readonly Repair[];
  readonly fault: Fault | undefined;
  /** True where a backslash in it starts no escape. */
  readonly invalidEscapes: boolean;
  /** True where single quotes hold an escaped double quote, as text that was escaped once more does. */
  readonly needlessEscape: boolean;
  /** The offset of the first doubled backslash, or -1. */
  readonly doubledAt: number;
}

const SHORT_ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x08, '\\b'],
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0c, '\\f'],
  [0x0d, '\\r'],
]);

/** Repairs the string whose delimiters stand at `open` and `close`; linear in its length. */
export function repairString(text: string, open: number, close: number): RepairedString {
  const repairs: Repair[] = [];
  const delimiter = delimiterKind(text.charAt(open));
  const put = (kind: RepairKind, start: number, end: number, after: string): void => {
    repairs.push({ kind, start, end, before: text.slice(start, end), after });
  };
  let fault: Fault | undefined;
  let invalidEscapes = false;
  let needlessEscape = false;
  let doubledAt = -1;
  if (delimiter !== undefined) put(delimiter, open, open + 1, '"');
  for (let i = open + 1; i < close; i += 1) {
    const c = text.charCodeAt(i);
    // repair: a quote inside the string is content.
    if (c === 0x22) put(delimiter ?? 'inner_quote', i, i + 1, '\\"');
    else if (c < 0x20) {
      // repair: a raw control character inside a string can only stand for itself.
      put('control_char', i, i + 1, SHORT_ESCAPES.get(c) ?? `\\u${c.toString(16).padStart(4, '0')}`);
    } else if (c === 0x5c) {
      const length = escapeLength(text, i);
      if (delimiter === 'single_quotes' && text.charCodeAt(i + 1) === 0x27) {
        // repair: an escaped apostrophe in single quotes is an apostrophe.
        put('single_quotes', i, i + 2, "'");
        i += 1;
      } else if (length > 0) {
        const escaped = text.charCodeAt(i + 1);
        if (escaped === 0x22 && delimiter === 'single_quotes') needlessEscape = true;
        if (escaped === 0x5c && doubledAt === -1) doubledAt = i;
        i += length - 1;
      } else {
        const why = secondMeaning(text, i, open);
        if (why !== undefined) fault ??= refuse('ambiguous_repair', i, why).fault;
        invalidEscapes = true;
        // repair: a backslash that starts no JSON escape stands for itself.
        put('invalid_escape', i, i + 1, '\\\\');
      }
    }
  }
  if (delimiter !== undefined) put(delimiter, close, close + 1, '"');
  if (invalidEscapes && fault === undefined) {
    const at = escapeThatMayBeLiteral(text, open + 1, close);
    // refuse: beside a literal backslash an escape may be literal too.
    if (at !== -1) fault = twoMeanings(text, at);
  }
  return { repairs, fault, invalidEscapes, needlessEscape, doubledAt };
}

/** An escape that may be an escape, or a backslash and what follows it. */
export function twoMeanings(text: string, at: number): Fault {
  const pair = text.slice(at, at + 2);
  return refuse('ambiguous_repair', at, `"${pair}" may be an escape or a backslash before a letter`, {
    rivals: [`an escape: ${pair}`, `a backslash: \\${pair}`],
  }).fault;
}

function delimiterKind(opener: string): 'single_quotes' | 'smart_quotes' | undefined {
  if (opener === '"') return undefined;
  return opener === "'" ? 'single_quotes' : 'smart_quotes';
}
