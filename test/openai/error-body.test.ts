import { describe, expect, it } from 'vitest';
import { errorEvent, problemBody, refusalBody, upstreamErrorBody } from '../../src/openai/error-body.ts';
import type { Refusal } from '../../src/refusal/refusal.ts';

const REFUSAL: Refusal = {
  code: 'duplicate_key',
  message: 'Duplicate key "verdict" in reply at 71',
  param: 'verdict',
  route: 'falsify',
  choice: 0,
  at: 71,
  path: 'verdict',
  calls: 2,
  refusalId: 'r-1',
  first: { code: 'unknown_key', at: 40 },
  secondAttempt: undefined,
  rivals: undefined,
  usage: { total_tokens: 3 },
};

describe('refusalBody', () => {
  it('has the four keys and our details, and leaves out what is not known', () => {
    expect(JSON.parse(refusalBody(REFUSAL))).toEqual({
      error: {
        message: 'Duplicate key "verdict" in reply at 71',
        type: 'invalid_reply_error',
        code: 'duplicate_key',
        param: 'verdict',
        portcullis: {
          route: 'falsify',
          choice: 0,
          at: 71,
          path: 'verdict',
          calls: 2,
          refusal_id: 'r-1',
          first: { code: 'unknown_key', at: 40 },
          usage: { total_tokens: 3 },
        },
      },
    });
  });

  it('says why there is no second reply', () => {
    const body = refusalBody({ ...REFUSAL, secondAttempt: 'the upstream answered 503' });
    expect(JSON.parse(body)).toMatchObject({
      error: { portcullis: { second_attempt: 'the upstream answered 503' } },
    });
  });
});

describe('problemBody', () => {
  it('joins the sentence and the detail', () => {
    expect(JSON.parse(problemBody('unknown_route', '"x" is none of the routes'))).toEqual({
      error: {
        message: 'No contract is registered for the route: "x" is none of the routes',
        type: 'invalid_request_error',
        code: 'unknown_route',
        param: null,
      },
    });
    expect(JSON.parse(problemBody('invalid_request', undefined, 'n'))).toMatchObject({
      error: { message: 'The request is not one that can be forwarded.', param: 'n' },
    });
  });
});

describe('errorEvent', () => {
  const OURS = JSON.parse(upstreamErrorBody(500)) as unknown;
  const ROWS: readonly (readonly [string, string, unknown])[] = [
    ['an error object', '{"error":{"code":"x"},"other":1}', { error: { code: 'x' } }],
    ['an error object in a list', '[{"error":{"code":400}}]', { error: { code: 400 } }],
    [
      'an error that is a string',
      '{"error":"busy"}',
      { error: { message: 'busy', type: 'upstream_error', code: 'upstream_status_500', param: null } },
    ],
    ['another form', '{"detail":"x"}', OURS],
    ['an error that is null', '{"error":null}', OURS],
    ['null', 'null', OURS],
    ['an empty list', '[]', OURS],
    ['no JSON', '<html>', OURS],
    ['text after it', '{"error":{}}x', OURS],
    ['a deep one', `{"error":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`, OURS],
  ];
  for (const [name, body, event] of ROWS) {
    it(`tells ${name} as an error object`, () => {
      const data = errorEvent(500, body);
      expect(JSON.parse(data)).toEqual(event);
      expect(data).not.toContain('\n');
    });
  }
});
