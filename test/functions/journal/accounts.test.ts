/** @jest-environment ./test/support/dynamodb-environment.ts */
import { compareBooks, readAccounts, writeAccount } from '../../../functions/journal/accounts.ts';
import type { Book } from '../../../functions/journal/books.ts';
import { writeEntries } from '../../../functions/journal/ledger.ts';
import { createJournal } from '../../support/journal-table.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const dynamo = useLocalDynamoDb();
const START = Date.UTC(2026, 10, 20, 9) / 1000;

async function books() {
  const journal = await createJournal(dynamo.client);
  const write = (book: Book, entries: Readonly<Record<string, number>>) =>
    writeEntries(journal, {
      book,
      table: 'orders',
      entries: Object.entries(entries).map(([name, at]) => ({
        key: { pk: { S: name } },
        ttl: at,
        at: START + at,
      })),
      nowMs: START * 1000,
    });
  const missing = async (reader: 'archived' | 'published', from = 0, before = 60) => {
    const span = { table: 'orders', reader, from: START + from, before: START + before };
    const account = await compareBooks(journal, span);
    return { ...account, missing: account.missing.map(({ key }) => key['pk']) };
  };
  return { journal, write, missing };
}

test('what a reader has not seen is named, oldest first; each reader for itself', async () => {
  const { write, missing } = await books();
  await write('deleted', { a: 1, b: 59, c: 30, next: 60 });
  await write('archived', { a: 2, c: 30 });
  await expect(missing('archived')).resolves.toEqual({ deleted: 3, missing: [{ S: 'b' }] });
  await expect(missing('published')).resolves.toEqual({
    deleted: 3,
    missing: [{ S: 'a' }, { S: 'c' }, { S: 'b' }],
  });
});

test("a reader's time of a deletion may lie in the minute before or after", async () => {
  const { write, missing } = await books();
  await write('deleted', { early: 0, late: 59 });
  await write('archived', { early: -1, late: 61 });
  await expect(missing('archived')).resolves.toEqual({ deleted: 2, missing: [] });
});

test('a key that was deleted twice was seen twice, or is missing once', async () => {
  const { write, missing } = await books();
  await write('deleted', { a: 10 });
  await write('deleted', { a: 1_800 });
  await write('archived', { a: 11 });
  await expect(missing('archived', 0, 3_600)).resolves.toEqual({ deleted: 2, missing: [{ S: 'a' }] });
  await write('archived', { a: 1_799 });
  await expect(missing('archived', 0, 3_600)).resolves.toEqual({ deleted: 2, missing: [] });
});

test('a key that is deleted again and again within a minute is matched with the nearest time', async () => {
  const { write, missing } = await books();
  for (const at of [0, 58, 119]) await write('deleted', { lock: at });
  for (const at of [0, 61, 119]) await write('archived', { lock: at });
  await expect(missing('archived', 0, 120)).resolves.toEqual({ deleted: 3, missing: [] });
});

test('a batch that was delivered again and cut otherwise stands for one deletion', async () => {
  const { write, missing } = await books();
  for (const at of [10, 40]) await write('deleted', { lock: at });
  await write('archived', { lock: 10 });
  await write('archived', { lock: 10, other: 11 });
  await expect(missing('archived')).resolves.toEqual({ deleted: 2, missing: [{ S: 'lock' }] });
});

test('a chunk that was tried again has deleted its keys once', async () => {
  const { write, missing } = await books();
  await write('deleted', { a: 10 });
  await write('deleted', { a: 10, b: 12 });
  await write('archived', { a: 11, b: 12 });
  await expect(missing('archived')).resolves.toEqual({ deleted: 2, missing: [] });
});

test('of a span with more deletions than there is room for nothing is compared, and one that is stopped reads no further row', async () => {
  const { journal, write } = await books();
  await write('deleted', { a: 1, b: 2, c: 3 });
  await write('archived', { a: 1, b: 2, c: 3 });
  const span = { table: 'orders', reader: 'archived', from: START, before: START + 60 } as const;
  await expect(compareBooks(journal, span, { mostKeys: 2 })).rejects.toThrow(
    'Ledger of orders, 2026-11-20T09:00: expected at most 2 deletions, got more.',
  );
  const signal = AbortSignal.abort(new Error('time is up'));
  await expect(compareBooks(journal, span, { signal })).rejects.toThrow('time is up');
});

test('what somebody else deleted is nothing that the sweep owes', async () => {
  const { write, missing } = await books();
  await write('archived', { native: 5 });
  await expect(missing('archived')).resolves.toEqual({ deleted: 0, missing: [] });
});

test('a key is the same in whichever order its attributes come', async () => {
  const { journal, missing } = await books();
  const entry = { ttl: 1, at: START };
  await writeEntries(journal, {
    book: 'deleted',
    table: 'orders',
    entries: [{ ...entry, key: { pk: { S: 'a' }, sk: { N: '1' } } }],
    nowMs: 0,
  });
  await writeEntries(journal, {
    book: 'archived',
    table: 'orders',
    entries: [{ ...entry, key: { sk: { N: '1' }, pk: { S: 'a' } } }],
    nowMs: 0,
  });
  await expect(missing('archived')).resolves.toEqual({ deleted: 1, missing: [] });
});

test('what a minute came to is read again, each reader when its time was up', async () => {
  const { journal } = await books();
  const entry = { key: { pk: { S: 'a' } }, ttl: 1, at: START };
  const write = (reader: 'archived' | 'published', minute: number, deleted: number, missing: number) =>
    writeAccount(
      journal,
      { table: 'orders', reader, from: START + minute * 60 },
      { deleted, missing: Array(missing).fill(entry) },
    );
  await write('published', 1, 9, 0);
  await write('archived', 0, 3, 2);
  await write('published', 0, 3, 0);
  await write('archived', 2, 5, 0);
  const read = (minutes: number) =>
    readAccounts(journal, { table: 'orders', from: START, before: START + minutes * 60 });
  await expect(read(2)).resolves.toEqual([
    { from: START, deleted: 3, missing: { archived: 2, published: 0 } },
    { from: START + 60, deleted: 9, missing: { published: 0 } },
  ]);
  await expect(read(3)).resolves.toHaveLength(3);
});
