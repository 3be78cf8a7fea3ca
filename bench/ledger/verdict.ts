import { type Entry, isLive, isOverdue, type Present, renewedVersion, wasDeletedLive } from './item.ts';

const FINDINGS = {
  liveDeleted: 'live items deleted before their TTL',
  renewedDeleted: 'renewed items deleted before their new TTL',
  renewalLost: 'items deleted after DynamoDB had acknowledged their renewal',
  liveMissing: 'live items missing from the table',
  left: 'expired items still in the table',
  goneUnseen: 'expired items gone without a deletion that was seen',
  otherTtl: 'items with another TTL in the table than was written',
  otherVersion: 'items with another version in the table than was written',
  leftByTicks: 'expired items that the ticks left, minutes after the last fault',
  late: 'items deleted later than they may be',
  deletedInPause: 'tables with deletes while they were paused',
  overLimit: 'tables with more deletes in a second than their limit',
  notDelivered: 'expiries without an event',
  deliveredOtherwise: 'events that are not what was deleted',
  deliveredWrongly: 'events of what did not expire',
  wrongCounts: 'reports that do not add up',
  failedQuietly: 'sweeps that failed when nothing was wrong any more',
  refused: 'requests that no service knows',
} as const;

export type Finding = keyof typeof FINDINGS;

export interface Violation {
  readonly finding: Finding;
  /** The item's id, or a sentence if the finding concerns no item. */
  readonly id: string;
  readonly history: readonly string[];
}

/** Compares an item with its state in the table; undefined for a correct item, or for an item of others. */
export function findingOf(entry: Entry, present: Present | undefined, nowMs: number): Finding | undefined {
  const { current } = entry;
  if (current === undefined) return undefined;
  const now = Math.floor(nowMs / 1000);
  const renewed = renewedVersion(entry);
  if (wasDeletedLive(entry)) return renewed === undefined ? 'liveDeleted' : 'renewedDeleted';
  if (renewed?.removal !== undefined && !renewed.byApplication) return 'renewalLost';
  if (present !== undefined) {
    if (present.ttl !== current.ttl) return 'otherTtl';
    if (present.version !== current.number) return 'otherVersion';
    return isOverdue(current.ttl, now) ? 'left' : undefined;
  }
  if (current.byApplication) return undefined;
  if (isLive(current.ttl, now)) return 'liveMissing';
  return current.removal === undefined ? 'goneUnseen' : undefined;
}

const MAX_NAMED = 5;

/** A sentence for each kind of finding: `12 expired items still in the table: a, b, …`. */
export function describeViolations(violations: readonly Violation[]): string[] {
  return [...Map.groupBy(violations, ({ finding }) => finding)].map(([finding, found]) => {
    const ids = found.slice(0, MAX_NAMED).map(({ id }) => id);
    const more = found.length > MAX_NAMED ? ', …' : '';
    return `${found.length} ${FINDINGS[finding]}: ${ids.join(', ')}${more}`;
  });
}
