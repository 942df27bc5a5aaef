/** Which contract does a request bring along? Compiled once for each schema, in a bounded cache. */

import { compileContract } from '../contract/compile-contract.ts';
import type { CompileResult } from '../contract/contract.ts';

/** How many compiled contracts are kept. */
const MAX_CACHED = 256;
/** Schemas longer than this, in UTF-16 code units, are compiled but not kept. */
const MAX_CACHED_LENGTH = 65_536;

/** Compiles contracts that come with requests. */
export class RequestContracts {
  private readonly compiled = new Map<string, CompileResult>();

  compile(definition: unknown): CompileResult {
    const text = JSON.stringify(definition);
    const known = this.compiled.get(text);
    if (known !== undefined) return known;
    const result = compileContract(definition);
    if (text.length <= MAX_CACHED_LENGTH) this.compiled.set(text, result);
    const [oldest] = this.compiled.keys();
    if (this.compiled.size > MAX_CACHED && oldest !== undefined) this.compiled.delete(oldest);
    return result;
  }
}
