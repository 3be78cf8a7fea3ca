import type { SweepReport } from '../operate/deployment/sweep.ts';
import type { TableReport, Verdict } from '../operate/status/report.ts';

/** The data of the page as JSON. Times are ISO-8601; null means that there is none, or that it is not known. */
export interface DashboardReport {
  readonly now: string;
  readonly region: string;
  /** Whether only services of this machine are asked; null: not known yet. */
  readonly isLocal: boolean | null;
  /** Other pages about the same deployment. */
  readonly links: readonly Link[];
  readonly sources: readonly SourceReport[];
  /** When the last status began; null before the first one. */
  readonly statusAt: string | null;
  readonly verdict: Verdict | null;
  readonly tables: readonly TableData[];
  /** The minutes and sweeps of one table: the requested one, or the first one. */
  readonly shown: ShownTable;
}

export interface Link {
  readonly text: string;
  readonly href: string;
}

/** The state of one source of the data: when it last answered, and whether a request is under way or has failed. */
export interface SourceReport {
  readonly name: string;
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

/** Parts of a status; the fields of a part are known, or unknown, together. */
export interface KnownParts {
  readonly journal: Pick<TableReport, 'tick' | 'watermark' | 'pause' | 'lastFailure'>;
  readonly gone: NonNullable<TableReport['gone']>;
  readonly overdue: NonNullable<TableReport['overdue']>;
  readonly schedules: TableReport['schedules'];
  readonly open: NonNullable<TableReport['open']>;
  readonly deadLetters: number;
  readonly alarms: NonNullable<TableReport['alarms']>;
}

/** Each part with the time at which it was last known; null if it never was. */
export type LastKnown = { readonly [Part in keyof KnownParts]: Aged<KnownParts[Part]> | null };

export interface TableData extends LastKnown {
  readonly tableName: string;
  /** Name of the table's deployment. */
  readonly name: string;
  /** The longest time from when an item is due to its deletion while the sweep keeps up, seconds. */
  readonly lateAfterSeconds: number;
  /** Null before the first answer. */
  readonly verdict: Verdict | null;
  readonly cause: TableReport['cause'];
  readonly remarks: TableReport['remarks'];
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

/** The lags of the items that a sweep deleted. */
export interface SweepLag {
  readonly at: string;
  readonly kind: SweepReport['kind'];
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
  readonly sweeps: readonly SweepReport[];
}
