import { expect, it } from 'vitest';
import { contentOf, type ReplyContent } from '../../src/openai/reply-content.ts';

const said = (text: string, declined?: string): ReplyContent => ({ text, declined });

const ROWS: readonly (readonly [string, unknown, ReplyContent | undefined])[] = [
  ['a string', 'a', said('a')],
  ['nothing', undefined, said('')],
  ['null', null, said('')],
  ['no parts', [], said('')],
  [
    'parts of text',
    [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ],
    said('ab'),
  ],
  ['a part without a type', [{ text: 'a' }], said('a')],
  ['a refusal part', [{ type: 'refusal', refusal: 'No.' }], said('', 'No.')],
  [
    'a refusal in two parts after text',
    [
      { type: 'text', text: 'a' },
      { type: 'refusal', refusal: 'N' },
      { type: 'refusal', refusal: 'o' },
    ],
    said('a', 'No'),
  ],
  [
    'a thought before the text',
    [
      { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
      { type: 'text', text: 'a' },
    ],
    said('a'),
  ],
  ['an image part', [{ type: 'image_url', image_url: {} }], undefined],
  ['a part that is a string', ['a'], undefined],
  ['a part that is null', [null], undefined],
  ['an object', { text: 'a' }, undefined],
  ['a number', 1, undefined],
];

for (const [name, content, expected] of ROWS) {
  it(`${expected === undefined ? 'cannot read' : 'reads'} ${name}`, () => {
    expect(contentOf(content)).toEqual(expected);
  });
}
