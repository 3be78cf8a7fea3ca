import { imageText } from '../../functions/archive/image-text.ts';
import type { ArchiveFormat } from '../../functions/archive/settings.ts';
import type { ItemImage } from '../../functions/stream/event.ts';
import type { Ttl } from '../ledger/item.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type LagPercentiles, lagPercentiles } from '../report/lag.ts';

/** A deletion as the lab itself saw it in the table's stream. */
export interface SeenRemoval {
  /** Of the item in the ledger. */
  readonly id: string;
  readonly version: number;
  /** Epoch seconds at which it was to be deleted. */
  readonly ttl: Ttl;
  /** Epoch milliseconds. */
  readonly seenAt: number;
  readonly key: ItemImage;
  /** The item as it was. */
  readonly image: ItemImage;
}

/** What is said to have expired: a line of an archive, or an event. */
export interface Arrival {
  /** As JSON has it, in the format of the arrivals. */
  readonly key: unknown;
  readonly expiredAt: string | null;
  /** ISO time of the record by which it was judged. */
  readonly deletedAt: string;
  /** The item as it was; undefined where it was not asked for. */
  readonly item?: unknown;
}

/** What arrived of the items that expired and were deleted. */
export interface Arrived {
  /** Items that arrived, each counted once. */
  readonly items: number;
  /** Arrivals of an item that had arrived already. */
  readonly again: number;
  /** Arrivals of what had not expired, or was not deleted: live and renewed items, and those that the application deleted. */
  readonly strays: number;
  /**
   * Arrivals of what the application deleted before its expiry, as the lab saw, but whose record has a time after it: locally that is
   * when it was read, so this machine was too slow to tell.
   */
  readonly doubtful: number;
  /** Items that did not arrive as they were last written. */
  readonly altered: number;
  /** From the moment at which an item is to be deleted to its first arrival, milliseconds. */
  readonly lagMs: LagPercentiles;
}

/** The deletions of one table, by the keys of their items. */
export class SeenRemovals {
  readonly #byKey = new Map<string, SeenRemoval>();
  readonly #format: ArchiveFormat;

  /** @param format of the keys by which they are looked for */
  constructor(format: ArchiveFormat) {
    this.#format = format;
  }

  /** Of what is seen twice the first one counts. */
  add(removal: SeenRemoval): void {
    const key = comparable(removal.key, this.#format);
    if (this.#byKey.get(key)?.version !== removal.version) this.#byKey.set(key, removal);
  }

  /** @param key as JSON has it */
  get(key: unknown): SeenRemoval | undefined {
    return this.#byKey.get(JSON.stringify(key));
  }

  [Symbol.iterator](): Iterator<SeenRemoval> {
    return this.#byKey.values();
  }
}

/** Holds what arrived against the deletions that were seen and the ledger of what was written. */
export function arrivedOf(
  arrivals: readonly { readonly arrival: Arrival; readonly atMs: number }[],
  removals: SeenRemovals,
  { ledger, format, graceSeconds, toleranceSeconds }: ArrivalsOf,
): Arrived {
  const lags = new Map<string, number>();
  const altered = new Set<string>();
  let again = 0;
  let strays = 0;
  let doubtful = 0;
  for (const { arrival, atMs } of arrivals) {
    const removal = removals.get(arrival.key);
    const fate = removal && ledger.fate(removal.id, removal.seenAt);
    if (removal === undefined || fate === undefined) {
      strays += 1;
      continue;
    }
    const { id, ttl, version, image, seenAt } = removal;
    if (fate === 'ours') {
      const expiredBy = (epochMs: number) => (Number(ttl) - toleranceSeconds) * 1000 <= epochMs;
      // By the rule it is an expiry, too, when the application comes after the TTL.
      if (expiredBy(seenAt)) continue;
      if (expiredBy(Date.parse(arrival.deletedAt))) doubtful += 1;
      else strays += 1;
      continue;
    }
    if (lags.has(id)) again += 1;
    const lag = atMs - Number(ttl) * 1000;
    lags.set(id, Math.min(lag, lags.get(id) ?? lag));
    const isSame =
      version === ledger.lastVersion(id) &&
      arrival.expiredAt === new Date((Number(ttl) - graceSeconds) * 1000).toISOString() &&
      (arrival.item === undefined || JSON.stringify(arrival.item) === comparable(image, format));
    if (!isSame) altered.add(id);
  }
  return {
    items: lags.size,
    again,
    strays,
    doubtful,
    altered: altered.size,
    lagMs: lagPercentiles([...lags.values()]),
  };
}

interface ArrivalsOf {
  readonly ledger: Pick<Ledger, 'fate' | 'lastVersion'>;
  /** Of the arrivals' items. */
  readonly format: ArchiveFormat;
  /** From an item's TTL to its deletion. */
  readonly graceSeconds: number;
  /** An application's delete so shortly before the expiry may pass for one. */
  readonly toleranceSeconds: number;
}

/** As JSON text, after one reading: a plain number may be written in more ways than one. */
function comparable(image: ItemImage, format: ArchiveFormat): string {
  return JSON.stringify(JSON.parse(imageText(image, format)));
}
