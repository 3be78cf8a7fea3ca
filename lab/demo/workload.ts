import type { RandomSource } from 'stepfunctions-emulator';
import type { Ttl } from './ledger.ts';

export interface WorkloadOptions {
  /** When the first session is written, epoch milliseconds. */
  readonly startMs: number;
  /** When the first one expires, epoch seconds. */
  readonly firstTtl: number;
  /** How long items keep expiring. */
  readonly minutes: number;
  /** Items per second. */
  readonly rate: number;
  readonly random: RandomSource;
  /** Whether items are renewed, or made permanent, once they have a TTL. @default true */
  readonly renewals?: boolean;
}

/** One write or change, at its time. */
export interface Action {
  readonly atMs: number;
  /** Counts the items from 0. */
  readonly item: number;
  readonly kind: 'write' | 'renew' | 'makePermanent';
  /** The TTL it sets. */
  readonly ttl: Ttl;
}

// A session's life: long enough for some to be written well before their minute, and some within it.
const SHORTEST_LIFE_SECONDS = 20;
const MAX_LIFE_SECONDS = 120;
/** TTL of what shall outlive the run. */
const FAR_SECONDS = 86_400;

// Of 100 items; the rest is written once and expires.
const RENEWED = 10;
const MADE_PERMANENT = 5;
const PERMANENT = 5;

/**
 * Plans a run: sessions that expire at a steady rate, some of which are renewed or lose their TTL in the last seconds
 * before they would expire, and a few that never expire.
 *
 * @returns the actions in the order of their time, and the last moment (epoch seconds) at which an item expires
 */
export function planWorkload(options: WorkloadOptions): {
  actions: Action[];
  lastTtl: number;
} {
  const { startMs, firstTtl, minutes, rate, random, renewals = true } = options;
  const lastTtl = firstTtl + Math.ceil(minutes * 60) - 1;
  const between = (from: number, to: number) => from + random.next() * (to - from);
  const actions: Action[] = [];
  const count = Math.max(1, Math.round(minutes * 60 * rate));
  for (let item = 0; item < count; item++) {
    const ttl = Math.min(lastTtl, firstTtl + Math.floor(item / rate));
    const life = between(SHORTEST_LIFE_SECONDS, MAX_LIFE_SECONDS);
    const writeAt = Math.max(startMs, (ttl - life) * 1000);
    const share = random.next() * 100;
    if (share < PERMANENT) {
      actions.push({ atMs: writeAt, item, kind: 'write', ttl: undefined });
      continue;
    }
    actions.push({ atMs: writeAt, item, kind: 'write', ttl });
    if (!renewals) continue;
    // Shortly before it expires, but never before it is written.
    const changeAt = Math.max(writeAt + 500, ttl * 1000 - between(1_000, 5_000));
    if (share < PERMANENT + MADE_PERMANENT) {
      actions.push({ atMs: changeAt, item, kind: 'makePermanent', ttl: undefined });
    } else if (share < PERMANENT + MADE_PERMANENT + RENEWED) {
      const later = ttl + Math.round(between(10, 60));
      const renewedTtl = later <= lastTtl ? later : ttl + FAR_SECONDS;
      actions.push({ atMs: changeAt, item, kind: 'renew', ttl: renewedTtl });
    }
  }
  return { actions: actions.sort((a, b) => a.atMs - b.atMs), lastTtl };
}
