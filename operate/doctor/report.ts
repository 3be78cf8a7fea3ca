import type { OperateOptions, ScanProgress } from '../options.ts';
import type { Finding, Verdict } from './finding.ts';

export interface DoctorOptions extends OperateOptions {
  /** Reads every item instead of a sample. @default false */
  readonly full?: boolean;
  /** Read units per second of a full scan. @default 100 */
  readonly rate?: number;
  /** Segments of a table that a full scan reads in parallel. @default 4 */
  readonly segments?: number;
  /** Shows hashes instead of keys. @default as in the table's `logKeys` */
  readonly mask?: boolean;
  /** Called before the full scan of a table, and after each of its pages. */
  readonly onScan?: ((table: ScannedTable, progress: ScanProgress | undefined) => void) | undefined;
}

/** A table as DynamoDB describes it; the item count is updated every six hours. */
export interface ScannedTable {
  readonly name: string;
  readonly itemCount: number;
  readonly sizeBytes: number;
}

/** Facts that were checked. Null: missing, or not checked. */
export interface Facts {
  readonly status: string | null;
  /** DynamoDB updates this count about every six hours. */
  readonly itemCount: number | null;
  readonly itemsRead: number;
  /** Whether every item of the table was read. */
  readonly allItemsRead: boolean;
  /** Functions that one execution can run at the same time, and those that the account allows. */
  readonly functionsAtOnce: number;
  readonly concurrency: number | null;
}

export interface TableReport {
  readonly tableName: string;
  /** Name of the deployment: that of its state machine, and the prefix of its other names. */
  readonly name: string;
  readonly verdict: Verdict;
  readonly facts: Facts;
  /** Worst first. */
  readonly findings: readonly Finding[];
}

export interface DoctorReport {
  readonly verdict: Verdict;
  readonly region: string;
  /** Whether services of this machine were asked; then no others were. */
  readonly isLocal: boolean;
  /** ISO-8601. */
  readonly checkedAt: string;
  readonly tables: readonly TableReport[];
}
