/** Which fields may a contract file have, and what may they hold? Unknown fields are mistakes. */

import { z } from 'zod';
import { DEFAULT_LIMITS, type Limits } from '../reader/limits.ts';
import { REPAIR_CLASSES, REPAIR_KINDS, type RepairKind } from '../reader/reading.ts';
import type { KeyTable } from './from-key-table.ts';

/** The name of a route in the URL. */
export const ROUTE_NAME: RegExp = /^[a-z0-9-]{1,64}$/;

const keyNames = z.array(z.string()).min(1);

const repairNames = z.enum([
  ...REPAIR_KINDS,
  ...(Object.keys(REPAIR_CLASSES) as (keyof typeof REPAIR_CLASSES)[]),
]);

const REPAIR_MESSAGE = `must be all, none, or a list of ${Object.keys(REPAIR_CLASSES).join(', ')}, ${REPAIR_KINDS.join(', ')}`;

const limits = z.strictObject({
  strictCodeUnits: z.int().min(1).max(16_777_216).default(DEFAULT_LIMITS.strictCodeUnits),
  repairCodeUnits: z.int().min(0).max(1_048_576).default(DEFAULT_LIMITS.repairCodeUnits),
  repairs: z.int().min(0).max(4096).default(DEFAULT_LIMITS.repairs),
  depth: z.int().min(1).max(1000).default(DEFAULT_LIMITS.depth),
});

/** A contract file, checked, with defaults filled in. Exactly one of `reply` and `keys` is there. */
export interface ContractDefinition {
  readonly route?: string | undefined;
  readonly description?: string | undefined;
  readonly reply?: Readonly<Record<string, unknown>> | boolean | undefined;
  readonly keys?: KeyTable | undefined;
  readonly strict?: boolean | undefined;
  readonly repair: 'all' | 'none' | readonly (RepairKind | keyof typeof REPAIR_CLASSES)[];
  readonly correct: boolean;
  readonly continue: boolean;
  readonly limits: Limits;
}

/** The fields of a contract file. */
export const CONTRACT_FIELDS: readonly (keyof ContractDefinition)[] = [
  'route',
  'description',
  'reply',
  'keys',
  'strict',
  'repair',
  'correct',
  'continue',
  'limits',
];

/** Checks a definition; every mistake becomes an issue with its path. */
export const contractDefinition: z.ZodType<ContractDefinition> = z
  .strictObject({
    route: z.string().regex(ROUTE_NAME, 'must be 1 to 64 of a-z, 0-9 and "-"').optional(),
    description: z.string().optional(),
    reply: z.union([z.record(z.string(), z.unknown()), z.boolean()], 'must be a JSON Schema').optional(),
    keys: z
      .strictObject({
        top: keyNames,
        items: z.record(z.string(), keyNames).optional(),
        required: z.array(z.string()).optional(),
      })
      .optional(),
    strict: z.boolean('must be true or false').optional(),
    repair: z
      .union([z.literal('all'), z.literal('none'), z.array(repairNames)], REPAIR_MESSAGE)
      .default('all'),
    correct: z.boolean('must be true or false').default(true),
    continue: z.boolean('must be true or false').default(true),
    limits: limits.default(DEFAULT_LIMITS),
  })
  .superRefine((definition, context) => {
    const forms = [definition.reply, definition.keys].filter((form) => form !== undefined).length;
    if (forms !== 1) {
      context.addIssue({ code: 'custom', path: [], message: 'must have exactly one of "reply" and "keys"' });
    }
    if (definition.strict !== undefined && definition.keys === undefined) {
      context.addIssue({
        code: 'custom',
        path: ['strict'],
        message: 'goes with "keys" only; a JSON Schema says additionalProperties: false',
      });
    }
  });
