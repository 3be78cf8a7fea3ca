import type { Pause, Watermark } from '../../functions/journal/layout.ts';
import type { LagSummary } from '../../statemachine/contract/report.ts';
import type { CountName } from '../../statemachine/counts.ts';

/** All TTLs and times without a zone are epoch seconds. Null means: not known. */
export interface Facts {
  readonly table: string;
  readonly deployment: string;
  /** Every item that was due from `since` to `by` is deleted, except `unseen` and `recent` items; null: not known. */
  readonly gone: { readonly since: number; readonly by: number } | null;
  readonly overdue: IndexLook | null;
  readonly left: TableLook | null;
  readonly isLate: boolean;
  /**
   * Longest time from the TTL to the deletion of an item that was written two minutes before its TTL. For an item that was written later,
   * this time is `lateAfterSeconds`.
   */
  readonly promisedSeconds: number;
  readonly lateAfterSeconds: number;
  readonly watermark: Pick<Watermark, 'since' | 'gone'> | null;
  readonly tick: string | null;
  readonly pause: Pause | null;
  readonly isScheduled: boolean | null;
  readonly sweeps: readonly Sweep[] | null;
  /** Why the last sweep left something. Null a quarter of an hour later, if the watermark has passed the end of that sweep. */
  readonly failing: string | null;
  readonly alarms: readonly Alarm[] | null;
  readonly notKnown: readonly string[];
}

/** The entries of the index with TTLs from `from` to `readAt`. */
export interface IndexLook {
  readonly readAt: number;
  readonly from: number;
  readonly items: number;
  readonly oldest: number | null;
  readonly newest: number | null;
  readonly keys: readonly string[];
  readonly queries: number;
  /** Why the index was not read as far back as wanted: more items may then be overdue. Null: nothing is missing. */
  readonly short: string | null;
}

export interface TableLook {
  readonly readAt: number;
  readonly read: number;
  readonly isAll: boolean;
  readonly before: number;
  /** Expired items from the span `gone` without the `recent` items. No sweep finds these items. */
  readonly unseen: number;
  /** Items of `gone` that expired in the last three minutes: they may have been written late. */
  readonly recent: number;
}

export interface Sweep {
  readonly execution: string;
  readonly kind: 'tick' | 'replay';
  readonly startedAt: string;
  readonly endedAt: string;
  readonly counts: Partial<Readonly<Record<CountName, number>>>;
  readonly lagMs: LagSummary | null;
  readonly failure: string | null;
  readonly failedKeys: readonly string[];
}

export interface Alarm {
  readonly name: string;
  readonly since: string | null;
}
