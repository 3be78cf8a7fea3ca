import type { Life } from './life.ts';

/** What a user's delete of an item was, by the user's own clock. */
export interface UserDelete {
  /** Before the request, epoch milliseconds. */
  readonly sentAt: number;
  /** After the answer. */
  readonly answeredAt: number;
}

interface Entry {
  readonly life: Life;
  /** Epoch seconds. */
  readonly ttl: number;
}

/** What became of all items, when nothing moves any more. */
export interface Balance {
  /** Lives that ended with their expiry or after it, and the text of each. */
  readonly expired: ReadonlyMap<string, string>;
  /** Lives that users ended before. */
  readonly userDeleted: ReadonlyMap<string, string>;
}

/** What users wrote and deleted. An item has one life at a time; a renewal ends one that leaves nothing behind. */
export class Books {
  readonly #now = new Map<string, Entry>();
  readonly #expired = new Map<string, string>();
  readonly #userDeleted = new Map<string, string>();

  /** @param id of the item; what it had before is gone without a removal */
  written(id: string, life: Life, ttl: number): void {
    this.#now.set(id, { life, ttl });
  }

  /** The user's delete removed it. @throws for one so near to its expiry that nobody can tell which came first */
  deleted(id: string, { sentAt, answeredAt }: UserDelete): void {
    const { life, ttl } = this.#entry(id);
    const isExpired = sentAt >= ttl * 1000;
    if (!isExpired && answeredAt >= ttl * 1000) {
      throw new Error(`${id}: expected a delete before its expiry or after it, got one around it`);
    }
    (isExpired ? this.#expired : this.#userDeleted).set(life.id, life.text);
    this.#now.delete(id);
  }

  /** The sweep was first: what a user wanted to delete or renew is gone. */
  swept(id: string): void {
    const { life } = this.#entry(id);
    this.#expired.set(life.id, life.text);
    this.#now.delete(id);
  }

  /**
   * @param alive ids of the lives that are in the table
   * @param nowMs everything else that had expired by then is gone
   */
  balance(alive: ReadonlySet<string>, nowMs: number): Balance {
    const expired = new Map(this.#expired);
    for (const { life, ttl } of this.#now.values()) {
      if (!alive.has(life.id) && ttl * 1000 <= nowMs) expired.set(life.id, life.text);
    }
    return { expired, userDeleted: this.#userDeleted };
  }

  /** Lives that are neither in the table nor due. */
  lost(alive: ReadonlySet<string>, nowMs: number): string[] {
    return [...this.#now.values()]
      .filter(({ life, ttl }) => !alive.has(life.id) && ttl * 1000 > nowMs)
      .map(({ life }) => life.id);
  }

  /** Lives that had expired by then and are still in the table. */
  left(alive: ReadonlySet<string>, nowMs: number): string[] {
    return [...this.#now.values()]
      .filter(({ life, ttl }) => alive.has(life.id) && ttl * 1000 <= nowMs)
      .map(({ life }) => life.id);
  }

  #entry(id: string): Entry {
    const entry = this.#now.get(id);
    if (entry === undefined) throw new Error(`${id}: expected an item that was written, got an unknown one`);
    return entry;
  }
}
