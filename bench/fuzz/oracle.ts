import type { EventImage } from '../../expiry/expiry-event.ts';
import type { Millis } from '../../statemachine/times.ts';
import { Deliveries, type FollowedPipe } from '../ledger/deliveries.ts';
import { isOverdue } from '../ledger/item.ts';
import { Ledger, type Violation } from '../ledger/ledger.ts';
import type { Change, MemoryTable } from './table.ts';

/** How late items may be deleted. Names that end with Ms are milliseconds. */
export interface Bounds {
  /** End of all faults and pauses that could delay a delete, epoch milliseconds. */
  readonly calmAt: number;
  /**
   * Longest delay of a deletion after the expiry, for an item that was written at least `aheadMs` before its expiry and expires at least
   * CALM_MS after `calmAt`.
   */
  readonly strictMs: number;
  readonly aheadMs: number;
  /** Longest delay for other items. They may stay until `afterFaultsMs` after `calmAt`, if that is later. */
  readonly looseMs: number;
  readonly afterFaultsMs: number;
}

/** Items that expire within this many milliseconds after `calmAt` may be deleted late: a tick before `calmAt` may have failed. */
const CALM_MS = 120_000;

interface Due {
  readonly id: string;
  readonly image: EventImage;
  readonly writtenAt: Millis;
  /** Time of the deletion, epoch milliseconds; undefined for an item that is still in the table. */
  readonly deletedAt: number | undefined;
}

/** Records the table's changes in the ledger (list of writes and deletions), and judges the sweep without the sweep's reports. */
export class Oracle {
  readonly ledger: Ledger;
  /** Ids of items that DynamoDB refused to delete: a tick reports such an item as failed and goes on, so the item may stay. */
  readonly refused = new Set<string>();
  readonly deliveries: Deliveries;
  readonly #table: MemoryTable;

  constructor(table: MemoryTable, pipes: readonly FollowedPipe[]) {
    this.#table = table;
    this.ledger = new Ledger(() => table.options.clock.now());
    this.deliveries = new Deliveries(pipes);
    table.listeners.push(change => this.#saw(change));
  }

  #saw({ id, key, by, at, recordedAt, eventId, before, after }: Change): void {
    const version = this.ledger.current(id)?.number ?? 0;
    if (after !== undefined) {
      const how = before === undefined ? 'wrote' : 'renewed';
      this.ledger.wrote(id, version + 1, this.#table.ttlOf(after), how);
      return;
    }
    const image = before ?? {};
    if (by === 'user') this.ledger.deleted(id);
    const record = { id: eventId, key, image, madeAt: recordedAt };
    this.ledger.removed(id, version, { ttl: this.#table.ttlOf(image), seenAt: at, record });
  }

  /** Milliseconds to deletion from expiry or last write, whichever was later, for items deleted as expired. */
  lags(nowMs: number): number[] {
    return this.ledger
      .expired(nowMs)
      .flatMap(({ ttl, writtenAt, deletedAt }) =>
        deletedAt === undefined ? [] : [deletedAt - Math.max(ttl * 1000, writtenAt)],
      );
  }

  /**
   * Finds items that stayed too long in the table: deleted late, or still there.
   * @param nowMs time at which the ticks have ended, epoch milliseconds
   */
  late(nowMs: number, bounds: Bounds): Violation[] {
    const gone = this.ledger.removals.flatMap(({ id, byApplication, writtenAt, seenAt, record }): Due[] =>
      byApplication || record === undefined
        ? []
        : [{ id, image: record.image, writtenAt, deletedAt: seenAt }],
    );
    const present = [...this.#table.images].flatMap(([id, image]): Due[] =>
      isOverdue(this.#table.ttlOf(image), Math.floor(nowMs / 1000))
        ? [{ id, image, writtenAt: this.ledger.current(id)?.written?.at ?? 0, deletedAt: undefined }]
        : [],
    );
    return [...gone, ...present]
      .filter(due => (due.deletedAt ?? nowMs) > this.#deletedBy(due, bounds))
      .map(({ id, deletedAt }) =>
        this.ledger.violation(deletedAt === undefined ? 'leftByTicks' : 'late', id),
      );
  }

  /** Latest correct time of an item's deletion, epoch milliseconds. */
  #deletedBy({ id, image, writtenAt }: Due, bounds: Bounds): number {
    const { calmAt, strictMs, aheadMs, looseMs, afterFaultsMs } = bounds;
    const dueAt = Number(this.#table.ttlOf(image)) * 1000;
    // The ticks may leave an item that was written after its expiry, that DynamoDB refused to delete, or that is in a wrong window.
    if (writtenAt >= dueAt || this.refused.has(id) || !this.#isInItsWindow(image, dueAt))
      return Number.POSITIVE_INFINITY;
    if (writtenAt <= dueAt - aheadMs && dueAt >= calmAt + CALM_MS) return dueAt + strictMs;
    return Math.max(dueAt + looseMs, calmAt + afterFaultsMs);
  }

  #isInItsWindow(image: EventImage, dueAt: number): boolean {
    const window = this.#table.windowOf(image);
    if (window === undefined) return true;
    const [start = '', end = ''] = window.replace(/#\d+$/, '').split('_');
    return dueAt >= Date.parse(start) && dueAt < Date.parse(end);
  }

  /** Violations at the end of a run, except late deletions. @param endMs epoch milliseconds: items that expired earlier must be gone */
  verdict(endMs: number): Violation[] {
    const present = [...this.#table.images].map(([id, image]) => {
      const version = this.ledger.current(id)?.number ?? 0;
      return [id, { ttl: this.#table.ttlOf(image), version }] as const;
    });
    return [...this.ledger.verify(new Map(present), endMs), ...this.deliveries.violations(this.ledger)];
  }
}
