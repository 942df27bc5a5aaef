/** What do saved replies say under a contract? The proxy's own reading, offline. */

import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { Contract } from '../contract/contract.ts';
import { readReply } from '../reader/read-reply.ts';
import { countRepairs } from '../reader/reading.ts';
import { lineAndColumn } from '../reader/span.ts';
import { messageOf } from '../refusal/refusal.ts';
import { caret } from './caret.ts';
import { compileFile, issueLines } from './contract-source.ts';
import { inert } from './inert.ts';
import { paint } from './paint.ts';

const REFUSED = 1;
const UNREADABLE = 2;

/** Reads each file (`-` or none is standard input). Exit code 0: all have a reading, 1: one has none, 2: no input. */
export async function read(contractFile: string, files: readonly string[]): Promise<number> {
  const source = await compileFile(contractFile);
  if (source.kind === 'unreadable') return unreadable(contractFile, 'cannot be read');
  const { result } = source;
  if (!result.ok) {
    for (const line of issueLines(contractFile, result.issues)) process.stderr.write(`${line}\n`);
    return UNREADABLE;
  }
  let code = 0;
  for (const file of files.length === 0 ? ['-'] : files) {
    code = Math.max(code, await readFrom(file, result.contract));
  }
  return code;
}

async function readFrom(file: string, contract: Contract): Promise<number> {
  const bytes = await (file === '-' ? buffer(process.stdin) : readFile(file)).catch(() => undefined);
  if (bytes === undefined) return unreadable(file, 'cannot be read');
  const text = decode(bytes);
  // refuse: replacement characters would be text that the model never said.
  if (text === undefined) return unreadable(file, 'is not UTF-8');
  return readOne(inert(file === '-' ? 'stdin' : file), text, contract) ? 0 : REFUSED;
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function readOne(name: string, text: string, contract: Contract): boolean {
  const result = readReply(text, contract);
  const color = paint(process.stderr);
  if (result.ok) {
    process.stdout.write(`${result.text}\n`);
    const repairs = countRepairs(result.repairs).map(([kind, count]) => `${kind}=${count}`);
    const verdict = repairs.length === 0 ? 'verified' : `repaired (${repairs.join(', ')})`;
    process.stderr.write(`${name}: ${color.green(verdict)}\n`);
    return true;
  }
  const { fault } = result;
  const { line, column } = lineAndColumn(text, fault.at);
  const why = inert(messageOf(fault.code, fault));
  const rivals = (fault.rivals ?? []).map((rival) => `  it could mean: ${inert(rival)}\n`).join('');
  process.stderr.write(
    `${name}:${line}:${column}: ${color.red(`refused ${fault.code}`)}: ${why}\n${caret(text, fault.at)}${rivals}`,
  );
  return false;
}

function unreadable(file: string, why: string): number {
  process.stderr.write(`portcullis read: ${inert(file)} ${why}\n`);
  return UNREADABLE;
}
