/**
 * What do the strings of a damaged object say? Raw control characters become their escapes and backslashes that
 * start no escape are doubled, where that is the one reading. Quotes are taken as they stand: this room never
 * decides which quote is structure.
 */

import { type Refused, refuse } from '../fault.ts';
import type { Repair } from '../reading.ts';
import { escapeLength } from '../strict/parse-json.ts';
import { escapeThatMayBeLiteral, literalLookingEscape, secondMeaning } from './escapes.ts';

export interface RepairedStrings {
  readonly ok: true;
  readonly repairs: readonly Repair[];
}

const SHORT_ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x08, '\\b'],
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0c, '\\f'],
  [0x0d, '\\r'],
]);

/** Repairs the strings of `text` from `start` on, where structure begins; linear. Offsets are those of `text`. */
export function repairStrings(text: string, start: number): RepairedStrings | Refused {
  const repairs: Repair[] = [];
  const untouched: (readonly [number, number])[] = [];
  let invalidEscapes = false;
  for (let open = text.indexOf('"', start); open !== -1; ) {
    const string = repairString(text, open);
    if (!string.ok) return string;
    repairs.push(...string.repairs);
    if (string.invalidEscapes) invalidEscapes = true;
    else untouched.push([open + 1, string.close]);
    open = text.indexOf('"', string.close + 1);
    if (string.close >= text.length) break;
  }
  if (invalidEscapes) {
    for (const [from, to] of untouched) {
      const at = literalLookingEscape(text, from, to);
      // refuse: a model that forgot to double backslashes in one string may have forgotten it here.
      if (at !== -1) return twoMeanings(text, at);
    }
  }
  return { ok: true, repairs };
}

interface OneString extends RepairedStrings {
  /** Offset of the closing quote, or the text's length where there is none. */
  readonly close: number;
  readonly invalidEscapes: boolean;
}

function repairString(text: string, open: number): OneString | Refused {
  const repairs: Repair[] = [];
  let invalid = -1;
  let i = open + 1;
  for (; i < text.length; i += 1) {
    const c = text.charCodeAt(i);
    if (c === 0x22) break;
    if (c === 0x5c) {
      const length = escapeLength(text, i);
      if (length > 0) i += length - 1;
      else {
        const why = secondMeaning(text, i, open);
        if (why !== undefined) return refuse('ambiguous_repair', i, why);
        if (invalid === -1) invalid = i;
        // repair: a backslash that starts no JSON escape stands for itself.
        repairs.push({ kind: 'invalid_escape', start: i, end: i + 1, before: '\\', after: '\\\\' });
      }
    } else if (c < 0x20) {
      // repair: a raw control character inside a string can only stand for itself.
      repairs.push({
        kind: 'control_char',
        start: i,
        end: i + 1,
        before: text.charAt(i),
        after: escapeOf(c),
      });
    }
  }
  if (invalid !== -1) {
    const at = escapeThatMayBeLiteral(text, open + 1, i);
    // refuse: beside a literal backslash an escape may be literal too.
    if (at !== -1) return twoMeanings(text, at);
  }
  return { ok: true, repairs, close: i, invalidEscapes: invalid !== -1 };
}

function twoMeanings(text: string, at: number): Refused {
  const pair = text.slice(at, at + 2);
  return refuse('ambiguous_repair', at, `"${pair}" may be an escape or a backslash before a letter`, {
    rivals: [`an escape: ${pair}`, `a backslash: \\${pair}`],
  });
}

function escapeOf(c: number): string {
  return SHORT_ESCAPES.get(c) ?? `\\u${c.toString(16).padStart(4, '0')}`;
}
