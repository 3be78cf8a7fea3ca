import { gunzipSync } from 'node:zlib';
import type { ArchiveFormat } from '../../functions/archive/settings.ts';
import type { LocalCloud, LocalCloudOptions } from '../../local/cloud.ts';
import {
  type Arrival,
  type ArrivalCounts,
  type ArrivalRules,
  type Arrived,
  judgeArrivals,
} from './arrivals.ts';
import type { Ledger } from './ledger.ts';
import type { Violation } from './verdict.ts';

/** The readers of a table's deletions, by its configuration. */
export interface Following {
  readonly archive?:
    | {
        readonly format: ArchiveFormat;
        /** Batching window in which removals are collected for one object, seconds. */
        readonly batchSeconds: number;
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
}

/** The archive lines and events that followed the deletions of a run. */
export interface Followed {
  readonly archive?: ArchivedItems;
  readonly events?: ArrivalCounts;
}

export interface FollowersOptions extends Following {
  /** Time in epoch milliseconds, or the position in the order of all occurrences, if the ledger's removals have one. */
  readonly now: () => number;
}

/** Receives archived objects and events, and compares them with a ledger. */
export class Followers {
  readonly #options: FollowersOptions;
  /** Objects that must still be read from the services of a local cloud. */
  readonly #written: { readonly bucket: string; readonly key: string; readonly atMs: number }[] = [];
  readonly #objects = new Set<string>();
  readonly #lines: Arrived[] = [];
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
      this.#lines.push(...linesOf(body).map(arrival => ({ arrival, object, atMs })));
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
    return {
      ...(archive && {
        archive: { ...archive.counts, objects: this.#objects.size },
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
    const { archive, events } = this.#options;
    const judge = (arrived: readonly Arrived[], rules: ArrivalRules) => judgeArrivals(arrived, ledger, rules);
    return {
      archive: archive && judge(this.#lines, { sink: 'archive', format: archive.format, all: archive.all }),
      events:
        events && judge(this.#events, { sink: 'events', format: 'dynamodb-json', images: events.images }),
    };
  }
}

/** The lines of an object of an archive. @throws if the body is not compressed, or not JSON */
function linesOf(body: Uint8Array): Arrival[] {
  const texts = gunzipSync(body).toString().split('\n');
  return texts.filter(text => text !== '').map(text => JSON.parse(text) as Arrival);
}
