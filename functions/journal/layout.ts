import type { SweepPart } from '../../statemachine/contract/child.ts';
import type { MachineName } from '../../statemachine/contract/machines.ts';
import type { SweepReport } from '../../statemachine/contract/report.ts';
import { withoutNothing } from '../report/listed-keys.ts';

/**
 * How the journal's table is laid out. One query of {@link DEPLOYMENT_ID} reads all that a tick needs. Each line: partition key `id`, sort
 * key `at`: attributes.
 *
 * - `deployment`, `table#TABLE`: `pause` of the table.
 * - `deployment`, `watermarks`: `tick`, the time of the last tick, and `table#TABLE` for each table. One item has all watermarks, so a
 * minute takes one write.
 * - `sweep#TABLE`, `START#EXECUTION`: the result of an execution for the table; removed by native TTL.
 *
 * Losing the journal loses no item: without the journal nothing is paused, and the next tick begins two days back.
 */

export const JOURNAL_KEYS = { partitionKey: 'id', sortKey: 'at' } as const;

/** The attribute of the native TTL, epoch seconds. */
export const EXPIRES = 'expires';

export const DEPLOYMENT_ID = 'deployment';

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

/** The table is not swept from `since` to `until`; without `until`, until somebody resumes it. Both are ISO-8601. */
export interface Pause {
  readonly since: string;
  readonly until?: string;
}

/**
 * Longest time until an entry shows in the index, in seconds. A global secondary index is eventually consistent, "usually within a
 * fraction of a second". Source: DynamoDB Developer Guide, "Using Global Secondary Indexes".
 */
export const INDEX_SECONDS = 10;

/**
 * At `at` (ISO-8601), all items with TTLs from `since` to `gone` (epoch seconds) were deleted. Items of the last {@link INDEX_SECONDS}
 * before `gone` may be left, since the index did not show them yet. No tick of the deployment has looked for TTLs before `since`.
 */
export interface Watermark {
  readonly since: number;
  readonly gone: number;
  readonly at: string;
  /** The most shards that the table ever had. */
  readonly shards: number;
  readonly swept?: readonly SweptSpan[];
}

/** TTLs of [from, to), epoch seconds, that a child has swept in its part of the shards. */
export interface SweptSpan extends SweepPart {
  readonly from: number;
  readonly to: number;
}

/** Moves the watermark over the spans that children have swept, up to a gap, or up to a span with a missing part. */
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
