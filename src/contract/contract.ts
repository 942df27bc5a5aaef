/**
 * What has been promised for a route? A compiled contract: what the reader needs (shape, check, repairs, limits)
 * and what the exchange and the guidance need (whether to correct or continue, and the keys in words).
 */

import type { ReplyContract } from '../reader/reply-contract.ts';

/** A contract that compiled. Immutable; equal definitions have equal fingerprints. */
export interface Contract extends ReplyContract {
  /** The name in the URL; undefined for a contract that came with a request. */
  readonly route: string | undefined;
  readonly description: string | undefined;
  /** First 16 hex digits of SHA-256 over the definition. */
  readonly fingerprint: string;
  /** Whether a refused reply may be corrected once. */
  readonly correct: boolean;
  /** Whether a cut reply may be continued once. */
  readonly continue: boolean;
  /** The contract as it was written, for the admin plane. */
  readonly definition: unknown;
}

/** One mistake in a contract's source. */
export interface ContractIssue {
  /** Where in the definition, `reply.properties.a.type`. */
  readonly place: string;
  /** What is wrong and what is allowed. */
  readonly message: string;
}

export type CompileResult =
  | { readonly ok: true; readonly contract: Contract }
  | { readonly ok: false; readonly issues: readonly ContractIssue[] };
