/** Which contract does a file hold? It compiles, or each of its mistakes is told with its line. */

import { readFile } from 'node:fs/promises';
import type { CompileResult, ContractIssue } from '../contract/contract.ts';
import { compileEither, isWholeContract } from '../contract/contract-or-schema.ts';
import { parseContractText } from '../registry/contract-folder.ts';
import { inert } from './inert.ts';

/** A contract file's definition, compiled. `whole` is false for a bare JSON Schema. */
export type ContractSource =
  | { readonly kind: 'compiled'; readonly whole: boolean; readonly result: CompileResult }
  | { readonly kind: 'unreadable' };

/** Compiles a contract file or a file that holds a bare JSON Schema. Issues carry their line where it is known. */
export async function compileFile(file: string): Promise<ContractSource> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return { kind: 'unreadable' };
  const parsed = parseContractText(text);
  if (!parsed.ok) return { kind: 'compiled', whole: true, result: parsed };
  const whole = isWholeContract(parsed.definition);
  const compiled = compileEither(parsed.definition);
  if (compiled.ok) return { kind: 'compiled', whole, result: compiled };
  // A bare schema stands at the file's root: its places do not begin with the member that it became.
  const issues = compiled.issues.map(({ place, message }) => ({
    place: whole ? place : place.replace(/^reply\.?/, '') || '$',
    message,
  }));
  return { kind: 'compiled', whole, result: { ok: false, issues: parsed.locate(issues) } };
}

/** One line an issue, without a line break: file, place, message. */
export function issueLines(file: string, issues: readonly ContractIssue[]): readonly string[] {
  return issues.map(({ place, message }) => {
    // `3:5 reply.type` reads on from the file's name, as editors expect it.
    const at = place === '$' ? ':' : /^\d+:\d+/.test(place) ? `:${place}:` : `: ${place}:`;
    return inert(`${file}${at} ${message}`);
  });
}
