import type { RandomSource } from 'stepfunctions-emulator';
import type { Millis, Seconds } from '../../statemachine/times.ts';
import type { Ttl, Write } from '../ledger/item.ts';

export interface Action {
  readonly atMs: Millis;
  readonly item: number;
  readonly how: Write;
  readonly ttl: Ttl;
}

export interface PlanOptions {
  readonly startMs: Millis;
  readonly firstTtl: Seconds;
  readonly seconds: number;
  readonly rate: number;
  readonly renewals: boolean;
  readonly random: RandomSource;
}

/** Range of lifetimes, seconds: at least two minutes, so that deletes can be on time. Items written at `startMs` may live less long. */
export const LIFE = { from: 120, to: 240 };

const FAR_SECONDS = 86_400;

// Percentages of the items; all other items are written once and expire.
const PERMANENT = 5;
const MADE_PERMANENT = 5;
const RENEWED = 10;

/** Plans items that expire at a constant rate. With `renewals`, some are renewed or lose their TTL in the last seconds before expiry. */
export function planItems({ startMs, firstTtl, seconds, rate, renewals, random }: PlanOptions) {
  // `seconds` is minutes times 60, and may be slightly too large because of rounding: `ceil` alone would then add a second.
  const moments = Math.max(1, Math.ceil(seconds - 1e-6));
  const lastTtl = firstTtl + moments - 1;
  const between = (from: number, to: number) => from + random.next() * (to - from);
  const actions = Array.from(
    { length: Math.max(1, Math.round(moments * rate)) },
    (_unused, item): Action[] => {
      const ttl = firstTtl + Math.min(moments - 1, Math.floor(item / rate));
      const writeAt = Math.max(startMs, (ttl - between(LIFE.from, LIFE.to)) * 1000);
      const drawn = random.next() * 100;
      const write = { atMs: writeAt, item, how: 'wrote', ttl } as const;
      if (drawn < PERMANENT) return [{ ...write, ttl: undefined }];
      if (!renewals || drawn >= PERMANENT + MADE_PERMANENT + RENEWED) return [write];
      const atMs = Math.max(writeAt + 500, ttl * 1000 - between(1_000, 5_000));
      if (drawn < PERMANENT + MADE_PERMANENT)
        return [write, { atMs, item, how: 'made permanent', ttl: undefined }];
      const later = ttl + Math.round(between(LIFE.from, LIFE.to));
      return [write, { atMs, item, how: 'renewed', ttl: later <= lastTtl ? later : later + FAR_SECONDS }];
    },
  );
  return { actions: actions.flat().sort((one, other) => one.atMs - other.atMs), lastTtl };
}

/** Maximum number of items that {@link backlogOf} plans. If fewer expire in BACKLOG_SECONDS at `rate`, it plans that many. */
const MOST_BACKLOG = 480;
const BACKLOG_SECONDS = 24;
const UNSWEPT_SECONDS = 600;

/**
 * Plans items that are written after their expiry: their TTLs are in the last ten minutes before `before` (epoch seconds), and their
 * `item` is negative.
 */
export function backlogOf(before: number, rate: number): readonly (Action & { readonly ttl: number })[] {
  const count = Math.min(MOST_BACKLOG, Math.ceil(rate * BACKLOG_SECONDS));
  return Array.from({ length: count }, (_unused, index) => ({
    ...{ atMs: before * 1000, item: -1 - index, how: 'wrote' as const },
    ttl: before - 1 - Math.floor((index / count) * UNSWEPT_SECONDS),
  }));
}
