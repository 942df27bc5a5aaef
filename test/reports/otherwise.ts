/** Where does this version decide otherwise than a report? By choice or for want of a feature, never with a wrong value. */

import type { End } from './report.ts';

/** What happens instead, and why. */
export interface Otherwise {
  readonly comes: End | 'unavailable';
  readonly why: string;
}

const TOOLS = 'the calls of tools are not held to a contract';
const CLOSER = 'no closer is ever added: the model is asked to go on';
const DECODED = 'a string inside the object is not decoded';
const PATTERN = 'the keyword pattern is refused with its contract, not skipped';
const NO_ARGUMENTS = 'the empty arguments of a tool without parameters are not read as {}';
const DECLINED = 'the model declined: refused with that code and its words';

/** By the report's id. A row that comes to agree with its report fails its test and is taken out. */
export const OTHERWISE: Readonly<Record<string, Otherwise>> = {
  '013': { comes: 'unavailable', why: PATTERN },
  '035': {
    comes: 'continued',
    why: 'a reply that stops inside its object is a cut, whatever its finish reason',
  },
  '037': { comes: 'continued', why: CLOSER },
  '067': { comes: 'continued', why: CLOSER },
  '069': { comes: 'passthrough', why: TOOLS },
  '094': { comes: 'continued', why: CLOSER },
  '106': { comes: 'refused', why: NO_ARGUMENTS },
  '108': { comes: 'refused', why: NO_ARGUMENTS },
  '116': { comes: 'unavailable', why: PATTERN },
  '118': { comes: 'refused', why: DECODED },
  '120': { comes: 'refused', why: DECODED },
  '128': { comes: 'refused', why: 'a bracket of the wrong kind is not left out' },
  '138': { comes: 'refused', why: 'nothing beside a number is left out: it may be a part of it' },
  '164': {
    comes: 'error',
    why: 'a stream that ends early is a failure of the upstream, which may be tried again',
  },
  '174': { comes: 'passthrough', why: TOOLS },
  '176': { comes: 'passthrough', why: TOOLS },
  '178': { comes: 'passthrough', why: TOOLS },
  '192': { comes: 'refused', why: DECLINED },
  '194': { comes: 'refused', why: DECLINED },
  '208': { comes: 'passthrough', why: TOOLS },
  '212': { comes: 'passthrough', why: TOOLS },
  '214': { comes: 'passthrough', why: 'without a contract an error is handed on as it came' },
};
