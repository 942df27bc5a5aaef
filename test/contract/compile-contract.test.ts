import { describe, expect, it } from 'vitest';
import { compileContract } from '../../src/contract/compile-contract.ts';
import { readReply } from '../../src/reader/read-reply.ts';
import { contractOf } from '../reader/contracts.ts';

const FAULTS: readonly (readonly [string, unknown, readonly string[]])[] = [
  ['no form at all', {}, ['$']],
  ['both forms', { reply: true, keys: { top: ['a'] } }, ['$']],
  ['an unknown field', { reply: true, replies: 1 }, ['replies']],
  [
    'fields and schema in one go',
    { reply: { type: 'objekt' }, corect: true, repair: 'al' },
    ['repair', 'corect', 'reply.type'],
  ],
  ['an enum of nothing', { reply: { enum: [] } }, ['reply.enum']],
  ['a route with capitals', { reply: true, route: 'Review' }, ['route']],
  ['strict beside a schema', { reply: true, strict: true }, ['strict']],
  [
    'a keyword that cannot be enforced',
    { reply: { properties: { a: { pattern: '^a' } } } },
    ['reply.properties.a.pattern'],
  ],
  ['every such keyword, not only the first', { reply: { not: {}, allOf: [] } }, ['reply.not', 'reply.allOf']],
  ['a misspelt type', { reply: { type: 'objekt' } }, ['reply.type']],
  ['a type that is a name of Object.prototype', { reply: { type: 'toString' } }, ['reply.type']],
  ['a list of item schemas', { reply: { items: [{}] } }, ['reply.items']],
  [
    'a bound that is no number',
    { reply: { minLength: -1, maximum: 'x' } },
    ['reply.maximum', 'reply.minLength'],
  ],
  ['a reference that leads nowhere', { reply: { $ref: '#/$defs/a' } }, ['reply.$ref']],
  ['a reference to another document', { reply: { $ref: 'https://example.com/s' } }, ['reply.$ref']],
  ['a reference to itself', { reply: { $ref: '#' } }, ['reply']],
  [
    'a union that comes back to itself',
    { reply: { $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }] } }, $ref: '#/$defs/a' } },
    ['reply.$defs.a'],
  ],
  [
    'items of a member that top does not list',
    { keys: { top: ['a'], items: { b: ['c'] }, required: ['d'] } },
    ['keys.items.b', 'keys.required[0]'],
  ],
  ['a repair that does not exist', { reply: true, repair: ['guess'] }, ['repair']],
];

/** schema, replies that hold it, replies that do not with the code and path of the fault. */
const CHECKS: readonly (readonly [
  string,
  unknown,
  readonly string[],
  readonly (readonly [string, string, string])[],
])[] = [
  [
    'types',
    { type: ['integer', 'null'] },
    ['1', 'null', '2.0', '1e2', '-0'],
    [
      ['1.5', 'wrong_type', ''],
      ['"1"', 'wrong_shape', ''],
      ['true', 'wrong_shape', ''],
    ],
  ],
  [
    'enum and const by value',
    { enum: ['a', 1, { x: [1, 2], y: null }] },
    ['"\\u0061"', '1.0', '{"y":null,"x":[1,2.0]}'],
    [
      ['"b"', 'wrong_type', ''],
      ['{"x":[2,1],"y":null}', 'wrong_type', ''],
    ],
  ],
  ['const', { const: null }, ['null'], [['0', 'wrong_type', '']]],
  [
    'big numbers by their digits',
    { maximum: 9007199254740992 },
    ['9007199254740992', '-1e999'],
    [
      ['9007199254740993', 'wrong_type', ''],
      ['1e400', 'wrong_type', ''],
    ],
  ],
  [
    'bounds of numbers',
    { minimum: 0.1, exclusiveMaximum: 1 },
    ['0.1', '1e-1', '0.999'],
    [
      ['0.0999', 'wrong_type', ''],
      ['1.0', 'wrong_type', ''],
    ],
  ],
  ['an exclusive minimum', { exclusiveMinimum: 0 }, ['1e-400'], [['-0', 'wrong_type', '']]],
  [
    'lengths in code points',
    { minLength: 2, maxLength: 2 },
    ['"🍸🍸"', '"\\ud83c\\udf78a"'],
    [
      ['"🍸"', 'wrong_type', ''],
      ['"abc"', 'wrong_type', ''],
    ],
  ],
  [
    'numbers of items and members',
    { minItems: 1, maxItems: 2, minProperties: 1, maxProperties: 1 },
    ['[1]', '{"a":1}'],
    [
      ['[]', 'wrong_type', ''],
      ['[1,2,3]', 'wrong_type', ''],
      ['{}', 'wrong_type', ''],
      ['{"a":1,"b":2}', 'wrong_type', ''],
    ],
  ],
  [
    'members',
    { properties: { a: { type: 'string' } }, required: ['a', 'toString'] },
    ['{"a":"","toString":1}'],
    [
      ['{"a":""}', 'missing_key', ''],
      ['{"a":1,"toString":1}', 'wrong_type', 'a'],
    ],
  ],
  [
    'other members by schema',
    { properties: { a: true }, additionalProperties: { type: 'number' } },
    ['{"a":"x","b":1}'],
    [['{"b":"x"}', 'wrong_type', 'b']],
  ],
  [
    'a forbidden member',
    { properties: { a: true, b: false } },
    ['{"a":1}'],
    [['{"b":1}', 'wrong_type', 'b']],
  ],
  [
    'items',
    { items: { type: 'array', items: { type: 'boolean' } } },
    ['[]', '[[true],[]]'],
    [['[[true],[1]]', 'wrong_type', '1.0']],
  ],
  [
    'anyOf',
    { anyOf: [{ type: 'string' }, { properties: { a: { const: 1 } }, required: ['a'] }] },
    ['"x"', '{"a":1}'],
    [
      ['{"a":2}', 'wrong_type', 'a'],
      ['{}', 'missing_key', ''],
    ],
  ],
  [
    'oneOf',
    { oneOf: [{ type: 'integer' }, { minimum: 5 }] },
    ['1', '5.5', '"x"'].slice(0, 2),
    [['6', 'wrong_type', '']],
  ],
  [
    'recursive references',
    {
      $defs: {
        n: {
          type: 'object',
          properties: { next: { $ref: '#/$defs/n' }, v: { type: 'integer' } },
          required: ['v'],
          additionalProperties: false,
        },
      },
      $ref: '#/$defs/n',
    },
    ['{"v":1,"next":{"v":2}}'],
    [['{"v":1,"next":{"v":2,"next":{"v":"x"}}}', 'wrong_type', 'next.next.v']],
  ],
  [
    'keywords beside a union',
    {
      type: 'object',
      required: ['k'],
      oneOf: [{ properties: { k: { const: 1 } } }, { properties: { k: { const: 2 } } }],
    },
    ['{"k":1}', '{"k":2}'],
    [
      ['{"k":3}', 'wrong_type', 'k'],
      ['{}', 'missing_key', ''],
    ],
  ],
];

describe('compileContract', () => {
  for (const [name, definition, places] of FAULTS) {
    it(`lists: ${name}`, () => {
      const result = compileContract(definition);
      expect(result.ok ? [] : result.issues.map(({ place }) => place)).toEqual(places);
    });
  }

  it('takes annotations and vendor extensions for what they are', () => {
    const reply = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'urn:x',
      title: 't',
      description: 'd',
      default: 1,
      examples: [1],
      'x-note': 1,
    };
    expect(compileContract({ reply })).toMatchObject({ ok: true });
  });

  it('gives equal definitions equal fingerprints, whatever the order of their members', () => {
    const a = contractOf({ reply: { type: 'object', required: ['a', 'b'] } });
    const b = contractOf({ reply: { required: ['a', 'b'], type: 'object' } });
    const c = contractOf({ reply: { required: ['b', 'a'], type: 'object' } });
    expect(a.fingerprint).toMatch(/^[0-9a-f]{16}$/);
    expect(b.fingerprint).toBe(a.fingerprint);
    expect(c.fingerprint).not.toBe(a.fingerprint);
  });

  it('takes the route from the definition before the one it is given', () => {
    expect(compileContract({ reply: true, route: 'a' }, 'b')).toMatchObject({ contract: { route: 'a' } });
    expect(compileContract({ reply: true }, 'b')).toMatchObject({ contract: { route: 'b' } });
  });
});

describe('check', () => {
  for (const [name, reply, good, bad] of CHECKS) {
    const contract = contractOf({ reply });
    for (const text of good) {
      it(`${name}: ${text} holds`, () => {
        expect(readReply(text, contract)).toMatchObject({ ok: true, text });
      });
    }
    for (const [text, code, path] of bad) {
      it(`${name}: ${text} does not hold`, () => {
        const result = readReply(text, contract);
        expect(result.ok || { code: result.fault.code, path: result.fault.path.join('.') }).toEqual({
          code,
          path,
        });
      });
    }
  }

  it('judges deeply nested unions in time that grows with the text', () => {
    const node = {
      type: 'object',
      properties: {
        n: { anyOf: [{ $ref: '#/$defs/n' }, { $ref: '#/$defs/m' }, { type: 'null' }] },
        v: { type: 'integer' },
      },
    };
    const contract = contractOf({
      reply: { $defs: { n: node, m: { ...node, required: ['v'] } }, $ref: '#/$defs/n' },
    });
    const deep = `${'{"n":'.repeat(100)}"x"${'}'.repeat(100)}`;
    expect(readReply(deep, contract)).toMatchObject({ fault: { code: 'wrong_type' } });
  });

  it('strict key tables refuse unknown keys in every reply', () => {
    const keys = { top: ['a', 'b'], items: { b: ['c'] } };
    const open = contractOf({ keys });
    const strict = contractOf({ keys, strict: true });
    for (const text of ['{"x":1}', '{"b":{"x":1}}', '{"b":[{"c":1},{"x":1}]}']) {
      expect(readReply(text, open)).toMatchObject({ ok: true });
      expect(readReply(text, strict)).toMatchObject({ fault: { code: 'unknown_key', key: 'x' } });
    }
    expect(readReply('{"b":[{"c":{"deep":1}}]}', strict)).toMatchObject({ ok: true });
  });
});
