/**
 * What does a cut reply say together with its continuation? A continuation may go on exactly, repeat the end of
 * what there was, restate the whole reply, wrap itself in a fence, or add nothing. Each of these is an explanation;
 * if those that hold the contract say different things, there is no reading.
 */

import { canonicalNode } from '../contract/canonical-value.ts';
import { type Refused, refuse } from '../reader/fault.ts';
import { readReply } from '../reader/read-reply.ts';
import type { Reading, ReadResult } from '../reader/reading.ts';
import type { ReplyContract } from '../reader/reply-contract.ts';

/** Code units of the joint in which a repetition is looked for. */
const MAX_OVERLAP = 16_384;
/** More repetitions than this at one joint are noise. */
const MAX_OVERLAPS = 8;
/** A repetition that starts inside a word is one only if it is at least this long. */
const MIN_OVERLAP_INSIDE_WORD = 8;

const FENCED = /^\s*(?:`{3,}|~{3,})[A-Za-z0-9_-]*[ \t]*\n?([\s\S]*?)(?:\n?[ \t]*(?:`{3,}|~{3,})\s*)?$/;
/** White space, fence marks and closing brackets add nothing to a reply that is whole. */
const ADDS_NOTHING = /^[\s`~}\]]*$/;
const PREAMBLE =
  /^\s*(?:sure|certainly|of course|ok|okay|here|continu\w*|the rest|going on|as requested)\b[^\n"{}[\]]*(?::|\.\.\.|…)?[ \t]*\n/i;

/**
 * The one reading of `partial` and its continuation. Refuses `cut` where the continuation is cut as well, where no
 * explanation holds the contract, and where two hold and differ. Offsets are those of the joined text.
 */
export function joinContinuation(
  partial: string,
  continuation: string,
  contract: ReplyContract,
  options: { readonly finish: 'stop' | 'length' },
): ReadResult {
  const at = partial.length;
  if (options.finish === 'length') return refuse('cut', at, 'the continuation was cut as well');
  if (PREAMBLE.test(continuation)) {
    return refuse(
      'cut',
      at,
      'the continuation starts with words about itself, so where it goes on is not certain',
    );
  }
  const explanations = joinedTexts(partial, continuation, contract);
  if (explanations === undefined) return refuse('cut', at, 'the continuation repeats in too many ways');
  const readings = new Map<string, Reading>();
  let first: Refused | undefined;
  for (const text of explanations) {
    const result = readReply(text, contract);
    if (result.ok) readings.set(canonicalNode(result.text, result.root), result);
    else first ??= result;
  }
  const [only, other] = readings.values();
  // refuse: two explanations that say different things.
  if (only !== undefined && other !== undefined) {
    return refuse('cut', at, 'the continuation can be joined in two ways', {
      rivals: [only.text.slice(-80), other.text.slice(-80)],
    });
  }
  if (only !== undefined) return only;
  const why = first === undefined ? '' : `: ${first.fault.detail}`;
  return refuse('cut', first?.fault.at ?? at, `the continued reply cannot be read${why}`, {
    path: first?.fault.path ?? [],
  });
}

/** Every text that the two pieces can mean; undefined where there are too many. */
function joinedTexts(
  partial: string,
  continuation: string,
  contract: ReplyContract,
): ReadonlySet<string> | undefined {
  const texts = new Set<string>();
  const bodies = new Set([continuation, FENCED.exec(continuation)?.[1] ?? continuation]);
  for (const body of bodies) {
    texts.add(partial + body);
    texts.add(body);
    const overlaps = overlapsOf(partial, body);
    if (overlaps.length > MAX_OVERLAPS) return undefined;
    for (const overlap of overlaps) texts.add(partial + body.slice(overlap));
  }
  // A continuation that is a whole reply restates the partial, which then must not say something else.
  const restates = [...bodies].some((body) => readReply(body, contract).ok);
  if (restates || ADDS_NOTHING.test(continuation)) texts.add(partial);
  return texts;
}

/** The lengths of every end of `partial` that `body` may be repeating; linear in {@link MAX_OVERLAP}. */
function overlapsOf(partial: string, body: string): readonly number[] {
  const head = body.slice(0, MAX_OVERLAP);
  const tail = partial.slice(-MAX_OVERLAP);
  const lengths: number[] = [];
  for (
    let length = longestOverlap(head, tail);
    length > 0;
    length = longestOverlap(head.slice(0, length - 1), tail)
  ) {
    if (isRepetition(partial, length)) lengths.push(length);
    if (lengths.length > MAX_OVERLAPS) break;
  }
  return lengths;
}

/** The longest prefix of `head` that `tail` ends with (Knuth, Morris, Pratt). */
function longestOverlap(head: string, tail: string): number {
  const failure = new Int32Array(head.length + 1);
  for (let i = 1, k = 0; i < head.length; i += 1) {
    while (k > 0 && head.charCodeAt(i) !== head.charCodeAt(k)) k = failure[k] ?? 0;
    if (head.charCodeAt(i) === head.charCodeAt(k)) k += 1;
    failure[i + 1] = k;
  }
  let matched = 0;
  for (let i = 0; i < tail.length; i += 1) {
    if (matched === head.length) matched = failure[matched] ?? 0;
    while (matched > 0 && tail.charCodeAt(i) !== head.charCodeAt(matched)) matched = failure[matched] ?? 0;
    if (matched < head.length && tail.charCodeAt(i) === head.charCodeAt(matched)) matched += 1;
  }
  return matched;
}

function isRepetition(partial: string, length: number): boolean {
  if (length >= MIN_OVERLAP_INSIDE_WORD) return true;
  const start = partial.length - length;
  const inWord = (at: number): boolean => /[\p{L}\p{N}]/u.test(partial.charAt(at));
  return !(start > 0 && inWord(start - 1) && inWord(start));
}
