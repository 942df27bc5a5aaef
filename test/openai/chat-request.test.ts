import { describe, expect, it } from 'vitest';
import {
  definitionOf,
  parseRequest,
  readChatRequest,
  unsupportedUnderContract,
} from '../../src/openai/chat-request.ts';
import { requestOf } from './requests.ts';

describe('parseRequest', () => {
  it('keeps the text, the tree and the value', () => {
    const parsed = parseRequest(' {"a":1} ');
    expect(parsed).toMatchObject({ ok: true, json: { text: ' {"a":1} ', body: { a: 1 } } });
  });

  const FAULTS: readonly (readonly [string, string, string, string | null])[] = [
    ['a body that stops', '{"a":', 'the body is not JSON at 5: a value expected', null],
    ['an empty body', '', 'the body is not JSON at 0: a value expected', null],
    ['text after the body', '{} x', 'text follows the JSON body', null],
    ['a list', '[]', 'the body must be a JSON object', null],
    ['a member that comes twice', '{"a":1,"\\u0061":2}', 'the member "a" comes twice', 'a'],
    ['a member inside that comes twice', '{"o":{"a":1,"a":2}}', 'the member "a" comes twice', 'o.a'],
  ];
  for (const [name, text, detail, param] of FAULTS) {
    it(`refuses ${name}`, () => {
      const parsed = parseRequest(text);
      expect(parsed).toMatchObject({ ok: false, code: 'invalid_request', param });
      expect(parsed.ok ? '' : parsed.detail).toBe(detail);
    });
  }
});

describe('readChatRequest', () => {
  it('fills in what the API fills in', () => {
    expect(requestOf('{"messages":[]}')).toMatchObject({
      model: undefined,
      stream: false,
      includeUsage: false,
      n: 1,
      maxTokens: undefined,
    });
  });

  it('takes null for absent, and the newer limit before the older', () => {
    const text =
      '{"model":"m","messages":[{}],"stream":true,"stream_options":{"include_usage":true},"n":null,"max_tokens":5,"max_completion_tokens":7}';
    expect(requestOf(text)).toMatchObject({
      model: 'm',
      stream: true,
      includeUsage: true,
      n: 1,
      maxTokens: 7,
    });
  });

  const FAULTS: readonly (readonly [string, string])[] = [
    ['{"model":1,"messages":[]}', 'model'],
    ['{"messages":"x"}', 'messages'],
    ['{}', 'messages'],
    ['{"messages":[],"stream":"yes"}', 'stream'],
    ['{"messages":[],"stream_options":{"include_usage":1}}', 'stream_options.include_usage'],
    ['{"messages":[],"n":0}', 'n'],
    ['{"messages":[],"n":129}', 'n'],
    ['{"messages":[],"n":1.5}', 'n'],
    ['{"messages":[],"max_tokens":"9"}', 'max_tokens'],
    ['{"messages":[],"response_format":"json"}', 'response_format'],
  ];
  for (const [text, place] of FAULTS) {
    it(`names ${place} as the mistake in ${text}`, () => {
      const parsed = parseRequest(text);
      const understood = parsed.ok ? readChatRequest(parsed.json) : parsed;
      expect(understood).toMatchObject({ ok: false, code: 'invalid_request', param: place });
      expect(understood.ok ? '' : understood.detail).toMatch(new RegExp(`^${place.replace('.', '\\.')}: .`));
    });
  }
});

describe('unsupportedUnderContract', () => {
  const ROWS: readonly (readonly [string, Record<string, unknown>, string | undefined])[] = [
    ['tools', { tools: [{}] }, 'tools'],
    ['tools that may be called', { tools: [{}], tool_choice: 'auto' }, 'tools'],
    ['tools that may not be called', { tools: [{}], tool_choice: 'none' }, undefined],
    ['no tools', { tools: [] }, undefined],
    ['functions', { functions: [{}] }, 'functions'],
    ['functions that may not be called', { functions: [{}], function_call: 'none' }, undefined],
    ['audio', { audio: {} }, 'audio'],
    ['no audio', { audio: null }, undefined],
    ['a spoken modality', { modalities: ['text', 'audio'] }, 'modalities'],
    ['text alone', { modalities: ['text'] }, undefined],
    ['nothing of these', {}, undefined],
  ];
  for (const [name, body, param] of ROWS) {
    it(`${param === undefined ? 'allows' : 'refuses'} ${name}`, () => {
      const fault = unsupportedUnderContract(body);
      expect(fault?.param).toBe(param);
      expect(fault?.code).toBe(param === undefined ? undefined : 'unsupported');
    });
  }
});

describe('definitionOf', () => {
  const schema = { type: 'object', properties: {} };
  const ROWS: readonly (readonly [string, unknown, unknown])[] = [
    ['no format', undefined, undefined],
    ['null', null, undefined],
    ['text', { type: 'text' }, undefined],
    ['json_schema', { type: 'json_schema', json_schema: { name: 'x', schema } }, { reply: schema }],
    ['json_schema with the schema beside the type', { type: 'json_schema', schema }, { reply: schema }],
    ['json_object', { type: 'json_object' }, { reply: { type: 'object' } }],
    ['json_object with a schema', { type: 'json_object', schema }, { reply: schema }],
  ];
  for (const [name, format, definition] of ROWS) {
    it(`takes from ${name} ${definition === undefined ? 'nothing' : 'the contract'}`, () => {
      const found = definitionOf({ response_format: format });
      expect(found).toEqual(definition === undefined ? undefined : { ok: true, definition });
    });
  }

  it('asks for the schema that json_schema needs', () => {
    for (const format of [{ type: 'json_schema' }, { type: 'json_schema', json_schema: { name: 'x' } }]) {
      expect(definitionOf({ response_format: format })).toMatchObject({
        ok: false,
        code: 'invalid_request',
        param: 'response_format.json_schema.schema',
      });
    }
  });
});
