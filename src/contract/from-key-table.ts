/**
 * Which schema nodes does the short form compile to? `top` names the keys of the reply, `items` the keys of each
 * object under a member (one object or a list of them), `required` the keys that must be there. Other values are
 * free. Unknown keys refuse repaired replies always, and every reply where the contract is `strict`.
 */

import type { ContractIssue } from './contract.ts';
import { ANYTHING, NOTHING, type SchemaNode } from './schema.ts';

export interface KeyTable {
  readonly top: readonly string[];
  readonly items?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly required?: readonly string[] | undefined;
}

/** Compiles a key table; every name in `items` and `required` must be in `top`. */
export function fromKeyTable(
  table: KeyTable,
  strict: boolean,
): { readonly node: SchemaNode; readonly issues: readonly ContractIssue[] } {
  const top = new Set(table.top);
  const issues: ContractIssue[] = [];
  const unlisted = (name: string, place: string): void => {
    if (!top.has(name))
      issues.push({ place, message: `"${name}" is not in keys.top (${table.top.join(', ')})` });
  };
  for (const name of Object.keys(table.items ?? {})) unlisted(name, `keys.items.${name}`);
  for (const [i, name] of (table.required ?? []).entries()) unlisted(name, `keys.required[${i}]`);
  const members = table.top.map((name): [string, SchemaNode] => {
    const keys =
      table.items !== undefined && Object.hasOwn(table.items, name) ? table.items[name] : undefined;
    return [
      name,
      keys === undefined
        ? ANYTHING
        : oneOrListOf(
            closed(
              keys.map((key) => [key, ANYTHING]),
              strict,
            ),
          ),
    ];
  });
  const node: SchemaNode = {
    ...closed(members, strict),
    kinds: new Set(['object'] as const),
    required: table.required ?? [],
  };
  return { node, issues };
}

function closed(members: readonly (readonly [string, SchemaNode])[], strict: boolean): SchemaNode {
  return {
    ...ANYTHING,
    properties: new Map(members),
    additional: strict ? NOTHING : undefined,
    closedWhenRepaired: true,
  };
}

/** Keywords for objects say nothing of lists and the other way round, so one node holds both. */
function oneOrListOf(object: SchemaNode): SchemaNode {
  return { ...object, items: object };
}
