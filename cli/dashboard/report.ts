import type { Pause } from '../../functions/journal/layout.ts';
import type { Alarm, Facts, Sweep } from '../facts.ts';

export type Verdict = 'fine' | 'warnings' | 'broken' | 'unknown';

/** A line about something that is not as it should be, or not known. */
export interface Remark {
  readonly severity: 'broken' | 'warning' | 'note';
  readonly text: string;
}

/** The facts of a table, and what they come to. */
export interface Looked {
  readonly facts: Facts;
  readonly verdict: Verdict;
  readonly remarks: readonly Remark[];
}

/** A look at all tables, as `status` makes it. */
export interface Look {
  /** When it began, ISO-8601. */
  readonly at: string;
  readonly isLocal: boolean;
  readonly tables: readonly Looked[];
}

/** The data of the page as JSON. Times are ISO-8601; null means that there is none, or that it is not known. */
export interface DashboardReport {
  readonly now: string;
  readonly region: string;
  /** Whether only services of this machine are asked; null: not known yet. */
  readonly isLocal: boolean | null;
  /** Other pages about the same deployment. */
  readonly links: readonly Link[];
  readonly source: SourceReport;
  /** When the last look began; null before the first one. */
  readonly statusAt: string | null;
  /** The worst one of all tables. */
  readonly verdict: Verdict | null;
  readonly tables: readonly TableData[];
  /** The minutes and sweeps of one table: the requested one, or the first one. */
  readonly shown: ShownTable;
}

export interface Link {
  readonly text: string;
  readonly href: string;
}

/** The state of the source of the data: when it last answered, and whether a request is under way or has failed. */
export interface SourceReport {
  /** When it last answered. */
  readonly answeredAt: string | null;
  /** When it was asked, while it has not answered yet. */
  readonly askedAt: string | null;
  /** Why the last request failed; null if it succeeded. */
  readonly failure: string | null;
}

/** A value with the time at which it was last known. */
export interface Aged<Value> {
  readonly value: Value;
  /** When it was last known. */
  readonly at: string;
}

/** Parts of a look; the fields of a part are known, or unknown, together. */
export interface KnownParts {
  readonly journal: {
    readonly tick: string | null;
    readonly watermark: string | null;
    readonly pause: Pause | null;
  };
  /** `unseen`: items that the index did not show, and that are still there. */
  readonly gone: { readonly since: string; readonly by: string; readonly unseen: number };
  readonly overdue: {
    readonly items: number;
    readonly oldest: string | null;
    /** Why more may be overdue; null: these are all. */
    readonly short: string | null;
  };
  /** Whether it is there and on. */
  readonly schedule: boolean;
  /** Those that sound. */
  readonly alarms: readonly Alarm[];
}

/** Each part with the time at which it was last known; null if it never was. */
export type LastKnown = { readonly [Part in keyof KnownParts]: Aged<KnownParts[Part]> | null };

export interface TableData extends LastKnown {
  readonly tableName: string;
  /** The longest time from when an item is due to its deletion while the sweep keeps up, seconds. */
  readonly lateAfterSeconds: number;
  /** Null before the first answer. */
  readonly verdict: Verdict | null;
  readonly remarks: readonly Remark[];
  /** The last minute that was swept; null if there is none in the span that is shown. */
  readonly lastMinute: Minute | null;
}

/** The items that the sweeps of a minute found, by their fate. */
export interface Minute {
  readonly at: string;
  /** Items that had expired: the sum of the other counts. */
  readonly due: number;
  readonly deleted: number;
  /** Items that were renewed. */
  readonly kept: number;
  /** Items that somebody else had deleted. */
  readonly notFound: number;
  /** Items that should have been deleted, and were not. */
  readonly left: number;
}

/** The lags of the items that a sweep deleted, milliseconds. */
export interface SweepLag {
  readonly at: string;
  readonly kind: Sweep['kind'];
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface ShownTable {
  readonly tableName: string;
  /** The minutes and the lags are ordered by time, the oldest first. */
  readonly minutes: readonly Minute[];
  readonly lags: readonly SweepLag[];
  /** The newest first. */
  readonly sweeps: readonly Sweep[];
}
