import type { ArchiveFormat } from '../../functions/archive/settings.ts';
import { TOLERANCE_SECONDS } from '../../functions/archive-expiries/removal.ts';
import type { LocalCloud, LocalCloudOptions } from '../../local/cloud.ts';
import {
  type Arrival,
  type Arrived,
  arrivedOf,
  type SeenRemoval,
  SeenRemovals,
} from '../archive/arrivals.ts';
import { copyFaults, linesOf } from '../archive/copies.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** What a table's expiries lead to, by its configuration. */
export interface Following {
  readonly archive?:
    | {
        readonly format: ArchiveFormat;
        /** How long removals are gathered for one object. */
        readonly batchSeconds: number;
        /** Whether an item is archived before it is deleted. */
        readonly isFirst: boolean;
      }
    | undefined;
  /** Where events go, for a person. */
  readonly events?: { readonly destination: string } | undefined;
}

/** What was seen of the archive of a run. */
export interface ArchivedItems extends Arrived {
  readonly objects: number;
  /** Items that were deleted without a copy of them as they were; undefined where none is made before. */
  readonly withoutCopy: number | undefined;
}

/** What followed the deletions of a run. */
export interface Followed {
  readonly archive?: ArchivedItems;
  readonly events?: Arrived;
}

interface Timed {
  readonly arrival: Arrival;
  readonly atMs: number;
}

/** The line of an archive, as far as it is judged here. */
interface Line extends Arrival {
  readonly removal: 'expiry' | 'other';
}

export interface FollowersOptions extends Following {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Of the table. */
  readonly graceSeconds: number;
}

/** Sees what is archived and which events come, in the services of this run. */
export class Followers {
  readonly #options: FollowersOptions;
  readonly #byArchiveKey: SeenRemovals;
  readonly #byEventKey = new SeenRemovals('dynamodb-json');
  /** When each object was written, as often as it was; by bucket and key. */
  readonly #written: { readonly bucket: string; readonly key: string; readonly atMs: number }[] = [];
  readonly #bodies: { readonly key: string; readonly body: Buffer }[] = [];
  readonly #lines: Timed[] = [];
  readonly #events: Timed[] = [];

  constructor(options: FollowersOptions) {
    this.#options = options;
    this.#byArchiveKey = new SeenRemovals(options.archive?.format ?? 'dynamodb-json');
  }

  /** What the services of the cloud tell. */
  get services(): NonNullable<LocalCloudOptions['services']> {
    const { now } = this.#options;
    return {
      onObject: ({ bucket, key }) => this.#written.push({ bucket, key, atMs: now() }),
      onEvent: ({ text }) => this.#events.push({ arrival: arrivalOf(JSON.parse(text)), atMs: now() }),
    };
  }

  removed(removal: SeenRemoval): void {
    this.#byArchiveKey.add(removal);
    this.#byEventKey.add(removal);
  }

  /** Reads what was archived since it was last called. */
  async read({ services: { s3 } }: LocalCloud): Promise<void> {
    for (const { bucket, key, atMs } of this.#written.splice(0)) {
      const body = await s3?.read(bucket, key);
      if (body === undefined) continue;
      this.#bodies.push({ key, body });
      if (isCopy(key)) continue;
      const expiries = linesOf<Line>(body).filter(({ removal }) => removal === 'expiry');
      this.#lines.push(...expiries.map(arrival => ({ arrival, atMs })));
    }
  }

  /** Holds what was read against the deletions. */
  followed(ledger: Ledger): Followed {
    const { archive, events, graceSeconds } = this.#options;
    const common = { ledger, graceSeconds };
    return {
      ...(archive && {
        archive: {
          ...arrivedOf(this.#lines, this.#byArchiveKey, {
            ...common,
            format: archive.format,
            toleranceSeconds: TOLERANCE_SECONDS,
          }),
          objects: new Set(this.#bodies.map(({ key }) => key)).size,
          withoutCopy: archive.isFirst ? this.#withoutCopy(ledger) : undefined,
        },
      }),
      ...(events && {
        events: arrivedOf(this.#events, this.#byEventKey, {
          ...common,
          format: 'dynamodb-json',
          toleranceSeconds: 0,
        }),
      }),
    };
  }

  /** Lines and events that have come. */
  get arrivals(): { readonly archived: number; readonly events: number } {
    return { archived: this.#lines.length, events: this.#events.length };
  }

  /** Whether everything that was deleted has arrived everywhere. @param deleted items */
  isComplete(deleted: number, ledger: Ledger): boolean {
    // It takes long to compare many.
    if (this.#options.archive && this.#lines.length < deleted) return false;
    if (this.#options.events && this.#events.length < deleted) return false;
    const { archive, events } = this.followed(ledger);
    return [archive, events].every(arrived => arrived === undefined || arrived.items >= deleted);
  }

  /** Plain copies can't be compared. */
  #withoutCopy(ledger: Ledger): number | undefined {
    if (this.#options.archive?.format !== 'dynamodb-json') return undefined;
    const objects = this.#bodies.map(({ key, body }) => [key, body] as const);
    const swept = [...this.#byArchiveKey].filter(({ id, seenAt }) => ledger.fate(id, seenAt) === 'swept');
    const deleted = swept.map(({ key, ttl, image }) => ({
      key,
      expiredAt: new Date((Number(ttl) - this.#options.graceSeconds) * 1000).toISOString(),
      item: image,
    }));
    return copyFaults(objects, deleted).deletedWithoutCopy.length;
  }
}

/** What `archiveFirst` writes beside the archive. */
function isCopy(key: string): boolean {
  return key.includes('/before_deletion/') || key.includes('/kept/');
}

function arrivalOf({ oldImage, ...event }: Arrival & { readonly oldImage?: unknown }): Arrival {
  return { ...event, item: oldImage };
}
