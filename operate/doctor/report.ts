import type { OperateOptions, ScanProgress } from '../options.ts';
import type { Finding, Verdict } from './finding.ts';

export interface DoctorOptions extends OperateOptions {
  /** Reads every item instead of a sample. @default false */
  readonly full?: boolean;
  /** Reads every entry of the index, in segments, beside a sample of the items. @default false */
  readonly all?: boolean;
  /** Read units per second of a full scan, and of one of the index. @default 100 */
  readonly rate?: number;
  /** Segments that such a scan reads in parallel. @default 4 */
  readonly segments?: number;
  /** Shows hashes instead of keys. @default as in the table's `logKeys` */
  readonly mask?: boolean;
  /** Called before such a scan, and after each of its pages. */
  readonly onScan?: ((table: ScannedTable, progress: ScanProgress | undefined) => void) | undefined;
}

/** A table or an index as DynamoDB describes it; the item count is updated every six hours. */
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
  /** Number of index entries that were read with `all`, which are all of it; null: it was not read, or not to its end. */
  readonly entriesRead: number | null;
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
