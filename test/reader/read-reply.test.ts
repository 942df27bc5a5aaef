import { describe, expect, it } from 'vitest';
import type { Contract } from '../../src/contract/contract.ts';
import { readReply } from '../../src/reader/read-reply.ts';
import { closedObject, contractOf, INTEGER, STRING } from './contracts.ts';

const note = closedObject({ note: STRING, 'line?': INTEGER });
const table = contractOf({
  keys: { top: ['verdict', 'items'], items: { items: ['a', 'b'] }, required: ['verdict'] },
});
const list = contractOf({ reply: { type: 'array', items: { type: 'object' } } });

interface Row {
  readonly name: string;
  readonly contract?: Contract;
  readonly reply: string;
  readonly finish?: 'length';
}
interface Read extends Row {
  readonly text: string;
  /** `kind@start-end`, in order. */
  readonly repairs?: readonly string[];
}
interface Refusal extends Row {
  readonly code: string;
  readonly at: number;
  readonly key?: string;
}

const READ: readonly Read[] = [
  {
    name: 'strict JSON is handed on byte for byte',
    reply: ' {"note" : "a\\u00e9",\n"line":1.0}\n',
    text: '{"note" : "a\\u00e9",\n"line":1.0}',
  },
  {
    name: 'big integers keep their digits',
    reply: '{"note":"","line":12345678901234567890}',
    text: '{"note":"","line":12345678901234567890}',
  },
  { name: 'minus zero stays minus zero', reply: '{"note":"","line":-0}', text: '{"note":"","line":-0}' },
  {
    name: 'a byte order mark is left out',
    reply: '\uFEFF{"note":"x"}',
    text: '{"note":"x"}',
    repairs: ['bom@0-1'],
  },
  {
    name: 'a zero width space before the object is left out',
    reply: '\u200B{"note":"x"}',
    text: '{"note":"x"}',
    repairs: ['bom@0-1'],
  },
  {
    name: 'a raw line feed in a string becomes its escape',
    reply: '{"note":"a\nb"}',
    text: '{"note":"a\\nb"}',
    repairs: ['control_char@10-11'],
  },
  {
    name: 'a raw escape character becomes a unicode escape',
    reply: '{"note":"\u001b[0m"}',
    text: '{"note":"\\u001b[0m"}',
    repairs: ['control_char@9-10'],
  },
  {
    name: 'a backslash before a letter that is no escape is doubled',
    reply: '{"note":"\\d+\\s"}',
    text: '{"note":"\\\\d+\\\\s"}',
    repairs: ['invalid_escape@9-10', 'invalid_escape@12-13'],
  },
  {
    name: 'a backslash before u without hex digits is doubled',
    reply: '{"note":"\\usepackage"}',
    text: '{"note":"\\\\usepackage"}',
    repairs: ['invalid_escape@9-10'],
  },
  {
    name: 'LaTeX delimiters are literal backslashes',
    reply: '{"note":"\\(K_\\alpha\\)"}',
    text: '{"note":"\\\\(K_\\\\alpha\\\\)"}',
    repairs: ['invalid_escape@9-10', 'invalid_escape@13-14', 'invalid_escape@19-20'],
  },
  {
    name: 'an escaped quote beside a literal backslash is a quote',
    reply: '{"note":"grep \\"\\d\\""}',
    text: '{"note":"grep \\"\\\\d\\""}',
    repairs: ['invalid_escape@16-17'],
  },
  {
    name: 'a fence is left out',
    reply: '```json\n{"note":"x"}\n```\n',
    text: '{"note":"x"}',
    repairs: ['fence@0-8', 'fence@20-25'],
  },
  {
    name: 'a fence on one line is left out',
    reply: '```json {"note":"x"} ```',
    text: '{"note":"x"}',
    repairs: ['fence@0-8', 'fence@20-24'],
  },
  {
    name: 'a fence with text after it is left out',
    reply: '```\n{"note":"x"}\n```\nFix it soon.',
    text: '{"note":"x"}',
    repairs: ['fence@0-4', 'prose@16-33'],
  },
  {
    name: 'a reasoning block with a draft is left out',
    reply: '<think>draft {"note":"no"}</think>\n{"note":"yes"}',
    text: '{"note":"yes"}',
    repairs: ['reasoning@0-34'],
  },
  {
    name: 'a lone closing reasoning tag ends the reasoning',
    reply: 'maybe {} fits\n</think>\n\n{"note":"yes"}',
    text: '{"note":"yes"}',
    repairs: ['reasoning@0-22'],
  },
  {
    name: 'one object in prose is found',
    reply: 'Here it is:\n{"note":"x"}',
    text: '{"note":"x"}',
    repairs: ['prose@0-12'],
  },
  {
    name: 'placeholders in prose are no objects',
    reply: 'Use {name} and {} here.\n{"note":"x"}',
    text: '{"note":"x"}',
    repairs: ['prose@0-24'],
  },
  {
    name: 'a Python literal in prose hides what is inside it only',
    reply: 'Not {\'a\': {"note":"no"}} but\n{"note":"yes"}',
    text: '{"note":"yes"}',
    repairs: ['prose@0-29'],
  },
  {
    name: 'an object without keys of the contract is no rival',
    reply: 'For example {"key":"value"}.\n{"note":"x"}',
    text: '{"note":"x"}',
    repairs: ['prose@0-29'],
  },
  {
    name: 'a sentence after the object is left out',
    reply: '{"note":"x"}\n\nI hope this helps!',
    text: '{"note":"x"}',
    repairs: ['prose@12-32'],
  },
  {
    name: 'a Markdown line after the object is left out',
    reply: '{"note":"x"}\n- done',
    text: '{"note":"x"}',
    repairs: ['prose@12-19'],
  },
  {
    name: 'a list of one object is that object',
    reply: '[{"note":"x"}]',
    text: '{"note":"x"}',
    repairs: ['one_item_list@0-1', 'one_item_list@13-14'],
  },
  {
    name: 'a list of one object in a fence, with a raw tab, is that object',
    reply: '```\n[{"note":"\t"}]\n```',
    text: '{"note":"\\t"}',
    repairs: ['fence@0-4', 'one_item_list@4-5', 'control_char@14-15', 'one_item_list@17-18', 'fence@18-22'],
  },
  {
    name: 'a list stays a list where the contract wants one',
    contract: list,
    reply: '[{"a":1}]',
    text: '[{"a":1}]',
  },
  {
    name: 'unknown keys are tolerated in strict replies by a key table',
    contract: table,
    reply: '{"verdict":1,"extra":2}',
    text: '{"verdict":1,"extra":2}',
  },
  {
    name: 'a member named __proto__ is a member like others',
    contract: table,
    reply: '{"verdict":1,"__proto__":{"x":1}}',
    text: '{"verdict":1,"__proto__":{"x":1}}',
  },
  {
    name: 'unescaped quotes in a string are content where one reading conforms',
    reply: '{"note":"say "hi" now"}',
    text: '{"note":"say \\"hi\\" now"}',
    repairs: ['inner_quote@13-14', 'inner_quote@16-17'],
  },
  {
    name: "Python's spellings are JSON's",
    contract: table,
    reply: "{'verdict': True, 'items': None,}",
    text: '{"verdict": true, "items": null}',
    repairs: [
      'single_quotes@1-10',
      'python_literal@12-16',
      'single_quotes@18-25',
      'python_literal@27-31',
      'trailing_comma@31-32',
    ],
  },
  {
    name: 'comments and bare keys are left out and quoted',
    reply: '{note: "x", // why\n line: 3}',
    text: '{"note": "x",  \n "line": 3}',
    repairs: ['unquoted_key@1-5', 'comment@12-18', 'unquoted_key@20-24'],
  },
  {
    name: 'curly quotes as delimiters become plain ones',
    reply: '{“note”: “a "b"”}',
    text: '{"note": "a \\"b\\""}',
    repairs: [
      'smart_quotes@1-7',
      'smart_quotes@9-10',
      'smart_quotes@12-13',
      'smart_quotes@14-15',
      'smart_quotes@15-16',
    ],
  },
  {
    name: 'a Python dictionary with keys of the contract is found in prose',
    reply: "Here it is:\n{'note': 'x'}",
    text: '{"note": "x"}',
    repairs: ['prose@0-12', 'single_quotes@13-19', 'single_quotes@21-22', 'single_quotes@23-24'],
  },
  {
    name: 'comments before the object are left out',
    reply: '// mine\n{"note":"x"}',
    text: '{"note":"x"}',
    repairs: ['comment@0-8'],
  },
  {
    name: 'a reply encoded twice is decoded',
    reply: '"{\\"note\\":\\"x\\"}"',
    text: '{"note":"x"}',
    repairs: ['double_encoded@0-18'],
  },
  {
    name: 'the end of a triple-quoted string is left out',
    reply: '{"note":"x"}"""',
    text: '{"note":"x"}',
    repairs: ['prose@12-15'],
  },
];

const REFUSED: readonly Refusal[] = [
  {
    name: 'a second object in another spelling',
    reply: '{"note":"a"}\n{\'note\':\'b\'}',
    code: 'second_object',
    at: 13,
  },
  {
    name: 'a doubly encoded reply that breaks the contract',
    reply: '"{\\"x\\":1}"',
    code: 'unknown_key',
    at: 0,
    key: 'x',
  },
  { name: 'an empty reply', reply: ' \n', code: 'empty', at: 2 },
  { name: 'reasoning without an answer', reply: '<think>hm {"note":"x"}', code: 'empty', at: 22 },
  {
    name: 'reasoning without an answer at the length limit',
    reply: '<think>hm',
    finish: 'length',
    code: 'empty',
    at: 9,
  },
  {
    name: 'a reply stopped at its length, even if it parses',
    reply: '{"note":"x"}',
    finish: 'length',
    code: 'cut',
    at: 12,
  },
  { name: 'prose alone', reply: 'There is nothing to say.', code: 'no_object', at: 0 },
  { name: 'a repeated key', reply: '{"note":"a","note":"a"}', code: 'duplicate_key', at: 12, key: 'note' },
  {
    name: 'a key repeated with escapes',
    reply: '{"note":"a","\\u006eote":"b"}',
    code: 'duplicate_key',
    at: 12,
    key: 'note',
  },
  {
    name: 'a key repeated deep inside',
    contract: table,
    reply: '{"verdict":1,"x":[{"y":{"k":1,"k":2}}]}',
    code: 'duplicate_key',
    at: 30,
    key: 'k',
  },
  {
    name: 'a key repeated among many',
    contract: table,
    reply: `{"verdict":1,${Array.from({ length: 40 }, (_, i) => `"k${i}":0`).join(',')},"k3":1}`,
    code: 'duplicate_key',
    at: 323,
    key: 'k3',
  },
  { name: 'an unknown key', reply: '{"note":"a","x":1}', code: 'unknown_key', at: 12, key: 'x' },
  {
    name: 'an unknown key of a key table in a repaired reply',
    contract: table,
    reply: '{"verdict":"\n","extra":2}',
    code: 'unknown_key',
    at: 15,
    key: 'extra',
  },
  { name: 'a missing key', reply: '{"line":1}', code: 'missing_key', at: 9, key: 'note' },
  { name: 'a wrong type', reply: '{"note":1}', code: 'wrong_type', at: 8 },
  { name: 'a fraction for an integer', reply: '{"note":"","line":1.5}', code: 'wrong_type', at: 18 },
  { name: 'a list of two objects', reply: '[{"note":"a"},{"note":"b"}]', code: 'wrong_shape', at: 0 },
  { name: 'a bare string', reply: '"ok"', code: 'wrong_shape', at: 0 },
  { name: 'a second object', reply: '{"note":"a"}\n{"note":"b"}', code: 'second_object', at: 13 },
  { name: 'two objects in prose', reply: 'A: {"note":"a"} B: {"note":"b"}', code: 'second_object', at: 19 },
  { name: 'code after the object', reply: '{"note":"a"}, b)', code: 'text_after', at: 12 },
  { name: 'a word fragment after the object', reply: '{"note":"print("} done', code: 'text_after', at: 18 },
  {
    name: 'stray closers after the object, which may be content',
    reply: '{"note":"a"}"}',
    code: 'ambiguous_repair',
    at: 10,
  },
  { name: 'a string left open', reply: '{"note":"abc', code: 'cut', at: 12 },
  { name: 'an object left open', reply: '{"note":"abc"', code: 'cut', at: 13 },
  { name: 'a literal left open', contract: table, reply: '{"verdict": tr', code: 'cut', at: 14 },
  { name: 'a number that nothing ends', reply: '{"note":"", "line": 9', code: 'cut', at: 21 },
  { name: 'text that is no value', reply: '{"note":NaN}', code: 'malformed', at: 8 },
  {
    name: 'a Markdown escape that may be a backslash',
    reply: '{"note":"calculate\\_area"}',
    code: 'ambiguous_repair',
    at: 18,
  },
  {
    name: 'an escape beside a literal backslash',
    reply: '{"note":"\\d+\\n"}',
    code: 'ambiguous_repair',
    at: 12,
  },
  {
    name: 'a drive path beside a literal backslash elsewhere',
    reply: '{"note":"C:\\new"}'.replace('}', ',"line":1}').replace('"line":1', '"line":"\\d"'),
    code: 'ambiguous_repair',
    at: 11,
  },
  { name: 'a bell that may be a C escape', reply: '{"note":"\\a"}', code: 'ambiguous_repair', at: 9 },
  { name: 'too much nesting', reply: '['.repeat(200), code: 'too_deep', at: 128 },
];

describe('readReply', () => {
  for (const { name, contract = note, reply, finish, text, repairs = [] } of READ) {
    it(`reads: ${name}`, () => {
      const result = readReply(reply, contract, finish === undefined ? {} : { finish });
      if (!result.ok) throw new Error(JSON.stringify(result.fault));
      expect(result.text).toBe(text);
      expect(result.repairs.map(({ kind, start, end }) => `${kind}@${start}-${end}`)).toEqual(repairs);
      for (const { start, end, before } of result.repairs) expect(reply.slice(start, end)).toBe(before);
    });
  }
  for (const { name, contract = note, reply, finish, code, at, key } of REFUSED) {
    it(`refuses: ${name}`, () => {
      const result = readReply(reply, contract, finish === undefined ? {} : { finish });
      expect(
        result.ok ? result.text : { code: result.fault.code, at: result.fault.at, key: result.fault.key },
      ).toEqual({
        code,
        at,
        key,
      });
    });
  }

  it('counts strings that decode to a form feed or a backspace', () => {
    const result = readReply('{"note":"\\frac"}', note);
    expect(result.ok && result.suspectEscapes).toBe(1);
  });

  it('refuses a reply past the size limits with their own code', () => {
    const small = contractOf({
      reply: { type: 'object' },
      limits: { strictCodeUnits: 20, repairCodeUnits: 10 },
    });
    expect(readReply(`{"a":"${'x'.repeat(20)}"}`, small)).toMatchObject({
      fault: { code: 'too_large', at: 20 },
    });
    expect(readReply('{"a":"\nxxxxxx"}', small)).toMatchObject({ fault: { code: 'too_large', at: 10 } });
    expect(readReply('{"a":"xxxxxxxxx"}', small)).toMatchObject({ ok: true });
  });

  it('makes only the repairs that the contract allows', () => {
    const strings = contractOf({ reply: { type: 'object' }, repair: ['strings'] });
    expect(readReply('{"a":"\n"}', strings)).toMatchObject({ ok: true, text: '{"a":"\\n"}' });
    expect(readReply('```\n{"a":1}\n```', strings)).toMatchObject({
      fault: { code: 'repair_refused', at: 0 },
    });
    const none = contractOf({ reply: { type: 'object' }, repair: 'none' });
    expect(readReply('{"a":"\n"}', none)).toMatchObject({ fault: { code: 'repair_refused', at: 6 } });
  });
});
