/** Epoch seconds at which an item expires; `undefined` for one that doesn't. */
export type Ttl = number | undefined;

/** When and where an item is written, as far as that decides when it is found. */
export interface Written {
  /** Epoch milliseconds by which DynamoDB had acknowledged it. @default long ago */
  readonly knownAt?: number;
  /** The shard of its window. @default 0 */
  readonly shard?: number;
}

/** An item that expired, and what became of it. */
export interface SweptItem {
  /** Epoch seconds. */
  readonly ttl: number;
  /** Epoch milliseconds by which DynamoDB had acknowledged this TTL. */
  readonly knownAt: number;
  readonly shard: number;
  /** Epoch milliseconds at which it was seen to be gone; undefined while it is not. */
  readonly goneAt: number | undefined;
}

interface Entry {
  /** As last acknowledged by DynamoDB. */
  ttl: Ttl;
  knownAt: number;
  readonly shard: number;
  /** The TTL that was in force before the last renewal. */
  formerTtl: Ttl;
  renewed: boolean;
  removal: Removal | undefined;
}

/** A deletion as it was seen from outside. */
export interface Removal {
  /** The item's TTL at the moment it was deleted. */
  readonly ttl: Ttl;
  /** Epoch milliseconds by which it was gone. */
  readonly seenAt: number;
}

/** How things stand at one moment. */
export interface Tally {
  readonly written: number;
  /** Items whose TTL has passed. */
  readonly expired: number;
  /** Of these, the ones that were seen to be deleted. */
  readonly deleted: number;
  /** Of these, the ones that weren't, yet. */
  readonly overdue: number;
  /** Items that were deleted while they were live. */
  readonly liveDeleted: number;
  /** Items that were renewed or made permanent, and whose former TTL has passed. */
  readonly renewed: number;
  /** Of these, the ones that outlived their former TTL. */
  readonly renewedKept: number;
}

/** What doesn't add up; each a sentence. */
export type Violations = readonly string[];

/**
 * The truth about one run: what was written, renewed and made permanent, as DynamoDB acknowledged it, and what was
 * seen to be deleted. It knows nothing of the sweep and its counters, so it can judge them.
 */
export class Ledger {
  readonly #entries = new Map<string, Entry>();
  readonly #lags: number[] = [];

  wrote(id: string, ttl: Ttl, { knownAt = 0, shard = 0 }: Written = {}): void {
    this.#entries.set(id, {
      ttl,
      knownAt,
      shard,
      formerTtl: undefined,
      renewed: false,
      removal: undefined,
    });
  }

  /** DynamoDB acknowledged a new TTL, or its removal, for an item that still existed. */
  renewed(id: string, ttl: Ttl, knownAt = 0): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.formerTtl = entry.ttl;
    entry.ttl = ttl;
    entry.knownAt = knownAt;
    entry.renewed = true;
  }

  /** An item was seen to be deleted. Items that aren't in the ledger are somebody else's and left out. */
  removed(id: string, removal: Removal): void {
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.removal !== undefined) return;
    entry.removal = removal;
    if (!isEarly(removal)) this.#lags.push(removal.seenAt - Number(removal.ttl) * 1000);
  }

  /** Milliseconds from expiry to deletion, of every item that was deleted when it was due. */
  get lags(): readonly number[] {
    return this.#lags;
  }

  /** Epoch seconds at which the last of the items that expire before `before` does; 0 without any. */
  lastExpiry(before: number): number {
    let last = 0;
    for (const { ttl } of this.#entries.values()) {
      if (ttl !== undefined && ttl < before && ttl > last) last = ttl;
    }
    return last;
  }

  /** What expired up to now and was not deleted before its time. @param nowMs epoch milliseconds */
  swept(nowMs: number): SweptItem[] {
    const now = Math.floor(nowMs / 1000);
    return [...this.#entries.values()].flatMap(({ ttl, knownAt, shard, removal }) =>
      ttl === undefined || ttl > now || (removal && isEarly(removal))
        ? []
        : [{ ttl, knownAt, shard, goneAt: removal?.seenAt }],
    );
  }

  /** @param nowMs epoch milliseconds */
  tally(nowMs: number): Tally {
    const now = Math.floor(nowMs / 1000);
    const counts = { expired: 0, deleted: 0, overdue: 0, liveDeleted: 0, renewed: 0, renewedKept: 0 };
    for (const entry of this.#entries.values()) {
      const { removal } = entry;
      const early = removal !== undefined && isEarly(removal);
      if (early) counts.liveDeleted += 1;
      if (entry.ttl !== undefined && entry.ttl <= now) {
        counts.expired += 1;
        if (removal === undefined) counts.overdue += 1;
        else if (!early) counts.deleted += 1;
      }
      if (entry.renewed && entry.formerTtl !== undefined && entry.formerTtl <= now) {
        counts.renewed += 1;
        if (!lostRenewal(entry)) counts.renewedKept += 1;
      }
    }
    return { written: this.#entries.size, ...counts };
  }

  /**
   * Holds the ledger against what is in the table.
   *
   * @param present TTL by id of every item that a consistent read of the whole table returned
   * @param nowMs when it was read, epoch milliseconds
   */
  verify(present: ReadonlyMap<string, Ttl>, nowMs: number): Violations {
    const now = Math.floor(nowMs / 1000);
    const found = new Map<string, string[]>();
    const report = (what: string, id: string) => found.set(what, [...(found.get(what) ?? []), id]);
    for (const [id, entry] of this.#entries) {
      const { ttl, removal } = entry;
      const isPresent = present.has(id);
      if (removal !== undefined && isEarly(removal)) {
        report(
          entry.renewed
            ? 'renewed items deleted before their new TTL'
            : 'live items deleted before their TTL',
          id,
        );
      } else if (lostRenewal(entry)) {
        report('items deleted after DynamoDB had acknowledged their renewal', id);
      } else if (ttl !== undefined && ttl <= now) {
        if (isPresent) report('expired items still in the table', id);
        else if (removal === undefined) report('expired items gone without a deletion that was seen', id);
      } else if (!isPresent) {
        report('live items missing from the table', id);
      } else if (present.get(id) !== ttl) {
        report('items with another TTL in the table than was written', id);
      }
    }
    return [...found].map(([what, ids]) => `${ids.length} ${what}: ${shorten(ids)}`);
  }
}

/** Deleted while it was live, by the TTL it had when it was deleted: the rule of `isExpired` in expiry/. */
function isEarly({ ttl, seenAt }: Removal): boolean {
  return ttl === undefined || ttl > Math.floor(seenAt / 1000);
}

/** Deleted with the TTL it had before an acknowledged renewal. */
function lostRenewal({ renewed, ttl, removal }: Entry): boolean {
  return renewed && removal !== undefined && removal.ttl !== ttl;
}

function shorten(ids: readonly string[]): string {
  return ids.slice(0, 5).join(', ') + (ids.length > 5 ? ', …' : '');
}
