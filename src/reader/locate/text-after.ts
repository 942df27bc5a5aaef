/**
 * Is the text after an object what follows a whole reply? Or is the object a quotation inside a larger, cut or
 * broken reply, so that taking it would return half an excerpt? In doubt it is the latter.
 */

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
/** From a capital letter to the mark that ends the text. */
const SENTENCES = /^[A-Z][\s\S]*[.!?)]\s*$/;
const NON_ASCII_PROSE = /^(?:(?![A-Za-z])\p{L}|[。、！？」』】）—–…]|\p{Extended_Pictographic})/u;
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
  quotation: boolean,
): AfterRefused | undefined {
  const rest = text.slice(at);
  if (rest.trim() === '') return undefined;
  if (fence !== undefined) {
    const close = CLOSING_FENCE.exec(rest);
    if (close?.[1] !== undefined && fence.startsWith(close[1].slice(0, 3))) return undefined;
  }
  const trimmed = rest.trimStart();
  const space = rest.slice(0, rest.length - trimmed.length);
  const detail = quotation
    ? 'a string in the object ends like text before a quotation, and text follows the object'
    : whyNotProse(trimmed, space);
  return detail === undefined ? undefined : { at: at + space.length, detail };
}

/** Why `text`, which follows the object after `space`, does not look like prose after a whole reply. */
function whyNotProse(text: string, space: string): string | undefined {
  const newLine = space.includes('\n');
  // The end of a triple-quoted string: it stood around the whole reply.
  if (/^(?:"""|''')\s*$/.test(text)) return undefined;
  // A closing fence alone: the model forgot to open it.
  if (/^(?:`{3,}|~{3,})\s*$/.test(text)) return undefined;
  if (QUOTE_INTO_JSON.test(text)) return 'a quote after the object closes into JSON';
  if (unbalanced(text)) return 'brackets after the object do not match';
  if (newLine && /[ \t]$/.test(space)) return 'an indented line after the object looks like code';
  if (CLOSING_TAG.test(text)) return undefined;
  if (/^[.!?]\s*$/.test(text)) return space === '' ? undefined : 'a stray mark after the object';
  if (newLine && MARKDOWN_BLOCK.test(text)) return undefined;
  if (NOT_PROSE.test(text)) return 'a mark after the object that no prose starts with';
  if (NON_ASCII_PROSE.test(text)) return undefined;
  if (!PROSE_WORD.test(text)) return 'text after the object looks like code';
  if (newLine) return undefined;
  if (CODE_WORD.test(text)) return 'text after the object looks like code';
  // On the object's own line prose must be whole sentences: a cut reply's tail stops anywhere.
  return SENTENCES.test(text) ? undefined : 'text after the object on its line is no whole sentence';
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
