/**
 * Can a backslash in a string be read in one way only? A backslash that starts no JSON escape is meant literally,
 * unless writers of other languages use that pair for something else; and beside such a backslash a valid escape
 * may be meant literally too (`\d+\n`, `C:\new\data`). Two meanings refuse.
 */

import { escapeLength } from '../strict/parse-json.ts';

/**
 * Pairs that are no JSON escapes and have a second meaning: Markdown's and shells' escaped punctuation, and
 * escapes of C, Python and JavaScript. Everything else after a backslash is literal.
 */
const PUNCTUATION_WITH_TWO_MEANINGS: ReadonlySet<string> = new Set("'_*$`#~<>!&@|0");
const CODE_ESCAPE = /\\(?:x[0-9a-fA-F]{2}|u\{|U[0-9a-fA-F]{8}|N\{|[0-7]{2,3}|[aev](?![A-Za-z]))/y;
/** `\u00e` and the like: a damaged escape rather than a word that starts with u. */
const DAMAGED_UNICODE = /\\u(?=[0-9a-fA-F]{0,3}[0-9])[0-9a-fA-F]{1,3}(?![0-9a-fA-F])/y;
/** At the start of a line Markdown escapes a list's mark: `\-`, `\+`, and `1\.`, `1\)`. */
const MARKDOWN_LIST = /(?:^|\n|\\n)[ \t]*(?:\d{1,3}\\[.)]|\\[-+])$/;

/** Why the backslash at `at`, which starts no JSON escape, has a second meaning; undefined where it has none. */
export function secondMeaning(text: string, at: number, stringStart: number): string | undefined {
  const next = text.charAt(at + 1);
  CODE_ESCAPE.lastIndex = at;
  DAMAGED_UNICODE.lastIndex = at;
  if (PUNCTUATION_WITH_TWO_MEANINGS.has(next) || CODE_ESCAPE.test(text) || DAMAGED_UNICODE.test(text)) {
    return `"\\${next}" may be an escape of another language or a backslash`;
  }
  if (MARKDOWN_LIST.test(text.slice(Math.max(stringStart + 1, at - 12), at + 2))) {
    return `"\\${next}" at the start of a line may be a Markdown escape or a backslash`;
  }
  return undefined;
}

/**
 * The first JSON escape in the string content `start..end` that may be meant literally, given that the string also
 * holds a backslash that is no escape: every escape but `\"`. Returns its offset, or -1.
 */
export function escapeThatMayBeLiteral(text: string, start: number, end: number): number {
  for (let i = text.indexOf('\\', start); i !== -1 && i < end; i = text.indexOf('\\', i)) {
    const length = escapeLength(text, i);
    if (length > 0 && text.charCodeAt(i + 1) !== 0x22) return i;
    i += length === 0 ? 1 : length;
  }
  return -1;
}

/** In a reply whose strings hold invalid escapes: escapes elsewhere that look like a path or a regular expression. */
const LITERAL_LOOKING = /\\[bf]|(?:^|[^A-Za-z])[A-Za-z]:\\[nrt]/g;

/** The offset of an escape in `start..end` that looks literal although its own string needed no repair, or -1. */
export function literalLookingEscape(text: string, start: number, end: number): number {
  const content = text.slice(start, end);
  for (const match of content.matchAll(LITERAL_LOOKING)) {
    const backslash = match.index + match[0].lastIndexOf('\\');
    let run = 0;
    while (content.charCodeAt(backslash - 1 - run) === 0x5c) run += 1;
    if (run % 2 === 0) return start + backslash;
  }
  return -1;
}
