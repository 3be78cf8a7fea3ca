import { type Entry, isHeld, isLive, type Present, renewedVersion } from './item.ts';
import { wasDeletedLive } from './tally.ts';

/** What an item may be found to be, and what that is called where items are counted. */
export const FINDINGS = {
  liveDeleted: { what: 'wrongly deleted', sentence: 'live items deleted before their TTL' },
  renewedDeleted: { what: 'wrongly deleted', sentence: 'renewed items deleted before their new TTL' },
  liveMissed: {
    what: 'wrongly deleted',
    sentence: 'live items that were gone when they were to be renewed, held or deleted',
  },
  renewalLost: {
    what: 'wrongly deleted',
    sentence: 'items deleted after DynamoDB had acknowledged their renewal',
  },
  heldDeleted: { what: 'wrongly deleted', sentence: 'items deleted while the application held them' },
  liveMissing: { what: 'wrongly deleted', sentence: 'live items missing from the table' },
  left: { what: 'lost', sentence: 'expired items still in the table' },
  goneUnseen: {
    what: 'out of step',
    sentence: 'expired items gone without a deletion that was seen',
  },
  otherTtl: { what: 'out of step', sentence: 'items with another TTL in the table than was written' },
  otherVersion: { what: 'out of step', sentence: 'items with another version in the table than was written' },
} as const satisfies Readonly<Record<string, { readonly what: string; readonly sentence: string }>>;

export type Finding = keyof typeof FINDINGS;

/** An item that is not as it has to be. */
export interface Violation {
  readonly finding: Finding;
  readonly id: string;
  /** What happened to it, a line each. */
  readonly history: readonly string[];
}

/** When the table was read, and how far it has to be swept. */
export interface Reading {
  /** Epoch milliseconds of a consistent read of the whole table. */
  readonly nowMs: number;
  /** Epoch seconds: everything that expired up to then has to be gone. @default everything that expired before the read */
  readonly sweptUpTo?: number;
}

/** Holds an item against what was read of it; undefined when it is as it has to be, or none of ours. */
export function findingOf(
  entry: Entry,
  present: Present | undefined,
  { nowMs, sweptUpTo = Math.floor(nowMs / 1000) }: Reading,
): Finding | undefined {
  const { current, versions } = entry;
  if (current === undefined) return undefined;
  const renewed = renewedVersion(entry);
  if (versions.some(({ removal, ours }) => removal?.held && !ours)) return 'heldDeleted';
  if (wasDeletedLive(entry)) return renewed === undefined ? 'liveDeleted' : 'renewedDeleted';
  // That moment is late, too: what was alive then was alive when it was deleted.
  const missed = versions.some(
    ({ ttl, ours, missedAt }) => !ours && missedAt !== undefined && isLive(ttl, Math.floor(missedAt / 1000)),
  );
  if (missed) return 'liveMissed';
  if (renewed?.removal !== undefined && !renewed.ours) return 'renewalLost';
  if (present !== undefined) {
    if (present.ttl !== current.ttl) return 'otherTtl';
    if (present.version !== current.number) return 'otherVersion';
    return isLive(current.ttl, sweptUpTo) || isHeld(entry) ? undefined : 'left';
  }
  if (current.ours) return undefined;
  if (isHeld(entry)) return 'heldDeleted';
  if (isLive(current.ttl, Math.floor(nowMs / 1000))) return 'liveMissing';
  return current.removal === undefined ? 'goneUnseen' : undefined;
}

/** A sentence for each finding. */
export function describeViolations(violations: readonly Violation[]): string[] {
  const found = Map.groupBy(violations, ({ finding }) => finding);
  return [...found].map(([finding, items]) => {
    const ids = named(items.map(({ id }) => id));
    return `${items.length} ${FINDINGS[finding].sentence}: ${ids}`;
  });
}

/** Items that are named; all are counted. */
const MAX_NAMED = 5;

/** The first of some items, for a person. */
export function named(ids: readonly string[]): string {
  return ids.slice(0, MAX_NAMED).join(', ') + (ids.length > MAX_NAMED ? ', …' : '');
}
