/** How is the model asked to go on with a reply that was cut? With all of it, and nothing else to do. */

import type { Shape } from '../reader/reply-contract.ts';
import { outline } from './outline.ts';

/** How much of the partial's end is quoted once more, UTF-16 code units. */
const END_SHOWN = 60;

/** The two messages that ask for the rest. The partial is whole: the model must go on from its last character. */
export function continuationPrompt(
  partial: string,
  shape: Shape,
): { readonly assistant: string; readonly user: string } {
  const user = [
    'Your reply was cut off. Go on exactly where it stopped: your next message is appended to it as it is.',
    `It stopped after: ${JSON.stringify(partial.slice(-END_SHOWN).toWellFormed())}`,
    `The whole reply must be one JSON value of this form: ${outline(shape)}`,
    'A key marked ? may be left out. Repeat nothing, add no words of your own and no code fence; end when the JSON value is complete.',
  ];
  return { assistant: partial, user: user.join('\n') };
}
