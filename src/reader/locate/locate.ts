/**
 * Where in a reply is the reply object? Leading (it opens the text, wrapping aside), in a list that opens the text,
 * or in prose. Two objects that could be the reply are two explanations: refuse. An object is only taken if the
 * text after it may follow a whole reply.
 */

import { type Refused, refuse } from '../fault.ts';
import type { JsonNode } from '../json-node.ts';
import { leaveOut, type Repair } from '../reading.ts';
import { endsLikeQuotation } from '../repair/quotes.ts';
import type { ReplyContract } from '../reply-contract.ts';
import { skipWhiteSpace } from '../strict/parse-json.ts';
import { findCandidates, hasContractKey, wants } from './candidates.ts';
import { type Opening, readOpening } from './opening.ts';
import { judgeTextAfter } from './text-after.ts';

/** A place where the reply object starts. */
export interface Located {
  readonly ok: true;
  /** Offset of its first bracket. */
  readonly start: number;
  /** What was left out before it. */
  readonly repairs: readonly Repair[];
  /** The marks of the fence that it stands in. */
  readonly fence: string | undefined;
}

/** What leaves the text after the object out, or why it cannot follow a whole reply. */
export type TextAfter = { readonly ok: true; readonly repairs: readonly Repair[] } | Refused;

const FENCE_BEFORE = /(`{3,}|~{3,})[ \t]*[A-Za-z0-9_+.-]{0,20}\s*$/;
const QUOTE_BEFORE = /["'“‘]\s*$/;

/** Finds the start of the reply object; linear. Faults: `empty`, `no_object`, `second_object`. */
export function locate(text: string, contract: ReplyContract): Located | Refused {
  const opening = readOpening(text, (from, tagAt) => {
    if (text.charAt(from) === '{' || text.charAt(from) === '[') return false;
    // The tag may stand in a string of an object that opened before it: then it ends nothing.
    return findCandidates(text.slice(0, tagAt), from, contract).broken === undefined;
  });
  if (opening.onlyReasoning) return refuse('empty', text.length, 'only reasoning, no answer after it');
  if (opening.at >= text.length && opening.repairs.some(({ kind }) => kind === 'reasoning')) {
    return refuse('empty', text.length, 'no answer after the reasoning');
  }
  const first = text.charAt(opening.at);
  if (first === '{' || (first === '[' && leadsList(text, opening, contract))) {
    return { ok: true, start: opening.at, repairs: opening.repairs, fence: opening.fence };
  }
  return inProse(text, opening, contract);
}

/**
 * Judges what follows the object that ends at `end`: the repairs that leave it out, or the refusal. Faults:
 * `text_after`, `second_object`.
 */
export function readTextAfter(text: string, end: number, from: Located, contract: ReplyContract): TextAfter {
  if (skipWhiteSpace(text, end) === text.length) return { ok: true, repairs: [] };
  const { whole, broken, literals } = findCandidates(text, end, contract);
  for (const other of whole) {
    // refuse: a second object with keys of the contract is a second explanation.
    if (hasContractKey(other, contract)) {
      return refuse('second_object', other.start, 'another object that could be the reply');
    }
  }
  const unfinished = broken?.start ?? literals[0];
  if (unfinished !== undefined)
    return refuse('second_object', unfinished, 'another object begins after the reply');
  const masked = withBlanks(text, whole);
  const refused = judgeTextAfter(masked, end, from.fence, endsLikeQuotation(text, from.start, end));
  if (refused !== undefined) return refuse('text_after', refused.at, refused.detail);
  const onlyFence = from.fence !== undefined && /^\s*[`~]+\s*$/.test(text.slice(end));
  return { ok: true, repairs: [leaveOut(text, end, text.length, onlyFence ? 'fence' : 'prose')] };
}

/** The text with these objects blanked out, of the same length. */
function withBlanks(text: string, objects: readonly JsonNode[]): string {
  if (objects.length === 0) return text;
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of objects) {
    parts.push(text.slice(from, start), ' '.repeat(end - start));
    from = end;
  }
  parts.push(text.slice(from));
  return parts.join('');
}

function inProse(text: string, opening: Opening, contract: ReplyContract): Located | Refused {
  const { whole, broken, literals } = findCandidates(text, opening.at, contract);
  const keyed = whole.filter((node) => hasContractKey(node, contract));
  const starts = [...keyed, ...(broken === undefined ? [] : [broken])].map(({ start }) => start);
  const [first, second] = [...starts, ...literals].toSorted((a, b) => a - b);
  if (second !== undefined) return refuse('second_object', second, 'another object that could be the reply');
  const only = first === undefined ? (whole.length === 1 ? whole[0] : undefined) : { start: first };
  if (only === undefined) return refuse('no_object', opening.at, 'no JSON object in the reply');
  const before = text.slice(opening.at, only.start);
  // refuse: an object in quotes is quoted.
  if (QUOTE_BEFORE.test(before)) {
    return refuse('no_object', only.start, 'the only object in the reply stands in quotes');
  }
  const repairs = [...opening.repairs, leaveOut(text, opening.at, only.start, 'prose')];
  const fence = opening.fence ?? FENCE_BEFORE.exec(before)?.[1];
  return { ok: true, start: only.start, repairs, fence };
}

/** True where a leading `[` may hold the reply: the contract wants a list, or the list holds an object. */
function leadsList(text: string, opening: Opening, contract: ReplyContract): boolean {
  if (wants(contract, 'list')) return true;
  return text.charAt(skipWhiteSpace(text, opening.at + 1)) === '{';
}
