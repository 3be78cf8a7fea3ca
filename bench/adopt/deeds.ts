import type { RandomSource } from 'stepfunctions-emulator';

/** A write of an item, for the first time or to renew it. */
export interface Deed {
  /** Epoch milliseconds. */
  readonly atMs: number;
  readonly id: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

export interface Deeds {
  /** Written before there is an index. */
  readonly before: readonly Deed[];
  /** In the order of their time. */
  readonly after: readonly Deed[];
  /** When each item expires at last, epoch seconds. */
  readonly expiresAt: ReadonlyMap<string, number>;
  /** Of the items that are renewed, and stay. */
  readonly renewed: ReadonlySet<string>;
}

export interface DeedsOptions {
  readonly items: number;
  /** When the first item expires and for how long items do, epoch seconds and seconds. */
  readonly from: number;
  readonly seconds: number;
  readonly random: RandomSource;
}

const SHARE_BEFORE = 0.2;
const SHARE_RENEWED = 0.1;
/** Seconds before its expiry at which an item is written, and renewed: both less than a tick is ahead. */
const LEAD = { least: 4, most: 180 };
const RENEWED_BEFORE = 2;
const RENEWED_FOR = 86_400;

/** Items that expire evenly over a span; some are written before the index, some renewed in their last seconds. */
export function planDeeds({ items, from, seconds, random }: DeedsOptions): Deeds {
  const before: Deed[] = [];
  const after: Deed[] = [];
  const expiresAt = new Map<string, number>();
  const renewed = new Set<string>();
  for (let item = 0; item < items; item += 1) {
    const id = `session-${item}`;
    const expiry = from + Math.floor((item * seconds) / items);
    expiresAt.set(id, expiry);
    if (random.next() < SHARE_BEFORE) {
      before.push({ atMs: 0, id, expiresAt: expiry });
    } else {
      const lead = LEAD.least + random.next() * (LEAD.most - LEAD.least);
      after.push({ atMs: (expiry - lead) * 1000, id, expiresAt: expiry });
    }
    if (random.next() < SHARE_RENEWED) {
      renewed.add(id);
      expiresAt.set(id, expiry + RENEWED_FOR);
      after.push({ atMs: (expiry - RENEWED_BEFORE) * 1000, id, expiresAt: expiry + RENEWED_FOR });
    }
  }
  return { before, after: after.sort((one, other) => one.atMs - other.atMs), expiresAt, renewed };
}
