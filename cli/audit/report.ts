import type { Reader } from '../../functions/journal/books.ts';
import { isoSeconds } from '../iso-seconds.ts';
import { keysToShow, keyText } from '../table/key-text.ts';
import { type Audit, type AuditVerdict, type ReaderAudit, verdictOf } from './job.ts';

/** An audit as JSON; times are ISO-8601. */
export interface AuditReport {
  readonly region: string;
  readonly verdict: AuditVerdict;
  /** Deletions in [from, to). */
  readonly from: string;
  readonly to: string;
  readonly tables: readonly {
    readonly tableName: string;
    readonly name: string;
    /** When the first deletion in the ledger was; null: it has none. */
    readonly ledgerFrom: string | null;
    readonly readers: readonly ReaderReport[];
  }[];
}

interface ReaderReport {
  readonly reader: Reader;
  readonly deleted: number;
  /** Deleted, and not seen by the reader. */
  readonly missing: number;
  /** Not seen either, and the reader's time is not up yet. */
  readonly waiting: number;
  readonly withinSeconds: number;
  /** Minutes in which something is missing, merged. */
  readonly spans: readonly { readonly from: string; readonly to: string; readonly keys: number }[];
  /** All that is missing, the oldest first. */
  readonly keys: readonly {
    /** DynamoDB's JSON, or a hash; missing where nothing of it may be shown. */
    readonly key?: string;
    readonly deletedAt: string;
    readonly expiredAt: string | null;
  }[];
}

export function auditReport(audit: Audit, { mask }: { readonly mask: boolean }): AuditReport {
  const { region, span, tables } = audit;
  return {
    region,
    verdict: verdictOf(audit),
    from: iso(span.from),
    to: iso(span.before),
    tables: tables.map(({ tableName, name, ledgerFrom, readers, keys }) => {
      const shown = { ...keys, logKeys: keysToShow(keys.logKeys, mask) };
      return {
        tableName,
        name,
        ledgerFrom: ledgerFrom === null ? null : iso(ledgerFrom),
        readers: readers.map(reader => readerReport(reader, shown)),
      };
    }),
  };
}

function readerReport(
  { spans, keys, ...counts }: ReaderAudit,
  shown: Parameters<typeof keyText>[1],
): ReaderReport {
  return {
    ...counts,
    spans: spans.map(span => ({ from: iso(span.from), to: iso(span.before), keys: span.keys })),
    keys: keys.map(entry => {
      const key = keyText(entry.key, shown);
      const expiredAt = entry.ttl === null ? null : iso(entry.ttl);
      return { ...(key !== undefined && { key }), deletedAt: iso(entry.at), expiredAt };
    }),
  };
}

const iso = (seconds: number): string => isoSeconds(seconds * 1000);
