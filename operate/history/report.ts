import type { SweepReport } from '../deployment/sweep-report.ts';
import type { OperateOptions } from '../options.ts';

export interface HistoryOptions extends OperateOptions {
  /** Milliseconds back from now. @default a day */
  readonly sinceMs?: number;
  /** Only executions that left something. @default false */
  readonly failed?: boolean;
  /** The newest executions of each table, at most so many. @default 1600 */
  readonly limit?: number;
  /** Hashes instead of keys. @default as the table's `logKeys` says */
  readonly mask?: boolean;
}

/** Times are ISO-8601. */
export interface HistoryReport {
  readonly region: string;
  readonly since: string;
  readonly tables: readonly TableHistory[];
}

export interface TableHistory {
  readonly tableName: string;
  /** The name of its deployment. */
  readonly name: string;
  /** There are older ones in the time span. */
  readonly more: boolean;
  /** The newest first. */
  readonly sweeps: readonly (SweepReport & { readonly failedKeys: readonly ReportedKey[] })[];
}

export interface ReportedKey {
  /** DynamoDB's JSON, its beginning, or a hash; missing where nothing of it may be shown. */
  readonly key?: string;
  readonly reason: string;
}
