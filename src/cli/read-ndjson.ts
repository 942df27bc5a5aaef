/** How do programs ask for readings? One JSON line in, one JSON line out, in order, each as soon as its line has come. */

import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { CompileResult } from '../contract/contract.ts';
import { compileEither } from '../contract/contract-or-schema.ts';
import { finishOf } from '../openai/finish-reason.ts';
import { refuse } from '../reader/fault.ts';
import { readReply } from '../reader/read-reply.ts';
import { PROBLEMS } from '../refusal/catalogue.ts';
import { messageOf } from '../refusal/refusal.ts';
import { type Line, LineSplitter } from './lines.ts';

/** How many compiled contracts are kept, the last used ones. */
const MAX_CONTRACTS = 256;
/** Longest line, UTF-16 code units: the longest reply with every character escaped, and a contract. */
const MAX_LINE = 16_777_216;

/** Answers every line of `input` until its end; blank lines have no answer. Waits while `output` is full. */
export async function readNdjson(input: Readable, output: Writable): Promise<void> {
  const contracts = new Map<string, CompileResult>();
  const splitter = new LineSplitter(MAX_LINE);
  const answer = async (lines: readonly Line[]): Promise<void> => {
    const text = lines.map((line) => answerLine(line, contracts)).join('');
    if (text !== '' && !output.write(text)) await once(output, 'drain');
  };
  for await (const bytes of input as AsyncIterable<Uint8Array>) await answer(splitter.push(bytes));
  await answer([splitter.end()]);
}

function answerLine(line: Line, contracts: Map<string, CompileResult>): string {
  if (!line.ok) return lineOf(badLine(null, `the line is longer than ${MAX_LINE} UTF-16 code units`));
  return line.text.trim() === '' ? '' : lineOf(answerText(line.text, contracts));
}

function lineOf(answer: unknown): string {
  return `${JSON.stringify(answer)}\n`;
}

function answerText(text: string, contracts: Map<string, CompileResult>): unknown {
  const asked = parseLine(text);
  if (!asked.ok) return badLine(asked.id, asked.mistake);
  const { id, reply, contract, finish } = asked;
  const compiled = compileOnce(contract, contracts);
  if (!compiled.ok) {
    const message = compiled.issues.map((issue) => `${issue.place}: ${issue.message}`).join('; ');
    return { id, ok: false, code: 'contract_unavailable', at: 0, message };
  }
  const how = finishOf(finish);
  if (how === 'content_filter') {
    const { fault } = refuse('cut', reply.length, `the finish reason is ${finish}`);
    return { id, ok: false, code: how, at: fault.at, message: messageOf(how, fault) };
  }
  if (how === 'failed') {
    const message = `${PROBLEMS.upstream_invalid.sentence} The finish reason is ${finish}.`;
    return { id, ok: false, code: 'upstream_invalid', at: 0, message };
  }
  const result = readReply(reply, compiled.contract, { finish: how === 'length' ? 'length' : 'stop' });
  if (result.ok) return { id, ok: true, text: result.text, repairs: result.repairs };
  const { fault } = result;
  return { id, ok: false, code: fault.code, at: fault.at, message: messageOf(fault.code, fault) };
}

function badLine(id: unknown, message: string): unknown {
  return { id, ok: false, code: 'bad_line', at: 0, message };
}

type Asked =
  | {
      readonly ok: true;
      readonly id: unknown;
      readonly reply: string;
      readonly contract: unknown;
      readonly finish: string | null;
    }
  | { readonly ok: false; readonly id: unknown; readonly mistake: string };

/** The line's fields, or what is wrong with it; then the id is null where it is not known. */
function parseLine(line: string): Asked {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { ok: false, id: null, mistake: 'the line is not JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, id: null, mistake: 'the line must be an object' };
  }
  const fields = value as Readonly<Record<string, unknown>>;
  const { text, contract } = fields;
  const id = fields.id ?? null;
  const finish = fields.finish_reason ?? fields.finish ?? null;
  if (typeof text !== 'string') return { ok: false, id, mistake: 'the member "text" must be a string' };
  if (contract === undefined) {
    return { ok: false, id, mistake: 'the member "contract" must be a JSON Schema or a contract' };
  }
  if (finish !== null && typeof finish !== 'string') {
    return { ok: false, id, mistake: 'the member "finish_reason" must be a string' };
  }
  return { ok: true, id, reply: text, contract, finish };
}

function compileOnce(contract: unknown, contracts: Map<string, CompileResult>): CompileResult {
  const key = JSON.stringify(contract);
  const compiled = contracts.get(key) ?? compileEither(contract);
  // The map keeps the order of insertion: the one used last goes to its end.
  contracts.delete(key);
  contracts.set(key, compiled);
  const [oldest] = contracts.keys();
  if (contracts.size > MAX_CONTRACTS && oldest !== undefined) contracts.delete(oldest);
  return compiled;
}
