import type { OperateOptions } from '../options.ts';
import type { ScanProgress } from '../table/scan-progress.ts';
import type { Finding, Verdict } from './finding.ts';

export interface DoctorOptions extends OperateOptions {
  /** Read every item instead of a sample. @default false */
  readonly full?: boolean;
  /** Read units a second of a full scan. @default 100 */
  readonly rate?: number;
  /** Parts of a table that a full scan reads at the same time. @default 4 */
  readonly segments?: number;
  /** Hashes instead of keys. @default as the table's `logKeys` says */
  readonly mask?: boolean;
  /** Called before a table is scanned as a whole, and after each page of it. */
  readonly onScan?: ((table: ScannedTable, progress: ScanProgress | undefined) => void) | undefined;
}

/** A table as DynamoDB describes it; it counts the items every six hours. */
export interface ScannedTable {
  readonly name: string;
  readonly itemCount: number;
  readonly sizeBytes: number;
}

/** The facts that were looked at. Null: it is not there, or was not checked. */
export interface Facts {
  readonly status: string | null;
  /** DynamoDB counts them about every six hours. */
  readonly itemCount: number | null;
  readonly itemsRead: number;
  /** Each item of the table was read. */
  readonly allItemsRead: boolean;
  /** When the last tick planned, ISO-8601. */
  readonly lastTick: string | null;
  readonly deadLetters: number | null;
  /** Functions that one execution can run at once, and those that the account has left for it. */
  readonly functionsAtOnce: number;
  readonly concurrency: number | null;
}

export interface TableReport {
  readonly tableName: string;
  /** Name of its state machine, and the prefix of the other names. */
  readonly name: string;
  readonly verdict: Verdict;
  readonly facts: Facts;
  /** The worst first. */
  readonly findings: readonly Finding[];
}

export interface DoctorReport {
  readonly verdict: Verdict;
  readonly region: string;
  /** Services of this machine were asked, and no others. */
  readonly isLocal: boolean;
  /** ISO-8601. */
  readonly checkedAt: string;
  readonly tables: readonly TableReport[];
}
