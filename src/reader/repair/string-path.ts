/**
 * How does an explanation go through one string? Quote by quote: each closer may end the string or be content. On
 * the way it is kept whether the content's quotes pair up and its brackets match, and what structure was swallowed.
 */

import type { Frame } from './frame.ts';

const MAX_BRACKETS = 64;

/** The balance of a string's content so far. A value: {@link advance} makes the next one. */
export interface Balance {
  /** True inside a pair of quotes. */
  readonly quoted: boolean;
  /** The closers of brackets open outside pairs, or undefined once they did not match. */
  readonly brackets: string | undefined;
}

export const NOTHING_OPEN: Balance = { quoted: false, brackets: '' };

/** True where the quotes pair up and the brackets outside the pairs match. */
export function isBalanced({ quoted, brackets }: Balance): boolean {
  return !quoted && brackets === '';
}

/** The balance after the content `from..to` more; linear. */
export function advance(balance: Balance, text: string, from: number, to: number): Balance {
  let { quoted, brackets } = balance;
  for (let i = from; i < to; i += 1) {
    switch (text.charCodeAt(i)) {
      case 0x22:
        quoted = !quoted;
        break;
      case 0x28:
        if (!quoted) brackets = opened(brackets, ')');
        break;
      case 0x5b:
        if (!quoted) brackets = opened(brackets, ']');
        break;
      case 0x7b:
        if (!quoted) brackets = opened(brackets, '}');
        break;
      case 0x29:
      case 0x5d:
      case 0x7d:
        if (!quoted) brackets = brackets?.at(-1) === text.charAt(i) ? brackets.slice(0, -1) : undefined;
        break;
      default:
    }
  }
  return { quoted, brackets };
}

function opened(brackets: string | undefined, closer: string): string | undefined {
  return brackets === undefined || brackets.length >= MAX_BRACKETS ? undefined : brackets + closer;
}

const KEY_AND_COLON = /["'“”„]([^"'“”\\\n]{1,128})["'“”]\s*:/y;
const SEPARATOR = /["'“”]\s*(?:\]\s*)*,\s*(?:\[\s*)*["'“”„]/y;

/** True where the quote at `at`, taken as content, swallows what would be structure there. */
export function swallows(text: string, at: number, frame: Frame): boolean {
  if (frame.kind === 'list') {
    SEPARATOR.lastIndex = at;
    if (SEPARATOR.test(text)) return true;
  }
  KEY_AND_COLON.lastIndex = at;
  const key = KEY_AND_COLON.exec(text)?.[1];
  return key !== undefined && frame.knowsKey(key);
}
