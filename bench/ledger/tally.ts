import { type Entry, isEarly, isLive, removalOf, renewedVersion } from './item.ts';

/** Counts of the ledger's items at one moment. */
export interface Tally {
  readonly written: number;
  /** Items whose TTL has passed, except those that the application has deleted. */
  readonly expired: number;
  /** Number of expired items whose deletion was seen. */
  readonly deleted: number;
  /** Number of expired items whose deletion was not seen yet. */
  readonly overdue: number;
  /** Items that were deleted while they were live. */
  readonly liveDeleted: number;
  /** Items that were renewed or made permanent, and whose former TTL has passed. */
  readonly renewed: number;
  /** Number of renewed items that outlived their former TTL. */
  readonly renewedKept: number;
}

/**
 * Counts items. An item whose current version the application itself deleted, or may have deleted, counts neither as expired nor as deleted
 * or overdue. @param nowMs epoch milliseconds
 */
export function tallyOf(entries: Iterable<Entry>, nowMs: number): Tally {
  const now = Math.floor(nowMs / 1000);
  const counts = {
    written: 0,
    expired: 0,
    deleted: 0,
    overdue: 0,
    liveDeleted: 0,
    renewed: 0,
    renewedKept: 0,
  };
  for (const entry of entries) {
    const { current } = entry;
    if (current === undefined) continue;
    counts.written += 1;
    if (wasDeletedLive(entry)) counts.liveDeleted += 1;
    if (!isLive(current.ttl, now) && !current.ours) {
      const removal = removalOf(entry);
      counts.expired += 1;
      if (removal === undefined) counts.overdue += 1;
      else if (!isEarly(removal)) counts.deleted += 1;
    }
    const former = renewedVersion(entry);
    if (former !== undefined && !isLive(former.ttl, now)) {
      counts.renewed += 1;
      if (former.removal === undefined) counts.renewedKept += 1;
    }
  }
  return counts;
}

/** Whether any version of an item was seen to be deleted by others while it was live. */
export function wasDeletedLive({ versions }: Entry): boolean {
  return versions.some(({ removal, ours }) => !ours && removal !== undefined && isEarly(removal));
}

/** An item that expired, and its result. */
export interface SweptItem {
  /** Epoch seconds. */
  readonly ttl: number;
  /** Time by which DynamoDB had acknowledged this TTL, epoch milliseconds. */
  readonly knownAt: number;
  readonly shard: number;
  /** Time at which its deletion was seen, epoch milliseconds; undefined while there is none. */
  readonly goneAt: number | undefined;
}

/** The items that expire up to a moment and were not deleted before their time. @param nowMs that moment, epoch milliseconds */
export function sweptOf(entries: Iterable<Entry>, nowMs: number): SweptItem[] {
  const now = Math.floor(nowMs / 1000);
  const swept: SweptItem[] = [];
  for (const entry of entries) {
    const { current, shard } = entry;
    const removal = removalOf(entry);
    if (current?.ttl === undefined || current.ttl > now || current.ours) continue;
    if (removal !== undefined && isEarly(removal)) continue;
    const { ttl, written } = current;
    swept.push({ ttl, knownAt: written?.knownAt ?? 0, shard, goneAt: removal?.seenAt });
  }
  return swept;
}

/** Counts of all events. */
export interface Counts {
  readonly items: number;
  readonly renewals: number;
  readonly deletedByUs: number;
  /** Items that the sweep deleted; an item that was written again counts again. */
  readonly swept: number;
}

export function countsOf(entries: Iterable<Entry>): Counts {
  const counts = { items: 0, renewals: 0, deletedByUs: 0, swept: 0 };
  for (const { versions, current } of entries) {
    if (current === undefined) continue;
    counts.items += 1;
    for (const { written, removal, ours } of versions) {
      if (written?.deed === 'renewed' || written?.deed === 'made permanent') counts.renewals += 1;
      if (ours) counts.deletedByUs += 1;
      else if (removal !== undefined) counts.swept += 1;
    }
  }
  return counts;
}
