/** Does a definition make a contract? It compiles whole, or every mistake is listed with its place. */

import type { CompileResult } from './contract.ts';

/** Compiles one contract file's content (already parsed from YAML or JSON). */
export function compileContract(definition: unknown, route?: string): CompileResult {
  return { ok: false, issues: [{ place: '', message: `not compiled: ${typeof definition} ${route}` }] };
}
