import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Contract } from '../../src/contract/contract.ts';
import { readReply } from '../../src/reader/read-reply.ts';
import { pathText } from '../../src/reader/span.ts';
import { loadContractFolder } from '../../src/registry/contract-folder.ts';
import { EXAMPLES } from './replies.ts';

const shipped = await loadContractFolder(fileURLToPath(new URL('../../contracts', import.meta.url)));

function contractFor(route: string): Contract {
  const state = shipped.find(route);
  if (state?.state !== 'active') throw new Error(`${route}: ${JSON.stringify(state)}`);
  return state.contract;
}

describe('the shipped contracts', () => {
  it('are these, and all compile and say what they are for', () => {
    const told = shipped.list().map((state) => {
      return state.state === 'active' ? [state.route, state.contract.description !== undefined] : state;
    });
    expect(told).toEqual(EXAMPLES.map(({ route }) => [route, true]));
  });

  for (const { route, good, bad, code, param } of EXAMPLES) {
    it(`${route} hands a good reply on byte for byte`, () => {
      const result = readReply(good, contractFor(route));
      expect(result.ok ? { text: result.text, repairs: result.repairs } : result.fault).toEqual({
        text: good,
        repairs: [],
      });
    });

    it(`${route} refuses a bad reply as ${code} at ${param}`, () => {
      const result = readReply(bad, contractFor(route));
      expect(
        result.ok
          ? result
          : { code: result.fault.code, param: result.fault.key ?? pathText(result.fault.path) },
      ).toEqual({ code, param });
    });
  }

  it('router takes a string for the tools without a payload', () => {
    const reply = '{"tool":"code","content":"print(1)","done":true}';
    expect(readReply(reply, contractFor('router'))).toMatchObject({ ok: true, text: reply });
  });

  it('review tolerates an unknown key in a strict reply and refuses it in a repaired one', () => {
    const strict = '{"findings":[],"summary":"a b"}';
    expect(readReply(strict, contractFor('review'))).toMatchObject({ ok: true, text: strict });
    expect(readReply(strict.replace('a b', 'a\nb'), contractFor('review'))).toMatchObject({
      ok: false,
      fault: { code: 'unknown_key', key: 'summary' },
    });
  });

  it('canary takes the repairs that it names and no other', () => {
    const reply = '{"healthy":true,"decision":"promote","reason":"all quiet"}';
    expect(readReply(`\`\`\`json\n${reply}\n\`\`\``, contractFor('canary'))).toMatchObject({
      ok: true,
      text: reply,
    });
    expect(readReply(reply.replace('all quiet', 'all \\quiet'), contractFor('canary'))).toMatchObject({
      ok: false,
      fault: { code: 'repair_refused' },
    });
  });
});
