/** @jest-environment ./test/support/dynamodb-environment.ts */
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { pauseTable } from '../../../cli/pause.ts';
import { isPaused } from '../../../functions/journal/layout.ts';
import { readState } from '../../../functions/journal/read-state.ts';
import { writeWatermarks } from '../../../functions/journal/write-entries.ts';
import { createJournal } from '../../support/journal-table.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const dynamo = useLocalDynamoDb();
const NOTHING = {
  pauses: {},
  watermarks: { tables: {} },
};
const since = '2026-11-20T09:00:00.000Z';

test('a journal in which nothing stands reads as nothing set', async () => {
  await expect(readState(await createJournal(dynamo.client))).resolves.toEqual(NOTHING);
});

test('one that is not there cannot be read, and the error says what follows', async () => {
  const journal = { ...(await createJournal(dynamo.client)), tableName: 'gone-journal' };
  await expect(readState(journal)).rejects.toThrow(
    /^Journal gone-journal: expected to read it, got ResourceNotFoundException: .*Nothing was deleted, because a table may be paused\./,
  );
  await expect(readState(journal)).rejects.toMatchObject({ name: 'JournalUnreadableError' });
});

test.each([
  ['table#orders', { pause: 'yes' }, 'table#orders.pause: expected an object with since, until, got "yes"'],
  ['table#orders', { pause: { until: since } }, 'table#orders.pause.since: expected a time'],
  ['table#orders', { pause: { since, until: 'soon' } }, 'table#orders.pause.until: expected a time'],
  ['table#orders', { pause: { since, untill: since } }, 'table#orders.pause.untill: expected'],
  ['watermarks', { tick: 5 }, 'watermarks.tick: expected a time'],
  [
    'watermarks',
    { 'table#orders': { since: 1, gone: 'all', at: since, shards: 1 } },
    'watermarks.table#orders.gone: expected',
  ],
  [
    'watermarks',
    { 'table#orders': { since: 1, gone: 1, at: since, shards: 0 } },
    'watermarks.table#orders.shards: expected',
  ],
  [
    'watermarks',
    { 'table#orders': { since: 1, gone: 1, at: since, shards: 1, swept: [{ from: 1 }] } },
    'watermarks.table#orders.swept: expected a list of objects with from, to, tick, part, parts',
  ],
])('%s with %j is told by the name of the field', async (at, entry, told) => {
  const { documents, tableName } = await createJournal(dynamo.client);
  await documents.send(new PutCommand({ TableName: tableName, Item: { id: 'deployment', at, ...entry } }));
  const reading = readState({ documents, tableName });
  await expect(reading).rejects.toThrow(`Journal ${tableName}: ${told}`);
  await expect(reading).rejects.toMatchObject({ name: 'JournalUnreadableError' });
});

test('a watermark without a number of shards is that of one', async () => {
  const { documents, tableName } = await createJournal(dynamo.client);
  const mark = { since: 1, gone: 7, at: since };
  const Item = { id: 'deployment', at: 'watermarks', 'table#orders': mark };
  await documents.send(new PutCommand({ TableName: tableName, Item }));
  const { watermarks } = await readState({ documents, tableName });
  expect(watermarks.tables).toEqual({ orders: { ...mark, shards: 1 } });
});

test('more than a page of a query is read', async () => {
  const journal = await createJournal(dynamo.client);
  const tables = Array.from({ length: 6 }, (_unused, index) => `table-${index}`);
  for (const table of tables) {
    // A megabyte is a page; what others add to an item is not ours, and does not matter.
    const Item = { id: 'deployment', at: `table#${table}`, pause: { since }, note: 'x'.repeat(250_000) };
    await journal.documents.send(new PutCommand({ TableName: journal.tableName, Item }));
  }
  const { pauses } = await readState(journal);
  expect(pauses).toEqual(Object.fromEntries(tables.map(table => [table, { since }])));
});

test('tables with the names of fields are tables like others', async () => {
  const journal = await createJournal(dynamo.client);
  const names = ['tick', 'expires', 'watermarks', 'table', 'constructor', '__proto__'];
  const watermarks = Object.fromEntries(
    names.map(name => [name, { since: 1, gone: 7, at: since, shards: 1 }]),
  );
  await writeWatermarks(journal, since, watermarks);
  for (const name of names) await pauseTable(journal, name, { since });
  const state = await readState(journal);
  expect(state.watermarks).toEqual({ tick: since, tables: watermarks });
  expect(state.pauses).toEqual(Object.fromEntries(names.map(name => [name, { since }])));
});

describe('a pause', () => {
  test.each([
    ['without an end', undefined, '2036-01-01T00:00:00.000Z', true],
    ['with an end', '2026-11-20T10:00:00.000Z', '2026-11-20T09:59:59.999Z', true],
    ['at its end', '2026-11-20T10:00:00.000Z', '2026-11-20T10:00:00.000Z', false],
  ])('%s, until %s: at %s it is %s', async (_name, until, now, paused) => {
    const journal = await createJournal(dynamo.client);
    await pauseTable(journal, 'orders', { since, ...(until && { until }) });
    const state = await readState(journal);
    expect(isPaused(state.pauses, 'orders', Date.parse(now))).toBe(paused);
    expect(isPaused(state.pauses, 'sessions', Date.parse(now))).toBe(false);
    expect(isPaused(state.pauses, 'toString', Date.parse(now))).toBe(false);
  });
});
