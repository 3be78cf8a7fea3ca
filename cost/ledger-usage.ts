import { archiveOfMonth } from './archive-usage.ts';
import { FUNCTION_MEMORY_MB, JOURNAL_MS, LEDGER } from './assumptions.ts';
import { readUnits, writeUnits } from './item-size.ts';
import { deletesOfMonth, type SweptTable, TICKS_A_MONTH } from './sweep-usage.ts';

/** The settings of a table that decide the size and cost of its ledger. */
export interface LedgerShape extends SweptTable {
  readonly itemBytes: number;
  /** Seconds for which removals are collected for one object of the archive; undefined: there is no archive. */
  readonly archiveBatchSeconds: number | undefined;
  readonly hasEvents: boolean;
  /** Whether a manifest of each day's deletions is written, with or without an archive. */
  readonly hasProof: boolean;
}

/** The ledger's usage in a month, in the units that are billed. */
export interface LedgerUsage {
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly storedGb: number;
  /** Duration of the functions that write the ledger. */
  readonly gbSeconds: number;
}

const NOTHING: LedgerUsage = { readUnits: 0, writeUnits: 0, storedGb: 0, gbSeconds: 0 };
const GB = 1e9;

/** The usage of one book in a month: of the part of the ledger that one function writes. */
interface BookOfMonth {
  /** Number of rows; each call of its function writes one. */
  readonly rows: number;
  readonly bytes: number;
}

/**
 * The ledger's usage in a month. The sweep writes a row with each batch that it deletes, and each reader writes one with each call. Every
 * tick compares one minute of each reader: it reads the minute's deletions and, if there are any, the reader's book of that minute and of
 * the neighbouring ones, and writes the result.
 */
export function ledgerOfMonth(table: LedgerShape): LedgerUsage {
  const { itemsPerMonth, archiveBatchSeconds, hasEvents, hasProof } = table;
  const { deleted, archived } = booksOfMonth(table);
  const readers = [
    ...(archiveBatchSeconds === undefined ? [] : [archived]),
    ...(hasEvents ? [book(callsOfEvents(itemsPerMonth), itemsPerMonth, LEDGER.keyBytes)] : []),
  ];
  if (readers.length === 0 && !hasProof) return NOTHING;
  const minutes = Math.min(itemsPerMonth, TICKS_A_MONTH);
  const units = (read: BookOfMonth, span: number) =>
    minutes === 0 ? 0 : minutes * readUnits((span * read.bytes) / TICKS_A_MONTH);
  const books = [deleted, ...readers];
  const sum = (of: (each: BookOfMonth) => number) => books.reduce((total, each) => total + of(each), 0);
  return {
    readUnits:
      readers.length * (TICKS_A_MONTH - minutes + units(deleted, 1)) +
      readers.reduce((total, reader) => total + units(reader, LEDGER.minutes), 0),
    writeUnits:
      sum(({ rows, bytes }) => (rows === 0 ? 0 : rows * writeUnits(bytes / rows))) + readers.length * minutes,
    storedGb: (sum(({ bytes }) => bytes) * LEDGER.days) / 30 / GB,
    gbSeconds: (sum(({ rows }) => rows) * JOURNAL_MS * FUNCTION_MEMORY_MB) / 1024 / 1000,
  };
}

/** The books that the sweep and the archive write. */
export function booksOfMonth(table: LedgerShape): {
  readonly deleted: BookOfMonth;
  readonly archived: BookOfMonth;
} {
  const { itemsPerMonth, archiveBatchSeconds } = table;
  const calls =
    archiveBatchSeconds === undefined
      ? 0
      : archiveOfMonth({ ...table, batchSeconds: archiveBatchSeconds }).calls;
  return {
    deleted: book(deletesOfMonth(table), itemsPerMonth, LEDGER.keyBytes),
    archived: book(calls, calls === 0 ? 0 : itemsPerMonth, LEDGER.archivedBytes),
  };
}

function book(rows: number, items: number, entryBytes: number): BookOfMonth {
  return { rows, bytes: rows * LEDGER.rowBytes + items * entryBytes };
}

/**
 * Number of calls of PublishExpiries. It does not collect records: Lambda polls a shard four times per second, and passes up to a hundred
 * records to a call.
 */
function callsOfEvents(items: number): number {
  return Math.max(Math.min(items, 4 * 60 * TICKS_A_MONTH), items / 100);
}
