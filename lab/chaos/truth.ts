import type { Ttl } from '../demo/ledger.ts';
import type { TtlSpan } from './inspection-plan.ts';

/** What a writer did to an item, as DynamoDB acknowledged it. */
export type Deed = 'wrote' | 'renewed' | 'made permanent' | 'wrote again';

/** Of an item that has been written once. */
const FIRST_VERSION = 1;
/**
 * Milliseconds from the moment at which a delete is sent to the one at which the application knows what it can have met:
 * by the acknowledgement of a write, or by the stream.
 */
const KNOWN_AFTER_MS = 3_000;

interface Version {
  readonly ttl: Ttl;
  removal: Removal | undefined;
  /** Our own deleter named this version: it deleted it, or may have. */
  ours: boolean;
  /** Epoch milliseconds at which the application first noticed that it was gone. */
  missedAt?: number;
  /** Epoch milliseconds of the acknowledgement. */
  writtenAt?: number;
}

export interface Removal {
  /** As the item was when it was removed. */
  readonly ttl: Ttl;
  /** Epoch milliseconds by which it was gone. */
  readonly seenAt: number;
}

interface Entry {
  readonly versions: Map<number, Version>;
  /** The last one that was acknowledged. */
  current: number;
  readonly history: string[];
}

/** An item as a consistent read of the table has it. */
export interface Present {
  readonly version: number;
  readonly ttl: Ttl;
}

export interface Violation {
  readonly what: 'lost' | 'wrongly deleted' | 'out of step';
  readonly id: string;
  readonly history: readonly string[];
}

export interface Counts {
  readonly items: number;
  readonly renewals: number;
  readonly deletedByUs: number;
  /** Items that the sweep deleted; an item that was written again counts again. */
  readonly swept: number;
}

/**
 * The truth about a run. Every write gives its item another version, so that each deletion that is seen in the stream
 * belongs to one write, whatever else happens to the item at that moment.
 */
export class Truth {
  readonly #entries = new Map<string, Entry>();
  readonly #now: () => number;
  #renewals = 0;

  /** @param now epoch milliseconds */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** DynamoDB acknowledged a write. */
  wrote(id: string, version: number, ttl: Ttl, deed: Deed): void {
    const entry = this.#entry(id);
    const known = entry.versions.get(version);
    // The stream may be faster than the acknowledgement.
    entry.versions.set(version, {
      ttl,
      removal: known?.removal,
      ours: known?.ours ?? false,
      writtenAt: this.#now(),
    });
    entry.current = version;
    if (deed === 'renewed' || deed === 'made permanent') this.#renewals += 1;
    note(entry, this.#now(), `${deed}: version ${version}, ${describe(ttl)}`);
  }

  /** The item was gone when it was to be renewed. */
  tooLate(id: string): void {
    const entry = this.#entry(id);
    this.#missed(entry, entry.current);
    note(entry, this.#now(), 'was gone when it was to be renewed');
  }

  /**
   * Our own deleter deleted this version. `unsure`: its connection broke, so that it may have.
   */
  deleted(id: string, version: number, outcome: 'deleted' | 'was gone' | 'unsure'): void {
    const entry = this.#entry(id);
    const found = entry.versions.get(version);
    if (outcome === 'was gone') this.#missed(entry, version);
    else if (found !== undefined) found.ours = true;
    note(entry, this.#now(), `delete of version ${version} by the application: ${outcome}`);
  }

  /** An item was seen to be removed, by whomever. Items that aren't in here are somebody else's. */
  removed(id: string, version: number, removal: Removal): void {
    const entry = this.#entry(id);
    const found = entry.versions.get(version) ?? { ttl: removal.ttl, removal: undefined, ours: false };
    found.removal = removal;
    entry.versions.set(version, found);
    note(entry, removal.seenAt, `removal of version ${version} seen, ${describe(removal.ttl)}`);
  }

  get counts(): Counts {
    let deletedByUs = 0;
    let swept = 0;
    for (const { versions } of this.#entries.values()) {
      for (const { removal, ours } of versions.values()) {
        if (ours) deletedByUs += 1;
        else if (removal !== undefined) swept += 1;
      }
    }
    return { items: this.#entries.size, renewals: this.#renewals, deletedByUs, swept };
  }

  /** Items that are expired and not gone, by what is known. */
  overdue(nowMs: number): number {
    const now = Math.floor(nowMs / 1000);
    let overdue = 0;
    for (const { versions, current } of this.#entries.values()) {
      const last = versions.get(current);
      if (last?.ttl !== undefined && last.ttl <= now && last.removal === undefined && !last.ours)
        overdue += 1;
    }
    return overdue;
  }

  /**
   * Holds what happened against what should have.
   *
   * @param present every item of the table, by a consistent read at `nowMs` (epoch milliseconds)
   * @param sweptUpTo epoch seconds: a sweep without faults has gone over everything that expired up to then
   */
  verify(present: ReadonlyMap<string, Present>, sweptUpTo: number, nowMs: number): Violation[] {
    const now = Math.floor(nowMs / 1000);
    return [...this.#entries].flatMap(([id, entry]) => {
      const what = judge(entry, present.get(id), sweptUpTo, now);
      return what === undefined ? [] : [{ what, id, history: entry.history }];
    });
  }

  /**
   * What expired in one of these spans and is still there.
   *
   * @param present every item of the table, by a consistent read
   */
  left(present: ReadonlyMap<string, Present>, spans: readonly TtlSpan[]): string[] {
    const expired = (ttl: Ttl) =>
      ttl !== undefined && spans.some(({ from, upTo }) => ttl >= from && ttl <= upTo);
    return [...present].flatMap(([id, { ttl }]) => (this.#entries.has(id) && expired(ttl) ? [id] : []));
  }

  /** Whether a delete that was sent at `at` (epoch milliseconds) may have met an item that the application had renewed. */
  mayBeRenewed(id: string, at: number): boolean {
    const versions = [...(this.#entries.get(id)?.versions ?? [])];
    return versions.some(
      ([version, { writtenAt = 0 }]) => version > FIRST_VERSION && writtenAt <= at + KNOWN_AFTER_MS,
    );
  }

  /** Whether a delete that was sent at `at` (epoch milliseconds) may have found the item gone. */
  mayBeGone(id: string, at: number): boolean {
    const versions = [...(this.#entries.get(id)?.versions.values() ?? [])];
    return versions.some(
      ({ removal, ours, missedAt }) =>
        ours || [removal?.seenAt, missedAt].some(gone => gone !== undefined && gone <= at + KNOWN_AFTER_MS),
    );
  }

  #missed({ versions }: Entry, version: number): void {
    const found = versions.get(version);
    if (found !== undefined) found.missedAt ??= this.#now();
  }

  #entry(id: string): Entry {
    const known = this.#entries.get(id);
    if (known !== undefined) return known;
    const made: Entry = { versions: new Map(), current: 0, history: [] };
    this.#entries.set(id, made);
    return made;
  }
}

function judge(
  { versions, current }: Entry,
  present: Present | undefined,
  sweptUpTo: number,
  now: number,
): Violation['what'] | undefined {
  for (const { ttl, removal, ours, missedAt } of versions.values()) {
    if (ours) continue;
    // Both moments are late: what was alive then was alive when it was deleted.
    if (removal !== undefined && isLive(removal.ttl, Math.floor(removal.seenAt / 1000)))
      return 'wrongly deleted';
    if (missedAt !== undefined && isLive(ttl, Math.floor(missedAt / 1000))) return 'wrongly deleted';
  }
  const last = versions.get(current);
  // Removed, but never acknowledged as written.
  if (last === undefined) return 'out of step';
  if (present !== undefined) {
    if (present.version !== current || present.ttl !== last.ttl) return 'out of step';
    return isLive(last.ttl, sweptUpTo) ? undefined : 'lost';
  }
  if (last.ours) return undefined;
  if (isLive(last.ttl, now)) return 'wrongly deleted';
  return last.removal === undefined ? 'out of step' : undefined;
}

/** By the rule of `isExpired` in expiry/, `at` in epoch seconds. */
function isLive(ttl: Ttl, at: number): boolean {
  return ttl === undefined || ttl > at;
}

function note({ history }: Entry, at: number, what: string): void {
  history.push(`${new Date(at).toISOString()} ${what}`);
}

function describe(ttl: Ttl): string {
  return ttl === undefined ? 'without TTL' : `TTL ${ttl} (${new Date(ttl * 1000).toISOString()})`;
}
