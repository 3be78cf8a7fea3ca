/** @jest-environment ./test/support/dynamodb-environment.ts */
import { type BatchWriteCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { readRows, wholeReport } from '../../../cli/journal.ts';
import { pauseTable } from '../../../cli/pause.ts';
import { journalOf } from '../../../functions/journal/lambda-journal.ts';
import { advanced, type SweepRow, type SweptSpan } from '../../../functions/journal/layout.ts';
import { type JournalTable, readState } from '../../../functions/journal/read-state.ts';
import {
  noteReplayed,
  noteSwept,
  putRows,
  writeWatermarks,
} from '../../../functions/journal/write-entries.ts';
import type { Documents } from '../../../functions/table/dynamodb.ts';
import { createJournal } from '../../support/expiring-table.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const dynamo = useLocalDynamoDb();
const at = '2026-11-20T09:00:00.000Z';
const later = '2026-11-20T09:01:00.000Z';
const START = Date.parse(at);
const mark = { since: 1, gone: 100, at, shards: 1 };

let journal: JournalTable;
beforeEach(async () => {
  journal = await createJournal(dynamo.client);
});

const put = (Item: object) =>
  journal.documents.send(new PutCommand({ TableName: journal.tableName, Item: Item as never }));
const marks = async () => (await readState(journal)).watermarks;

test('a journal in which nothing stands reads as nothing set', async () => {
  await expect(readState(journal)).resolves.toEqual({ pauses: {}, watermarks: { tables: {} } });
});

test('one that is not there cannot be read or written, and the errors say what follows', async () => {
  const gone = { ...journal, tableName: 'gone-journal' };
  await expect(readState(gone)).rejects.toThrow(
    /^Journal gone-journal: expected to read it, got ResourceNotFoundException: .*Nothing was deleted, because a table may be paused\./,
  );
  await expect(readState(gone)).rejects.toMatchObject({ name: 'JournalUnreadableError' });
  const writing = writeWatermarks(gone, at, {});
  await expect(writing).rejects.toThrow('Journal gone-journal: expected to write it, got ResourceNotFound');
  await expect(writing).rejects.toMatchObject({ name: 'JournalUnwritableError' });
});

const watermark = (more: object) => ['watermarks', { 'table#orders': { ...mark, ...more } }] as const;

test.each<readonly [string, object, string]>([
  ['table#orders', { pause: 'yes' }, 'table#orders.pause: expected an object with since, until, got "yes"'],
  ['table#orders', { pause: { until: at } }, 'table#orders.pause.since: expected a time'],
  ['table#orders', { pause: { since: at, until: 'soon' } }, 'table#orders.pause.until: expected a time'],
  ['table#orders', { pause: { since: at, untill: at } }, 'table#orders.pause.untill: expected'],
  ['watermarks', { tick: 5 }, 'watermarks.tick: expected a time'],
  [...watermark({ gone: 'all' }), 'watermarks.table#orders.gone: expected'],
  [...watermark({ shards: 0 }), 'watermarks.table#orders.shards: expected'],
  [...watermark({ swept: [{ from: 1 }] }), 'watermarks.table#orders.swept: expected a list of objects with'],
])('%s with %j is told by the name of the field', async (entry, fields, told) => {
  await put({ id: 'deployment', at: entry, ...fields });
  const reading = readState(journal);
  await expect(reading).rejects.toThrow(`Journal ${journal.tableName}: ${told}`);
  await expect(reading).rejects.toMatchObject({ name: 'JournalUnreadableError' });
});

describe('pauses', () => {
  test('of more than a page of a query are read', async () => {
    const tables = Array.from({ length: 6 }, (_unused, index) => `table-${index}`);
    // A megabyte is a page; what others add to an item is not ours, and does not matter.
    const note = 'x'.repeat(250_000);
    for (const table of tables)
      await put({ id: 'deployment', at: `table#${table}`, pause: { since: at }, note });
    const { pauses } = await readState(journal);
    expect(pauses).toEqual(Object.fromEntries(tables.map(table => [table, { since: at }])));
  });

  /** A function's journal, with its clock. */
  function withClock(documents: Documents = journal.documents) {
    const clock = { nowMs: START };
    const send = jest.fn((command: never) => documents.send(command));
    const own = { ...journal, documents: { send } as unknown as Documents };
    return { function: journalOf(own, () => clock.nowMs), send, clock };
  }

  test('are read once in two seconds, for all tables, and end by themselves; a tick reads anew', async () => {
    const { function: own, send, clock } = withClock();
    await pauseTable(journal, 'orders', { since: at });
    await pauseTable(journal, 'ending', { since: at, until: new Date(START + 1_999).toISOString() });
    const paused = () => Promise.all(['orders', 'ending', 'toString'].map(table => own.isPaused(table)));
    expect(await own.isPaused('orders')).toBe(true);
    expect(await paused()).toEqual([true, true, false]);
    await put({ id: 'deployment', at: 'table#orders' });
    clock.nowMs += 1_999;
    expect(await paused()).toEqual([true, false, false]);
    expect(send).toHaveBeenCalledTimes(1);
    expect(send.mock.calls[0]).toMatchObject([{ input: { ConsistentRead: true } }]);
    expect((await own.read()).pauses).toMatchObject({ ending: { since: at } });
    clock.nowMs += 1;
    expect(await own.isPaused('orders')).toBe(false);
    expect(send).toHaveBeenCalledTimes(3);
  });

  test('are not known after a read that failed, and are asked for again', async () => {
    const { function: own, send } = withClock();
    await pauseTable(journal, 'orders', { since: at });
    send.mockRejectedValueOnce(new Error('no answer'));
    await expect(own.isPaused('orders')).rejects.toMatchObject({ name: 'JournalUnreadableError' });
    expect(await own.isPaused('orders')).toBe(true);
  });
});

describe('watermarks', () => {
  test('are written by ticks, and tables without a new one keep theirs', async () => {
    await writeWatermarks(journal, at, {});
    expect(await marks()).toEqual({ tick: at, tables: {} });
    await writeWatermarks(journal, at, { orders: mark, sessions: mark });
    const further = { ...mark, gone: 260, at: later };
    await writeWatermarks(journal, later, { sessions: further });
    expect(await marks()).toEqual({ tick: later, tables: { orders: mark, sessions: further } });
  });

  test('of hundreds of tables with the longest names, or with those of fields, are read as they were written', async () => {
    const names = Array.from({ length: 400 }, (_unused, index) => String(index).padEnd(255, 'n'));
    const tables = Object.fromEntries(
      [...names, 'tick', 'watermarks', 'constructor', '__proto__'].map(name => [name, mark]),
    );
    await writeWatermarks(journal, at, tables);
    await pauseTable(journal, '__proto__', { since: at });
    const state = await readState(journal);
    expect(state.watermarks.tables).toEqual(tables);
    expect(Object.keys(state.pauses)).toEqual(['__proto__']);
  });

  test.each([
    ['goes on where the watermark ends', 101, 201, 200],
    ['begins before it', 50, 201, 200],
    ['leaves a second out', 102, 201, 100],
    ['ends before it', 50, 100, 100],
    ['ends with it', 50, 101, 100],
    // Of the last seconds before its start, a replay says nothing.
    ['ends before it begins', 101, 95, 100],
  ])('after 100, a replay that %s, [%d, %d), moves it to %d', async (_name, from, to, gone) => {
    await noteReplayed(journal, 'orders', 0, 100, at);
    await writeWatermarks(journal, at, { orders: mark });
    await noteReplayed(journal, 'orders', from, to, later);
    // A replay makes no watermark where there is none.
    await noteReplayed(journal, 'sessions', from, to, later);
    expect((await marks()).tables).toEqual({ orders: { ...mark, gone, at: gone === 100 ? at : later } });
  });

  test('have what children note beside each other, and a new watermark forgets it', async () => {
    await writeWatermarks(journal, at, { orders: mark, sessions: mark });
    const spans = [0, 1, 2, 3].map(part => ({ from: 101, to: 200, tick: at, part, parts: 4 }));
    await Promise.all(spans.map(span => noteSwept(journal, 'orders', span)));
    const { orders, sessions } = (await marks()).tables;
    expect(orders?.swept).toHaveLength(4);
    expect(orders?.swept).toEqual(expect.arrayContaining(spans));
    expect(sessions).toEqual(mark);
    await writeWatermarks(journal, later, { orders: { ...mark, gone: 199 } });
    expect((await marks()).tables).toMatchObject({ orders: { ...mark, gone: 199 } });
    const [noted] = spans;
    await expect(noteSwept(journal, 'none', noted as (typeof spans)[0])).rejects.toMatchObject({
      name: 'JournalUnwritableError',
    });
  });
});

describe('rows', () => {
  const minute = (minutes: number) => new Date(START + minutes * 60_000).toISOString();
  const row = (minutes: number, over: Partial<SweepRow> = {}): SweepRow => ({
    ...{ table: 'orders', kind: 'tick', execution: `execution-${minutes}` },
    ...{ startedAt: minute(minutes), endedAt: minute(minutes + 2) },
    report: wholeReport({ found: 3, deleted: 2, failed: 1, lagMs: { p50: 10, p99: 20, max: 30 } }),
    ...over,
  });

  async function rows(): Promise<SweepRow[]> {
    const read: SweepRow[] = [];
    for await (const each of readRows(journal, 'orders')) read.push(each);
    return read;
  }

  test('are read as they were written, and stored without what is zero, for ninety days', async () => {
    const listed = { key: { id: { S: 'a' } }, reason: 'ValidationError' };
    const failure = { error: 'AccessDenied', message: 'no' };
    const written = row(0, { kind: 'replay', report: { ...row(0).report, failedKeys: [listed], failure } });
    await putRows(journal, [written]);
    // The same execution again has one row.
    await putRows(journal, [written, row(1), row(1, { table: 'sessions' })]);
    await expect(rows()).resolves.toEqual([row(1), written]);
    const { Items } = await journal.documents.send(new ScanCommand({ TableName: journal.tableName }));
    const stored = Items?.find(({ kind }) => kind === 'replay');
    expect(Object.keys(stored?.['report'] as object).sort()).toEqual(
      ['deleted', 'failed', 'failedKeys', 'failure', 'found', 'lagMs'].sort(),
    );
    expect(Number(stored?.['expires'])).toBe(Date.parse(minute(2)) / 1000 + 90 * 86_400);
  });

  test('of more than a batch, and more than a page, are all there', async () => {
    const failedKeys = [{ keyStart: 'x'.repeat(25_000), reason: 'ValidationError' }];
    const report = { ...row(0).report, failedKeys };
    const written = Array.from({ length: 60 }, (_unused, index) => row(index, { report }));
    await putRows(journal, written);
    await expect(rows()).resolves.toEqual(written.toReversed());
  });

  test.each([
    ['are written again', 10, [25, 15, 5], [50, 200]],
    ['are given up at last, and the error says how many', 0, [25, 25, 25, 25], [50, 200, 800]],
  ])('that DynamoDB has no capacity for %s', async (_name, most, calls, pauses) => {
    const sizes: number[] = [];
    const send = async (command: BatchWriteCommand) => {
      const [[name, requests = []] = ['', []]] = Object.entries(command.input.RequestItems ?? {});
      sizes.push(requests.length);
      command.input.RequestItems = { [name]: requests.slice(0, most) };
      if (most > 0) await journal.documents.send(command);
      return { UnprocessedItems: { [name]: requests.slice(most) } };
    };
    const waited: number[] = [];
    const scarce = { ...journal, documents: { send } as unknown as Documents };
    const written = Array.from({ length: 25 }, (_unused, index) => row(index));
    const writing = putRows(scarce, written, async ms => void waited.push(ms));
    if (most > 0) await writing;
    else {
      await expect(writing).rejects.toThrow(/25 rows are still unprocessed/);
      await expect(writing).rejects.toMatchObject({ name: 'JournalUnwritableError' });
    }
    await expect(rows()).resolves.toHaveLength(most > 0 ? 25 : 0);
    expect([sizes, waited]).toEqual([calls, pauses]);
  });
});

const TICK = '2026-11-20T09:00:00.000Z';
const OTHER = '2026-11-20T09:00:20.000Z';
const MARK = { since: 0, gone: 99, at: TICK, shards: 1 };

/** A note of [from, to), of one part by default. */
const span = (from: number, to: number, part = 0, parts = 1, tick = TICK): SweptSpan => ({
  from,
  to,
  part,
  parts,
  tick,
});

test.each<[string, SweptSpan[], number]>([
  ['nothing', [], 99],
  ['what follows on', [span(100, 200)], 199],
  ['spans in any order', [span(300, 400), span(100, 200), span(200, 300)], 399],
  ['spans up to a gap', [span(100, 200), span(201, 300)], 199],
  ['only what lies behind a gap', [span(101, 300)], 99],
  ['what begins before it', [span(50, 150)], 149],
  ['what lies before it', [span(10, 50)], 99],
  ['the same note twice', [span(100, 200), span(100, 200)], 199],
  ['all parts, as far as the last of them', [span(100, 200, 0, 2), span(100, 160, 1, 2)], 159],
  ['one part of two', [span(100, 200, 0, 2)], 99],
  ['one part of two, twice', [span(100, 200, 1, 2), span(100, 200, 1, 2)], 99],
  ['behind a span of which a part is missing', [span(100, 200, 0, 2), span(200, 300)], 99],
  ['a part each of two ticks', [span(100, 200, 0, 2), span(100, 200, 1, 2, OTHER)], 99],
  ['two ticks with the same beginning', [span(100, 200, 0, 2), span(100, 150, 0, 1, OTHER)], 149],
  ['what another tick has swept further', [span(100, 150), span(100, 300, 0, 1, OTHER)], 299],
])('a watermark moves over %s', (_name, swept, gone) => {
  expect(advanced({ ...MARK, swept })).toEqual({ ...MARK, gone });
});
