/**
 * Are the inner quotes of a repaired string what its writer left unescaped? Or is the string two strings with junk
 * between them, one whose quote was lost, or text that was escaped for another place? Then a further explanation
 * exists that no contract excludes.
 */

import type { JsonNode } from '../json-node.ts';

/** Why a string's inner quotes have a second explanation. */
export interface QuoteDoubt {
  readonly at: number;
  readonly detail: string;
}

/** A string that closes later than at its first closer. */
export interface QuotedString {
  /** Offsets of the content's first code unit and of the closing quote. */
  readonly start: number;
  readonly end: number;
  /** The character that closes it. */
  readonly closer: string;
  /** True for an item of a list. */
  readonly inList: boolean;
}

const CLOSES_BEFORE = /[\s,.;:!?)\]}"'”’]/;
const OPENS_AFTER = /[\s([{=,:]/;
const GLUED = /[\p{L}\p{N}]$/u;
/** Prefixes of string literals in code: `r"…"`, `f"…"`, `L"…"`. */
const STRING_PREFIX = /(?:^|[^\w.])(?:[bfrulBFRUL]|u8|[bf]r|r[bf])$/;
const JSON_KEY = /[^\\]["']\s*:/;
const WHITE_SPACE_ESCAPE = /[nrtbf"]/;

/** Judges the inner quotes of a string; linear in its length. */
export function doubtQuotes(text: string, string: QuotedString): QuoteDoubt | undefined {
  const { start, end, closer, inList } = string;
  const closes = (at: number): boolean => at + 1 >= end || CLOSES_BEFORE.test(text.charAt(at + 1));
  const opens = (at: number): boolean => at === start || OPENS_AFTER.test(text.charAt(at - 1));
  const inch = (at: number): boolean => at > start && /\d/.test(text.charAt(at - 1)) && closes(at);
  const holdsJson = JSON_KEY.test(text.slice(start, end));
  let open: number | undefined;
  let openEscaped = false;
  let raw = 0;
  for (let at = start; at < end; at += 1) {
    const c = text.charAt(at);
    const escaped = c === '\\';
    if (escaped) at += 1;
    const next = text.charAt(at);
    if (escaped && open !== undefined && !openEscaped && (holdsJson || WHITE_SPACE_ESCAPE.test(next))) {
      return { at: at - 1, detail: 'an escape inside unescaped quotes may be meant literally' };
    }
    if (next !== closer) continue;
    if (!escaped) raw += 1;
    if (open !== undefined) {
      open = undefined;
      continue;
    }
    if (inch(at)) continue;
    if (!escaped && closes(at) && !opens(at)) {
      return { at, detail: 'the quotes stand the wrong way round: a string may end here and another follow' };
    }
    // An apostrophe has no partner.
    if (closer === "'") continue;
    const before = text.slice(Math.max(start, at - 4), at);
    if (!escaped && GLUED.test(before) && !STRING_PREFIX.test(before)) {
      return {
        at,
        detail: 'a quote in the middle of a word: what should stand between two strings may be lost',
      };
    }
    open = at;
    openEscaped = escaped;
  }
  if (open !== undefined) return { at: open, detail: 'a quote stands alone: its partner may be lost' };
  if (inList && raw === 1) {
    return { at: start, detail: 'a quote stands alone in a list: it may be one item or two' };
  }
  return undefined;
}

/**
 * True where a string between `start` and `end` ends the way text before a quotation does (`print("`, `it said "`):
 * then its closing quote may open the quotation.
 */
export function endsLikeQuotation(text: string, start: number, end: number): boolean {
  return /(?:\s|[([{=,:](?:\\[nrt])*)"\s*[,}\]]/.test(text.slice(start, end));
}

/**
 * The offset of a string that may be one with a later member of its object: it ends in white space before its quote,
 * and that member's string starts with white space after its quote, as the two halves of a text around quoted members
 * do. -1 where there is none; linear.
 */
export function splitByQuotedMembers(text: string, node: JsonNode): number {
  let ended = -1;
  for (const item of node.items) {
    if (item.kind === 'string') {
      if (ended !== -1 && WHITE_SPACE.test(text.charAt(item.start + 1))) return ended;
      if (item.end - item.start > 2 && WHITE_SPACE.test(text.charAt(item.end - 2))) ended = item.start;
    } else {
      const inside = splitByQuotedMembers(text, item);
      if (inside !== -1) return inside;
    }
  }
  return -1;
}

const WHITE_SPACE = /\s/;

/**
 * The offset of a member that stands on a line of its own where the others of its object do not, or the other way
 * round; -1 where there is none. Among unescaped quotes such a member may be quoted. Linear.
 */
export function memberLaidOutOtherwise(text: string, node: JsonNode): number {
  let ownLines: boolean | undefined;
  for (const [i, item] of node.items.entries()) {
    const keyAt = node.keyAt[i];
    const before = node.items[i - 1];
    if (keyAt !== undefined && before !== undefined) {
      const ownLine = text.slice(before.end, keyAt).includes('\n');
      ownLines ??= ownLine;
      if (ownLines !== ownLine) return keyAt;
    }
    const inside = memberLaidOutOtherwise(text, item);
    if (inside !== -1) return inside;
  }
  return -1;
}
