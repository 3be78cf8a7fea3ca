import type { Seconds } from '../../statemachine/times.ts';
import {
  describeNote,
  type Entry,
  isEarly,
  isLive,
  isOverdue,
  type Present,
  type Removal,
  removalOf,
  renewedVersion,
  type Ttl,
  type Version,
  type Write,
  wasDeletedLive,
} from './item.ts';

export interface SeenRemoval extends Removal {
  readonly id: string;
  readonly byApplication: boolean;
  /** Time at which DynamoDB acknowledged the deleted version's write, epoch milliseconds; 0 if it did not. */
  readonly writtenAt: number;
}

export interface ExpiredItem {
  readonly ttl: Seconds;
  /** Time at which DynamoDB acknowledged the item's last write, epoch milliseconds. */
  readonly writtenAt: number;
  /** Time at which the deletion was seen, epoch milliseconds; undefined without a deletion. */
  readonly deletedAt: number | undefined;
}

export interface Tally {
  readonly written: number;
  /** Items whose TTL has passed, except items that the application has deleted. */
  readonly expired: number;
  readonly deleted: number;
  readonly overdue: number;
  readonly liveDeleted: number;
  /** Items that were renewed or made permanent, and whose former TTL has passed. */
  readonly renewed: number;
  readonly renewedKept: number;
}

/**
 * The application's acknowledged writes and deletions in a run, and all deletions that were seen. The ledger judges the sweep, and uses no
 * data of the sweep.
 */
export class Ledger {
  readonly #entries = new Map<string, Entry>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  wrote(id: string, version: number, ttl: Ttl, how: Write = 'wrote'): void {
    const entry = this.#entry(id);
    const at = this.#now();
    // The version may exist already: the stream may report its deletion before DynamoDB acknowledges its write.
    const written = versionOf(entry, version, ttl);
    written.ttl = ttl;
    written.written = { how, at };
    entry.current = written;
    entry.notes.push({ at, what: how, version, ttl });
  }

  deleted(id: string): void {
    const { current, notes } = this.#entry(id);
    if (current === undefined) return;
    current.byApplication = true;
    notes.push({ at: this.#now(), what: 'deleted', version: current.number, ttl: current.ttl });
  }

  /** Records a deletion by any client. Only the first report of a deletion counts. */
  removed(id: string, version: number, removal: Removal): void {
    const entry = this.#entry(id);
    const found = versionOf(entry, version, removal.ttl);
    if (found.removal !== undefined) return;
    found.removal = removal;
    entry.notes.push({ at: removal.seenAt, what: 'removal seen', version, ttl: removal.ttl });
  }

  current(id: string): Version | undefined {
    return this.#entries.get(id)?.current;
  }

  tally(nowMs: number): Tally {
    const now = Math.floor(nowMs / 1000);
    const counts = { written: 0, expired: 0, deleted: 0, overdue: 0 };
    const others = { liveDeleted: 0, renewed: 0, renewedKept: 0 };
    for (const entry of this.#entries.values()) {
      const { current } = entry;
      if (current === undefined) continue;
      counts.written += 1;
      if (wasDeletedLive(entry)) others.liveDeleted += 1;
      if (!isLive(current.ttl, now) && !current.byApplication) {
        const removal = removalOf(entry);
        counts.expired += 1;
        if (removal === undefined) counts.overdue += 1;
        else if (!isEarly(removal)) counts.deleted += 1;
      }
      const former = renewedVersion(entry);
      if (former !== undefined && !isLive(former.ttl, now)) {
        others.renewed += 1;
        if (former.removal === undefined) others.renewedKept += 1;
      }
    }
    return { ...counts, ...others };
  }

  /** Items whose TTL is not after `nowMs`, epoch milliseconds. Items that were deleted early or by the application are left out. */
  expired(nowMs: number): ExpiredItem[] {
    return [...this.#entries.values()].flatMap(entry => {
      const { current } = entry;
      const removal = removalOf(entry);
      if (current?.ttl === undefined || current.ttl > Math.floor(nowMs / 1000)) return [];
      if (current.byApplication || (removal !== undefined && isEarly(removal))) return [];
      return [{ ttl: current.ttl, writtenAt: current.written?.at ?? 0, deletedAt: removal?.seenAt }];
    });
  }

  /**
   * @param present every item by its id, from a consistent read
   * @param nowMs epoch milliseconds: items that expired until then must be deleted
   */
  verify(present: ReadonlyMap<string, Present>, nowMs: number): Violation[] {
    return [...this.#entries].flatMap(([id, entry]) => {
      const finding = findingOf(entry, present.get(id), nowMs);
      return finding === undefined ? [] : [this.violation(finding, id)];
    });
  }

  /** The deletions that were seen. An item without an acknowledged write is left out, because the run may not have written it. */
  get removals(): SeenRemoval[] {
    return [...this.#entries].flatMap(([id, { current, versions }]) =>
      current === undefined
        ? []
        : versions.flatMap(({ removal, byApplication, written }) =>
            removal === undefined ? [] : [{ ...removal, id, byApplication, writtenAt: written?.at ?? 0 }],
          ),
    );
  }

  violation(finding: Finding, id: string): Violation {
    return { finding, id, history: (this.#entries.get(id)?.notes ?? []).map(describeNote) };
  }

  #entry(id: string): Entry {
    const known = this.#entries.get(id);
    if (known !== undefined) return known;
    const made: Entry = { versions: [], current: undefined, notes: [] };
    this.#entries.set(id, made);
    return made;
  }
}

function versionOf({ versions }: Entry, number: number, ttl: Ttl): Version {
  const known = versions.find(version => version.number === number);
  if (known !== undefined) return known;
  const made = { number, ttl, written: undefined, removal: undefined, byApplication: false };
  versions.push(made);
  return made;
}

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
  /** The item's id, or a text if the finding concerns no item. */
  readonly id: string;
  readonly history: readonly string[];
}

/** What is wrong with an item; undefined for a correct item, or without an acknowledged write. @param present the item in the table */
function findingOf(entry: Entry, present: Present | undefined, nowMs: number): Finding | undefined {
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

/** A sentence for each kind of finding, such as `12 expired items still in the table: a, b, …`. */
export function describeViolations(violations: readonly Violation[]): string[] {
  return [...Map.groupBy(violations, ({ finding }) => finding)].map(([finding, found]) => {
    const ids = found.slice(0, MAX_NAMED).map(({ id }) => id);
    const more = found.length > MAX_NAMED ? ', …' : '';
    return `${found.length} ${FINDINGS[finding]}: ${ids.join(', ')}${more}`;
  });
}
