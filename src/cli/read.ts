/** What do saved replies say under a contract? The proxy's own reading, offline. */

import { readFileSync } from 'node:fs';
import type { Contract } from '../contract/contract.ts';
import { readReply } from '../reader/read-reply.ts';
import { countRepairs } from '../reader/reading.ts';
import { lineAndColumn } from '../reader/span.ts';
import { messageOf } from '../refusal/refusal.ts';
import { caret } from './caret.ts';
import { compileFile, issueLines } from './contract-source.ts';
import { paint } from './paint.ts';

/** Reads each file (`-` is standard input). Exit code 0 where all have a reading, 1 where one has none, 2 for usage. */
export function read(contractFile: string | undefined, files: readonly string[]): number {
  if (contractFile === undefined) {
    process.stderr.write('portcullis read: --contract FILE is needed\n');
    return 2;
  }
  const compiled = compileFile(contractFile);
  if (!compiled.ok) {
    process.stderr.write(issueLines(contractFile, compiled.issues));
    return 2;
  }
  let code = 0;
  for (const file of files.length === 0 ? ['-'] : files) {
    let text: string;
    try {
      text = readFileSync(file === '-' ? 0 : file, 'utf8');
    } catch {
      process.stderr.write(`portcullis read: ${file} cannot be read\n`);
      return 2;
    }
    if (!readOne(file === '-' ? 'stdin' : file, text, compiled.contract)) code = 1;
  }
  return code;
}

function readOne(name: string, text: string, contract: Contract): boolean {
  const result = readReply(text, contract);
  const color = paint(process.stderr);
  if (result.ok) {
    process.stdout.write(`${result.text}\n`);
    const repairs = countRepairs(result.repairs).map(([kind, count]) => `${kind}=${count}`);
    process.stderr.write(
      `${name}: ${color.green(repairs.length === 0 ? 'verified' : `repaired (${repairs.join(', ')})`)}\n`,
    );
    return true;
  }
  const { fault } = result;
  const { line, column } = lineAndColumn(text, fault.at);
  const rivals = (fault.rivals ?? []).map((rival) => `  it could mean: ${rival}\n`).join('');
  process.stderr.write(
    `${name}:${line}:${column}: ${color.red(`refused ${fault.code}`)}: ${messageOf(fault.code, fault)}\n${caret(text, fault.at)}${rivals}`,
  );
  return false;
}
