import { type Entry, isLive, isOverdue, type Present, renewedVersion } from './item.ts';
import { wasDeletedLive } from './tally.ts';

/** What can be wrong with an item, or another checked thing, in words for counts. */
const FINDINGS = {
  liveDeleted: 'live items deleted before their TTL',
  renewedDeleted: 'renewed items deleted before their new TTL',
  liveMissed: 'live items that were gone when they were to be renewed or deleted',
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

/** An item, or another checked thing, that violates a promise. */
export interface Violation {
  readonly finding: Finding;
  /** The item's id; findings on other things have a sentence. */
  readonly id: string;
  /** History of the item, one line for each event. */
  readonly history: readonly string[];
}

/** Time at which the table was read, and TTL up to which it must be swept. */
export interface Reading {
  /** Time of a consistent read of the whole table, epoch milliseconds. */
  readonly nowMs: number;
  /** Epoch seconds: every item that expired up to then must be deleted. @default every item that expired before the read */
  readonly sweptUpTo?: number;
}

/** Compares an item with its state in the table; undefined when it is correct, or belongs to others. */
export function findingOf(
  entry: Entry,
  present: Present | undefined,
  { nowMs, sweptUpTo = Math.floor(nowMs / 1000) }: Reading,
): Finding | undefined {
  const { current, versions } = entry;
  if (current === undefined) return undefined;
  const renewed = renewedVersion(entry);
  if (wasDeletedLive(entry)) return renewed === undefined ? 'liveDeleted' : 'renewedDeleted';
  // `missedAt` is not before the deletion, so an item that was live then was live at its deletion too.
  const missed = versions.some(
    ({ ttl, ours, missedAt }) => !ours && missedAt !== undefined && isLive(ttl, Math.floor(missedAt / 1000)),
  );
  if (missed) return 'liveMissed';
  if (renewed?.removal !== undefined && !renewed.ours) return 'renewalLost';
  if (present !== undefined) {
    if (present.ttl !== current.ttl) return 'otherTtl';
    if (present.version !== current.number) return 'otherVersion';
    return isOverdue(current.ttl, sweptUpTo) ? 'left' : undefined;
  }
  if (current.ours) return undefined;
  if (isLive(current.ttl, Math.floor(nowMs / 1000))) return 'liveMissing';
  return current.removal === undefined ? 'goneUnseen' : undefined;
}

/** A sentence for each finding. */
export function describeViolations(violations: readonly Violation[]): string[] {
  return bySentence(violations).map(
    ([sentence, those]) => `${sentence}: ${named(those.map(({ id }) => id))}`,
  );
}

/** Counts the findings by kind: `12 expired items still in the table`. */
export function countsOfFindings(violations: readonly Violation[]): string[] {
  return bySentence(violations).map(([sentence]) => sentence);
}

function bySentence(violations: readonly Violation[]): [string, Violation[]][] {
  const found = Map.groupBy(violations, ({ finding }) => finding);
  return [...found].map(([finding, those]) => [`${those.length} ${FINDINGS[finding]}`, those]);
}

/** Largest number of items that are listed; all are counted. */
const MAX_NAMED = 5;

/** Lists the first of some ids. */
function named(ids: readonly string[]): string {
  return ids.slice(0, MAX_NAMED).join(', ') + (ids.length > MAX_NAMED ? ', …' : '');
}
