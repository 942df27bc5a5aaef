/** How do programs ask for readings? One JSON line in, one JSON line out, in order, each as soon as its line has come. */

import type { Readable, Writable } from 'node:stream';
import type { CompileResult } from '../contract/contract.ts';
import { readReply } from '../reader/read-reply.ts';
import { messageOf } from '../refusal/refusal.ts';
import { compileEither } from './contract-source.ts';

/** How many compiled contracts are kept. */
const MAX_CONTRACTS = 64;
/** Longest line, UTF-16 code units. */
const MAX_LINE = 67_108_864;

/** Answers every line of `input` until its end. Resolves to the exit code, 0: a refusal is an answer like others. */
export async function readNdjson(input: Readable, output: Writable): Promise<number> {
  const contracts = new Map<string, CompileResult>();
  const decoder = new TextDecoder();
  let rest = '';
  const answer = async (lines: readonly string[]): Promise<void> => {
    const answers = lines
      .filter((line) => line.trim() !== '')
      .map((line) => `${JSON.stringify(answerLine(line, contracts))}\n`);
    if (answers.length === 0 || output.write(answers.join(''))) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    output.once('drain', resolve);
    await promise;
  };
  for await (const piece of input as AsyncIterable<Buffer>) {
    rest += decoder.decode(piece, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE) {
      lines.push('');
      rest = '';
    }
    await answer(lines);
  }
  await answer([rest + decoder.decode()]);
  return 0;
}

interface Line {
  readonly id: unknown;
  readonly text: string;
  readonly contract: unknown;
  readonly finish: unknown;
}

function answerLine(line: string, contracts: Map<string, CompileResult>): unknown {
  const asked = parseLine(line);
  if (typeof asked === 'string') return { id: null, ok: false, code: 'bad_line', at: 0, message: asked };
  const { id, text, contract, finish } = asked;
  const compiled = compileOnce(contract, contracts);
  if (!compiled.ok) {
    const message = compiled.issues.map((issue) => `${issue.place}: ${issue.message}`).join('; ');
    return { id, ok: false, code: 'contract_unavailable', at: 0, message };
  }
  const result = readReply(text, compiled.contract, { finish: finish === 'length' ? 'length' : 'stop' });
  if (result.ok) return { id, ok: true, text: result.text, repairs: result.repairs };
  const { fault } = result;
  return { id, ok: false, code: fault.code, at: fault.at, message: messageOf(fault.code, fault) };
}

/** The line's fields, or what is wrong with it. */
function parseLine(line: string): Line | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return 'the line is not JSON';
  }
  if (typeof value !== 'object' || value === null) return 'the line must be an object';
  const { id, text, contract, finish_reason: finishReason, finish } = value as Record<string, unknown>;
  if (typeof text !== 'string') return 'the line needs a member "text", a string';
  if (contract === undefined) return 'the line needs a member "contract", a JSON Schema or a contract';
  return { id: id ?? null, text, contract, finish: finishReason ?? finish };
}

function compileOnce(contract: unknown, contracts: Map<string, CompileResult>): CompileResult {
  const key = JSON.stringify(contract);
  const known = contracts.get(key);
  if (known !== undefined) return known;
  const compiled = compileEither(contract);
  contracts.set(key, compiled);
  const [oldest] = contracts.keys();
  if (contracts.size > MAX_CONTRACTS && oldest !== undefined) contracts.delete(oldest);
  return compiled;
}
