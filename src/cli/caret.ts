/** Where is the fault? The line of the reply with a caret under the place, as compilers show it. */

import { lineAndColumn } from '../reader/span.ts';
import { inert } from './inert.ts';

/** UTF-16 code units shown before and after the place. */
const BEFORE = 50;
const AFTER = 28;
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60]|\p{Emoji_Presentation}/u;

/** Two lines: the source line, clipped around the place, and the caret. `at` counts UTF-16 code units. */
export function caret(text: string, at: number): string {
  const { line, column } = lineAndColumn(text, at);
  const lineStart = at - (column - 1);
  const feed = text.indexOf('\n', at);
  const lineEnd = feed === -1 ? text.length : feed;
  const from = wholeCharacter(text, Math.max(lineStart, at - BEFORE));
  const to = wholeCharacter(text, Math.min(lineEnd, at + AFTER));
  const head = `${from > lineStart ? '…' : ''}${inert(text.slice(from, at))}`;
  const tail = `${inert(text.slice(at, to))}${to < lineEnd ? '…' : ''}`;
  const margin = `${line} | `;
  return `${margin}${head}${tail}\n${' '.repeat(margin.length + columnsOf(head))}^\n`;
}

/** The offset, or the one after it where it would split a surrogate pair. */
function wholeCharacter(text: string, offset: number): number {
  return /[\udc00-\udfff]/.test(text.charAt(offset)) && /[\ud800-\udbff]/.test(text.charAt(offset - 1))
    ? offset + 1
    : offset;
}

/** How many terminal columns a text takes: wide East Asian characters and emoji two, combining marks none. */
function columnsOf(text: string): number {
  let columns = 0;
  for (const c of text) if (!/\p{Mark}/u.test(c)) columns += WIDE.test(c) ? 2 : 1;
  return columns;
}
