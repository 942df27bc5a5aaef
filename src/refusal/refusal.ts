/** What is a refused exchange told as? One value with every detail that the error body, the log and metrics need. */

import type { Fault } from '../reader/fault.ts';
import { pathText } from '../reader/span.ts';
import { REFUSALS, type RefusalCode } from './catalogue.ts';

/** Longest key or path, and longest detail, in a message; UTF-16 code units. */
const MAX_NAME = 200;
const MAX_DETAIL = 400;

/** These are about the whole reply, or about none. */
const WITHOUT_PLACE: ReadonlySet<RefusalCode> = new Set([
  'empty',
  'declined',
  'content_filter',
  'unsupported',
]);

/** The first attempt's fault, where a second attempt was made. */
interface FirstFault {
  readonly code: RefusalCode;
  readonly at: number;
}

/** A refused exchange, as the error body, the refusal log and the admin plane tell it. */
export interface Refusal {
  readonly code: RefusalCode;
  /** A sentence that says what is wrong, where, and what is allowed. */
  readonly message: string;
  /** The key at fault, or the path of the value, or null. */
  readonly param: string | null;
  readonly route: string | null;
  readonly choice: number;
  /** Offset in the refused reply, UTF-16 code units. */
  readonly at: number;
  readonly path: string;
  readonly calls: number;
  readonly refusalId: string;
  readonly first: FirstFault | undefined;
  /** Why there is no second reply, where the second attempt failed upstream. */
  readonly secondAttempt: string | undefined;
  readonly rivals: readonly string[] | undefined;
  /** The wire's usage, summed over the attempts. */
  readonly usage: unknown;
}

/** Tells a refused choice: `code` may be wider than the fault's (a declined reply has no fault of the reader). */
export function refusalOf(from: {
  readonly code: RefusalCode;
  readonly fault: Fault;
  readonly first: Fault | undefined;
  readonly secondAttempt: string | undefined;
  readonly choice: number;
  readonly route: string | undefined;
  readonly calls: number;
  readonly usage: unknown;
  readonly refusalId: string;
}): Refusal {
  const { code, fault, first } = from;
  return {
    code,
    message: messageOf(code, fault, from.secondAttempt),
    param: paramOf(fault),
    route: from.route ?? null,
    choice: from.choice,
    at: fault.at,
    path: pathText(fault.path),
    calls: from.calls,
    refusalId: from.refusalId,
    first: first === undefined ? undefined : { code: first.code, at: first.at },
    secondAttempt: from.secondAttempt,
    rivals: fault.rivals,
    usage: from.usage ?? null,
  };
}

/**
 * The sentence for people: `Duplicate key "verdict" in reply at 71: the key "verdict" comes twice`. What it quotes
 * of the reply is capped.
 */
export function messageOf(code: RefusalCode, fault: Fault, secondAttempt?: string): string {
  const path = fault.path.length > 0 ? ` (${clip(pathText(fault.path), MAX_NAME)})` : '';
  const at = WITHOUT_PLACE.has(code) ? '' : ` at ${fault.at}`;
  const detail = fault.detail === '' ? '' : `: ${clip(fault.detail, MAX_DETAIL)}`;
  const second = secondAttempt === undefined ? '' : `; the second attempt failed: ${secondAttempt}`;
  return `${headline(code, fault.key)}${path}${at}${detail}${second}`;
}

function headline(code: RefusalCode, key: string | undefined): string {
  const name = key === undefined ? undefined : JSON.stringify(clip(key, MAX_NAME));
  if (name !== undefined && code === 'duplicate_key') return `Duplicate key ${name} in reply`;
  if (name !== undefined && code === 'unknown_key') return `Unknown key ${name} in reply`;
  if (name !== undefined && code === 'missing_key') return `Missing key ${name} in reply`;
  return REFUSALS[code].sentence.replace(/\.$/, '');
}

function paramOf({ key, path }: Fault): string | null {
  if (key !== undefined) return clip(key, MAX_NAME);
  return path.length > 0 ? clip(pathText(path), MAX_NAME) : null;
}

function clip(text: string, codeUnits: number): string {
  return text.length <= codeUnits ? text : `${text.slice(0, codeUnits)}…`.toWellFormed();
}
