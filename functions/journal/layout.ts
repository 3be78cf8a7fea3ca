import type { SweepReport } from '../../statemachine/contract/report.ts';
import { EXECUTION_COUNTS, noCounts } from '../../statemachine/counts.ts';

/**
 * How the journal's table is laid out. One query of {@link DEPLOYMENT_ID} reads all that a tick needs. Each line: partition key `id`, sort
 * key `at`: attributes.
 *
 * - `deployment`, `table#TABLE`: `pause` and `handOver` of the table. Each is an attribute of its own, so that a write
 *   of one does not undo another.
 * - `deployment`, `watermarks`: `tick`, the time of the last tick, and `table#TABLE` for each table, in one item, which takes one write
 *   per minute.
 * - `throttled#TABLE`, start of ten seconds: `keys`, the number of deletes that DynamoDB throttled in them; removed by native TTL.
 * - `sweep#TABLE`, `START#EXECUTION`: the result of an execution for the table; removed by native TTL.
 *
 * Losing the journal loses no item: without it nothing is paused or handed over, and there is no watermark.
 */

/** Partition and sort key of the journal, both S. */
export const JOURNAL_KEYS = { partitionKey: 'id', sortKey: 'at' } as const;

/** Attribute of the native TTL, epoch seconds. */
export const EXPIRES = 'expires';

export const DEPLOYMENT_ID = 'deployment';

export const WATERMARKS_AT = 'watermarks';

/** Days for which the journal keeps the results of executions. */
const ROW_DAYS = 90;

/** Name of a deployment's journal. */
export function journalName(deployment: string): string {
  return `${deployment}-journal`;
}

const TABLE_PREFIX = 'table#';

/** The sort key of a table's settings, and the attribute of its watermark. */
export function tableEntry(table: string): string {
  return `${TABLE_PREFIX}${table}`;
}

/** The table of an entry; undefined if the entry is not that of a table. */
export function tableOfEntry(entry: string): string | undefined {
  return entry.startsWith(TABLE_PREFIX) ? entry.slice(TABLE_PREFIX.length) : undefined;
}

/** Partition key of the results of executions for a table. */
export function sweepsId(table: string): string {
  return `sweep#${table}`;
}

/** The table is not swept from `since` until somebody resumes it or, if set, until `until`; both ISO-8601. */
export interface Pause {
  readonly since: string;
  readonly until?: string;
}

/** Time within which an execution that a tick started must renew its hand-over for the first time, in seconds. */
export const TAKEN_SECONDS = 300;

/**
 * Seconds after which a hand-over expires without a renewal: longer than a usual round, which has 200 children, runs 20 at once, and ends
 * each after at most 195 seconds. If the execution is stopped, the ticks leave its TTLs alone for this time.
 */
export const RENEWED_SECONDS = 1_800;

/** An execution of the replay machine sweeps the TTLs below `before`; the ticks do not, until the hand-over ends. */
export interface HandOverLease {
  /** Epoch seconds. */
  readonly before: number;
  /** The hand-over expires then, epoch seconds, unless the execution renews it. */
  readonly until: number;
  /** Name of the execution. */
  readonly execution: string;
}

/**
 * Longest time until an entry shows in the index, in seconds. A global secondary index is eventually consistent, "usually within a
 * fraction of a second". Source: DynamoDB Developer Guide, "Using Global Secondary Indexes".
 */
export const INDEX_SECONDS = 10;

/**
 * All items with TTLs from `since` to `gone` (epoch seconds) were deleted at `at` (ISO-8601), except those whose entries had not shown in
 * the index: the last {@link INDEX_SECONDS} before `gone`. No tick of the deployment has looked for TTLs before `since`.
 */
export interface Watermark {
  readonly since: number;
  readonly gone: number;
  readonly at: string;
}

/** The part of the journal that a tick reads, by table name. */
export interface DeploymentState {
  readonly control: {
    readonly pauses: Readonly<Record<string, Pause>>;
    readonly handOvers: Readonly<Record<string, HandOverLease>>;
  };
  readonly watermarks: {
    /** When the last tick began that planned, ISO-8601; missing before the first one. */
    readonly tick?: string;
    readonly tables: Readonly<Record<string, Watermark>>;
  };
}

export type SweepKind = 'tick' | 'replay' | 'handOver';

/** The result of an execution for one table. */
export interface SweepRow {
  readonly table: string;
  readonly kind: SweepKind;
  /** Name of the execution. */
  readonly execution: string;
  /** ISO-8601. */
  readonly startedAt: string;
  readonly endedAt: string;
  readonly report: SweepReport;
}

export function isPaused({ control }: DeploymentState, table: string, nowMs: number): boolean {
  return pauseOf(control.pauses[table], nowMs) !== undefined;
}

/** Returns the pause while it lasts; undefined after its end, or if there is none. */
export function pauseOf(pause: Pause | undefined, nowMs: number): Pause | undefined {
  return pause?.until !== undefined && Date.parse(pause.until) <= nowMs ? undefined : pause;
}

/** Returns the table's hand-over while it has not expired; otherwise undefined. */
export function liveHandOver(
  { control }: DeploymentState,
  table: string,
  nowMs: number,
): HandOverLease | undefined {
  const handOver = control.handOvers[table];
  return handOver !== undefined && handOver.until * 1_000 > nowMs ? handOver : undefined;
}

/** A row as the journal stores it: counts of 0 and empty lists are left out. */
export function rowItem({ table, execution, report, ...row }: SweepRow): Record<string, unknown> {
  const told = Object.entries(report).filter(
    ([, value]) => value !== 0 && value !== undefined && value !== false && !isEmptyList(value),
  );
  return {
    id: sweepsId(table),
    at: `${row.startedAt}#${execution}`,
    ...row,
    execution,
    report: Object.fromEntries(told),
    [EXPIRES]: Math.floor(Date.parse(row.endedAt) / 1_000) + ROW_DAYS * 86_400,
  };
}

/** Restores the report that {@link rowItem} has shortened. */
export function wholeReport(told: Partial<SweepReport>): SweepReport {
  return { dryRun: false, ...noCounts(EXECUTION_COUNTS), failedKeys: [], sampleKeys: [], ...told };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
