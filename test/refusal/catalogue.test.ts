import { describe, expect, it } from 'vitest';
import type { FaultCode } from '../../src/reader/fault.ts';
import { PROBLEMS, REFUSALS } from '../../src/refusal/catalogue.ts';

/** Every code of the reader; a code that is missing or one too many does not compile. */
const FAULT_CODES: Readonly<Record<FaultCode, true>> = {
  malformed: true,
  repair_refused: true,
  ambiguous_repair: true,
  unknown_key: true,
  duplicate_key: true,
  missing_key: true,
  wrong_type: true,
  wrong_shape: true,
  wrong_order: true,
  no_object: true,
  second_object: true,
  text_after: true,
  cut: true,
  empty: true,
  too_large: true,
  too_deep: true,
  repair_budget: true,
  seal_missing: true,
  evidence_missing: true,
};

describe('the catalogue', () => {
  it("holds the reader's codes, three more refusals, and no other", () => {
    const codes = [...Object.keys(FAULT_CODES), 'declined', 'content_filter', 'unsupported'];
    expect(Object.keys(REFUSALS).toSorted()).toEqual(codes.toSorted());
  });

  it('never asks again where the model can mend nothing', () => {
    const final = Object.entries(REFUSALS).filter(([, entry]) => !entry.correctable);
    expect(final.map(([code]) => code).toSorted()).toEqual([
      'content_filter',
      'cut',
      'declined',
      'empty',
      'unsupported',
    ]);
  });

  it('gives each problem its status and type', () => {
    const told = Object.entries(PROBLEMS).map(([code, { status, type }]) => `${status} ${code} ${type}`);
    expect(told.toSorted()).toEqual([
      '400 invalid_request invalid_request_error',
      '401 unauthorized invalid_request_error',
      '404 not_found invalid_request_error',
      '404 unknown_route invalid_request_error',
      '405 method_not_allowed invalid_request_error',
      '413 request_too_large invalid_request_error',
      '500 internal_error server_error',
      '502 upstream_invalid upstream_error',
      '502 upstream_unreachable upstream_error',
      '503 contract_unavailable contract_error',
      '503 overloaded overloaded_error',
      '504 upstream_timeout upstream_error',
    ]);
  });

  it('uses no code twice', () => {
    const codes = [...Object.keys(REFUSALS), ...Object.keys(PROBLEMS)];
    expect(codes).toHaveLength(new Set(codes).size);
  });

  for (const [code, { sentence }] of [...Object.entries(REFUSALS), ...Object.entries(PROBLEMS)]) {
    it(`explains ${code} in one sentence`, () => {
      expect(sentence).toMatch(/^[A-Z][^.]+\.$/);
    });
  }
});
