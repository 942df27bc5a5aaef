/** How is text from outside shown on a terminal? Every control and reordering character as a visible, inert mark. */

/** U+2400: the first of the pictures of control characters, in the order of the characters. */
const CONTROL_PICTURES = 0x2400;
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const HIDDEN_SOMEWHERE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

/** The text on one line, one visible character for each of its characters. Lone surrogates become U+FFFD. */
export function inert(text: string): string {
  if (!HIDDEN_SOMEWHERE.test(text)) return text;
  let out = '';
  for (const c of text.toWellFormed()) {
    const code = c.codePointAt(0) ?? 0;
    if (code < 0x20) out += String.fromCodePoint(CONTROL_PICTURES + code);
    else out += HIDDEN.test(c) ? '·' : c;
  }
  return out;
}
