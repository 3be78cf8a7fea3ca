import type { ArchiveFormat } from '../../functions/archive/settings.ts';
import type { CopyLine, MarkLine } from '../../functions/delete-chunk/copies.ts';
import type { LocalCloud, LocalCloudOptions } from '../../local/cloud.ts';
import {
  type Arrival,
  type ArrivalCounts,
  type ArrivalRules,
  type Arrived,
  judgeArrivals,
} from './arrivals.ts';
import { copyFaults, isCopy, linesOf, type StoredLine } from './copies.ts';
import { isEarly } from './item.ts';
import type { Ledger } from './ledger.ts';
import type { Violation } from './verdict.ts';

/** The readers of a table's deletions, by its configuration. */
export interface Following {
  readonly archive?:
    | {
        readonly format: ArchiveFormat;
        /** Batching window in which removals are collected for one object, seconds. */
        readonly batchSeconds: number;
        /** Whether items are archived before they are deleted. */
        readonly isFirst: boolean;
        /** Whether the application's deletes are archived, too. @default false */
        readonly all?: boolean;
      }
    | undefined;
  readonly events?:
    | {
        /** Name of the destination for the reader. */
        readonly destination: string;
        /** Whether events contain the items. @default both are allowed */
        readonly images?: boolean;
      }
    | undefined;
}

/** The archived items of a run. */
export interface ArchivedItems extends ArrivalCounts {
  readonly objects: number;
  /** Items that were deleted without a copy of their final content; undefined when no copies are made before deletes. */
  readonly withoutCopy: number | undefined;
}

/** The archive lines and events that followed the deletions of a run. */
export interface Followed {
  readonly archive?: ArchivedItems;
  readonly events?: ArrivalCounts;
}

export interface FollowersOptions extends Following {
  /** Time in epoch milliseconds, or the position in the order of all occurrences, if the ledger's removals have one. */
  readonly now: () => number;
  /** The table's grace, seconds. */
  readonly graceSeconds: number;
}

/** Receives archived objects and events, and compares them with a ledger. */
export class Followers {
  readonly #options: FollowersOptions;
  /** Objects that must still be read from the services of a local cloud. */
  readonly #written: { readonly bucket: string; readonly key: string; readonly atMs: number }[] = [];
  readonly #objects = new Set<string>();
  readonly #lines: Arrived[] = [];
  readonly #copies: StoredLine[] = [];
  readonly #events: Arrived[] = [];
  readonly #unreadable: string[] = [];

  constructor(options: FollowersOptions) {
    this.#options = options;
  }

  /** Callbacks for the services of a local cloud. */
  get services(): Required<Pick<NonNullable<LocalCloudOptions['services']>, 'onObject' | 'onEvent'>> {
    return {
      onObject: ({ bucket, key }) => this.#written.push({ bucket, key, atMs: this.#options.now() }),
      onEvent: ({ text }) => this.published(text),
    };
  }

  /** Records an event. */
  published(text: string): void {
    const { oldImage, ...event } = JSON.parse(text) as Arrival & { readonly oldImage?: unknown };
    this.#events.push({ arrival: { ...event, item: oldImage }, atMs: this.#options.now() });
  }

  /** Records an object that was written to S3, possibly again. */
  stored(key: string, body: Uint8Array, atMs = this.#options.now()): void {
    this.#objects.add(key);
    const object = { key };
    try {
      if (isCopy(key)) {
        const lines = linesOf<CopyLine | MarkLine>(body);
        this.#copies.push(...lines.map(line => ({ object: key, line, order: atMs })));
      } else {
        this.#lines.push(...linesOf<Arrival>(body).map(arrival => ({ arrival, object, atMs })));
      }
    } catch (error) {
      this.#unreadable.push(`${key}: ${error}`);
    }
  }

  /** Reads the objects that were archived since the last call. */
  async read({ services: { s3 } }: LocalCloud): Promise<void> {
    for (const { bucket, key, atMs } of this.#written.splice(0)) {
      const body = await s3?.read(bucket, key);
      if (body !== undefined) this.stored(key, body, atMs);
    }
  }

  /** Compares the received lines and events with the deletions. */
  followed(ledger: Ledger): Followed {
    const { archive, events } = this.#judged(ledger);
    const isFirst = this.#options.archive?.isFirst && this.#options.archive.format === 'dynamodb-json';
    return {
      ...(archive && {
        archive: {
          ...archive.counts,
          objects: this.#objects.size,
          withoutCopy: isFirst ? this.#uncopied(ledger).length : undefined,
        },
      }),
      ...(events && { events: events.counts }),
    };
  }

  /** All violations. */
  violations(ledger: Ledger): Violation[] {
    const { archive, events } = this.#judged(ledger);
    return [
      ...(archive?.violations ?? []),
      ...(events?.violations ?? []),
      ...(this.#options.archive?.isFirst ? this.#uncopied(ledger) : []).map(id =>
        ledger.violation('deletedUncopied', id),
      ),
      ...this.#unreadable.map(id => ({ finding: 'unreadable', id, history: [] }) as const),
    ];
  }

  /** Numbers of received lines and events. */
  get arrivals(): { readonly archived: number; readonly events: number } {
    return { archived: this.#lines.length, events: this.#events.length };
  }

  /** Whether all deletions have arrived everywhere. @param deleted smallest number of deleted items */
  isComplete(deleted: number, ledger: Ledger): boolean {
    // Checked first, because comparing many records takes long.
    if (this.#options.archive && this.#lines.length < deleted) return false;
    if (this.#options.events && this.#events.length < deleted) return false;
    return Object.values(this.#judged(ledger)).every(judged => judged === undefined || judged.isComplete);
  }

  #judged(ledger: Ledger) {
    const { archive, events, graceSeconds } = this.#options;
    const judge = (arrived: readonly Arrived[], rules: Omit<ArrivalRules, 'graceSeconds'>) =>
      judgeArrivals(arrived, ledger, { graceSeconds, ...rules });
    return {
      archive: archive && judge(this.#lines, { sink: 'archive', format: archive.format, all: archive.all }),
      events:
        events && judge(this.#events, { sink: 'events', format: 'dynamodb-json', images: events.images }),
    };
  }

  /** Ids of items that the sweep deleted without a copy. */
  #uncopied(ledger: Ledger): string[] {
    const swept = ledger.removals.flatMap(({ id, ttl, seenAt, ours, record, ...removal }) => {
      if (ours || record === undefined || isEarly({ ttl, seenAt, ...removal })) return [];
      const { key, image: item, order = seenAt } = record;
      const expiredAt = new Date((Number(ttl) - this.#options.graceSeconds) * 1000).toISOString();
      return [{ id, key, item, expiredAt, order }];
    });
    return copyFaults(this.#copies, swept).deletedWithoutCopy.map(({ id }) => id);
  }
}
