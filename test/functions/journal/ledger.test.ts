/** @jest-environment ./test/support/dynamodb-environment.ts */
import type { Book } from '../../../functions/journal/books.ts';
import {
  type LedgerEntry,
  type LedgerRow,
  readBook,
  writeEntries,
} from '../../../functions/journal/ledger.ts';
import { createJournal } from '../../support/journal-table.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const dynamo = useLocalDynamoDb();
const START = Date.UTC(2026, 10, 20, 9) / 1000;

const entry = (name: string, at: number, more: Partial<LedgerEntry> = {}): LedgerEntry => ({
  key: { pk: { S: name } },
  ttl: at - 1,
  at,
  ...more,
});

async function book() {
  const journal = await createJournal(dynamo.client);
  const span = async (name: Book, table: string, from: number, before: number) => {
    const rows: LedgerRow[] = [];
    for await (const row of readBook(journal, { book: name, table, from, before })) rows.push(row);
    return rows;
  };
  return {
    write: (name: Book, table: string, entries: readonly LedgerEntry[], laterMs = 0) =>
      writeEntries(journal, { book: name, table, entries, nowMs: START * 1000 + laterMs }),
    rows: span,
    keys: async (name: Book, table: string, from: number, before: number) =>
      (await span(name, table, from, before)).flatMap(({ entries }) => entries.map(({ key }) => key['pk'])),
  };
}

test('a book has its entries by minute, and those of no other table or book', async () => {
  const { write, rows, keys } = await book();
  const archived = entry('a', START, { line: 'ab' });
  await write('archived', 'orders', [archived, entry('c', START + 60), entry('b', START + 59)]);
  await write('published', 'orders', [entry('other book', START)]);
  await write('archived', 'orders2', [entry('other table', START)]);
  await expect(rows('archived', 'orders', START, START + 60)).resolves.toEqual([
    { writtenAt: '2026-11-20T09:00:00.000Z', entries: [archived, entry('b', START + 59)] },
  ]);
  await expect(keys('archived', 'orders', START - 3600, START)).resolves.toEqual([]);
  await expect(keys('archived', 'orders', START, START + 61)).resolves.toHaveLength(2);
  await expect(keys('archived', 'orders', START, START + 120)).resolves.toHaveLength(3);
});

test('the same entries again change nothing', async () => {
  const { write, keys, rows } = await book();
  for (const laterMs of [0, 60_000])
    await write('deleted', 'orders', [entry('a', START), entry('b', START)], laterMs);
  await expect(keys('deleted', 'orders', START, START + 60)).resolves.toHaveLength(2);
  const [row] = await rows('deleted', 'orders', START, START + 60);
  expect(row?.writtenAt).toBe('2026-11-20T09:00:00.000Z');
});

test('more keys than an item of the journal has room for are in several rows, and are read page by page', async () => {
  const { write, rows } = await book();
  const entries = Array.from({ length: 1_000 }, (_unused, index) =>
    entry(
      `${index}#${Array.from({ length: 200 }, () => Math.random().toString(36)).join('')}`.slice(0, 2_000),
      START,
    ),
  );
  await write('deleted', 'orders', entries);
  const read = await rows('deleted', 'orders', START, START + 60);
  expect(read.length).toBeGreaterThan(4);
  const names = (list: readonly LedgerEntry[]) => list.map(({ key }) => JSON.stringify(key)).sort();
  expect(names(read.flatMap(row => row.entries))).toEqual(names(entries));
});

test('nothing to write, nothing written', async () => {
  const { write, rows } = await book();
  await write('kept', 'orders', []);
  await expect(rows('kept', 'orders', 0, START * 2)).resolves.toEqual([]);
});
