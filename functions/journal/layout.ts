import type { SweepReport } from '../../statemachine/contract/report.ts';
import { EXECUTION_COUNTS, noCounts } from '../../statemachine/counts.ts';

/**
 * How the journal's table is laid out. One query of {@link DEPLOYMENT_ID} reads all that a tick has to know:
 *
 * | id | at | what it has | |---|---|---| | `deployment` | `table#TABLE` | `pause`, `limit`, `handOver` and `scanAt` of the table, each an
 * attribute of its own: whoever writes one loses no other | | `deployment` | `watermarks` | `tick`, the time of the last one, and
 * `table#TABLE` for each table, in one item: a write a minute | | `scan#TABLE` | `running`, `finished` | how far the scan of the index is
 * that is under way, and what the last one that has ended came to | | `throttled#TABLE` | START of ten seconds | `keys`, how many deletes
 * DynamoDB throttled in them; the native TTL removes it | | `BOOK#TABLE` | `MINUTE#HASH` | keys of a book of the table's ledger
 * (ledger.ts); the native TTL removes it | | `accounts#TABLE` | MINUTE | what was deleted in it, and how much of that each reader of the
 * stream had not seen (accounts.ts); the native TTL removes it | | `sweep#TABLE` | `START#EXECUTION` | what an execution came to for the
 * table; the native TTL removes it |
 *
 * Losing the journal loses no item: what is missing reads as nothing paused, no limit, nothing handed over and nothing known to be gone.
 */

/** Partition and sort key of the journal, both S. */
export const JOURNAL_KEYS = { partitionKey: 'id', sortKey: 'at' } as const;

/** Attribute of the native TTL, epoch seconds. */
export const EXPIRES = 'expires';

export const DEPLOYMENT_ID = 'deployment';

export const WATERMARKS_AT = 'watermarks';

/** Days for which the journal has what executions came to. */
const ROW_DAYS = 90;

/** Name of a deployment's journal. */
export function journalName(deployment: string): string {
  return `${deployment}-journal`;
}

const TABLE_PREFIX = 'table#';

/** The sort key of what was set for a table, and the attribute of its watermark. */
export function tableEntry(table: string): string {
  return `${TABLE_PREFIX}${table}`;
}

/** The table of an entry; undefined for another one. */
export function tableOfEntry(entry: string): string | undefined {
  return entry.startsWith(TABLE_PREFIX) ? entry.slice(TABLE_PREFIX.length) : undefined;
}

/** Partition key of what executions came to for a table. */
export function sweepsId(table: string): string {
  return `sweep#${table}`;
}

/** The table is not swept from `since` on, until somebody ends it or, where it is given, until `until`; ISO-8601. */
export interface Pause {
  readonly since: string;
  readonly until?: string;
}

/** So long an execution that a tick starts has to say that it is there, seconds. */
export const TAKEN_SECONDS = 300;

/**
 * So long a hand-over lives without a further word, seconds: longer than a usual round, of 200 children that are swept 20 at once and end
 * after 195 seconds at the latest. For so long the ticks leave to it what it sweeps although somebody has stopped it.
 */
export const RENEWED_SECONDS = 1_800;

/** An execution of the replay machine sweeps the TTLs below `before`; the ticks leave them to it as long as it lives. */
export interface HandOverLease {
  /** Epoch seconds. */
  readonly before: number;
  /** It lives until then, epoch seconds, unless it says again that it does. */
  readonly until: number;
  /** Name of the execution. */
  readonly execution: string;
}

/**
 * How long an entry may take to show in the index, seconds. A global secondary index is eventually consistent, "usually within a
 * fraction of a second". Source: DynamoDB Developer Guide, "Using Global Secondary Indexes".
 */
export const INDEX_SECONDS = 10;

/**
 * Everything that was due from `since` to `gone`, epoch seconds, was gone at `at`, ISO-8601, but for what had not shown in the index then:
 * entries of the last {@link INDEX_SECONDS} before `gone`. What is before `since` no tick of the deployment has ever looked for.
 */
export interface Watermark {
  readonly since: number;
  readonly gone: number;
  readonly at: string;
}

/** The part of the journal that a tick reads, by names of tables. */
export interface DeploymentState {
  readonly control: {
    readonly pauses: Readonly<Record<string, Pause>>;
    /** Deletes per second. */
    readonly limits: Readonly<Record<string, number>>;
    readonly handOvers: Readonly<Record<string, HandOverLease>>;
  };
  /** When ticks start the next scan of a table's index, epoch seconds; a table that has never been scanned is missing. */
  readonly scansAt: Readonly<Record<string, number>>;
  readonly watermarks: {
    /** When the last tick that planned began, ISO-8601; missing before the first one. */
    readonly tick?: string;
    readonly tables: Readonly<Record<string, Watermark>>;
  };
}

export type SweepKind = 'tick' | 'replay' | 'handOver' | 'scan';

/** The outcome of an execution for one table. */
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

/** The pause, as long as it lasts. */
export function pauseOf(pause: Pause | undefined, nowMs: number): Pause | undefined {
  return pause?.until !== undefined && Date.parse(pause.until) <= nowMs ? undefined : pause;
}

/** The table's hand-over, as long as it lives. */
export function liveHandOver(
  { control }: DeploymentState,
  table: string,
  nowMs: number,
): HandOverLease | undefined {
  const handOver = control.handOvers[table];
  return handOver !== undefined && handOver.until * 1_000 > nowMs ? handOver : undefined;
}

/** A row as the journal has it: counts that are 0 are left out, and so are empty lists. */
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

/** The report that {@link rowItem} has shortened. */
export function wholeReport(told: Partial<SweepReport>): SweepReport {
  return { dryRun: false, ...noCounts(EXECUTION_COUNTS), failedKeys: [], sampleKeys: [], ...told };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
