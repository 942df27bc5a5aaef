/**
 * What does the reader need to know of a contract? A shape (what a value at each place may be, used to choose
 * among explanations and to recognise the object) and a check (the verdict over a finished tree). The contract
 * room builds both from one schema; a shape may allow more than the check, never less.
 */

import type { Fault } from './fault.ts';
import type { JsonKind, JsonNode } from './json-node.ts';
import type { Limits } from './limits.ts';
import type { RepairKind } from './reading.ts';

/** What a value at one place may be: it must fit at least one of the alternatives. */
export interface Shape {
  readonly alternatives: readonly ShapeAlternative[];
}

/** One way in which a value may fit. */
export interface ShapeAlternative {
  /** The kinds allowed; `number` covers integers. */
  readonly kinds: ReadonlySet<JsonKind>;
  /** True where a number must be an integer. */
  readonly integer: boolean;
  /** Known members of an object. */
  readonly members: ReadonlyMap<string, Shape>;
  /** What other members hold; undefined where the schema forbids them. */
  readonly others: Shape | undefined;
  /** True where a member that is not in `members` refuses a repaired reply, though a strict one may have it. */
  readonly closedWhenRepaired: boolean;
  readonly required: readonly string[];
  /** What the items of a list hold. */
  readonly items: Shape | undefined;
  /** The only values allowed, as JSON texts, where the schema lists them. */
  readonly values: ReadonlySet<string> | undefined;
}

/** A compiled contract as the reader sees it. */
export interface ReplyContract {
  readonly shape: Shape;
  /** The repairs that may be made. */
  readonly repair: ReadonlySet<RepairKind>;
  readonly limits: Limits;
  /**
   * The verdict over a finished tree, or undefined where it holds. `repaired` is true where text inside the object
   * was changed: then unknown members refuse even where the contract tolerates them in strict replies.
   */
  check(text: string, root: JsonNode, repaired: boolean): Fault | undefined;
}
