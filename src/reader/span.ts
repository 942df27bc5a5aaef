/**
 * Where is something in a reply? Offsets and spans count UTF-16 code units from the start of the reply's text;
 * line and column are worked out only when a person asks.
 */

/** A place inside a JSON value: member names and zero-based list indexes from the root. */
export type Path = readonly (string | number)[];

/** One-based line and column (in UTF-16 code units) of an offset. Linear in the offset. */
export function lineAndColumn(text: string, at: number): { readonly line: number; readonly column: number } {
  let line = 1;
  let lineStart = 0;
  for (let feed = text.indexOf('\n'); feed !== -1 && feed < at; feed = text.indexOf('\n', feed + 1)) {
    line += 1;
    lineStart = feed + 1;
  }
  return { line, column: at - lineStart + 1 };
}

/** A path as people write it: `findings[2].file`, with odd names quoted; the root is `$`. */
export function pathText(path: Path): string {
  let out = '';
  for (const step of path) {
    if (typeof step === 'number') out += `[${step}]`;
    else if (/^[A-Za-z_$][\w$-]*$/.test(step)) out += out === '' ? step : `.${step}`;
    else out += `[${JSON.stringify(step)}]`;
  }
  return out === '' ? '$' : out;
}
