/**
 * What does a damaged object say, once it is decided which quote closes each string? One deterministic walk that
 * records every repair. With no decisions it is the plain explanation: each string closes at its first closer.
 */

import type { Fault } from '../fault.ts';
import type { Repair } from '../reading.ts';
import { literalLookingEscape } from './escapes.ts';
import { repairString, twoMeanings } from './repair-string.ts';
import { closersOf, nextCloser, readKey, readScalar, skipGap, skipGapAfterValue } from './tokens.ts';

/** The object as explained: where it ends and what was repaired. `fault`: it can be read in two ways all the same. */
export interface Explained {
  readonly ok: true;
  readonly end: number;
  readonly repairs: readonly Repair[];
  readonly fault: Fault | undefined;
}

/** Where the walk stopped. `end`: the text ended inside the object. */
export interface Unexplained {
  readonly ok: false;
  readonly kind: 'syntax' | 'end' | 'deep';
  readonly at: number;
  readonly detail: string;
  /** True where the text goes on after a string as no JSON does, so that a quote may be content. */
  readonly afterString: boolean;
}

/** Offsets of closing quotes by those of the opening ones, where they differ from the first closer. */
export type Closes = ReadonlyMap<number, number>;

/** Walks the value that starts at `start`; linear. */
export function explain(
  text: string,
  start: number,
  closes: Closes,
  maxDepth: number,
): Explained | Unexplained {
  return new Walk(text, closes, maxDepth).run(start);
}

class Walk {
  private readonly text: string;
  private readonly closes: Closes;
  private readonly maxDepth: number;
  private readonly repairs: Repair[] = [];
  private readonly strings: (readonly [number, number])[] = [];
  private readonly note = (repair: Repair): void => {
    this.repairs.push(repair);
  };
  private fault: Fault | undefined;
  private invalidEscapes = false;
  private needlessEscape = false;
  private doubledAt = -1;
  private afterString = false;

  constructor(text: string, closes: Closes, maxDepth: number) {
    this.text = text;
    this.closes = closes;
    this.maxDepth = maxDepth;
  }

  run(start: number): Explained | Unexplained {
    const open: ('}' | ']')[] = [];
    let awaited: 'value' | 'first' | 'next' = 'value';
    let at = start;
    for (;;) {
      at =
        awaited === 'next' ? skipGapAfterValue(this.text, at, this.note) : skipGap(this.text, at, this.note);
      const closer = open.at(-1);
      const c = this.text.charAt(at);
      if (awaited === 'value') {
        if (c === '{' || c === '[') {
          if (open.length >= this.maxDepth) return this.stop('deep', at, 'less nesting');
          open.push(c === '{' ? '}' : ']');
          awaited = 'first';
          at += 1;
          continue;
        }
        const end = this.scalar(at);
        if (end === -1) return this.stop('syntax', at, 'a value');
        at = end;
      } else if (c === closer) {
        open.pop();
        this.afterString = false;
        at += 1;
      } else {
        if (awaited === 'next' && c !== ',')
          return this.stop('syntax', at, `"," or "${closer}" after the value`);
        const item = awaited === 'first' ? at : skipGap(this.text, at + 1, this.note);
        if (awaited === 'next' && this.text.charAt(item) === closer) {
          // repair: a comma before the closer separates nothing.
          this.leaveOutComma(at);
          at = item;
          continue;
        }
        at = closer === '}' ? this.key(item) : item;
        if (at === -1) return this.stop('syntax', item, 'a key in double quotes');
        if (closer === '}') this.afterString = false;
        awaited = 'value';
        continue;
      }
      if (open.length === 0) return this.done(at);
      awaited = 'next';
    }
  }

  private key(at: number): number {
    const key = readKey(this.text, at, this.note);
    if (key === undefined) return -1;
    const colon = skipGap(this.text, key.end, this.note);
    return this.text.charAt(colon) === ':' ? colon + 1 : -1;
  }

  private scalar(at: number): number {
    const { text } = this;
    const closers = closersOf(text.charAt(at));
    if (closers === '') {
      const scalar = readScalar(text, at, this.note);
      if (scalar === undefined) return -1;
      this.afterString = false;
      return scalar.end;
    }
    this.afterString = true;
    const close = this.closes.get(at) ?? nextCloser(text, at + 1, closers);
    // An open string: the text ends in it.
    if (close === -1) return text.length;
    const string = repairString(text, at, close);
    this.repairs.push(...string.repairs);
    this.fault ??= string.fault;
    this.needlessEscape ||= string.needlessEscape;
    if (this.doubledAt === -1) this.doubledAt = string.doubledAt;
    if (string.invalidEscapes) this.invalidEscapes = true;
    else this.strings.push([at + 1, close]);
    return close + 1;
  }

  private leaveOutComma(at: number): void {
    const comma: Repair = { kind: 'trailing_comma', start: at, end: at + 1, before: ',', after: '' };
    let place = this.repairs.length;
    while (place > 0 && (this.repairs[place - 1]?.start ?? 0) > at) place -= 1;
    this.repairs.splice(place, 0, comma);
  }

  private done(end: number): Explained {
    let { fault } = this;
    // refuse: text that was escaped once more than it is quoted has backslashes of two meanings.
    if (this.needlessEscape && this.doubledAt !== -1) fault ??= twoMeanings(this.text, this.doubledAt);
    if (this.invalidEscapes) {
      for (const [from, to] of this.strings) {
        if (fault !== undefined) break;
        const at = literalLookingEscape(this.text, from, to);
        // refuse: a model that forgot to double backslashes in one string may have forgotten it here.
        if (at !== -1) fault = twoMeanings(this.text, at);
      }
    }
    return { ok: true, end, repairs: this.repairs, fault };
  }

  private stop(kind: Unexplained['kind'], at: number, detail: string): Unexplained {
    const { text, afterString } = this;
    if (kind === 'syntax' && at >= text.length)
      return { ok: false, kind: 'end', at: text.length, detail, afterString };
    return { ok: false, kind, at, detail, afterString };
  }
}
