import type { Book } from '../journal/books.ts';
import { keyTextOf, type LedgerEntry, type LedgerRow, readBook } from '../journal/ledger.ts';
import type { JournalTable } from '../journal/update-entry.ts';
import { deletionsOf, READ_AROUND_SECONDS } from './deletions.ts';
import { ProofRefusedError } from './errors.ts';
import { type DayCounts, DayTally, type KeyField, proofLineText } from './manifest.ts';

/** Reads the rows of a book of one table, of the deletions in [from, before). */
export type ReadRows = (book: Book, from: number, before: number) => AsyncIterable<LedgerRow>;

/** Makes a reader of a journal's rows for one table. */
export function rowsOfTable(journal: JournalTable, table: string): ReadRows {
  return (book, from, before) => readBook(journal, { book, table, from, before });
}

export interface DayOptions {
  readonly read: ReadRows;
  /** `2026-11-22`, in UTC. */
  readonly date: string;
  /** Rows that were written after this time are ignored, ISO-8601. */
  readonly asOf: string;
  readonly keyField: KeyField;
  /** Most bytes of a part. @default as many as a verifier can unpack */
  readonly mostPartBytes?: number;
}

const DAY_SECONDS = 86_400;
const HOUR_SECONDS = 3_600;
/** Seconds whose entries are matched at once. With ten million deletions a day, the entries of an hour would take a gigabyte as objects. */
export const SLICE_SECONDS = 600;

/** Most bytes of a part's lines. A verifier unpacks a part at once, and a key can have 3 KB. If an hour has more, it has further parts. */
const MAX_PART_BYTES = 64 * 1024 * 1024;

/** The lines of a part, sorted. */
export interface PartLines {
  /** The hour, `14`, or `late`; further parts of the same hour are `14-2` and so on. */
  readonly name: string;
  readonly lines: readonly string[];
}

/** Epoch seconds at which a day begins. */
export function beginOf(date: string): number {
  return Date.parse(date) / 1000;
}

/** Yields the lines of a day hour by hour, without empty hours. @throws JournalUnreadableError, ProofRefusedError */
export async function* linesOfDay(options: DayOptions, tally = new DayTally()): AsyncGenerator<PartLines> {
  async function* ofSlices(from: number) {
    for (const slice of slicesOf(from, HOUR_SECONDS)) {
      const lines = linesIn(await readSlice(options, slice), slice, options);
      for (const line of lines) tally.add(JSON.parse(line));
      yield lines;
    }
  }
  const begin = beginOf(options.date);
  for (let hour = 0; hour < 24; hour += 1)
    yield* cut(String(hour).padStart(2, '0'), ofSlices(begin + hour * HOUR_SECONDS), options);
}

/**
 * Builds the parts of a day and counts their lines. @param onPart called with each part; awaited, so that one part is in memory at a time
 */
export async function buildDay(
  options: DayOptions,
  onPart: (part: PartLines) => Promise<void>,
): Promise<DayCounts> {
  const tally = new DayTally();
  for await (const part of linesOfDay(options, tally)) await onPart(part);
  return tally.counts();
}

/**
 * The lines that a day's manifest lacks because they were recorded after it was written.
 *
 * @param since `asOf` of the manifest
 */
export async function* lateLines(options: DayOptions, since: string): AsyncGenerator<PartLines> {
  async function* ofSlices() {
    for (const slice of slicesOf(beginOf(options.date), DAY_SECONDS)) {
      const rows = await readSlice(options, slice);
      if (![...rows.deleted, ...rows.archived].some(({ writtenAt }) => writtenAt > since)) continue;
      const known = new Set(linesIn(rows, slice, { ...options, asOf: since }));
      yield linesIn(rows, slice, options).filter(line => !known.has(line));
    }
  }
  yield* cut('late', ofSlices(), options);
}

async function* cut(
  name: string,
  slices: AsyncIterable<string[]>,
  { mostPartBytes = MAX_PART_BYTES }: DayOptions,
): AsyncGenerator<PartLines> {
  let lines: string[] = [];
  let bytes = 0;
  let count = 0;
  const ended = (): PartLines => {
    count += 1;
    const part = { name: count === 1 ? name : `${name}-${count}`, lines: lines.sort() };
    lines = [];
    bytes = 0;
    return part;
  };
  for await (const slice of slices) {
    // The order of the rows does not change the parts.
    for (const line of slice.sort()) {
      const length = Buffer.byteLength(line) + 1;
      if (lines.length > 0 && bytes + length > mostPartBytes) yield ended();
      lines.push(line);
      bytes += length;
    }
  }
  if (lines.length > 0) yield ended();
}

/** Counts the keys that were due on a day and not deleted. */
export async function countKept({ read, date, asOf }: DayOptions): Promise<{ renewed: number }> {
  const renewed = new Set<string>();
  const begin = beginOf(date);
  for await (const row of read('kept', begin, begin + DAY_SECONDS)) {
    if (row.writtenAt > asOf) continue;
    for (const entry of row.entries) renewed.add(keyTextOf(checkKept(entry).key));
  }
  return { renewed: renewed.size };
}

function checkKept(entry: LedgerEntry): LedgerEntry {
  if (entry.kept === 'renewed') return entry;
  throw refused('kept', '`kept` that is renewed', entry.kept);
}

interface Slice {
  readonly from: number;
  readonly before: number;
}

function* slicesOf(from: number, seconds: number): Generator<Slice> {
  for (let at = from; at < from + seconds; at += SLICE_SECONDS)
    yield { from: at, before: at + SLICE_SECONDS };
}

interface SliceRows {
  readonly deleted: readonly LedgerRow[];
  readonly archived: readonly LedgerRow[];
}

async function readSlice({ read, asOf }: DayOptions, { from, before }: Slice): Promise<SliceRows> {
  const rowsOf = async (book: Book) => {
    const rows: LedgerRow[] = [];
    for await (const row of read(book, from - READ_AROUND_SECONDS, before + READ_AROUND_SECONDS)) {
      for (const entry of row.entries) check(book, entry);
      if (row.writtenAt <= asOf) rows.push(row);
    }
    return rows;
  };
  return { deleted: await rowsOf('deleted'), archived: await rowsOf('archived') };
}

function linesIn(
  rows: SliceRows,
  slice: Slice,
  { asOf, keyField }: Pick<DayOptions, 'asOf' | 'keyField'>,
): string[] {
  const entriesOf = (all: readonly LedgerRow[]) =>
    all.filter(({ writtenAt }) => writtenAt <= asOf).flatMap(({ entries }) => entries);
  const books = { deleted: entriesOf(rows.deleted), archived: entriesOf(rows.archived) };
  return deletionsOf(books, slice).map(deletion => proofLineText(deletion, keyField));
}

/** Refuses malformed entries: a manifest of entries that the ledger did not write would prove nothing. */
function check(book: Book, { key, ttl, at }: LedgerEntry): void {
  if (typeof key !== 'object' || key === null) throw refused(book, 'entries with a `key`', key);
  if (typeof at !== 'number') throw refused(book, 'entries with `at` in epoch seconds', at);
  if (ttl !== null && typeof ttl !== 'number')
    throw refused(book, 'entries with `ttl` in epoch seconds or null', ttl);
}

function refused(book: Book, expected: string, got: unknown): ProofRefusedError {
  return new ProofRefusedError(
    `Book ${book}: expected ${expected}, got ${JSON.stringify(got)}. No manifest was written. Look who else writes into the journal, and take the row away.`,
  );
}
