/**
 * What does a reply say under its contract? One reading, or a refusal that says why there is none. Strict JSON is
 * handed on byte for byte; everything else is located, repaired where one reading remains, and checked whole.
 *
 * Pure: no I/O, no clock, no exception for any input.
 */

import { type Refused, refuse } from './fault.ts';
import { type JsonNode, stringOf } from './json-node.ts';
import { wants } from './locate/candidates.ts';
import { type Located, locate, readTextAfter, type TextAfter } from './locate/locate.ts';
import { readOpening } from './locate/opening.ts';
import { leaveOut, REPAIR_CLASSES, type ReadResult, type Repair, type RepairKind } from './reading.ts';
import { applyRepairs, originOf } from './repair/apply-repairs.ts';
import { explain } from './repair/explain.ts';
import { memberLaidOutOtherwise, splitByQuotedMembers } from './repair/quotes.ts';
import { repairObject } from './repair/repair-object.ts';
import type { ReplyContract } from './reply-contract.ts';
import { type Parsed, type ParseFault, parseJson, skipWhiteSpace } from './strict/parse-json.ts';

/** What is known of how the reply ended. */
export interface ReadOptions {
  /** `length`: the model was stopped, so the text is a cut whatever it looks like. */
  readonly finish?: 'stop' | 'length';
}

/** Repairs that leave the text inside the object as it is, and no text around it that may have held it. */
const WRAPPING: ReadonlySet<RepairKind> = new Set(REPAIR_CLASSES.wrapping.filter((kind) => kind !== 'prose'));

/** Decides the one reading of `text` under `contract`. */
export function readReply(text: string, contract: ReplyContract, options: ReadOptions = {}): ReadResult {
  const { limits } = contract;
  if (text.length > limits.strictCodeUnits) return tooLarge(text, limits.strictCodeUnits);
  const start = skipWhiteSpace(text, text.charCodeAt(0) === 0xfeff ? 1 : 0);
  if (start === text.length) return refuse('empty', text.length, 'the reply is empty');
  if (options.finish === 'length') return readStopped(text);
  const parsed = parseJson(text, start, limits.depth);
  if (parsed.ok && skipWhiteSpace(text, parsed.root.end) === text.length) {
    const mark = text.charCodeAt(0) === 0xfeff ? [leaveOut(text, 0, 1, 'bom')] : [];
    const decoded = parsed.root.kind === 'string' ? readDecoded(text, parsed.root, contract) : undefined;
    return decoded ?? readStrict(text, parsed, mark, contract);
  }
  // refuse: these faults are of text that no repair would change.
  if (!parsed.ok && (parsed.kind === 'duplicate' || parsed.kind === 'deep'))
    return refuseParse(parsed, parsed.at);
  if (text.length > limits.repairCodeUnits) return tooLarge(text, limits.repairCodeUnits);
  const located = locate(text, contract);
  return located.ok ? readLocated(text, located, contract) : located;
}

/** A reply that the model did not end itself. */
function readStopped(text: string): Refused {
  if (readOpening(text, () => false).onlyReasoning)
    return refuse('empty', text.length, 'only reasoning, no answer after it');
  return refuse('cut', text.length, 'the reply was stopped at its length limit');
}

/** A whole reply that is a JSON string which holds the reply, where the contract wants no string. */
function readDecoded(text: string, root: JsonNode, contract: ReplyContract): ReadResult | undefined {
  if (contract.shape.alternatives.some(({ kinds }) => kinds.has('string'))) return undefined;
  const inner = stringOf(text, root);
  if (!/^\s*[{[`]/.test(inner)) return undefined;
  const result = readReply(inner, contract);
  if (!result.ok) return { ok: false, fault: { ...result.fault, at: root.start } };
  const { start, end } = root;
  if (!contract.repair.has('double_encoded')) return undefined;
  return {
    ...result,
    repairs: [{ kind: 'double_encoded', start, end, before: text.slice(start, end), after: result.text }],
  };
}

function readStrict(
  text: string,
  parsed: Parsed,
  mark: readonly Repair[],
  contract: ReplyContract,
): ReadResult {
  const { start, end } = parsed.root;
  // The tree is over the text it was read from; it is read again only where that is not the whole slice.
  const known = start === 0 && mark.length === 0 ? parsed : undefined;
  return readFound(text, start, end, mark, contract, known);
}

function readLocated(text: string, located: Located, contract: ReplyContract): ReadResult {
  const { start } = located;
  // The same end is asked about by several explanations, and once more by the one that stands.
  const tails = new Map<number, TextAfter>();
  const tailFrom = (end: number): TextAfter => {
    const tail = tails.get(end) ?? readTextAfter(text, end, located, contract);
    tails.set(end, tail);
    return tail;
  };
  const readBetween = (end: number, inside: readonly Repair[]): ReadResult => {
    const tail = tailFrom(end);
    if (!tail.ok) return tail;
    return readFound(text, start, end, [...located.repairs, ...inside, ...tail.repairs], contract);
  };
  const strict = parseJson(text, start, contract.limits.depth);
  let after: ReadResult | undefined;
  if (strict.ok) {
    after = readBetween(strict.root.end, []);
    // The object may be quoted in a string of a larger one that is damaged.
    if (after.ok || after.fault.code !== 'text_after') return after;
  } else if (strict.kind === 'deep' || strict.kind === 'end') return refuseParse(strict, strict.at);
  else if (strict.kind === 'duplicate' && explain(text, start, new Map(), contract.limits.depth).ok) {
    return refuseParse(strict, strict.at);
  }
  const repaired = repairObject(text, start, contract, (end) => {
    const tail = tailFrom(end);
    if (tail.ok) return 'yes';
    return tail.fault.code === 'second_object' ? 'second_object' : 'no';
  });
  if (repaired.ok) return readBetween(repaired.end, repaired.repairs);
  return repaired.fault.code === 'text_after' ? (after ?? repaired) : repaired;
}

/** Checks the value that the reply holds at `start..end` once the repairs are applied. */
function readFound(
  text: string,
  start: number,
  end: number,
  repairs: readonly Repair[],
  contract: ReplyContract,
  known?: Parsed,
): ReadResult {
  const json = known === undefined ? applyRepairs(text, start, end, repairs) : text.slice(start, end);
  const parsed = known ?? parseJson(json, 0, contract.limits.depth);
  if (!parsed.ok) return refuseParse(parsed, originOf(parsed.at, start, repairs));
  const { root } = parsed;
  const item = root.items[0];
  if (
    root.kind === 'list' &&
    root.items.length === 1 &&
    item?.kind === 'object' &&
    !wants(contract, 'list')
  ) {
    return readOneItem(text, start, end, item, repairs, contract);
  }
  const forbidden = repairs.find((repair) => !contract.repair.has(repair.kind));
  if (forbidden !== undefined) {
    return refuse(
      'repair_refused',
      forbidden.start,
      `the contract does not allow the repair ${forbidden.kind}`,
    );
  }
  if (repairs.length > contract.limits.repairs) {
    return refuse('repair_budget', start, `more than ${contract.limits.repairs} repairs`);
  }
  const split = repairs.length > 0 ? splitByQuotedMembers(json, root) : -1;
  if (split !== -1) {
    return refuse(
      'ambiguous_repair',
      originOf(split, start, repairs),
      'a string may go on over quoted members after it',
    );
  }
  const quotes = repairs.some(({ kind }) => kind === 'inner_quote');
  const odd = quotes ? memberLaidOutOtherwise(json, root) : -1;
  if (odd !== -1) {
    return refuse(
      'ambiguous_repair',
      originOf(odd, start, repairs),
      'a member laid out unlike the others may be quoted',
    );
  }
  const closed = repairs.some((repair) => !WRAPPING.has(repair.kind));
  const fault = contract.check(json, root, closed);
  if (fault !== undefined) return { ok: false, fault: { ...fault, at: originOf(fault.at, start, repairs) } };
  return { ok: true, text: json, root, repairs, suspectEscapes: parsed.suspectEscapes };
}

/** A list of exactly one object where the contract wants an object: the brackets are left out. */
function readOneItem(
  text: string,
  start: number,
  end: number,
  item: JsonNode,
  repairs: readonly Repair[],
  contract: ReplyContract,
): ReadResult {
  const itemStart = originOf(item.start, start, repairs);
  const itemEnd = originOf(item.end, start, repairs);
  const brackets = [
    leaveOut(text, start, itemStart, 'one_item_list'),
    leaveOut(text, itemEnd, end, 'one_item_list'),
  ];
  const all = [...repairs, ...brackets].toSorted((a, b) => a.start - b.start);
  return readFound(text, itemStart, itemEnd, all, contract);
}

function refuseParse(fault: ParseFault, at: number): Refused {
  const more = { path: fault.path, ...(fault.key === undefined ? {} : { key: fault.key }) };
  switch (fault.kind) {
    case 'duplicate':
      return refuse('duplicate_key', at, `the key ${JSON.stringify(fault.key)} comes twice`, more);
    case 'deep':
      return refuse('too_deep', at, 'nested too deep', more);
    case 'end':
      return refuse('cut', at, `the reply ends inside the object: ${fault.detail} expected`, more);
    case 'syntax':
      return refuse('malformed', at, `${fault.detail} expected`, more);
  }
}

function tooLarge(text: string, limit: number): Refused {
  return refuse('too_large', limit, `${text.length} code units; ${limit} are allowed`);
}
