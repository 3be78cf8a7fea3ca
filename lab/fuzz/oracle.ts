import { plainDecimal } from '../../expiry/plain-decimal.ts';
import type { ItemImage } from '../../functions/stream/event.ts';
import { Followers, type Following } from '../ledger/followers.ts';
import { Ledger } from '../ledger/ledger.ts';
import type { Violation } from '../ledger/verdict.ts';
import type { Change, MemoryTable } from './table.ts';

/** The parts of a table's configuration that the oracle needs. */
export interface Rules extends Following {
  readonly keyNames: readonly string[];
  readonly ttlAttribute: string;
}

/** A period without faults, epoch milliseconds. */
export interface CalmSpan {
  readonly from: number;
  readonly upTo: number;
  /** Longest time after its expiry at which an item can be written and is still found by a tick. */
  readonly reachMs: number;
}

/** Records each change of an item in the ledger as DynamoDB applied it, so nothing is uncertain, and uses no data of the sweep. */
export class Oracle {
  readonly ledger: Ledger;
  /** Receives archived and published removals. */
  readonly followers: Followers;
  readonly #rules: Rules;
  readonly #versions = new Map<string, number>();
  #now = 0;

  /** @param nextTurn returns the next number in the order of all events of the run */
  constructor(rules: Rules, nextTurn: () => number) {
    this.#rules = rules;
    this.ledger = new Ledger(() => this.#now);
    this.followers = new Followers({ ...rules, now: nextTurn });
  }

  saw({ key, by, at, recordedAt, turn, eventId, before, after }: Change): void {
    this.#now = at;
    const version = this.#versions.get(key) ?? 0;
    if (after !== undefined) {
      this.#versions.set(key, version + 1);
      this.ledger.wrote(key, version + 1, this.#ttlOf(after), before === undefined ? 'wrote' : 'renewed');
      return;
    }
    const image = before ?? {};
    const itsKey = Object.fromEntries(this.#rules.keyNames.map(name => [name, image[name]])) as ItemImage;
    if (by === 'user') this.ledger.deleted(key, version, 'deleted');
    this.ledger.removed(key, version, {
      ttl: this.#ttlOf(image),
      seenAt: at,
      record: { id: eventId, key: itsKey, image, madeAt: recordedAt, order: turn },
    });
  }

  get items(): number {
    return this.#versions.size;
  }

  /** Delays of the sweep's deletes: from the moment at which an item was due, or was written if that was later, milliseconds. */
  lags(nowMs: number): number[] {
    return this.ledger
      .swept(nowMs)
      .flatMap(({ ttl, knownAt, goneAt }) =>
        goneAt === undefined ? [] : [goneAt - Math.max(ttl * 1000, knownAt)],
      );
  }

  /**
   * Finds remaining items that became due in a span, by their expiry or because they were written late. An item that was written after the
   * ticks' lookback is left to native TTL, here to the last replay.
   */
  leftByTicks(table: MemoryTable, { from, upTo, reachMs }: CalmSpan): Violation[] {
    const isDue = (ttl: number, knownAt: number) =>
      Math.max(ttl * 1000, knownAt) >= from && ttl * 1000 >= knownAt - reachMs;
    return this.ledger
      .left(this.#present(table), Math.floor(upTo / 1000), isDue)
      .map(id => this.ledger.violation('leftByTicks', id));
  }

  /** All violations of a run. @param endMs end of the run by DynamoDB's clock: items that have expired by then must be gone */
  verdict(table: MemoryTable, endMs: number): Violation[] {
    const sweptUpTo = Math.floor(endMs / 1000);
    return [
      ...this.ledger.verify(this.#present(table), { nowMs: endMs, sweptUpTo }),
      ...this.followers.violations(this.ledger),
    ];
  }

  #present(table: MemoryTable) {
    return new Map(
      [...table.images].map(([id, image]) => [
        id,
        { ttl: this.#ttlOf(image), version: this.#versions.get(id) ?? 0 },
      ]),
    );
  }

  /** Time at which the item must be deleted, epoch seconds; undefined for an item that does not expire. */
  #ttlOf(image: ItemImage): number | undefined {
    const ttl = image[this.#rules.ttlAttribute];
    return ttl !== undefined && 'N' in ttl ? Number(plainDecimal(ttl.N)) : undefined;
  }
}
