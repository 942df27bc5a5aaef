/**
 * Why does a reply have no reading? A closed set of codes, each fault with its place. The public names are the
 * same words (see refusal/catalogue); the reader never invents text for clients beyond `detail`.
 */

import type { Path } from './span.ts';

/** Every way in which a reply can fail to have exactly one reading. */
export type FaultCode =
  | 'malformed'
  | 'repair_refused'
  | 'ambiguous_repair'
  | 'unknown_key'
  | 'duplicate_key'
  | 'missing_key'
  | 'wrong_type'
  | 'wrong_shape'
  | 'wrong_order'
  | 'no_object'
  | 'second_object'
  | 'text_after'
  | 'cut'
  | 'empty'
  | 'too_large'
  | 'too_deep'
  | 'repair_budget'
  | 'seal_missing'
  | 'evidence_missing';

/** One reason, at one place. */
export interface Fault {
  readonly code: FaultCode;
  /** Offset in the reply, UTF-16 code units. */
  readonly at: number;
  /** The place inside the value, as far as it is known; the root is `[]`. */
  readonly path: Path;
  /** The key at fault, where one is. */
  readonly key?: string;
  /** What was expected and what was found, a phrase in plain English without trailing full stop. */
  readonly detail: string;
  /** For an ambiguity: the rival readings in short. */
  readonly rivals?: readonly string[];
}

/** The failing half of every result in the reader. */
export interface Refused {
  readonly ok: false;
  readonly fault: Fault;
}

/** Builds the failing half of a result. */
export function refuse(
  code: FaultCode,
  at: number,
  detail: string,
  more: { readonly path?: Path; readonly key?: string; readonly rivals?: readonly string[] } = {},
): Refused {
  return { ok: false, fault: { code, at, detail, path: [], ...more } };
}
