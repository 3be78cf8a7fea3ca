import type { SweepPart } from '../../statemachine/contract/child.ts';
import type { MachineName } from '../../statemachine/contract/machines.ts';
import type { SweepReport } from '../../statemachine/contract/report.ts';
import { withoutNothing } from '../report/listed-keys.ts';

export const JOURNAL_KEYS = { partitionKey: 'id', sortKey: 'at' } as const;

/** Attribute with the time, epoch seconds, after which native TTL deletes a report from the journal. */
export const EXPIRES = 'expires';

/** Value of the partition key of all pauses and watermarks, so that a tick reads them with one query. */
export const DEPLOYMENT_ID = 'deployment';

/** Sort key of the item with the watermarks of all tables: one item, so that a tick needs few writes. */
export const WATERMARKS_AT = 'watermarks';

const ROW_DAYS = 90;

export function journalName(deployment: string): string {
  return `${deployment}-journal`;
}

export const TABLE_PREFIX = 'table#';

export function tableEntry(table: string): string {
  return `${TABLE_PREFIX}${table}`;
}

export function tableOfEntry(entry: string): string | undefined {
  return entry.startsWith(TABLE_PREFIX) ? entry.slice(TABLE_PREFIX.length) : undefined;
}

export function sweepsId(table: string): string {
  return `sweep#${table}`;
}

/** The table is not swept from `since` to `until`, ISO-8601. A pause without `until` ends with `precise-ttl resume`. */
export interface Pause {
  readonly since: string;
  readonly until?: string;
}

/**
 * Assumed maximum time until a global secondary index shows a new item, seconds. DynamoDB promises "a fraction of a second" (Developer
 * Guide, "Using Global Secondary Indexes").
 */
export const INDEX_SECONDS = 10;

/** At `at` (ISO-8601) the table had no item with `since` <= TTL < `gone` + 1, epoch seconds. Later ticks search from `gone` + 1 on. */
export interface Watermark {
  readonly since: number;
  readonly gone: number;
  readonly at: string;
  /** The highest number of shards that the table ever had. Sweeps search all of them, because old items may be in former shards. */
  readonly shards: number;
  readonly swept?: readonly SweptSpan[];
}

/** A span of TTLs, from <= TTL < to in epoch seconds, that one of `parts` children has swept in its shards. */
export interface SweptSpan extends SweepPart {
  readonly from: number;
  readonly to: number;
}

/** Returns the watermark with `gone` moved past each span that follows without a gap and that all of its `parts` children have swept. */
export function advanced({ swept = [], ...mark }: Watermark): Watermark {
  let { gone } = mark;
  const spans = [...Map.groupBy(swept, ({ from, tick }) => `${from} ${tick}`).values()];
  for (const own of spans.sort(([one], [other]) => (one?.from ?? 0) - (other?.from ?? 0))) {
    const [{ from, parts } = { from: gone, parts: 0 }] = own;
    if (from > gone + 1 || new Set(own.map(({ part }) => part)).size < parts) continue;
    gone = Math.max(gone, Math.min(...own.map(({ to }) => to)) - 1);
  }
  return { ...mark, gone };
}

export type Pauses = Readonly<Record<string, Pause>>;

export interface DeploymentState {
  readonly pauses: Pauses;
  readonly watermarks: {
    readonly tick?: string;
    readonly tables: Readonly<Record<string, Watermark>>;
  };
}

export interface SweepRow {
  readonly table: string;
  readonly kind: MachineName;
  readonly execution: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly report: SweepReport;
}

export function isPaused(pauses: Pauses, table: string, nowMs: number): boolean {
  return pauseOf(pauses[table], nowMs) !== undefined;
}

export function pauseOf(pause: Pause | undefined, nowMs: number): Pause | undefined {
  return pause?.until !== undefined && Date.parse(pause.until) <= nowMs ? undefined : pause;
}

export function rowItem({ table, execution, report, ...row }: SweepRow): Record<string, unknown> {
  return {
    id: sweepsId(table),
    at: `${row.startedAt}#${execution}`,
    ...row,
    execution,
    report: withoutNothing(report),
    [EXPIRES]: Math.floor(Date.parse(row.endedAt) / 1_000) + ROW_DAYS * 86_400,
  };
}
