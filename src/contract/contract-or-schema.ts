/** Is it a contract or a bare JSON Schema? A contract has `reply` or `keys`; anything else is a schema of replies. */

import { compileContract } from './compile-contract.ts';
import type { CompileResult } from './contract.ts';

/** Compiles a contract, or a bare JSON Schema as the contract of its replies. */
export function compileEither(definition: unknown): CompileResult {
  return compileContract(isWholeContract(definition) ? definition : { reply: definition });
}

/** True for a contract, false for a bare JSON Schema. */
export function isWholeContract(definition: unknown): boolean {
  return (
    typeof definition === 'object' && definition !== null && ('reply' in definition || 'keys' in definition)
  );
}
