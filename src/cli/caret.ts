/** Where is the fault? The line of the reply with a caret under the place, as compilers show it. */

import { lineAndColumn } from '../reader/span.ts';

/** Columns shown before and after the place. */
const BEFORE = 50;
const AFTER = 28;
/** U+2400: the first of the pictures of control characters, in the order of the characters. */
const CONTROL_PICTURES = 0x2400;

/** Two lines: the clipped source line, and the caret. Control characters are shown as pictures, so they are inert. */
export function caret(text: string, at: number): string {
  const { line, column } = lineAndColumn(text, at);
  const lineStart = at - (column - 1);
  const feed = text.indexOf('\n', at);
  const lineEnd = feed === -1 ? text.length : feed;
  const from = Math.max(lineStart, at - BEFORE);
  const to = Math.min(lineEnd, at + AFTER);
  const head = `${from > lineStart ? '…' : ''}${visible(text.slice(from, at))}`;
  const tail = `${visible(text.slice(at, to))}${to < lineEnd ? '…' : ''}`;
  const margin = `${line} | `;
  return `${margin}${head}${tail}\n${' '.repeat(margin.length + columnsOf(head))}^\n`;
}

/** C0 and C1 controls, and marks that reorder text, as one visible character each. */
function visible(text: string): string {
  let out = '';
  for (const c of text.toWellFormed()) {
    const code = c.codePointAt(0) ?? 0;
    if (code < 0x20) out += String.fromCodePoint(CONTROL_PICTURES + code);
    else out += /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(c) ? '·' : c;
  }
  return out;
}

/** How many terminal columns a text takes: wide East Asian characters and emoji take two. */
function columnsOf(text: string): number {
  let columns = 0;
  for (const c of text) {
    if (/\p{Mark}/u.test(c)) continue;
    columns +=
      /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\uff01-\uff60]|\p{Emoji_Presentation}/u.test(
        c,
      )
        ? 2
        : 1;
  }
  return columns;
}
