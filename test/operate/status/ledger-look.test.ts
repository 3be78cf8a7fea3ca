/** @jest-environment ./test/support/dynamodb-environment.ts */

import { resolveProps } from '../../../config/props.ts';
import { writeAccount } from '../../../functions/journal/accounts.ts';
import type { Book, Reader } from '../../../functions/journal/books.ts';
import { type LedgerEntry, writeEntries } from '../../../functions/journal/ledger.ts';
import { lookAtLedger } from '../../../operate/status/ledger-look.ts';
import { createJournal } from '../../support/journal-table.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const dynamo = useLocalDynamoDb();
const NOW = Date.parse('2026-11-23T12:00:30Z');
/** Epoch seconds of a minute before the minute of the look. */
const ago = (minutes: number) => NOW / 1000 - 30 - minutes * 60;
const table = 'Orders';
const PROPS = resolveProps({
  tableName: table,
  partitionKey: 'id',
  archive: {},
  events: { eventBus: 'bus' },
});

async function ledger() {
  const journal = await createJournal(dynamo.client);
  const entry = (id: string, at: number): LedgerEntry => ({ key: { id: { S: id } }, ttl: at, at });
  return {
    journal,
    write: (book: Book, minutes: number, ...ids: readonly string[]) =>
      writeEntries(journal, { book, table, entries: ids.map(id => entry(id, ago(minutes))), nowMs: NOW }),
    account: (reader: Reader, minutes: number, deleted: number, missing: number) =>
      writeAccount(
        journal,
        { table, reader, from: ago(minutes) },
        { deleted, missing: Array.from({ length: missing }, () => entry('any', ago(minutes))) },
      ),
    look: () => lookAtLedger(journal, PROPS, NOW),
  };
}

test('sums up what the ticks have compared in the last hour, each reader for itself', async () => {
  const { account, look } = await ledger();
  await account('archived', 61, 1000, 0);
  await account('archived', 60, 5, 0);
  await account('archived', 8, 7, 0);
  await account('published', 7, 3, 0);
  await expect(look()).resolves.toEqual([
    { reader: 'archived', deleted: 12, missing: 0, missingFrom: null, upTo: ago(8), isNow: true },
    { reader: 'published', deleted: 3, missing: 0, missingFrom: null, upTo: ago(7), isNow: true },
  ]);
});

test('what nobody has compared is not told as seen', async () => {
  const { write, look } = await ledger();
  await write('deleted', 10, 'a');
  const none = { deleted: 0, missing: 0, missingFrom: null, upTo: null, isNow: true };
  await expect(look()).resolves.toEqual([
    { reader: 'archived', ...none },
    { reader: 'published', ...none },
  ]);
});

test('what was missing is looked at again: a reader that is behind has seen it meanwhile', async () => {
  const { write, account, look } = await ledger();
  await write('deleted', 20, 'a', 'b');
  await write('deleted', 15, 'c');
  await write('deleted', 10, 'd', 'e');
  for (const [minutes, deleted] of [
    [20, 2],
    [15, 1],
    [10, 2],
  ] as const)
    await account('archived', minutes, deleted, deleted);
  await write('archived', 20, 'a', 'b');
  await write('archived', 10, 'd');
  const [archived] = await look();
  expect(archived).toEqual({
    reader: 'archived',
    deleted: 5,
    missing: 2,
    missingFrom: ago(15),
    upTo: ago(10),
    isNow: true,
  });
});

test('what is missing in a minute that no tick has compared is left to the next one', async () => {
  const { write, account, look } = await ledger();
  await write('deleted', 20, 'a');
  await write('deleted', 19, 'b');
  await write('deleted', 18, 'c');
  await account('archived', 20, 1, 1);
  await account('archived', 18, 1, 1);
  const [archived] = await look();
  expect(archived).toMatchObject({ deleted: 2, missing: 2 });
});

test('where there is no time to look again, it says what the ticks have found', async () => {
  const { journal, account } = await ledger();
  await account('archived', 20, 3, 2);
  const { send } = journal.documents;
  let queries = 0;
  const slow = {
    ...journal,
    documents: Object.assign(Object.create(journal.documents), {
      send: (...args: Parameters<typeof send>) => {
        queries += 1;
        return queries === 1 ? send.apply(journal.documents, args) : new Promise(() => {});
      },
    }),
  };
  const [archived] = await lookAtLedger(slow, PROPS, NOW, 10);
  expect(archived).toMatchObject({ deleted: 3, missing: 2, missingFrom: ago(20), isNow: false });
});
