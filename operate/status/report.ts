import type { SweepReport } from '../deployment/sweep.ts';
import type { OperateOptions } from '../options.ts';
import type { Remark } from './remarks.ts';

export interface StatusOptions extends OperateOptions {
  /**
   * Minutes of the index that are read.
   * @default back to the table's watermark; two days before its first tick
   */
  readonly back?: number | undefined;
}

export type Verdict = 'fine' | 'warnings' | 'broken' | 'unknown';

/** A status as JSON. Null: missing or not known, as the remarks explain. Times are ISO-8601. */
export interface StatusReport {
  readonly verdict: Verdict;
  readonly region: string;
  readonly isLocal: boolean;
  readonly checkedAt: string;
  readonly tables: readonly TableReport[];
}

export interface TableReport {
  readonly tableName: string;
  /** Name of the deployment, and the prefix of its other names. */
  readonly name: string;
  readonly verdict: Verdict;
  /** The reason why items are overdue or nothing is deleted; null if there is no fault, or only others. */
  readonly cause: Pick<Remark, 'id' | 'text'> | null;
  readonly remarks: readonly Remark[];
  /** Everything that was due from `since` to `by` was deleted, except the items in `left`. */
  readonly gone: {
    readonly since: string;
    readonly by: string;
    /** End of a gap after `by` that was not read; null: there is no gap. */
    readonly gapUntil: string | null;
    /** Items in the span that still exist, oldest first; keys as in the table's `logKeys`. */
    readonly left: readonly { readonly key?: string; readonly due: string }[];
  } | null;
  /** Time of the last tick that planned. */
  readonly tick: string | null;
  /** Time up to which the ticks have left no item. */
  readonly watermark: string | null;
  /** A pause that an operator has set. */
  readonly pause: { readonly since: string; readonly until: string | null } | null;
  readonly overdue: {
    /** Number of overdue items; null: none was found, but not all were counted. */
    readonly items: number | null;
    /** Whether there may be more: `why` has the reason. */
    readonly atLeast: boolean;
    readonly why: string | null;
    readonly oldest: string | null;
    /** Begin of the latest expiry times that were read without a gap; null: none were read. */
    readonly from: string | null;
    readonly to: string | null;
    readonly queries: number;
    /** Measured change of `items`; null: too little is known. */
    readonly trend: {
      /** Negative if the number grows. */
      readonly fewerPerSecond: number;
      readonly measuredSeconds: number;
      /** Expected time when no item is overdue any more; null: not at this rate. */
      readonly caughtUpAt: string | null;
    } | null;
  } | null;
  readonly schedules: readonly {
    readonly name: string;
    /** `on`, `off`, `missing`; null: not known. */
    readonly state: string | null;
  }[];
  /** Sweeps that deleted or left items, newest first. */
  readonly sweeps: readonly SweepReport[] | null;
  /** Running replays. */
  readonly open: readonly { readonly name: string; readonly startedAt: string }[] | null;
  readonly lastFailure: SweepReport | null;
  readonly deadLetters: number | null;
  readonly alarms:
    | readonly { readonly name: string; readonly state: string; readonly since: string | null }[]
    | null;
}
