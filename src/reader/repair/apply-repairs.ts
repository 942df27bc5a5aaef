/** What does the text read after its repairs, and where in the reply was an offset of it? */

import type { Repair } from '../reading.ts';

/** The code units `start..end` of `text` with the repairs inside that span applied. Repairs are in order. */
export function applyRepairs(text: string, start: number, end: number, repairs: readonly Repair[]): string {
  const parts: string[] = [];
  let from = start;
  for (const repair of repairs) {
    if (repair.start < start || repair.end > end) continue;
    parts.push(text.slice(from, repair.start), repair.after);
    from = repair.end;
  }
  parts.push(text.slice(from, end));
  return parts.join('');
}

/** The offset in the reply for the offset `at` of the text that {@link applyRepairs} made of it from `start` on. */
export function originOf(at: number, start: number, repairs: readonly Repair[]): number {
  let shift = start;
  for (const repair of repairs) {
    if (repair.start < start) continue;
    const repairedStart = repair.start - shift;
    if (at < repairedStart) break;
    if (at < repairedStart + repair.after.length) return repair.start;
    shift += repair.end - repair.start - repair.after.length;
  }
  return at + shift;
}
