/** Targets of a child: windows and shards of an index, or the whole index. */

import type { TtlFault } from '../../expiry/ttl.ts';
import type { ScanCount } from '../counts.ts';
import type { Seconds } from '../times.ts';
import type { ItemKey, ShownKey } from './keys.ts';

/** A window, and which of its shards. By window each shard is a partition key of the index. */
export interface TargetWindow {
  readonly start: Seconds;
  /** Ranges, ascending: `0-24,30`. */
  readonly shards: string;
}

/** The target of one child: shards of windows that may hold TTLs with from <= ttl < before. */
export interface SweepTarget {
  /** Each window once, the oldest first. */
  readonly windows: readonly TargetWindow[];
  readonly from: Seconds;
  readonly before: Seconds;
  /** The start of an upcoming minute, which is polled from then on until `before`; null: swept once, at once. */
  readonly upcomingFrom: Seconds | null;
  /** Where a dry run or a scan that ran out of time goes on. */
  readonly position?: PagePosition | null;
  /** It is the whole index instead of windows, which there are none of then. */
  readonly scan?: IndexScan;
}

/** A scan of a whole index, which may take several executions when some of them are ended. */
export interface IndexScan {
  /** Name of the execution that has it now. */
  readonly execution: string;
  /** When the first of them began, ISO-8601. */
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

/** An entry of the index that a scan names: one of the first few of its kind. */
export interface NamedEntry {
  /** Why it is named: it is overdue, no query of a second finds it, no sweep looks where it lies, or its TTL is out of range. */
  readonly is: 'overdue' | 'fractional' | 'misfiled' | TtlFault;
  /** Absent where keys are not shown. */
  readonly key?: ShownKey;
  readonly ttl: number;
  /** By window: the one that it lies in. */
  readonly window?: string;
}

/** Where a page ended. */
export interface PagePosition {
  /** Which of the target's index keys, from 0 on. */
  readonly indexKey: number;
  /** TTL and primary key of the last entry read; null: before the first one. */
  readonly key: ItemKey | null;
}
