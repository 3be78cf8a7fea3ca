import { checkConfig } from '../../config/config.ts';
import { type ResolvedProps, resolveProps } from '../../config/props.ts';
import { compareBooks } from '../../functions/journal/accounts.ts';
import type { Reader } from '../../functions/journal/books.ts';
import { LEDGER_DAYS, type LedgerEntry, readBook } from '../../functions/journal/ledger.ts';
import { keyAttributeNames } from '../../functions/table/item-key.ts';
import type { OperatingClients } from '../aws/operating-clients.ts';
import { chooseTables } from '../choose-tables.ts';
import { type TableReader, tableReaders } from '../deployment/table-readers.ts';
import { FlagError } from '../flags.ts';
import { type DeploymentJournal, inJournal, journalAt } from '../journals.ts';
import type { KeyTextOptions } from '../table/key-text.ts';
import type { AuditSpan } from './span.ts';

export interface AuditJobOptions {
  /** What the configuration file exports. */
  readonly config: unknown;
  /** @default all tables of the configuration that have a reader */
  readonly table: string | undefined;
  readonly span: AuditSpan;
  /** Keys that are kept of each reader. */
  readonly mostKeys: number;
  /** Called when all of the above has been found right. */
  readonly connect: (region: string) => OperatingClients;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Told what the comparison is at. */
  readonly onHour: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Minutes that follow each other, in each of which a reader has not seen a deletion. */
export interface UnreadSpan {
  /** Epoch seconds: deletions in [from, before). */
  readonly from: number;
  readonly before: number;
  readonly keys: number;
}

/** What a reader has seen of what the sweep deleted. */
export interface ReaderAudit {
  readonly reader: Reader;
  readonly deleted: number;
  /** What it has not seen. Its time for that is up. */
  readonly missing: number;
  /** What it has not seen, and may still see in time. */
  readonly waiting: number;
  /** How long it may take, seconds. */
  readonly withinSeconds: number;
  /** Of what is missing, the oldest first. */
  readonly spans: readonly UnreadSpan[];
  /** The first keys that are missing, the oldest deletion first. */
  readonly keys: readonly LedgerEntry[];
}

export interface TableAudit {
  readonly tableName: string;
  readonly name: string;
  /** None where the table has no reader. */
  readonly readers: readonly ReaderAudit[];
  /** When the first deletion in the ledger was, epoch seconds; null: it has none up to the end of the span. */
  readonly ledgerFrom: number | null;
  /** Items that others had deleted count as deleted. */
  readonly isBatch: boolean;
  /** How its keys may be shown. */
  readonly keys: KeyTextOptions;
}

export interface Audit {
  readonly region: string;
  readonly span: AuditSpan;
  readonly tables: readonly TableAudit[];
}

/** `unknown`: nothing is missing as far as it is known, and not all is known. */
export type AuditVerdict = 'equal' | 'differs' | 'unknown';

/**
 * Compares what the sweeps of some tables deleted in a span of time with what the readers of their streams have seen. It changes nothing.
 *
 * @returns undefined when it was interrupted
 * @throws {FlagError}, {InvalidConfigError}, {JournalNotFoundError}, {MissingPermissionError}, or the SDK's error
 */
export async function runAudit(options: AuditJobOptions): Promise<Audit | undefined> {
  const { span, signal } = options;
  const config = checkConfig(options.config);
  const { region } = config;
  const tables = chooseTables(config, options.table)
    .map(resolveProps)
    .filter(props => tableReaders(props).length > 0);
  if (tables.length === 0)
    throw new FlagError(
      `--table: expected a table with archive or events, got ${options.table ?? 'none in the configuration'}; nothing else reads what is deleted`,
    );
  const clients = options.connect(region);
  try {
    const audited: TableAudit[] = [];
    for (const props of tables) {
      const journal = journalAt(clients.dynamoDb, props.sweep, region);
      audited.push(await inJournal('dynamodb:Query', journal, () => auditTable(journal, props, options)));
      if (signal.aborted) return undefined;
    }
    return { region, span, tables: audited };
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    clients.destroy();
  }
}

async function auditTable(
  journal: DeploymentJournal,
  props: ResolvedProps,
  options: AuditJobOptions,
): Promise<TableAudit> {
  const { tableName, sweep: name, logKeys, deleteMode } = props;
  const readers: ReaderAudit[] = [];
  for (const reader of tableReaders(props))
    readers.push(await auditReader(journal, tableName, reader, options));
  return {
    tableName,
    name,
    readers,
    ledgerFrom: await firstDeletion(journal, tableName, options),
    isBatch: deleteMode === 'batch',
    keys: { tableName, keyNames: keyAttributeNames(props), logKeys },
  };
}

/** The keys of so much are in memory at once, seconds. */
const STEP_SECONDS = 3600;

async function auditReader(
  journal: DeploymentJournal,
  table: string,
  { reader, withinSeconds }: TableReader,
  { span, now, mostKeys, onHour, signal }: AuditJobOptions,
): Promise<ReaderAudit> {
  const due = now / 1000 - withinSeconds;
  const counts = { deleted: 0, missing: 0, waiting: 0 };
  const spans: UnreadSpan[] = [];
  const keys: LedgerEntry[] = [];
  for (let from = span.from; from < span.before && !signal.aborted; from += STEP_SECONDS) {
    onHour(`${table}: ${reader}, ${new Date(from * 1000).toISOString().slice(0, 13)}h`);
    const before = Math.min(from + STEP_SECONDS, span.before);
    const account = await compareBooks(journal, { table, reader, from, before });
    counts.deleted += account.deleted;
    for (const entry of account.missing) {
      if (entry.at > due) {
        counts.waiting += 1;
        continue;
      }
      counts.missing += 1;
      if (keys.length < mostKeys) keys.push(entry);
      addMinute(spans, Math.floor(entry.at / 60) * 60);
    }
  }
  return { reader, withinSeconds, ...counts, spans, keys };
}

/** Adds a deletion to the last span or begins another one; deletions come oldest first. */
function addMinute(spans: UnreadSpan[], minute: number): void {
  const last = spans.at(-1);
  if (last === undefined || minute > last.before) spans.push({ from: minute, before: minute + 60, keys: 1 });
  else spans[spans.length - 1] = { from: last.from, before: minute + 60, keys: last.keys + 1 };
}

async function firstDeletion(
  journal: DeploymentJournal,
  table: string,
  { span, now }: AuditJobOptions,
): Promise<number | null> {
  const from = now / 1000 - LEDGER_DAYS * 86_400;
  for await (const { entries } of readBook(journal, { book: 'deleted', table, from, before: span.before })) {
    return Math.min(...entries.map(({ at }) => at));
  }
  return null;
}

/** What a script is told. */
export function verdictOf({ tables }: Audit): AuditVerdict {
  const readers = tables.flatMap(table => table.readers);
  if (readers.some(({ missing }) => missing > 0)) return 'differs';
  const isUnknown =
    tables.some(({ ledgerFrom }) => ledgerFrom === null) || readers.some(({ waiting }) => waiting > 0);
  return isUnknown ? 'unknown' : 'equal';
}
