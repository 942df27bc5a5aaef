import { describe, expect, it } from 'vitest';
import { correctionPrompt, MAX_SHOWN_HEAD, MAX_SHOWN_TAIL } from '../../src/guidance/correction-prompt.ts';
import { refuse } from '../../src/reader/fault.ts';
import { closedObject, INTEGER, STRING } from '../reader/contracts.ts';

const { shape } = closedObject({ verdict: STRING, 'line?': INTEGER });

describe('correctionPrompt', () => {
  it('shows the reply, then the reason with its place, what stands there, and the keys', () => {
    const reply = '{"verdict":"yes",\n "verdict":"no"}';
    const fault = refuse('duplicate_key', 19, 'the key "verdict" comes twice', { key: 'verdict' }).fault;
    const { assistant, user } = correctionPrompt(reply, fault, shape);
    expect(assistant).toBe(reply);
    expect(user.split('\n')).toEqual([
      'Your reply was refused. Duplicate key "verdict" in reply at 19: the key "verdict" comes twice (line 2, column 2).',
      `There it reads: ${JSON.stringify(reply)}`,
      'The whole reply must be one JSON value of this form: {"verdict": string, "line"?: integer}',
      'Use these keys only, each once in its object; a key marked ? may be left out.',
      'Send the whole corrected reply as JSON only: no text around it, no code fence, every quote, backslash and line break inside a string escaped.',
    ]);
  });

  it('shows what the reply could mean, where it could mean two things', () => {
    const rivals = ['one', 'two', 'three', 'four'];
    const { fault } = refuse('ambiguous_repair', 0, 'two readings', { rivals });
    expect(correctionPrompt('{"a"', fault, shape).user).toContain(
      'It could mean: one — or: two — or: three\n',
    );
  });

  it('shows head and tail of a long reply, with the gap marked', () => {
    const reply = `${'h'.repeat(MAX_SHOWN_HEAD)}${'m'.repeat(5000)}${'t'.repeat(MAX_SHOWN_TAIL)}`;
    const { assistant } = correctionPrompt(reply, refuse('malformed', 0, 'x').fault, shape);
    expect(assistant).toBe(
      `${'h'.repeat(MAX_SHOWN_HEAD)}\n[… 5000 characters left out …]\n${'t'.repeat(MAX_SHOWN_TAIL)}`,
    );
  });

  it('leaves a reply that just fits as it is', () => {
    const reply = 'x'.repeat(MAX_SHOWN_HEAD + MAX_SHOWN_TAIL);
    expect(correctionPrompt(reply, refuse('malformed', 0, 'x').fault, shape).assistant).toBe(reply);
  });

  it('shows sixty code units on each side of the fault, and never half a character', () => {
    const reply = `${'a'.repeat(40)}😀${'b'.repeat(59)}|${'c'.repeat(100)}`;
    const { user } = correctionPrompt(reply, refuse('malformed', reply.indexOf('|'), 'x').fault, shape);
    expect(user).toContain(`There it reads: "�${'b'.repeat(59)}|${'c'.repeat(59)}"`);
  });

  it('has a bound whatever the reply holds', () => {
    const key = '"\u0000'.repeat(500_000);
    const fault = refuse('unknown_key', 0, key, { key, path: [key], rivals: [key, key] }).fault;
    const { assistant, user } = correctionPrompt(key, fault, shape);
    expect(assistant.length).toBeLessThan(17_000);
    expect(user.length).toBeLessThan(8000);
  });
});
