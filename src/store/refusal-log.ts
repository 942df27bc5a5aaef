/** Where are refused replies kept, so that what was paid for is never lost? Behind one interface. */

import type { Refusal } from '../refusal/refusal.ts';

/** One refused exchange, with the raw replies of its attempts. */
export interface RefusalRecord {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly refusal: Refusal;
  readonly fingerprint: string;
  readonly model: string | undefined;
  readonly requestId: string;
  readonly replies: readonly string[];
}

export interface RefusalFilter {
  readonly route?: string | undefined;
  readonly code?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly since?: number | undefined;
  readonly limit: number;
}

/** Keeps refusals; newest first when listed. */
export interface RefusalLog {
  add(record: RefusalRecord): void;
  list(filter: RefusalFilter): readonly RefusalRecord[];
  find(refusalId: string): RefusalRecord | undefined;
}

/** How many refusals are kept in memory. */
const MEMORY_REFUSALS = 1000;

/** The last {@link MEMORY_REFUSALS} refusals, gone with the process. */
export class MemoryRefusalLog implements RefusalLog {
  /** In order of arrival: a map forgets its oldest entry first. */
  private readonly records = new Map<string, RefusalRecord>();

  add(record: RefusalRecord): void {
    this.records.set(record.refusal.refusalId, record);
    const [oldest] = this.records.keys();
    if (this.records.size > MEMORY_REFUSALS && oldest !== undefined) this.records.delete(oldest);
  }

  list({ route, code, since, limit }: RefusalFilter): readonly RefusalRecord[] {
    const found: RefusalRecord[] = [];
    for (const record of [...this.records.values()].toReversed()) {
      if (found.length >= limit) break;
      if (route !== undefined && record.refusal.route !== route) continue;
      if (code !== undefined && record.refusal.code !== code) continue;
      if (since !== undefined && record.time < since) continue;
      found.push(record);
    }
    return found;
  }

  find(refusalId: string): RefusalRecord | undefined {
    return this.records.get(refusalId);
  }
}
