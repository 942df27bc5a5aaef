/**
 * Is the text after an object what follows a whole reply? Or is the object a quotation inside a larger, cut or
 * broken reply, so that taking it would return half an excerpt? In doubt it is the latter.
 */

/** Where the object was found. */
export type Place = 'leading' | 'list' | 'prose';

export interface AfterRefused {
  /** Offset of what cannot follow a whole reply. */
  readonly at: number;
  readonly detail: string;
}

const CLOSING_FENCE = /^[ \t]*\n?[ \t]*(`{3,}|~{3,})[ \t]*(?=\n|$|[^`~])/;
/** A line that starts a Markdown block: heading, list, quote, rule, table, emphasis. */
const MARKDOWN_BLOCK = /^(?:#{1,6} |[-*+] |\d{1,3}[.)] |> |\*\*|__|---|\*\*\*|\|)/;
const CLOSING_TAG = /^<\/?[|a-zA-Z][\w|/ .:-]{0,40}>/;
/** A prose word: letters with inner apostrophes or hyphens, up to white space, punctuation or the end. */
const PROSE_WORD = /^[A-Za-z]+(?:['’-][A-Za-z]+)*(?=\s|[,.:;!?)]|$)/;
const CODE_WORD =
  /^(?:[A-Za-z_$][\w$]*(?:\(|\.[A-Za-z_$]|\[|=|\+\+|->|::)|(?:for|if|in|or|and|is|not|else|as|while|with|return|y)\b)/;
const NON_ASCII_PROSE = /^(?:\p{L}|[。、！？」』】）—–…]|\p{Extended_Pictographic})/u;
const NOT_PROSE = /^[，；“”‘’\u200B-\u200F\u2060\uFEFF]/;
const QUOTE_INTO_JSON = /"\s*[}\]:,]/;

/**
 * Judges the text from `at` to the end. `fence` is the open fence's marks, if the object stands in one. Undefined
 * where the text may follow a whole reply; linear.
 */
export function judgeTextAfter(
  text: string,
  at: number,
  fence: string | undefined,
): AfterRefused | undefined {
  const rest = text.slice(at);
  if (rest.trim() === '') return undefined;
  if (fence !== undefined) {
    const close = CLOSING_FENCE.exec(rest);
    if (close !== null && close[1] !== undefined && fence.startsWith(close[1].slice(0, 3))) {
      return judgeProse(text, at + close[0].length);
    }
  }
  return judgeProse(text, at);
}

function judgeProse(text: string, at: number): AfterRefused | undefined {
  const rest = text.slice(at);
  const trimmed = rest.trimStart();
  if (trimmed === '') return undefined;
  const start = at + rest.length - trimmed.length;
  const newLine = rest.slice(0, rest.length - trimmed.length).includes('\n');
  const indented = newLine && /[ \t]$/.test(rest.slice(0, rest.length - trimmed.length));
  const refused = (detail: string): AfterRefused => ({ at: start, detail });
  if (QUOTE_INTO_JSON.test(trimmed)) return refused('a quote after the object closes into JSON');
  if (unbalanced(trimmed)) return refused('brackets after the object do not match');
  if (indented) return refused('an indented line after the object looks like code');
  if (NOT_PROSE.test(trimmed)) return refused('a mark after the object that no prose starts with');
  if (CLOSING_TAG.test(trimmed)) return undefined;
  if (/^[.!?](?:\s*)$/.test(trimmed))
    return newLine || rest.startsWith('!') ? refused('a stray mark') : undefined;
  if (newLine && MARKDOWN_BLOCK.test(trimmed)) return undefined;
  if (!newLine && CODE_WORD.test(trimmed)) return refused('text after the object looks like code');
  if (PROSE_WORD.test(trimmed) || NON_ASCII_PROSE.test(trimmed)) return undefined;
  return refused('text after the object looks like code');
}

/** True where the text closes a bracket that it did not open, or leaves one open. */
function unbalanced(text: string): boolean {
  const open: string[] = [];
  for (const c of text) {
    if (c === '{' || c === '[') open.push(c);
    else if (c === '}' || c === ']') {
      if (open.pop() !== (c === '}' ? '{' : '[')) return true;
    }
  }
  return open.length > 0;
}
