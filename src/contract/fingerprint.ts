/** Are two contracts the same? Equal definitions have equal fingerprints, whatever the order of their members. */

import { createHash } from 'node:crypto';
import { canonicalValue } from './canonical-value.ts';

/** First 16 hex digits of SHA-256 over the canonical text of a definition. */
export function fingerprintOf(definition: unknown): string {
  return createHash('sha256').update(canonicalValue(definition)).digest('hex').slice(0, 16);
}
