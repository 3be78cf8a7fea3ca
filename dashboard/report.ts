import type { BillPart } from '../cost/bill.ts';
import type { ReaderAudit } from '../operate/audit/report.ts';
import type { SweepReport } from '../operate/deployment/sweep.ts';
import type { TableReport, Verdict } from '../operate/status/report.ts';

/** The data of the page as JSON. Times are ISO-8601; null: it is not there, or not known. */
export interface DashboardReport {
  readonly now: string;
  readonly region: string;
  /** Services of this machine are asked, and no others; null: not known yet. */
  readonly isLocal: boolean | null;
  /** Other pages about the same deployment. */
  readonly links: readonly Link[];
  readonly sources: readonly SourceReport[];
  /** When the last status began; null: there is none yet. */
  readonly statusAt: string | null;
  readonly verdict: Verdict | null;
  readonly tables: readonly TableData[];
  /** The minutes and sweeps of one table: the one that was asked for, or the first one. */
  readonly shown: ShownTable;
  readonly cost: MonthCost | null;
}

export interface Link {
  readonly text: string;
  readonly href: string;
}

/** How a source of the data answers. */
export interface SourceReport {
  readonly name: string;
  /** When it has answered last. */
  readonly answeredAt: string | null;
  /** It has been asked then, and has not answered yet. */
  readonly askedAt: string | null;
  /** Why the last question got no answer; null: it got one. */
  readonly failure: string | null;
}

/** A value that was known at a time, and may not be known any more. */
export interface Aged<Value> {
  readonly value: Value;
  /** When it was known last. */
  readonly at: string;
}

/** Parts of a status that are known, or not, together. */
export interface KnownParts {
  readonly journal: Pick<
    TableReport,
    'tick' | 'watermark' | 'pause' | 'maxDeletesPerSecond' | 'handOver' | 'lastFailure'
  >;
  readonly gone: NonNullable<TableReport['gone']>;
  readonly overdue: NonNullable<TableReport['overdue']>;
  readonly ledger: NonNullable<TableReport['ledger']>;
  readonly schedules: TableReport['schedules'];
  readonly open: NonNullable<TableReport['open']>;
  readonly deadLetters: number;
  readonly alarms: NonNullable<TableReport['alarms']>;
}

/** Each part with the time at which it was known last; null: it never was. */
export type LastKnown = { readonly [Part in keyof KnownParts]: Aged<KnownParts[Part]> | null };

export interface TableData extends LastKnown {
  readonly tableName: string;
  /** Name of its deployment. */
  readonly name: string;
  /** So many seconds after its expiry an item is gone while the sweep keeps up. */
  readonly promisedSeconds: number;
  /** Null: nobody has answered yet. */
  readonly verdict: Verdict | null;
  readonly cause: TableReport['cause'];
  readonly remarks: TableReport['remarks'];
  /** The last minute in which a sweep ended; null: there is none in the time that is shown. */
  readonly lastMinute: Minute | null;
  /** What is missing in the archive and the events, by name; null: nothing is, or nobody has compared them. */
  readonly missing: Aged<readonly Pick<ReaderAudit, 'reader' | 'missing' | 'keys'>[]> | null;
}

/** What the sweeps that ended in a minute found, and what they did with it. */
export interface Minute {
  readonly at: string;
  /** Items that had expired: all of the others together. */
  readonly due: number;
  readonly deleted: number;
  /** Renewed or held. */
  readonly kept: number;
  /** Somebody else had deleted them. */
  readonly notFound: number;
  /** They should have been deleted. */
  readonly left: number;
}

/** How late the items went that a sweep deleted. */
export interface SweepLag {
  readonly at: string;
  readonly kind: SweepReport['kind'];
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface ShownTable {
  readonly tableName: string;
  /** Both have the oldest first. */
  readonly minutes: readonly Minute[];
  readonly lags: readonly SweepLag[];
  /** The newest first. */
  readonly sweeps: readonly SweepReport[];
}

/** What a month of all tables costs at the rate of late. */
export interface MonthCost {
  readonly dollars: number;
  readonly byPart: Readonly<Record<BillPart, number>>;
  readonly itemsPerMonth: number;
  /** The size of an item that is assumed. */
  readonly itemBytes: number;
  /** The items were counted for so long. */
  readonly measuredSeconds: number;
}
