/** Which contract is active for a route? The registry answers; where contracts come from is its sources' business. */

import type { Contract, ContractIssue } from '../contract/contract.ts';

/** What is known of one route. A broken one is registered and refuses; it is never passed through. */
export type RouteState =
  | { readonly state: 'active'; readonly route: string; readonly source: string; readonly contract: Contract }
  | {
      readonly state: 'broken';
      readonly route: string;
      readonly source: string;
      readonly issues: readonly ContractIssue[];
    };

/** The routes and their contracts, ordered by name. */
export interface Registry {
  find(route: string): RouteState | undefined;
  list(): readonly RouteState[];
}
