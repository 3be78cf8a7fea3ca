import type { RandomSource } from 'stepfunctions-emulator';
import type { Ttl } from '../demo/ledger.ts';

export interface ChaosWorkloadOptions {
  /** When the first item is written, epoch milliseconds. */
  readonly startMs: number;
  /** When the first one expires, epoch seconds. */
  readonly firstTtl: number;
  /** How long items keep expiring, seconds. */
  readonly seconds: number;
  /** Items per second. */
  readonly rate: number;
  /** Whether items live longer than was first written, by renewals or under the same key. */
  readonly renewals: boolean;
  readonly random: RandomSource;
}

/** One deed of a writer, at its time. */
export type ChaosAction = {
  readonly atMs: number;
  readonly id: string;
} & (
  | { readonly kind: 'write' | 'writeAgain'; readonly ttl: Ttl; readonly olderStamp: boolean }
  | { readonly kind: 'renew'; readonly ttl: Ttl }
  | { readonly kind: 'delete' }
);

const SHORTEST_LIFE_SECONDS = 3;
const MAX_LIFE_SECONDS = 150;
/** TTL of what shall outlive the run. */
const FAR_SECONDS = 86_400;
const OLDER_STAMP = 0.3;

// Of 100 items; the rest is written once and expires.
const PERMANENT = 4;
const DELETED = 6;
const RENEWED = 12;
/** In the second in which the item expires: the renewal and the delete meet. */
const RENEWED_AT_EXPIRY = 5;
/** The same, and only by a second: a guard that lets one second more pass deletes it early. */
const RENEWED_BY_A_SECOND = 4;
const MADE_PERMANENT = 4;
const WRITTEN_AGAIN = 6;
/** Written when it is expired already, so that only a tick that looks back may find it. */
const WRITTEN_LATE = 3;
/** Seconds from the expiry to such a write. */
const LATEST_SECONDS = 20;

/**
 * Plans what the writers do: items that expire at a steady rate, many of which are renewed, deleted, made permanent or
 * written again just before, while, or after they expire.
 *
 * @returns the actions in the order of their time, and the last moment (epoch seconds) at which an item expires
 */
export function planChaos(options: ChaosWorkloadOptions): { actions: ChaosAction[]; lastTtl: number } {
  const { startMs, firstTtl, seconds, rate, renewals, random } = options;
  const lastTtl = firstTtl + Math.ceil(seconds) - 1;
  const between = (from: number, to: number) => from + random.next() * (to - from);
  /** Within the run, or far behind it. */
  const withinOrFar = (ttl: number): number => (ttl <= lastTtl ? ttl : ttl + FAR_SECONDS);
  const laterThan = (ttl: number): number => withinOrFar(ttl + Math.round(between(5, 90)));
  const actions: ChaosAction[] = [];
  const count = Math.max(1, Math.round(seconds * rate));
  for (let item = 0; item < count; item += 1) {
    const id = `item-${item}`;
    const ttl = Math.min(lastTtl, firstTtl + Math.floor(item / rate));
    const writeAt = Math.max(startMs, (ttl - between(SHORTEST_LIFE_SECONDS, MAX_LIFE_SECONDS)) * 1000);
    const olderStamp = random.next() < OLDER_STAMP;
    let share = random.next() * 100;
    const drawn = (percent: number) => {
      share -= percent;
      return share < 0;
    };
    if (drawn(PERMANENT)) {
      actions.push({ atMs: writeAt, id, kind: 'write', ttl: undefined, olderStamp });
      continue;
    }
    if (drawn(WRITTEN_LATE)) {
      const late = Math.min((ttl + between(0, LATEST_SECONDS)) * 1000, lastTtl * 1000);
      actions.push({ atMs: late, id, kind: 'write', ttl, olderStamp });
      continue;
    }
    actions.push({ atMs: writeAt, id, kind: 'write', ttl, olderStamp });
    /** Milliseconds from the item's expiry, but never before it is written. */
    const around = (from: number, to: number) => Math.max(writeAt + 100, ttl * 1000 + between(from, to));
    if (drawn(DELETED)) {
      actions.push({ atMs: around(-3000, 1500), id, kind: 'delete' });
    } else if (!renewals) {
    } else if (drawn(RENEWED)) {
      actions.push({ atMs: around(-5000, -500), id, kind: 'renew', ttl: laterThan(ttl) });
    } else if (drawn(RENEWED_AT_EXPIRY)) {
      actions.push({ atMs: around(-200, 1000), id, kind: 'renew', ttl: laterThan(ttl) });
    } else if (drawn(RENEWED_BY_A_SECOND)) {
      actions.push({ atMs: around(-200, 900), id, kind: 'renew', ttl: withinOrFar(ttl + 1) });
    } else if (drawn(MADE_PERMANENT)) {
      actions.push({ atMs: around(-3000, 1000), id, kind: 'renew', ttl: undefined });
    } else if (drawn(WRITTEN_AGAIN)) {
      const again = {
        kind: 'writeAgain',
        ttl: laterThan(ttl),
        olderStamp: random.next() < OLDER_STAMP,
      } as const;
      actions.push({ atMs: around(-2000, 4000), id, ...again });
    }
  }
  return { actions: actions.sort((one, other) => one.atMs - other.atMs), lastTtl };
}
