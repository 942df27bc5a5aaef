/**
 * What can go wrong, under which public name? Every code once, with its HTTP status, its error type, one sentence,
 * and whether asking the model once more can help. Retired codes are never used again.
 */

import type { FaultCode } from '../reader/fault.ts';

/** Why a reply was refused: the reader's codes, and what the model or the request themselves rule out. */
export type RefusalCode = FaultCode | 'declined' | 'content_filter' | 'unsupported';

/** What is known of a refusal code. */
export interface RefusalEntry {
  /** What it means, for people. */
  readonly sentence: string;
  /** True where one correction can help. */
  readonly correctable: boolean;
}

/** Refusals all answer 400 with type `invalid_reply_error`: the one class that no SDK retries. */
export const REFUSALS: Readonly<Record<RefusalCode, RefusalEntry>> = {
  malformed: { sentence: 'The reply is not JSON and no allowed repair makes it JSON.', correctable: true },
  repair_refused: { sentence: 'The reply needs a repair that has no conforming reading.', correctable: true },
  ambiguous_repair: {
    sentence: 'The reply can be repaired in two ways that say different things.',
    correctable: true,
  },
  unknown_key: { sentence: 'The reply has a key that the contract does not allow.', correctable: true },
  duplicate_key: { sentence: 'An object in the reply has a key twice.', correctable: true },
  missing_key: { sentence: 'The reply lacks a key that the contract requires.', correctable: true },
  wrong_type: {
    sentence: 'A value in the reply has a type, value or size that the contract forbids.',
    correctable: true,
  },
  wrong_shape: {
    sentence: 'The reply is not the object or list that the contract asks for.',
    correctable: true,
  },
  wrong_order: {
    sentence: 'Members of the reply do not come in the order that the contract asks for.',
    correctable: true,
  },
  no_object: { sentence: 'The reply holds no JSON object.', correctable: true },
  second_object: { sentence: 'The reply holds two objects that could be meant.', correctable: true },
  text_after: { sentence: 'The text after the object is not what follows a whole reply.', correctable: true },
  cut: { sentence: 'The reply ends before it is complete.', correctable: false },
  empty: { sentence: 'The reply has no text.', correctable: false },
  declined: { sentence: 'The model declined to answer.', correctable: false },
  content_filter: { sentence: "The provider's content filter stopped the reply.", correctable: false },
  too_large: { sentence: 'The reply is longer than the contract allows.', correctable: true },
  too_deep: { sentence: 'The reply is nested deeper than the contract allows.', correctable: true },
  repair_budget: { sentence: 'The reply needs more repairs than the contract allows.', correctable: true },
  seal_missing: { sentence: 'The reply does not end with the seal that was asked for.', correctable: true },
  evidence_missing: { sentence: 'A member that must be a quotation is none.', correctable: true },
  unsupported: {
    sentence: 'The exchange asks for something that cannot be held to the contract.',
    correctable: false,
  },
};

/** Everything else that the proxy itself answers. */
export type ProblemCode =
  | 'unknown_route'
  | 'contract_unavailable'
  | 'invalid_request'
  | 'unauthorized'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_too_large'
  | 'upstream_unreachable'
  | 'upstream_invalid'
  | 'upstream_timeout'
  | 'overloaded'
  | 'internal_error';

/** What is known of a problem's code. */
export interface ProblemEntry {
  /** The HTTP status. */
  readonly status: number;
  /** The error body's `type`; those that contain `invalid` are retried by no SDK. */
  readonly type: string;
  readonly sentence: string;
}

/** Every problem's status, type and sentence. */
export const PROBLEMS: Readonly<Record<ProblemCode, ProblemEntry>> = {
  unknown_route: {
    status: 404,
    type: 'invalid_request_error',
    sentence: 'No contract is registered for the route.',
  },
  contract_unavailable: {
    status: 503,
    type: 'contract_error',
    sentence: "The route's contract does not compile, so nothing can be verified.",
  },
  invalid_request: {
    status: 400,
    type: 'invalid_request_error',
    sentence: 'The request is not one that can be forwarded.',
  },
  unauthorized: {
    status: 401,
    type: 'invalid_request_error',
    sentence: 'The client key is missing or unknown.',
  },
  not_found: { status: 404, type: 'invalid_request_error', sentence: 'There is nothing at this path.' },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request_error',
    sentence: 'The path does not take this method.',
  },
  request_too_large: {
    status: 413,
    type: 'invalid_request_error',
    sentence: 'The request body is too large.',
  },
  upstream_unreachable: { status: 502, type: 'upstream_error', sentence: 'The upstream cannot be reached.' },
  upstream_invalid: {
    status: 502,
    type: 'upstream_error',
    sentence: 'The upstream answered with something that is no reply.',
  },
  upstream_timeout: { status: 504, type: 'upstream_error', sentence: 'The upstream took too long.' },
  overloaded: {
    status: 503,
    type: 'overloaded_error',
    sentence: 'The proxy takes no more exchanges at the moment.',
  },
  internal_error: { status: 500, type: 'server_error', sentence: 'The proxy itself failed.' },
};
