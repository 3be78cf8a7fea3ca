/** @jest-environment ./test/support/dynamodb-environment.ts */
import { readState } from '../../../functions/journal/read-state.ts';
import { noteReplayed, noteSwept, writeWatermarks } from '../../../functions/journal/write-entries.ts';
import { createJournal } from '../../support/journal-table.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const dynamo = useLocalDynamoDb();
const at = '2026-11-20T09:00:00.000Z';
const later = '2026-11-20T09:01:00.000Z';

test('a tick writes its tables, and others keep what they have', async () => {
  const journal = await createJournal(dynamo.client);
  await writeWatermarks(journal, at, {
    orders: { since: 1, gone: 100, at, shards: 1 },
    sessions: { since: 1, gone: 200, at, shards: 1 },
  });
  await writeWatermarks(journal, later, { sessions: { since: 1, gone: 260, at: later, shards: 1 } });
  const { watermarks } = await readState(journal);
  expect(watermarks).toEqual({
    tick: later,
    tables: {
      orders: { since: 1, gone: 100, at, shards: 1 },
      sessions: { since: 1, gone: 260, at: later, shards: 1 },
    },
  });
});

test('a tick that knows of no table has been all the same', async () => {
  const journal = await createJournal(dynamo.client);
  await writeWatermarks(journal, at, {});
  await expect(readState(journal)).resolves.toMatchObject({ watermarks: { tick: at, tables: {} } });
});

test('one write takes hundreds of tables with the longest names', async () => {
  const journal = await createJournal(dynamo.client);
  const tables = Object.fromEntries(
    Array.from({ length: 400 }, (_unused, index) => [
      String(index).padEnd(255, 'n'),
      { since: 1, gone: index, at, shards: 1 },
    ]),
  );
  await writeWatermarks(journal, at, tables);
  const { watermarks } = await readState(journal);
  expect(watermarks.tables).toEqual(tables);
});

test.each([
  ['goes on where the watermark ends', 101, 201, 200],
  ['begins before it', 50, 201, 200],
  ['leaves a second out', 102, 201, 100],
  ['ends before it', 50, 100, 100],
  ['ends with it', 50, 101, 100],
])('after 100, a replay that %s, [%d, %d), moves it to %d', async (_name, from, to, gone) => {
  const journal = await createJournal(dynamo.client);
  await writeWatermarks(journal, at, { orders: { since: 1, gone: 100, at, shards: 1 } });
  await noteReplayed(journal, 'orders', from, to, later);
  const { watermarks } = await readState(journal);
  expect(watermarks.tables).toEqual({ orders: { since: 1, gone, at: gone === 100 ? at : later, shards: 1 } });
});

test('a replay makes no watermark where there is none', async () => {
  const journal = await createJournal(dynamo.client);
  await noteReplayed(journal, 'orders', 0, 100, at);
  await writeWatermarks(journal, at, {});
  await noteReplayed(journal, 'orders', 0, 100, at);
  await expect(readState(journal)).resolves.toMatchObject({ watermarks: { tables: {} } });
});

test('children note what they have swept beside each other, and a new watermark forgets it', async () => {
  const journal = await createJournal(dynamo.client);
  const mark = { since: 1, gone: 100, at, shards: 1 };
  await writeWatermarks(journal, at, { orders: mark, sessions: mark });
  const spans = Array.from({ length: 8 }, (_unused, part) => ({
    from: 101,
    to: 200,
    tick: at,
    part,
    parts: 8,
  }));
  await Promise.all(spans.map(span => noteSwept(journal, 'orders', span)));
  const { orders, sessions } = (await readState(journal)).watermarks.tables;
  expect(orders?.swept).toHaveLength(8);
  expect(orders?.swept).toEqual(expect.arrayContaining(spans));
  expect(sessions).toEqual(mark);
  await writeWatermarks(journal, later, { orders: { ...mark, gone: 199 } });
  await expect(readState(journal)).resolves.toMatchObject({
    watermarks: { tables: { orders: { ...mark, gone: 199 } } },
  });
});

test('nothing is noted where there is no watermark', async () => {
  const journal = await createJournal(dynamo.client);
  const noting = noteSwept(journal, 'orders', { from: 1, to: 2, tick: at, part: 0, parts: 1 });
  await expect(noting).rejects.toMatchObject({ name: 'JournalUnwritableError' });
});

test('a journal that is not there cannot be written, and the error says so', async () => {
  const journal = { ...(await createJournal(dynamo.client)), tableName: 'gone-journal' };
  const writing = writeWatermarks(journal, at, {});
  await expect(writing).rejects.toThrow(
    'Journal gone-journal: expected to write it, got ResourceNotFoundException',
  );
  await expect(writing).rejects.toMatchObject({ name: 'JournalUnwritableError' });
});
