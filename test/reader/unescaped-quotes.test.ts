import { describe, expect, it } from 'vitest';
import { readReply } from '../../src/reader/read-reply.ts';
import { contractOf } from './contracts.ts';

const STRING = { type: 'string' };

function closed(properties: Record<string, unknown>): Record<string, unknown> {
  return { type: 'object', properties, additionalProperties: false };
}

const finding = closed({
  file: STRING,
  description: STRING,
  excerpt: STRING,
  content: STRING,
  line: { type: 'integer' },
});
const excerpt = contractOf({ reply: closed({ excerpt: STRING, file: STRING, line: { type: 'integer' } }) });
const review = contractOf({
  reply: closed({
    findings: { type: 'array', items: finding },
    code_excerpts: { type: 'array', items: finding },
  }),
});
const tags = contractOf({ reply: closed({ tags: { type: 'array', items: STRING } }) });
const prediction = contractOf({ reply: closed({ prediction: STRING }) });

/** name, contract, reply, the path of the repaired string and what it says. */
const READ = [
  [
    'code with quoted keys that the contract does not know is content',
    review,
    '{"findings":[{"file":"a.py","description":"d","excerpt": "cfg = {"a": "b", "c": "d"}", "line":3}]}',
    ['findings', 0, 'excerpt'],
    'cfg = {"a": "b", "c": "d"}',
  ],
  [
    'a quoted word at the end keeps its closing quote',
    excerpt,
    '{"excerpt": "say "hi"", "file": "a"}',
    ['excerpt'],
    'say "hi"',
  ],
  [
    'an inch mark may stand alone',
    excerpt,
    '{"excerpt": "5" disk", "file": "d", "line": 3}',
    ['excerpt'],
    '5" disk',
  ],
  [
    'a quoted comma is content where no key follows it',
    review,
    '{"findings":[{"file":"a","description": "returns ",", ok, empty"}]}',
    ['findings', 0, 'description'],
    'returns ",", ok, empty',
  ],
  [
    'a quoted end of the reply is content where the reply goes on',
    review,
    '{"code_excerpts":[{"file":"a","content":"x"}], "findings": []}"}],"findings":[{"file":"a","description":"P1"}]}',
    ['code_excerpts', 0, 'content'],
    'x"}], "findings": []}',
  ],
  [
    'an explanation that repeats a key is none',
    excerpt,
    '{"excerpt": "cfg = {"x": "b", "file": "d"}", "line": 3, "file":"z"}',
    ['excerpt'],
    'cfg = {"x": "b", "file": "d"}',
  ],
  [
    'a quoted word in a list item is content',
    tags,
    '{"tags": ["say "a" now", "c"]}',
    ['tags', 0],
    'say "a" now',
  ],
  [
    'a comment sign in the middle of a word is none',
    excerpt,
    '{"excerpt":"puts "#{x}" done"\n}',
    ['excerpt'],
    'puts "#{x}" done',
  ],
  ['a quoted object at the end is content', excerpt, '{"excerpt":"{"a": "b"}"}', ['excerpt'], '{"a": "b"}'],
  [
    'a number listed by the contract may be spelt otherwise',
    contractOf({ reply: closed({ n: { enum: [1, 2] }, s: STRING }) }),
    '{"n": 1.0, "s": "say "hi""}',
    ['s'],
    'say "hi"',
  ],
  [
    'two damaged strings in neighbouring objects are both recovered',
    review,
    '{"findings":[{"file":"a","description":"he said "x" ok"},{"file":"b","excerpt":"print("], ", "x")","line":1}]}',
    ['findings', 1, 'excerpt'],
    'print("], ", "x")',
  ],
] as const;

/** name, contract, reply, code, offset. */
const REFUSED = [
  [
    'a key that may be structure or content',
    excerpt,
    '{"excerpt": "cfg = {"x": "b", "file": "d"}", "line": 3}',
    'ambiguous_repair',
    38,
  ],
  ['a list of two items or three', tags, '{"tags": ["say "a", "b" now", "c"]}', 'ambiguous_repair', 20],
  ['two offered alternatives', prediction, '{"prediction": "YES" or "NO"}', 'ambiguous_repair', 19],
  ['an expression', prediction, '{"prediction": "ab" + "cd"}', 'ambiguous_repair', 18],
  ['a stray word', prediction, '{"prediction": "beta" GAMMA"}', 'ambiguous_repair', 20],
  ['a stray word without a closing quote', prediction, '{"prediction": "beta" GAMMA}', 'repair_refused', 22],
  ['a lone quote in a list', tags, '{"tags":["panel 27" matte"]}', 'ambiguous_repair', 10],
  [
    'an unknown key that another string could swallow',
    excerpt,
    '{"excerpt":"x","zz":"y","file":"say "hi""}',
    'ambiguous_repair',
    13,
  ],
  ['two strings without a comma', tags, '{"tags":["a""b"]}', 'ambiguous_repair', 11],
  [
    'a string that ends like text before a quotation',
    excerpt,
    '{"excerpt":"x = ", "file": "say "hi""}',
    'ambiguous_repair',
    0,
  ],
  ['two members whose comma is lost', excerpt, '{"excerpt":"a.js"file:"x"}', 'ambiguous_repair', 16],
  [
    'a member on a line with another where the others have their own',
    contractOf({
      reply: { type: 'object', properties: { a: STRING, b: STRING }, additionalProperties: true },
    }),
    '{\n"a": "", "x": "y",\n"b": "say "hi""\n}',
    'ambiguous_repair',
    21,
  ],
  [
    'backslashes in text that was escaped once more',
    contractOf({ reply: { type: 'object' } }),
    "{'a': 'say \\\"hi\\\"', 'b': 'x\\\\ty'}",
    'ambiguous_repair',
    27,
  ],
  [
    'two halves of a text around quoted members, in a fence',
    contractOf({ reply: { type: 'object' } }),
    '```json\n{"value": "Tel Aviv ","file":"x","line":" and so on"}\n```',
    'ambiguous_repair',
    18,
  ],
  ['an escape inside unescaped quotes', excerpt, '{"excerpt":"{"a": "l1\\nl2"}"}', 'ambiguous_repair', 21],
] as const;

describe('unescaped quotes', () => {
  for (const [name, contract, reply, path, says] of READ) {
    it(`reads: ${name}`, () => {
      const result = readReply(reply, contract);
      if (!result.ok) throw new Error(JSON.stringify(result.fault));
      let value: unknown = JSON.parse(result.text);
      for (const step of path) value = (value as Record<string | number, unknown>)[step];
      expect(value).toBe(says);
      expect(new Set(result.repairs.map(({ kind }) => kind))).toEqual(new Set(['inner_quote']));
    });
  }
  for (const [name, contract, reply, code, at] of REFUSED) {
    it(`refuses: ${name}`, () => {
      const result = readReply(reply, contract);
      expect(result.ok ? result.text : { code: result.fault.code, at: result.fault.at }).toEqual({
        code,
        at,
      });
    });
  }

  it('shows both rival readings of an ambiguity', () => {
    const result = readReply('{"excerpt": "cfg = {"x": "b", "file": "d"}", "line": 3}', excerpt);
    expect(result.ok ? [] : result.fault.rivals).toEqual(['cfg = {"x": "b', 'cfg = {"x": "b", "file": "d"}']);
  });
});
