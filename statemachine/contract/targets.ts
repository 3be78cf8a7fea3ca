/** Targets of a child: windows and shards of an index. */

import type { Seconds } from '../times.ts';
import type { ItemKey } from './keys.ts';

/** A window and some of its shards. In an index by window each shard is a partition key. */
export interface TargetWindow {
  readonly start: Seconds;
  /** Ranges of shards, ascending: `0-24,30`. */
  readonly shards: string;
}

/** The target of one child: shards of windows that may hold TTLs with from <= ttl < before. */
export interface SweepTarget {
  /** The windows, without duplicates, the oldest first. */
  readonly windows: readonly TargetWindow[];
  readonly from: Seconds;
  readonly before: Seconds;
  /** The start of an upcoming minute, which is polled from then on until `before`; null: swept once, at once. */
  readonly upcomingFrom: Seconds | null;
  /** The position at which a dry run continues that ran out of time. */
  readonly position?: PagePosition | null;
}

/** The position at which a page ended. */
export interface PagePosition {
  /** Index of the key among the target's index keys, from 0. */
  readonly indexKey: number;
  /** TTL and primary key of the last entry read; null: before the first one. */
  readonly key: ItemKey | null;
}
