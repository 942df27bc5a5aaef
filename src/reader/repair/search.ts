/**
 * Which explanation of a damaged object stands? An explanation chooses for each quote whether it is structure or
 * content; the contract throws out those that it forbids. Two costs are compared: strings left unbalanced, and
 * structure swallowed as content. The explanation that no other one beats on either cost stands, if it is the only
 * one so placed; otherwise none does.
 *
 * Best first by what is swallowed: explanations that swallow nothing are followed first, and those that stand at the
 * same place in the same frames are one from there on, the cheaper standing for both.
 */

import { skipWhiteSpace } from '../strict/parse-json.ts';
import type { Explanation, LateClose, RepeatedKey } from './explanation.ts';
import type { Frame } from './frame.ts';
import { Meetings } from './meetings.ts';
import { advance, type Balance, isBalanced, NOTHING_OPEN, swallows } from './string-path.ts';
import { closersOf, nextCloser, readKey, readScalar, skipGap, skipGapAfterValue } from './tokens.ts';

/** What the search asks of its caller: may the reply end after this offset? */
export type EndsReply = (at: number) => 'yes' | 'no' | 'second_object';

export type SearchResult =
  | {
      readonly kind: 'found';
      readonly late: LateClose | undefined;
      readonly failedEnds: readonly FailedEnd[];
    }
  | { readonly kind: 'ambiguous'; readonly rivals: readonly [LateClose | undefined, LateClose | undefined] }
  /** No explanation conforms. `open`: one of them ends inside the object, with the text. */
  | { readonly kind: 'none'; readonly open: boolean }
  | { readonly kind: 'second_object'; readonly at: number }
  /** An explanation that repeats a key is as good as any other on both costs. */
  | { readonly kind: 'duplicate'; readonly repeated: RepeatedKey }
  | { readonly kind: 'budget' };

/** A whole object was there, but what follows does not follow a whole reply. */
export interface FailedEnd {
  readonly end: number;
  readonly late: LateClose | undefined;
}

/** Quotes and tokens looked at before the search gives up: a share for the text's length, and a ceiling. */
const MIN_STEPS = 4000;
const STEPS_PER_CODE_UNIT = 4;
const MAX_STEPS = 24_000;
/** Passing over 2^6 code units costs as much as one step. */
const COST_SHIFT = 6;
/** More structure than this is not swallowed by one reply's strings. */
const MAX_SWALLOWED = 24;

/** An explanation inside a string, past a closer that it takes for content. */
interface InString {
  readonly from: Explanation;
  readonly open: number;
  readonly closers: string;
  /** Where the next closer is looked for. */
  readonly at: number;
  readonly inner: number;
  readonly balance: Balance;
  /** Up to where `balance` is worked out. */
  readonly balancedTo: number;
}

type Final = Pick<Explanation, 'unbalanced' | 'late' | 'repeated' | 'via'>;

/** Searches the explanations of the value at `start`. Cost is bounded by a number of steps. */
export function search(text: string, start: number, root: Frame, endsReply: EndsReply): SearchResult {
  return new Search(text, endsReply).run(start, root);
}

class Search {
  private readonly text: string;
  private readonly endsReply: EndsReply;
  private readonly maxSteps: number;
  private steps = 0;
  private swallowed = 0;
  private states: Explanation[] = [];
  private readonly later: InString[][] = [];
  private readonly meetings = new Meetings();
  private finals: Final[] = [];
  /** The best explanation that repeats a key. */
  private repeating: Final | undefined;
  private readonly failedEnds: FailedEnd[] = [];
  private open = false;
  private secondObject = -1;

  constructor(text: string, endsReply: EndsReply) {
    this.text = text;
    this.maxSteps = Math.min(MAX_STEPS, MIN_STEPS + STEPS_PER_CODE_UNIT * text.length);
    this.endsReply = endsReply;
  }

  run(start: number, root: Frame): SearchResult {
    this.states.push({
      awaited: 'value',
      at: start,
      frame: root,
      unbalanced: 0,
      late: undefined,
      repeated: undefined,
      via: undefined,
    });
    let best: Final | undefined;
    for (this.swallowed = 0; this.swallowed <= MAX_SWALLOWED; this.swallowed += 1) {
      for (const string of this.later[this.swallowed] ?? []) this.throughString(string);
      for (let state = this.states.pop(); state !== undefined; state = this.states.pop()) {
        this.follow(state);
        if (this.steps > this.maxSteps) return { kind: 'budget' };
      }
      if (this.secondObject !== -1) return { kind: 'second_object', at: this.secondObject };
      const verdict = this.compare(best);
      if (verdict.kind !== 'go on') return verdict;
      ({ best } = verdict);
      // refuse: a reply that ends inside the object is a cut, not a swallowed rest.
      if (best === undefined && this.open) break;
      if (this.later.slice(this.swallowed + 1).every((strings) => strings.length === 0)) break;
    }
    if (best !== undefined) return this.found(best);
    if (this.repeating?.repeated !== undefined)
      return { kind: 'duplicate', repeated: this.repeating.repeated };
    return { kind: 'none', open: this.open };
  }

  /** Compares the explanations that are whole at this cost with the best one that swallows less. */
  private compare(
    best: Final | undefined,
  ): SearchResult | { readonly kind: 'go on'; readonly best: Final | undefined } {
    const finals = this.finals.toSorted((a, b) => a.unbalanced - b.unbalanced);
    this.finals = [];
    const repeating = finals.find(({ repeated }) => repeated !== undefined);
    if (repeating !== undefined && repeating.unbalanced < (this.repeating?.unbalanced ?? Infinity))
      this.repeating = repeating;
    const [first, second] = finals.filter(({ repeated }) => repeated === undefined);
    if (first === undefined) return { kind: 'go on', best };
    if (best !== undefined) {
      // Each wins on one cost: refuse. Otherwise the one that swallows less is at least as good on both.
      if (first.unbalanced < best.unbalanced) return { kind: 'ambiguous', rivals: [best.late, first.late] };
      return { kind: 'go on', best };
    }
    if (second !== undefined && second.unbalanced === first.unbalanced) {
      return { kind: 'ambiguous', rivals: [first.late, second.late] };
    }
    for (let via = first.via; via !== undefined; via = via.before) {
      if (via.tied !== false) return { kind: 'ambiguous', rivals: [first.late, via.tied] };
    }
    const { repeating: rival } = this;
    // refuse: an explanation that repeats a key and is as good as this one on both costs.
    if (rival?.repeated !== undefined && rival.unbalanced <= first.unbalanced) {
      return { kind: 'duplicate', repeated: rival.repeated };
    }
    return first.unbalanced === 0 ? this.found(first) : { kind: 'go on', best: first };
  }

  private found({ late }: Final): SearchResult {
    return { kind: 'found', late, failedEnds: this.failedEnds };
  }

  /** Follows an explanation through structure, up to the next string or its end. */
  private follow(from: Explanation): void {
    const { text } = this;
    let { at, awaited, frame, repeated } = from;
    for (;;) {
      this.steps += 1;
      if (frame.kind === 'root' && awaited === 'next') {
        this.end({ ...from, repeated }, at);
        return;
      }
      const gap = at;
      at = awaited === 'next' ? skipGapAfterValue(text, at) : skipGap(text, at);
      this.steps += (at - gap) >> COST_SHIFT;
      if (at >= text.length) {
        this.open = true;
        return;
      }
      const c = text.charAt(at);
      const closer = frame.kind === 'object' ? '}' : ']';
      let next: Frame | undefined;
      if (awaited === 'value') {
        const closers = closersOf(c);
        if (closers !== '') {
          const state: Explanation = { ...from, at, awaited, frame, repeated };
          const first = at + 1;
          const balance = NOTHING_OPEN;
          this.throughString({
            from: state,
            open: at,
            closers,
            at: first,
            inner: 0,
            balance,
            balancedTo: first,
          });
          return;
        }
        if (c === '{' || c === '[') {
          next = frame.open(c === '{' ? 'object' : 'list');
          awaited = 'first';
          at += 1;
        } else {
          const scalar = readScalar(text, at);
          if (scalar === undefined) return;
          // A number has many spellings: whether it is one of the values listed is for the check.
          next = frame.withValue(scalar.kind, scalar.kind === 'number' ? undefined : scalar.text);
          awaited = 'next';
          at = scalar.end;
        }
      } else if (c === closer) {
        next = frame.close();
        awaited = 'next';
        at += 1;
      } else {
        if (awaited === 'next') {
          if (c !== ',') return;
          at = skipGap(text, at + 1);
          // A trailing comma: the closer is looked at once more.
          if (text.charAt(at) === closer) continue;
        }
        awaited = 'value';
        if (frame.kind === 'list') continue;
        const key = readKey(text, at);
        if (key === undefined) return;
        const colon = skipGap(text, key.end);
        if (text.charAt(colon) !== ':') return;
        if (frame.hasKey(key.key)) repeated ??= { key: key.key, at };
        next = frame.withKey(key.key);
        at = colon + 1;
      }
      // The contract throws the explanation out.
      if (next === undefined) return;
      frame = next;
    }
  }

  /** Follows an explanation from closer to closer of a string, leaving a state behind wherever it may close. */
  private throughString(string: InString): void {
    const { text } = this;
    const { from, closers } = string;
    let { at, inner, balance, balancedTo } = string;
    while (this.steps <= this.maxSteps) {
      const closer = nextCloser(text, at, closers);
      this.steps += 1 + (((closer === -1 ? text.length : closer) - at) >> COST_SHIFT);
      if (closer === -1) {
        if (inner === 0) this.open = true;
        return;
      }
      if (this.mayFollowValue(closer + 1, from.frame)) {
        if (inner > 0) {
          balance = advance(balance, text, balancedTo, closer);
          this.steps += (closer - balancedTo) >> COST_SHIFT;
          balancedTo = closer;
        }
        this.closeString(string, closer, inner, isBalanced(balance));
      }
      at = closer + 1;
      inner += 1;
      if (swallows(text, closer, from.frame)) {
        const cost = this.swallowed + 1;
        this.later[cost] ??= [];
        this.later[cost].push({ ...string, at, inner, balance, balancedTo });
        return;
      }
    }
  }

  private closeString(string: InString, close: number, inner: number, balanced: boolean): void {
    const { from, open } = string;
    const content = this.text.slice(open + 1, close);
    const listed =
      from.frame.awaited.some(({ values }) => values !== undefined) && !/[\\\p{Cc}]/u.test(content);
    const frame = from.frame.withValue('string', listed ? JSON.stringify(content) : undefined);
    if (frame === undefined) return;
    const late: LateClose | undefined =
      inner === 0 ? from.late : { open, close, inList: from.frame.kind === 'list', before: from.late };
    const met = this.meetings.meet(this.swallowed, {
      awaited: 'next',
      at: close + 1,
      frame,
      unbalanced: from.unbalanced + (inner > 0 && !balanced ? 1 : 0),
      late,
      repeated: from.repeated,
      via: from.via,
    });
    if (met !== undefined) this.states.push(met);
  }

  private end(explanation: Explanation, at: number): void {
    const verdict = this.endsReply(at);
    if (verdict === 'yes') this.finals.push(explanation);
    else this.failedEnds.push({ end: at, late: explanation.late });
    // refuse: two objects, one after the other, are an explanation too.
    if (verdict === 'second_object' && this.secondObject === -1) this.secondObject = at;
  }

  /** A cheap look: {@link follow} goes through comments. */
  private mayFollowValue(after: number, frame: Frame): boolean {
    const at = skipWhiteSpace(this.text, after);
    const c = this.text.charCodeAt(at);
    if (c === 0x2c || c === 0x2f || c === 0x23 || !(c < 0xa0)) return true;
    return c === (frame.kind === 'list' ? 0x5d : 0x7d) || frame.kind === 'root';
  }
}
