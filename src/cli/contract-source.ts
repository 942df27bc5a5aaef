/** Which contract does a file or a line name? A whole contract has `reply` or `keys`; anything else is a JSON Schema. */

import { readFileSync } from 'node:fs';
import { compileContract } from '../contract/compile-contract.ts';
import type { CompileResult, ContractIssue } from '../contract/contract.ts';
import { parseContractText } from '../registry/contract-folder.ts';

/** Compiles a contract, or a bare JSON Schema as the contract of its replies. */
export function compileEither(definition: unknown): CompileResult {
  const whole =
    typeof definition === 'object' && definition !== null && ('reply' in definition || 'keys' in definition);
  return compileContract(whole ? definition : { reply: definition });
}

/** Compiles a contract file. Issues carry their line where it is known. */
export function compileFile(file: string): CompileResult {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return { ok: false, issues: [{ place: '$', message: 'the file cannot be read' }] };
  }
  const parsed = parseContractText(text);
  if (!parsed.ok) return parsed;
  const compiled = compileEither(parsed.definition);
  return compiled.ok ? compiled : { ok: false, issues: parsed.locate(compiled.issues) };
}

/** One line an issue: file, place, message. */
export function issueLines(file: string, issues: readonly ContractIssue[]): string {
  return issues
    .map(({ place, message }) => `${file}: ${place === '$' ? '' : `${place}: `}${message}\n`)
    .join('');
}
