import type { Reader } from '../../functions/journal/books.ts';
import type { OperateOptions, WorkDone } from '../options.ts';

export interface AuditOptions extends OperateOptions {
  /** Deletions from then on, at most 14 days ago. */
  readonly from: Date;
  /** Deletions before then. @default now */
  readonly to?: Date | undefined;
  /** Hashes instead of keys. @default as the table's `logKeys` says */
  readonly mask?: boolean;
  /** Keys that are kept of each reader. @default all */
  readonly maxKeys?: number;
  /** Gets each hour before it is compared: its table, its reader, and how many of all hours are done. */
  readonly onProgress?: ((progress: WorkDone) => void) | undefined;
}

/** `unknown`: nothing is missing as far as it is known, and not all is known. */
export type AuditVerdict = 'equal' | 'differs' | 'unknown';

/** Times are ISO-8601. */
export interface AuditReport {
  readonly region: string;
  readonly verdict: AuditVerdict;
  /** Deletions in [from, to), both on a minute. */
  readonly from: string;
  readonly to: string;
  readonly tables: readonly TableAudit[];
}

export interface TableAudit {
  readonly tableName: string;
  /** The name of its deployment. */
  readonly name: string;
  /** When the first deletion in the ledger was; null: it has none. */
  readonly ledgerFrom: string | null;
  /** With `deleteMode: 'batch'` items that others had deleted count as deleted. */
  readonly isBatch: boolean;
  readonly readers: readonly ReaderAudit[];
}

/** The deletions of the sweep that a reader of the table's stream has seen. */
export interface ReaderAudit {
  readonly reader: Reader;
  readonly deleted: number;
  /** The reader has not seen these, and its time for that is up. */
  readonly missing: number;
  /** The reader has not seen these, and may still see them in time. */
  readonly waiting: number;
  /** How long it may take, seconds. */
  readonly withinSeconds: number;
  /** Minutes in which something is missing; those that follow each other are one span. */
  readonly spans: readonly { readonly from: string; readonly to: string; readonly keys: number }[];
  /** Deletions that are missing, the oldest first. */
  readonly keys: readonly MissingKey[];
}

export interface MissingKey {
  /** DynamoDB's JSON, or a hash; missing where nothing of it may be shown. */
  readonly key?: string;
  readonly deletedAt: string;
  readonly expiredAt: string | null;
}
