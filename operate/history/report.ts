import type { SweepReport } from '../deployment/sweep.ts';
import type { OperateOptions } from '../options.ts';

export interface HistoryOptions extends OperateOptions {
  /** Milliseconds before now at which the history begins. @default a day */
  readonly sinceMs?: number;
  /** Only executions that left items. @default false */
  readonly failed?: boolean;
  /** Shows hashes instead of keys. @default as in the table's `logKeys` */
  readonly mask?: boolean;
}

/** A history as JSON; times are ISO-8601. */
export interface HistoryReport {
  readonly region: string;
  readonly since: string;
  readonly tables: readonly TableHistory[];
}

export interface TableHistory {
  readonly tableName: string;
  /** Name of the deployment. */
  readonly name: string;
  /** Newest first. */
  readonly sweeps: readonly (SweepReport & { readonly failedKeys: readonly ReportedKey[] })[];
}

export interface ReportedKey {
  /** DynamoDB's JSON, its beginning, or a hash; absent if the key may not be shown. */
  readonly key?: string;
  readonly reason: string;
}
