import { describe, expect, it } from 'vitest';
import type { Contract } from '../../src/contract/contract.ts';
import { runExchange } from '../../src/exchange/exchange.ts';
import type { Outcome } from '../../src/exchange/outcome.ts';
import type { UpstreamFailed } from '../../src/refusal/upstream-fault.ts';
import { closedObject, INTEGER, STRING } from '../reader/contracts.ts';
import { failed, KeptObserver, replied, type Scripted, ScriptedUpstream } from './scripted-upstream.ts';

const contract = closedObject({ text: STRING, 'n?': INTEGER });

const GOOD = '{"text":"alpha"}';
const UNKNOWN = '{"text":"alpha","extra":1}';
const DUPLICATE = '{"text":"alpha","text":"beta"}';
const PARTIAL = '{"text":"alp';
const REST = 'ha"}';

const TIMEOUT: UpstreamFailed = { kind: 'timeout', detail: 'no answer in time' };

interface Ran {
  readonly outcome: Outcome<string>;
  readonly upstream: ScriptedUpstream;
  readonly observer: KeptObserver;
}

async function run(
  script: readonly Scripted[],
  more: { readonly contract?: Contract; readonly signal?: AbortSignal } = {},
): Promise<Ran> {
  const upstream = new ScriptedUpstream(...script);
  const observer = new KeptObserver();
  let now = 0;
  const outcome = await runExchange({
    contract: more.contract ?? contract,
    upstream,
    observer,
    clock: { now: () => (now += 1) },
    signal: more.signal ?? new AbortController().signal,
  });
  return { outcome, upstream, observer };
}

function choicesOf(outcome: Outcome<string>): readonly unknown[] {
  if (outcome.kind !== 'verified') throw new Error(JSON.stringify(outcome));
  return outcome.choices.map(({ index, verdict, text }) => [index, verdict, text]);
}

describe('an exchange whose first reply holds', () => {
  it('hands it on as it came', async () => {
    const text = ` ${GOOD}\n`;
    const { outcome, upstream, observer } = await run([replied(text, { usage: { total_tokens: 7 } })]);
    expect(outcome).toEqual({
      kind: 'verified',
      verdict: 'verified',
      choices: [{ index: 0, verdict: 'verified', text, changed: false, finishWire: 'stop', repairs: [] }],
      reply: expect.objectContaining({ envelope: 'the envelope' }),
      calls: 1,
      usage: { total_tokens: 7 },
    });
    expect(upstream.attempts).toEqual([{ purpose: 'first', turns: [] }]);
    expect(observer.told).toEqual(['first reply 1', 'read first ok 1']);
  });

  it('hands a repaired one on as the object alone, with its repairs', async () => {
    const { outcome, upstream } = await run([replied(`\`\`\`json\n${GOOD}\n\`\`\``)]);
    expect(outcome).toMatchObject({
      kind: 'verified',
      verdict: 'repaired',
      choices: [{ text: GOOD, changed: true, repairs: [{ kind: 'fence' }, { kind: 'fence' }] }],
      calls: 1,
      usage: undefined,
    });
    expect(upstream.purposes).toEqual(['first']);
  });

  it('takes a reply whose server says nothing of its end', async () => {
    const { outcome } = await run([replied([{ text: GOOD, finish: 'absent', finishWire: null }])]);
    expect(outcome).toMatchObject({
      verdict: 'verified',
      choices: [{ text: GOOD, finishWire: null }],
      calls: 1,
    });
  });
});

describe('a correction', () => {
  it('is asked for once, with the reply, the reason and the keys, and its answer is handed on', async () => {
    const { outcome, upstream, observer } = await run([
      replied(DUPLICATE, { usage: { prompt_tokens: 10, total_tokens: 15 } }),
      replied([{ text: GOOD, finishWire: 'eos' }], { usage: { total_tokens: 30, d: { cached: 5 } } }),
    ]);
    expect(outcome).toMatchObject({
      kind: 'verified',
      verdict: 'corrected',
      choices: [
        { index: 0, verdict: 'corrected', text: GOOD, changed: true, finishWire: 'eos', repairs: [] },
      ],
      reply: { envelope: 'the envelope' },
      calls: 2,
      usage: { prompt_tokens: 10, total_tokens: 45, d: { cached: 5 } },
    });
    expect(upstream.purposes).toEqual(['first', 'correction']);
    expect(upstream.attempts[1]?.turns).toEqual([
      { role: 'assistant', text: DUPLICATE },
      {
        role: 'user',
        text: expect.stringMatching(/Duplicate key "text".*\n.*\n.*\{"text": string, "n"\?: integer\}/),
      },
    ]);
    expect(observer.told).toEqual([
      'first reply 1',
      'read first refused 1',
      'correction reply 1',
      'read correction ok 1',
    ]);
  });

  it('whose answer is repaired is corrected, and has its repairs', async () => {
    const { outcome } = await run([replied(UNKNOWN), replied(`\`\`\`\n${GOOD}\n\`\`\``)]);
    expect(outcome).toMatchObject({
      verdict: 'corrected',
      choices: [{ text: GOOD, repairs: [{ kind: 'fence' }, { kind: 'fence' }] }],
    });
  });

  it('that is refused as well ends with its own code, the first fault and both replies', async () => {
    const { outcome, upstream } = await run([replied(UNKNOWN), replied(DUPLICATE)]);
    expect(outcome).toEqual({
      kind: 'refused',
      refused: {
        index: 0,
        code: 'duplicate_key',
        fault: expect.objectContaining({ code: 'duplicate_key', key: 'text' }),
        first: expect.objectContaining({ code: 'unknown_key', key: 'extra' }),
        secondAttempt: undefined,
        replies: [UNKNOWN, DUPLICATE],
      },
      calls: 2,
      usage: undefined,
    });
    expect(upstream.purposes).toEqual(['first', 'correction']);
  });

  const ENDS: readonly (readonly [string, Scripted, string])[] = [
    ['is cut', replied(PARTIAL), 'cut'],
    ['stopped at its length limit, though it parses', replied(GOOD, { finish: 'length' }), 'cut'],
    ['used every token, though it parses', replied(GOOD, { atMaximum: true }), 'cut'],
    ['is empty', replied(' '), 'empty'],
    ['is declined', replied([{ declined: 'No' }]), 'declined'],
    ['is stopped by a content filter', replied([{ text: GOOD, finish: 'content_filter' }]), 'content_filter'],
    ['is a tool call', replied([{ finish: 'tool_calls' }]), 'unsupported'],
  ];
  for (const [name, second, code] of ENDS) {
    it(`whose answer ${name} ends as ${code}`, async () => {
      const { outcome, upstream } = await run([replied(UNKNOWN), second]);
      expect(outcome).toMatchObject({ refused: { code, first: { code: 'unknown_key' } }, calls: 2 });
      expect(upstream.purposes).toEqual(['first', 'correction']);
    });
  }

  it('is not asked for where the contract forbids it', async () => {
    const { outcome } = await run([replied(UNKNOWN)], { contract: { ...contract, correct: false } });
    expect(outcome).toMatchObject({
      refused: { code: 'unknown_key', first: undefined, replies: [UNKNOWN] },
      calls: 1,
    });
  });
});

describe('a continuation', () => {
  it('is joined with the partial, and its finish reason is the last one', async () => {
    const { outcome, upstream, observer } = await run([
      replied([{ text: PARTIAL, finish: 'length', finishWire: 'length' }], { usage: { total_tokens: 1 } }),
      replied(REST, { usage: { total_tokens: 2 } }),
    ]);
    expect(outcome).toMatchObject({
      kind: 'verified',
      verdict: 'continued',
      choices: [{ verdict: 'continued', text: GOOD, changed: true, finishWire: 'stop', repairs: [] }],
      calls: 2,
      usage: { total_tokens: 3 },
    });
    expect(upstream.purposes).toEqual(['first', 'continuation']);
    expect(upstream.attempts[1]?.turns).toEqual([
      { role: 'assistant', text: PARTIAL },
      { role: 'user', text: expect.stringContaining('Go on exactly where it stopped') },
    ]);
    expect(observer.told.at(-1)).toBe('read continuation ok 1');
  });

  const STARTS: readonly (readonly [string, Scripted, string])[] = [
    ['that reports stop but is a proper prefix', replied(PARTIAL), REST],
    ['that stopped at its limit, though it parses', replied(GOOD, { finish: 'length' }), ''],
    ['that used every token, though it parses', replied(GOOD, { atMaximum: true }), '\n'],
  ];
  for (const [name, first, rest] of STARTS) {
    it(`is asked for after a reply ${name}`, async () => {
      const { outcome, upstream } = await run([first, replied(rest)]);
      expect(choicesOf(outcome)).toEqual([[0, 'continued', GOOD]]);
      expect(upstream.purposes).toEqual(['first', 'continuation']);
    });
  }

  const ENDS: readonly (readonly [string, Scripted, string])[] = [
    ['is cut again', replied('ha', { finish: 'length' }), 'cut'],
    ['used every token again', replied(REST, { atMaximum: true }), 'cut'],
    ['never closes', replied('ha'), 'cut'],
    ['starts with words about itself', replied(`Sure, here is the rest:\n${REST}`), 'cut'],
    ['is declined', replied([{ declined: 'No' }]), 'declined'],
  ];
  for (const [name, second, code] of ENDS) {
    it(`that ${name} ends as ${code}, without a third call`, async () => {
      const { outcome, upstream } = await run([replied(PARTIAL), second]);
      expect(outcome).toMatchObject({ refused: { code, first: { code: 'cut', at: 12 } }, calls: 2 });
      expect(upstream.purposes).toEqual(['first', 'continuation']);
    });
  }

  it('is not asked for where the contract forbids it', async () => {
    const { outcome } = await run([replied(PARTIAL)], { contract: { ...contract, continue: false } });
    expect(outcome).toMatchObject({ refused: { code: 'cut', first: undefined }, calls: 1 });
  });
});

describe('a reply that no second attempt can help', () => {
  const ENDS: readonly (readonly [string, Scripted, string])[] = [
    ['an empty text', replied(''), 'empty'],
    ['white space only', replied(' \n'), 'empty'],
    ['an empty text at the length limit', replied('', { finish: 'length' }), 'empty'],
    ['only reasoning', replied('<think>hm, well</think>\n'), 'empty'],
    ['only reasoning at the length limit', replied('<think>hm, we', { finish: 'length' }), 'empty'],
    ['what the model declined', replied([{ declined: 'No' }]), 'declined'],
    ['what a content filter stopped', replied([{ text: '{"', finish: 'content_filter' }]), 'content_filter'],
    ['a tool call', replied([{ finish: 'tool_calls' }]), 'unsupported'],
  ];
  for (const [name, first, code] of ENDS) {
    it(`(${name}) ends as ${code} after one call`, async () => {
      const { outcome, upstream } = await run([first]);
      expect(outcome).toMatchObject({ kind: 'refused', refused: { code, first: undefined }, calls: 1 });
      expect(upstream.purposes).toEqual(['first']);
    });
  }
});

describe('several choices', () => {
  it('are verified each, and only the one that fails is asked for again', async () => {
    const { outcome, upstream } = await run([replied([GOOD, UNKNOWN, GOOD]), replied('{"text":"mended"}')]);
    expect(choicesOf(outcome)).toEqual([
      [0, 'verified', GOOD],
      [1, 'corrected', '{"text":"mended"}'],
      [2, 'verified', GOOD],
    ]);
    expect(outcome).toMatchObject({ verdict: 'corrected', calls: 2 });
    expect(upstream.attempts[1]?.turns[0]).toEqual({ role: 'assistant', text: UNKNOWN });
  });

  it('are asked for again at the same time', async () => {
    const second = Promise.withResolvers<undefined>();
    const { outcome } = await run([
      replied([UNKNOWN, PARTIAL]),
      async () => {
        await second.promise;
        return replied(GOOD);
      },
      () => {
        second.resolve(undefined);
        return replied(REST);
      },
    ]);
    expect(choicesOf(outcome)).toEqual([
      [0, 'corrected', GOOD],
      [1, 'continued', GOOD],
    ]);
    expect(outcome).toMatchObject({ verdict: 'continued', calls: 3 });
  });

  it('keep the order and the indexes of the reply', async () => {
    const { outcome } = await run([
      replied([
        { index: 1, text: GOOD },
        { index: 0, text: `\`\`\`\n${GOOD}\n\`\`\`` },
      ]),
    ]);
    expect(choicesOf(outcome)).toEqual([
      [1, 'verified', GOOD],
      [0, 'repaired', GOOD],
    ]);
    expect(outcome).toMatchObject({ verdict: 'repaired' });
  });

  it('are all refused where one is, and the lowest index is told', async () => {
    const { outcome, upstream } = await run([
      replied([
        { index: 2, text: UNKNOWN },
        { index: 1, text: UNKNOWN },
        { index: 0, text: GOOD },
      ]),
      replied(DUPLICATE, { usage: { total_tokens: 1 } }),
      replied(PARTIAL, { usage: { total_tokens: 2 } }),
    ]);
    expect(outcome).toMatchObject({
      kind: 'refused',
      refused: { index: 1, code: 'cut', replies: [UNKNOWN, PARTIAL] },
      calls: 3,
      usage: { total_tokens: 3 },
    });
    expect(upstream.purposes).toEqual(['first', 'correction', 'correction']);
  });

  it('cost nothing more once one of them is lost', async () => {
    const { outcome, upstream } = await run([replied([UNKNOWN, GOOD, { declined: 'No' }, ''])]);
    expect(outcome).toMatchObject({ refused: { index: 2, code: 'declined' }, calls: 1 });
    expect(upstream.purposes).toEqual(['first']);
  });
});

describe('an upstream that fails', () => {
  it('at the first attempt fails the exchange with its own answer', async () => {
    const fault = {
      kind: 'answered',
      status: 429,
      headers: [['retry-after', '3']],
      body: new Uint8Array(),
    } as const;
    const { outcome, observer } = await run([failed(fault)]);
    expect(outcome).toEqual({ kind: 'failed', fault, calls: 1, usage: undefined });
    expect(observer.told).toEqual(['first answered 1']);
  });

  it('at the second attempt leaves the first refusal, which says so', async () => {
    const { outcome } = await run([replied(UNKNOWN, { usage: { total_tokens: 4 } }), failed(TIMEOUT)]);
    expect(outcome).toEqual({
      kind: 'refused',
      refused: {
        index: 0,
        code: 'unknown_key',
        fault: expect.objectContaining({ code: 'unknown_key', key: 'extra' }),
        first: undefined,
        secondAttempt: TIMEOUT,
        replies: [UNKNOWN],
      },
      calls: 2,
      usage: { total_tokens: 4 },
    });
  });

  it('at a continuation leaves the cut', async () => {
    const { outcome } = await run([replied(PARTIAL), failed(TIMEOUT)]);
    expect(outcome).toMatchObject({ refused: { code: 'cut', secondAttempt: TIMEOUT, replies: [PARTIAL] } });
  });

  const FAILED = [{ text: GOOD, finish: 'failed' }] as const;
  const INVALID: readonly (readonly [string, Scripted, string])[] = [
    ['gives no choices', replied([]), 'the answer has no choices'],
    ['says that its generation failed', replied(FAILED), 'the model server says that the generation failed'],
  ];
  for (const [name, answer, detail] of INVALID) {
    const fault = { kind: 'invalid', detail };

    it(`and ${name} is invalid`, async () => {
      const { outcome } = await run([answer]);
      expect(outcome).toEqual({ kind: 'failed', fault, calls: 1, usage: undefined });
    });

    it(`and ${name} at the second attempt leaves the first refusal`, async () => {
      const { outcome } = await run([replied(UNKNOWN), answer]);
      expect(outcome).toMatchObject({
        refused: { code: 'unknown_key', secondAttempt: fault, replies: [UNKNOWN] },
        calls: 2,
      });
    });
  }

  it('for one choice of several fails the exchange', async () => {
    const { outcome } = await run([replied([GOOD, ...FAILED])]);
    expect(outcome).toMatchObject({ kind: 'failed', fault: { kind: 'invalid' }, calls: 1 });
  });
});

describe('a client that goes away', () => {
  const cancelled = { kind: 'cancelled', detail: 'the client went away' };

  it('before the first attempt costs no call', async () => {
    const { outcome, upstream } = await run([], { signal: AbortSignal.abort() });
    expect(outcome).toEqual({ kind: 'failed', fault: cancelled, calls: 0, usage: undefined });
    expect(upstream.attempts).toEqual([]);
  });

  it('during the first attempt cancels it', async () => {
    const client = new AbortController();
    const { outcome, upstream } = await run(
      [
        (_, signal) => {
          client.abort();
          return failed({ kind: 'cancelled', detail: signal.aborted ? 'seen' : 'missed' });
        },
      ],
      { signal: client.signal },
    );
    expect(outcome).toMatchObject({ kind: 'failed', fault: { kind: 'cancelled', detail: 'seen' }, calls: 1 });
    expect(upstream.purposes).toEqual(['first']);
  });

  it('between the attempts costs no second call', async () => {
    const client = new AbortController();
    const { outcome, upstream } = await run(
      [
        () => {
          client.abort();
          return replied(UNKNOWN, { usage: { total_tokens: 4 } });
        },
      ],
      { signal: client.signal },
    );
    expect(outcome).toEqual({ kind: 'failed', fault: cancelled, calls: 1, usage: { total_tokens: 4 } });
    expect(upstream.purposes).toEqual(['first']);
  });

  it('during a second attempt cancels it, and is not told a refusal', async () => {
    const client = new AbortController();
    const { outcome } = await run(
      [
        replied(UNKNOWN),
        () => {
          client.abort();
          return failed({ kind: 'cancelled', detail: 'x' });
        },
      ],
      { signal: client.signal },
    );
    expect(outcome).toEqual({ kind: 'failed', fault: cancelled, calls: 2, usage: undefined });
  });
});
