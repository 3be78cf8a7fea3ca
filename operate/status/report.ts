import type { Reader } from '../../functions/journal/books.ts';
import type { ScanRecord } from '../../statemachine/contract/targets.ts';
import type { SweepReport } from '../deployment/sweep-report.ts';
import type { OperateOptions } from '../options.ts';
import type { Remark } from './remarks.ts';

export interface StatusOptions extends OperateOptions {
  /** Minutes that the index is read back. @default the table's lookback, or to its watermark */
  readonly back?: number | undefined;
}

export type Verdict = 'fine' | 'warnings' | 'broken' | 'unknown';

/** A status as JSON. Null: it is not there, or is not known; the remarks then say which. Times are ISO-8601. */
export interface StatusReport {
  readonly verdict: Verdict;
  readonly region: string;
  readonly isLocal: boolean;
  readonly checkedAt: string;
  readonly tables: readonly TableReport[];
}

export interface TableReport {
  readonly tableName: string;
  /** Name of its deployment, and the prefix of the other names. */
  readonly name: string;
  readonly verdict: Verdict;
  /** Why something is overdue, or nothing is deleted; null where nothing is wrong, or only other things are. */
  readonly cause: Pick<Remark, 'id' | 'text'> | null;
  readonly remarks: readonly Remark[];
  /** Everything that was due from `since` to `by` is gone, but for `left`. */
  readonly gone: {
    /** Null: since ever, by the scan of the whole index. */
    readonly since: string | null;
    readonly by: string;
    /** Nobody has looked for what was due from `by` until then; null: there is no such gap. */
    readonly gapUntil: string | null;
    /** Entries that the last scan found and no tick deletes: they may be due by now, and may be gone. */
    readonly exceptions: number;
    /** The items of it that are still there, the oldest first; keys as the table's `logKeys` shows them. */
    readonly left: readonly { readonly key?: string; readonly due: string }[];
  } | null;
  /** The last scan of the whole index that has come to its end. */
  readonly scan: (ScanRecord & { readonly beganAt: string; readonly endedAt: string }) | null;
  /** When the last tick planned. */
  readonly tick: string | null;
  /** Up to when the ticks have left nothing. */
  readonly watermark: string | null;
  /** Set by hand. */
  readonly pause: { readonly since: string; readonly until: string | null } | null;
  readonly maxDeletesPerSecond: number | null;
  /** An execution of the replays has what was due before. */
  readonly handOver: { readonly execution: string; readonly before: string } | null;
  readonly overdue: {
    /** Null: none was seen, and not all was looked at. */
    readonly items: number | null;
    /** There may be more: `why` says why not all was counted. */
    readonly atLeast: boolean;
    readonly why: string | null;
    /** Expired items that are held, and so not overdue, as far as they were come upon. */
    readonly held: number;
    /** Some of `items` may be held: DynamoDB did not say. */
    readonly heldUnknown: boolean;
    readonly oldest: string | null;
    /** The latest expiry times that were looked at without a gap; null: there were none. */
    readonly from: string | null;
    readonly to: string | null;
    readonly queries: number;
    /** How `items` became less, measured; null: too little is known. */
    readonly trend: {
      /** Below 0 they become more. */
      readonly fewerPerSecond: number;
      readonly measuredSeconds: number;
      /** When nothing is overdue any more if it goes on like that; null: never. */
      readonly caughtUpAt: string | null;
    } | null;
  } | null;
  /** The archived and published deletions of the last hour, as far as the ticks have compared them; null: not known. */
  readonly ledger:
    | readonly {
        readonly reader: Reader;
        readonly deleted: number;
        readonly missing: number;
        /** The first minute in which something is missing. */
        readonly missingFrom: string | null;
        /** The last minute that was compared and in which something was deleted. */
        readonly upTo: string | null;
        /** Whether `missing` is what is missing now; else it is from when a tick compared. */
        readonly isNow: boolean;
      }[]
    | null;
  readonly schedules: readonly {
    readonly name: string;
    /** `on`, `off`, `missing`; null: not known. */
    readonly state: string | null;
  }[];
  /** Those that did something or left something, the newest first. */
  readonly sweeps: readonly SweepReport[] | null;
  /** Executions of the replays. */
  readonly open: readonly { readonly name: string; readonly startedAt: string }[] | null;
  readonly lastFailure: SweepReport | null;
  readonly deadLetters: number | null;
  readonly alarms:
    | readonly { readonly name: string; readonly state: string; readonly since: string | null }[]
    | null;
}
