/**
 * What does the damaged object at a place say under its contract? First the plain explanation, in which every quote
 * is what it seems; only where that is none are the others searched.
 */

import { type Fault, type Refused, refuse } from '../fault.ts';
import type { Repair } from '../reading.ts';
import type { ReplyContract } from '../reply-contract.ts';
import { type Explained, explain, type Unexplained } from './explain.ts';
import type { LateClose } from './explanation.ts';
import { Frame } from './frame.ts';
import { doubtQuotes, endsLikeQuotation } from './quotes.ts';
import { type EndsReply, type FailedEnd, search } from './search.ts';
import { closersOf, nextCloser } from './tokens.ts';

/** The object's end in the reply, and the repairs inside it. */
export interface RepairedObject {
  readonly ok: true;
  readonly end: number;
  readonly repairs: readonly Repair[];
}

/** Characters of each rival shown in a refusal. */
const RIVAL_LENGTH = 60;

/**
 * Repairs the object at `start`. `endsReply` says whether a reply may end at an offset. Faults: `cut`, `malformed`,
 * `repair_refused`, `ambiguous_repair`, `second_object`, `too_deep`, `repair_budget`.
 */
export function repairObject(
  text: string,
  start: number,
  contract: ReplyContract,
  endsReply: EndsReply,
): RepairedObject | Refused {
  const plain = explain(text, start, new Map(), contract.limits.depth);
  if (plain.ok) {
    const ends = endsReply(plain.end);
    if (ends === 'second_object')
      return refuse('second_object', plain.end, 'another object that could be the reply');
    if (ends === 'yes') return accept(plain);
  } else if (plain.kind !== 'syntax' || !plain.afterString) return refusePlain(plain);
  const result = search(text, start, Frame.root(contract.shape), endsReply);
  switch (result.kind) {
    case 'found':
      return acceptLate(text, start, result.late, result.failedEnds, contract);
    case 'ambiguous': {
      const [one, other] = result.rivals;
      const at = (one ?? other)?.open ?? start;
      const rivals = [shown(text, one, other), shown(text, other, one)];
      return refuse('ambiguous_repair', at, 'the quotes can be read in two ways that both conform', {
        rivals,
      });
    }
    case 'duplicate': {
      const { key, at } = result.repeated;
      return refuse('duplicate_key', at, `the key ${JSON.stringify(key)} comes twice`, { key, path: [key] });
    }
    case 'second_object':
      return refuse('second_object', result.at, 'another object that could be the reply');
    case 'budget':
      return refuse('repair_budget', start, 'too many explanations to compare');
    case 'none':
      if (plain.ok)
        return refuse('text_after', plain.end, 'the text after the object does not follow a whole reply');
      if (result.open) return refuse('cut', text.length, 'the reply ends inside the object');
      return refusePlain(plain);
  }
}

function accept(explained: Explained): RepairedObject | Refused {
  if (explained.fault !== undefined) return { ok: false, fault: explained.fault };
  return { ok: true, end: explained.end, repairs: explained.repairs };
}

function acceptLate(
  text: string,
  start: number,
  late: LateClose | undefined,
  failedEnds: readonly FailedEnd[],
  contract: ReplyContract,
): RepairedObject | Refused {
  const closes = new Map<number, number>();
  for (let string = late; string !== undefined; string = string.before) {
    closes.set(string.open, string.close);
    const doubt = doubtOf(text, string, failedEnds);
    if (doubt !== undefined) return { ok: false, fault: doubt };
  }
  const explained = explain(text, start, closes, contract.limits.depth);
  if (!explained.ok) return refusePlain(explained);
  if (
    late !== undefined &&
    endsLikeQuotation(withoutLate(text, start, explained.end, closes), 0, explained.end)
  ) {
    return refuse(
      'ambiguous_repair',
      start,
      'a string ends like text before a quotation: its last quote may open one',
    );
  }
  return accept(explained);
}

/** The text with the contents of the strings that close late left blank. */
function withoutLate(text: string, start: number, end: number, closes: ReadonlyMap<number, number>): string {
  let out = '';
  let from = start;
  for (const [open, close] of [...closes].toSorted(([a], [b]) => a - b)) {
    out += `${text.slice(from, open)}""`;
    from = close + 1;
  }
  return out + text.slice(from, end);
}

/** Whether the string's inner quotes have another explanation that no contract excludes. */
function doubtOf(text: string, string: LateClose, failedEnds: readonly FailedEnd[]): Fault | undefined {
  const { open, close, inList } = string;
  const closer = text.charAt(close);
  const first = nextCloser(text, open + 1, closersOf(text.charAt(open)));
  // Closing at its first quote completed the whole reply: the string may quote such a completion.
  const completed = failedEnds.find(
    ({ end, late }) => end > first && end <= close && closeOf(late, open) === undefined,
  );
  if (completed !== undefined) {
    // refuse: nothing but closers is left, so they may be what is too much.
    if (/^[\s"'\]})]*$/.test(text.slice(completed.end))) {
      return refuse('ambiguous_repair', first, 'the reply may end here, with stray closers after it').fault;
    }
  }
  const from = completed?.end ?? open + 1;
  const doubt = doubtQuotes(text, { start: from, end: close, closer, inList });
  return doubt === undefined ? undefined : refuse('ambiguous_repair', doubt.at, doubt.detail).fault;
}

function closeOf(late: LateClose | undefined, open: number): number | undefined {
  for (let string = late; string !== undefined; string = string.before)
    if (string.open === open) return string.close;
  return undefined;
}

/** The first string that an explanation reads otherwise than its rival. */
function shown(text: string, one: LateClose | undefined, other: LateClose | undefined): string {
  let differs: LateClose | undefined;
  for (let string = one; string !== undefined; string = string.before) {
    if (closeOf(other, string.open) !== string.close) differs = string;
  }
  if (differs === undefined) return 'each string ends at its first quote';
  const content = text.slice(differs.open + 1, differs.close);
  return content.length <= RIVAL_LENGTH
    ? content
    : `${content.slice(0, RIVAL_LENGTH / 2)} … ${content.slice(-RIVAL_LENGTH / 2)}`;
}

function refusePlain({ kind, at, detail, afterString }: Unexplained): Refused {
  if (kind === 'end') return refuse('cut', at, `the reply ends inside the object: ${detail} expected`);
  if (kind === 'deep') return refuse('too_deep', at, 'nested too deep');
  // After a string, a quote in it may be content: then it is the repair that has no reading.
  return refuse(afterString ? 'repair_refused' : 'malformed', at, `${detail} expected`);
}
