import { describe, expect, it } from 'vitest';
import { continuationPrompt } from '../../src/guidance/continuation-prompt.ts';
import { closedObject, STRING } from '../reader/contracts.ts';

const { shape } = closedObject({ text: STRING });

describe('continuationPrompt', () => {
  it('shows the whole partial and asks to go on from its end', () => {
    const partial = `{"text":"${'x'.repeat(30_000)}the end`;
    const { assistant, user } = continuationPrompt(partial, shape);
    expect(assistant).toBe(partial);
    expect(user.split('\n')).toEqual([
      'Your reply was cut off. Go on exactly where it stopped: your next message is appended to it as it is.',
      `It stopped after: "${'x'.repeat(53)}the end"`,
      'The whole reply must be one JSON value of this form: {"text": string}',
      'A key marked ? may be left out. Repeat nothing, add no words of your own and no code fence; end when the JSON value is complete.',
    ]);
  });

  it('never shows half a character', () => {
    const { user } = continuationPrompt(`{"text":"${'x'.repeat(80)}\ud83d`, shape);
    expect(user.isWellFormed()).toBe(true);
  });
});
