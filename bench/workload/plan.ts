import type { RandomSource } from 'stepfunctions-emulator';
import type { Ttl } from '../ledger/item.ts';

/** A planned item, by its number from 0. */
export type Item = number;

/** One action of an application, at its time. */
export interface Action {
  readonly atMs: number;
  readonly item: Item;
  readonly kind: 'write' | 'renew' | 'makePermanent' | 'delete';
  /** The new TTL; a delete has none. */
  readonly ttl: Ttl;
}

export interface StreamOptions {
  /** Time of the first write, epoch milliseconds. */
  readonly startMs: number;
  /** TTL of the first item, epoch seconds. */
  readonly firstTtl: number;
  /** Period in which items expire, seconds. */
  readonly seconds: number;
  /** Number of items that expire in a second. */
  readonly rate: number;
  readonly random: RandomSource;
  /** Plans each item's actions. @default each is written once and expires */
  readonly mix?: Mix;
}

/** An item of a stream before its actions are planned. */
export interface PlannedItem {
  readonly item: number;
  /** First TTL of the item, epoch seconds. */
  readonly ttl: number;
  /** Time of the write, epoch milliseconds. */
  readonly writeAt: number;
  /** TTL of the stream's last item, epoch seconds. */
  readonly lastTtl: number;
  readonly random: RandomSource;
}

/** Plans the actions on an item. */
export type Mix = (item: PlannedItem) => readonly Action[];

export interface Stream {
  /** Actions in the order of their time. */
  readonly actions: readonly Action[];
  /** TTL of the last item, epoch seconds. */
  readonly lastTtl: number;
}

/** Range of an item's lifetime, seconds, drawn uniformly: long enough for the tick that reads its minute ahead. */
export const LIFE = { from: 120, to: 240 };

/** Seconds until the TTL of items that must outlive the run. */
const FAR_SECONDS = 86_400;

/** Each item is written once and expires. */
export const writtenOnce: Mix = ({ item, ttl, writeAt }) => [{ atMs: writeAt, item, kind: 'write', ttl }];

/** Plans a stream of items that expire at a constant rate. */
export function planStream(options: StreamOptions): Stream {
  const { startMs, firstTtl, seconds, rate, random, mix = writtenOnce } = options;
  const lastTtl = firstTtl + wholeAtLeast(seconds) - 1;
  const moments = wholeAtLeast(seconds);
  const count = Math.max(1, Math.round(moments * rate));
  const actions = Array.from({ length: count }, (_unused, item): readonly Action[] => {
    const ttl = firstTtl + Math.min(moments - 1, Math.floor(item / rate));
    const writeAt = Math.max(startMs, (ttl - between(LIFE.from, LIFE.to, random)) * 1000);
    return mix({ item, ttl, writeAt, lastTtl, random });
  });
  return { actions: actions.flat().sort((one, other) => one.atMs - other.atMs), lastTtl };
}

/** Rounds a value up: minutes times 60 may not be exactly a whole number. */
function wholeAtLeast(value: number): number {
  return Math.max(1, Math.ceil(value - 1e-6));
}

export function between(from: number, to: number, random: RandomSource): number {
  return from + random.next() * (to - from);
}

/** Returns a TTL within the run, or one long after it. */
export function withinOrFar(ttl: number, lastTtl: number): number {
  return ttl <= lastTtl ? ttl : ttl + FAR_SECONDS;
}

/** Draws one of some cases by their shares, of 100; undefined for the rest. */
export function drawCase<Case extends string>(
  shares: Readonly<Record<Case, number>>,
  random: RandomSource,
): Case | undefined {
  let drawn = random.next() * 100;
  return (Object.keys(shares) as Case[]).find(name => {
    drawn -= shares[name];
    return drawn < 0;
  });
}
