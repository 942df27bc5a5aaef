/**
 * Where in the value does an explanation stand, and what may come there? A frame is one open object or list with
 * the alternatives of the contract that are left for it and the keys it has. Equal frames are one object, so two
 * explanations that stand at the same place can be told to be there.
 */

import type { JsonKind } from '../json-node.ts';
import type { Shape, ShapeAlternative } from '../reply-contract.ts';

/** The keys of an object so far, newest first. */
interface Seen {
  readonly key: string;
  readonly before: Seen | undefined;
  readonly count: number;
}

/** Past this many keys of one object repetitions are left to the strict reading that follows. */
const MAX_TRACKED_KEYS = 256;

/** One open container, or the root, whose only value is the reply. */
export class Frame {
  readonly id: number;
  readonly kind: 'root' | 'object' | 'list';
  readonly parent: Frame | undefined;
  /** What the value awaited here may be; empty while a key is awaited. */
  readonly awaited: readonly ShapeAlternative[];
  /** The key whose value is awaited. */
  readonly key: string | undefined;
  private readonly own: readonly ShapeAlternative[];
  private readonly seen: Seen | undefined;
  private readonly ids: { next: number };
  private readonly next = new Map<string, Frame | undefined>();

  constructor(from: {
    readonly kind: Frame['kind'];
    readonly parent: Frame | undefined;
    readonly own: readonly ShapeAlternative[];
    readonly awaited: readonly ShapeAlternative[];
    readonly seen: Seen | undefined;
    readonly key: string | undefined;
    readonly ids: { next: number };
  }) {
    this.kind = from.kind;
    this.parent = from.parent;
    this.own = from.own;
    this.awaited = from.awaited;
    this.seen = from.seen;
    this.key = from.key;
    this.ids = from.ids;
    this.id = from.ids.next;
    from.ids.next += 1;
  }

  /** The frame in which the whole reply is awaited. */
  static root(shape: Shape): Frame {
    return new Frame({
      kind: 'root',
      parent: undefined,
      own: [],
      awaited: shape.alternatives,
      seen: undefined,
      key: undefined,
      ids: { next: 0 },
    });
  }

  /** This object, awaiting the value of `key`. Like every step: undefined where the contract forbids it. */
  withKey(key: string): Frame | undefined {
    return this.step(`k${key}`, () => {
      const own = this.own.filter((alternative) => memberShape(alternative, key) !== undefined);
      if (own.length === 0) return undefined;
      const awaited = new Set(
        own.flatMap((alternative) => memberShape(alternative, key)?.alternatives ?? []),
      );
      return this.derive({ own, awaited: [...awaited], key });
    });
  }

  /** True where this object has the key already. */
  hasKey(key: string): boolean {
    for (let seen = this.seen; seen !== undefined; seen = seen.before) if (seen.key === key) return true;
    return false;
  }

  /** The container that opens here as the awaited value. */
  open(kind: 'object' | 'list'): Frame | undefined {
    return this.step(`o${kind}`, () => {
      const own = this.awaited.filter((alternative) => alternative.kinds.has(kind));
      if (own.length === 0) return undefined;
      const awaited = kind === 'object' ? [] : itemAlternatives(own);
      return new Frame({
        kind,
        parent: this,
        own,
        awaited,
        seen: undefined,
        key: undefined,
        ids: this.ids,
      });
    });
  }

  /**
   * This container once the awaited value is there. `text` is the JSON text of a scalar, where it is known: an
   * alternative that lists its values is left only if this is one of them.
   */
  withValue(kind: JsonKind, text: string | undefined): Frame | undefined {
    const listed = text !== undefined && this.awaited.some(({ values }) => values !== undefined);
    return this.step(listed ? `v${text}` : `w${kind}`, () => {
      const fits = (alternative: ShapeAlternative): boolean =>
        alternative.kinds.has(kind) &&
        (!listed || alternative.values === undefined || alternative.values.has(text));
      if (!this.awaited.some(fits)) return undefined;
      // The next item of a list is awaited in the same frame.
      if (this.kind === 'list') return this;
      if (this.kind === 'root' || this.key === undefined) return this.derive({ awaited: [] });
      const { key } = this;
      const own = this.own.filter((alternative) => memberShape(alternative, key)?.alternatives.some(fits));
      const count = (this.seen?.count ?? 0) + 1;
      const seen = count > MAX_TRACKED_KEYS ? this.seen : { key, before: this.seen, count };
      return this.derive({ own, awaited: [], seen, key: undefined });
    });
  }

  /** The parent once this container is closed. */
  close(): Frame | undefined {
    return this.step('c', () => {
      const { parent, kind } = this;
      if (parent === undefined || kind === 'root') return undefined;
      if (
        kind === 'object' &&
        !this.own.some(({ required }) => required.every((key) => this.hasKey(key) || this.isFull()))
      ) {
        return undefined;
      }
      return parent.withValue(kind, undefined);
    });
  }

  /** True where `"key":` would be structure here or in a container outside. */
  knowsKey(key: string): boolean {
    for (let frame: Frame | undefined = this; frame !== undefined; frame = frame.parent) {
      if (
        frame.own.some(
          (alternative) => frame?.kind === 'object' && memberShape(alternative, key) !== undefined,
        )
      ) {
        return true;
      }
    }
    return false;
  }

  /** True where keys are no longer tracked one by one. */
  private isFull(): boolean {
    return (this.seen?.count ?? 0) >= MAX_TRACKED_KEYS;
  }

  private derive(
    changed: Partial<Pick<Frame, 'awaited' | 'key'>> & {
      readonly own?: readonly ShapeAlternative[];
      readonly seen?: Seen | undefined;
    },
  ): Frame {
    const { kind, parent, own, awaited, seen, key, ids } = this;
    return new Frame({ kind, parent, own, awaited, seen, key, ids, ...changed });
  }

  private step(name: string, make: () => Frame | undefined): Frame | undefined {
    if (this.next.has(name)) return this.next.get(name);
    const made = make();
    this.next.set(name, made);
    return made;
  }
}

/** In a damaged text unknown keys are closed out also where strict replies may have them. */
function memberShape(alternative: ShapeAlternative, key: string): Shape | undefined {
  return alternative.members.get(key) ?? (alternative.closedWhenRepaired ? undefined : alternative.others);
}

function itemAlternatives(lists: readonly ShapeAlternative[]): readonly ShapeAlternative[] {
  return [...new Set(lists.flatMap(({ items }) => items?.alternatives ?? ANY_ITEM))];
}

const ANY_ITEM: readonly ShapeAlternative[] = [
  {
    kinds: new Set<JsonKind>(['object', 'list', 'string', 'number', 'true', 'false', 'null']),
    integer: false,
    members: new Map(),
    others: {
      get alternatives(): readonly ShapeAlternative[] {
        return ANY_ITEM;
      },
    },
    closedWhenRepaired: false,
    required: [],
    items: undefined,
    values: undefined,
  },
];
