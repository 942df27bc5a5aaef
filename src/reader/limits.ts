/** How much text may be read, and how deep? Past a limit a reply is refused with the limit's own code. */

/** Sizes are UTF-16 code units. */
export interface Limits {
  /** Longest reply that is read strictly. */
  readonly strictCodeUnits: number;
  /** Longest reply in which an object is searched for or repaired. */
  readonly repairCodeUnits: number;
  /** Most repairs in one reading. */
  readonly repairs: number;
  /** Deepest nesting of objects and lists. */
  readonly depth: number;
}

/** 1 MiB strict, 256 KiB and 256 repairs for repair, 128 levels. */
export const DEFAULT_LIMITS: Limits = {
  strictCodeUnits: 1_048_576,
  repairCodeUnits: 262_144,
  repairs: 256,
  depth: 128,
};
