import { compileContract } from '../../src/contract/compile-contract.ts';
import type { Contract } from '../../src/contract/contract.ts';

/** Compiles a definition that must be right; throws its issues where it is not. */
export function contractOf(definition: unknown): Contract {
  const compiled = compileContract(definition);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
  return compiled.contract;
}

/** A closed object contract from member schemas, all required unless their names end in `?`. */
export function closedObject(members: Readonly<Record<string, unknown>>): Contract {
  const entries = Object.entries(members);
  return contractOf({
    reply: {
      type: 'object',
      properties: Object.fromEntries(entries.map(([name, schema]) => [name.replace(/\?$/, ''), schema])),
      required: entries.map(([name]) => name).filter((name) => !name.endsWith('?')),
      additionalProperties: false,
    },
  });
}

export const STRING: unknown = { type: 'string' };
export const INTEGER: unknown = { type: 'integer' };
