import type { Ttl } from '../demo/ledger.ts';

/** What a writer did to an item, as DynamoDB acknowledged it. */
export type Deed = 'wrote' | 'renewed' | 'made permanent' | 'wrote again';

interface Version {
  readonly ttl: Ttl;
  removal: Removal | undefined;
  /** Our own deleter named this version: it deleted it, or may have. */
  ours: boolean;
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
  #renewals = 0;

  /** DynamoDB acknowledged a write. */
  wrote(id: string, version: number, ttl: Ttl, deed: Deed): void {
    const entry = this.#entry(id);
    const known = entry.versions.get(version);
    // The stream may be faster than the acknowledgement.
    entry.versions.set(version, { ttl, removal: known?.removal, ours: known?.ours ?? false });
    entry.current = version;
    if (deed === 'renewed' || deed === 'made permanent') this.#renewals += 1;
    note(entry, Date.now(), `${deed}: version ${version}, ${describe(ttl)}`);
  }

  /** The item was gone when it was to be renewed. */
  tooLate(id: string): void {
    note(this.#entry(id), Date.now(), 'was gone when it was to be renewed');
  }

  /**
   * Our own deleter deleted this version. `unsure`: its connection broke, so that it may have.
   */
  deleted(id: string, version: number, outcome: 'deleted' | 'was gone' | 'unsure'): void {
    const entry = this.#entry(id);
    const found = entry.versions.get(version);
    if (found !== undefined && outcome !== 'was gone') found.ours = true;
    note(entry, Date.now(), `delete of version ${version} by the application: ${outcome}`);
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
  for (const { removal, ours } of versions.values()) {
    if (removal !== undefined && !ours && isLive(removal.ttl, Math.floor(removal.seenAt / 1000))) {
      return 'wrongly deleted';
    }
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
