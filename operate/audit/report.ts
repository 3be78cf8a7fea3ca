import type { Reader } from '../../functions/journal/books.ts';
import type { OperateOptions, WorkDone } from '../options.ts';

export interface AuditOptions extends OperateOptions {
  /** Start of the span, at most 14 days ago. */
  readonly from: Date;
  /** End of the span, not included. @default now */
  readonly to?: Date | undefined;
  /** Shows hashes instead of keys. @default as in the table's `logKeys` */
  readonly mask?: boolean;
  /** Keys that are listed for each reader. @default all */
  readonly maxKeys?: number;
  /** Gets each hour before it is compared: its table, its reader, and how many of all hours are done. */
  readonly onProgress?: ((progress: WorkDone) => void) | undefined;
}

/** `unknown`: no missing deletion was found, but not all could be compared. */
export type AuditVerdict = 'equal' | 'differs' | 'unknown';

/** An audit as JSON; times are ISO-8601. */
export interface AuditReport {
  readonly region: string;
  readonly verdict: AuditVerdict;
  /** Span of the deletions, [from, to), whole minutes. */
  readonly from: string;
  readonly to: string;
  readonly tables: readonly TableAudit[];
}

export interface TableAudit {
  readonly tableName: string;
  /** Name of the deployment. */
  readonly name: string;
  /** Time of the first deletion in the ledger; null if the ledger is empty. */
  readonly ledgerFrom: string | null;
  /** With `deleteMode: 'batch'` the count of deletions includes items that others had deleted. */
  readonly isBatch: boolean;
  readonly readers: readonly ReaderAudit[];
}

/** Deletions of the sweep, compared with those that a reader of the table's stream recorded. */
export interface ReaderAudit {
  readonly reader: Reader;
  readonly deleted: number;
  /** Deletions that the reader did not record in time. */
  readonly missing: number;
  /** Deletions that the reader has not recorded yet, but still has time for. */
  readonly waiting: number;
  /** Seconds that the reader may take. */
  readonly withinSeconds: number;
  /** Spans with missing deletions; consecutive minutes form one span. */
  readonly spans: readonly { readonly from: string; readonly to: string; readonly keys: number }[];
  /** Missing deletions, oldest first. */
  readonly keys: readonly MissingKey[];
}

export interface MissingKey {
  /** DynamoDB's JSON, or a hash; absent if the key may not be shown. */
  readonly key?: string;
  readonly deletedAt: string;
  readonly expiredAt: string | null;
}
