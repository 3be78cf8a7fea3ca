/** Targets of a child: windows and shards of an index, or the whole index. */

import type { TtlFault } from '../../expiry/ttl.ts';
import type { ScanCount } from '../counts.ts';
import type { Seconds } from '../times.ts';
import type { ItemKey, ShownKey } from './keys.ts';

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
  /** The position at which a dry run or a scan continues that ran out of time. */
  readonly position?: PagePosition | null;
  /** Set if the target is the whole index; `windows` is empty then. */
  readonly scan?: IndexScan;
}

/** A scan of a whole index, which may take several executions if some of them are stopped. */
export interface IndexScan {
  /** Name of the execution that owns the scan now. */
  readonly execution: string;
  /** When the first execution began, ISO-8601. */
  readonly beganAt: string;
  /** The findings up to the target's position. */
  readonly before: ScanRecord;
}

/** The findings of a scan of an index. */
export interface ScanRecord extends Readonly<Record<ScanCount, number>> {
  readonly found: number;
  readonly deleted: number;
  readonly failed: number;
  readonly named: readonly NamedEntry[];
}

/** An entry of the index that a scan lists: one of the first few of its kind. */
export interface NamedEntry {
  /**
   * Why it is listed: it is overdue, no query of a second finds it, no sweep searches its window at its time, or its TTL is out of range.
   */
  readonly is: 'overdue' | 'fractional' | 'misfiled' | TtlFault;
  /** Missing if keys are not shown. */
  readonly key?: ShownKey;
  readonly ttl: number;
  /** By window: the window of the entry. */
  readonly window?: string;
}

/** The position at which a page ended. */
export interface PagePosition {
  /** Index of the key among the target's index keys, from 0. */
  readonly indexKey: number;
  /** TTL and primary key of the last entry read; null: before the first one. */
  readonly key: ItemKey | null;
}
