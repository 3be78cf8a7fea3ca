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
   * Longest time from the TTL to the deletion of an item that was written two minutes before its TTL. For an item that was written later it
   * is `lateAfterSeconds`.
   */
  readonly promisedSeconds: number;
  readonly lateAfterSeconds: number;
  readonly watermark: Pick<Watermark, 'since' | 'gone'> | null;
  readonly tick: string | null;
  readonly pause: Pause | null;
  readonly isScheduled: boolean | null;
  readonly sweeps: readonly Sweep[] | null;
  /** Why the last sweep left something; null again when later ticks are past it and a quarter of an hour is over. */
  readonly failing: string | null;
  readonly alarms: readonly Alarm[] | null;
  readonly notKnown: readonly string[];
}

/** All entries of the index with TTLs from `from` to `readAt`. */
export interface IndexLook {
  readonly readAt: number;
  readonly from: number;
  readonly items: number;
  readonly oldest: number | null;
  readonly newest: number | null;
  readonly keys: readonly string[];
  readonly queries: number;
  /** Why the index was read less far back than the sweeps have come; then more items may be overdue. */
  readonly short: string | null;
}

export interface TableLook {
  readonly readAt: number;
  readonly read: number;
  readonly isAll: boolean;
  readonly before: number;
  /** Expired items from the span `gone`, in which everything should be deleted: no sweep finds them. */
  readonly unseen: number;
  /** `unseen` items of the last two ticks: they may have been written late. */
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
