/** Does a definition make a contract? It compiles whole, or every mistake is listed with its place. */

import type { z } from 'zod';
import { REPAIR_CLASSES, REPAIR_KINDS, type RepairKind } from '../reader/reading.ts';
import { pathText } from '../reader/span.ts';
import { check } from './check.ts';
import type { CompileResult, ContractIssue } from './contract.ts';
import { CONTRACT_FIELDS, type ContractDefinition, contractDefinition } from './contract-definition.ts';
import { fingerprintOf } from './fingerprint.ts';
import { fromJsonSchema } from './from-json-schema.ts';
import { fromKeyTable } from './from-key-table.ts';
import type { SchemaNode } from './schema.ts';
import { shapeOf } from './shape-of.ts';

/**
 * Compiles a contract's definition, already parsed from YAML or JSON. `route` names it where the definition does
 * not. Never throws: whatever is not a contract comes back as issues.
 */
export function compileContract(definition: unknown, route?: string): CompileResult {
  const parsed = contractDefinition.safeParse(definition);
  if (!parsed.success)
    return { ok: false, issues: [...parsed.error.issues.flatMap(toldIssue), ...replyIssues(definition)] };
  const fields = parsed.data;
  const { node, issues } = schemaOf(fields);
  if (issues.length > 0) return { ok: false, issues };
  return {
    ok: true,
    contract: {
      route: fields.route ?? route,
      description: fields.description,
      fingerprint: fingerprintOf(definition),
      shape: shapeOf(node),
      repair: repairKinds(fields.repair),
      limits: fields.limits,
      correct: fields.correct,
      continue: fields.continue,
      definition,
      check: (text, root, repaired) => check(node, text, root, repaired),
    },
  };
}

/** A mistake in the fields, in our words. */
function toldIssue(issue: z.core.$ZodIssue): readonly ContractIssue[] {
  const path = issue.path.filter((step) => typeof step !== 'symbol');
  if (issue.code !== 'unrecognized_keys') return [{ place: pathText(path), message: issue.message }];
  const known = path.length === 0 ? CONTRACT_FIELDS : [];
  const there = known.length === 0 ? '' : `; there are ${known.join(', ')}`;
  return issue.keys.map((key) => ({
    place: pathText([...path, key]),
    message: `there is no such field${there}`,
  }));
}

/** The mistakes in the schema of a definition whose other fields have mistakes too. */
function replyIssues(definition: unknown): readonly ContractIssue[] {
  if (typeof definition !== 'object' || definition === null || !('reply' in definition)) return [];
  const { reply } = definition;
  return typeof reply === 'object' && reply !== null && !Array.isArray(reply)
    ? fromJsonSchema(reply, 'reply').issues
    : [];
}

function schemaOf(fields: ContractDefinition): { node: SchemaNode; issues: readonly ContractIssue[] } {
  if (fields.keys !== undefined) return fromKeyTable(fields.keys, fields.strict ?? false);
  return fromJsonSchema(fields.reply, 'reply');
}

function repairKinds(names: ContractDefinition['repair']): ReadonlySet<RepairKind> {
  if (names === 'none') return new Set();
  if (names === 'all') return new Set(REPAIR_KINDS);
  return new Set(
    names.flatMap((name) =>
      name in REPAIR_CLASSES ? REPAIR_CLASSES[name as 'strings'] : [name as RepairKind],
    ),
  );
}
