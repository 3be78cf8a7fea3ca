import { VirtualClock } from 'stepfunctions-emulator';
import { readRequest, tableOf, UnknownRequestError } from '../../../bench/fuzz/dynamodb.ts';
import { judgeReports } from '../../../bench/fuzz/judge-reports.ts';
import { Oracle } from '../../../bench/fuzz/oracle.ts';
import { NO_DELETES, type Tally } from '../../../bench/fuzz/sdk.ts';
import { MemoryTable, type Who } from '../../../bench/fuzz/table.ts';
import type { FollowedPipe } from '../../../bench/ledger/deliveries.ts';
import type { EventImage } from '../../../expiry/expiry-event.ts';
import { expiryModel } from '../../../expiry/index.ts';

const TTL = 1_811_851_200;
const PIPES = [{ name: 'events', target: 'queue', oldImage: true }] as const;

const image = (more: EventImage = {}): EventImage => ({ id: { S: 'a' }, ttl: { N: String(TTL) }, ...more });

function tableOfNow(tableName: string, nowMs: number): MemoryTable {
  const model = expiryModel({ partitionKey: 'id', ttlAttribute: 'ttl', indexedBy: 'second' });
  return new MemoryTable({
    settings: { tableName, indexName: 'i', model },
    ...{ clock: new VirtualClock(nowMs), asServerHasIt: at => at, indexLagMs: () => 0 },
  });
}

/** An oracle beside a table whose item is written a minute before its expiry. */
async function watched(pipes: readonly FollowedPipe[], item: EventImage) {
  const table = tableOfNow('t', (TTL - 60) * 1000);
  const { clock } = table.options;
  const oracle = new Oracle(table, pipes);
  table.put(item);
  const found = () => oracle.verdict((TTL + 600) * 1000).map(({ finding }) => finding);
  const removeAt = async (by: Who, afterMs: number) => {
    await clock.sleep(TTL * 1000 + afterMs - clock.now());
    table.delete(table.idOf(item), by);
  };
  return { oracle, found, removeAt };
}

test.each<[string, readonly FollowedPipe[], Who, number, EventImage, string[]]>([
  ['a delete in the second of the expiry', [], 'sweep', 0, image(), []],
  ['a delete by a user at any time', [], 'user', -5_000, image(), []],
  ['a live item deleted', [], 'sweep', -1, image(), ['liveDeleted']],
  ['an item without TTL deleted', [], 'sweep', 10, { id: { S: 'a' } }, ['liveDeleted']],
  ['an item deleted six years after its expiry', [], 'sweep', 6 * 365 * 86_400_000, image(), ['liveDeleted']],
  ['an expiry without an event', PIPES, 'sweep', 10, image(), ['notDelivered']],
  ["a user's delete without an event", PIPES, 'user', -9_000, image(), []],
])('%s', async (_what, pipes, by, afterMs, item, findings) => {
  const { removeAt, found } = await watched(pipes, item);
  await removeAt(by, afterMs);
  expect(found()).toEqual(findings);
});

test.each<[string, EventImage, boolean]>([
  ['an expired item that is left', image(), true],
  ['no live item', image({ ttl: { N: String(TTL + 601) } }), false],
  ['no item that expired five years ago', image({ ttl: { N: String(TTL - 5 * 365 * 86_400) } }), false],
])('finds %s', async (_what, item, isLeft) => {
  const { oracle, found } = await watched([], item);
  expect(found()).toEqual(isLeft ? ['left'] : []);
  const bounds = { calmAt: 0, strictMs: 3_000, aheadMs: 120_000, looseMs: 60_000, afterFaultsMs: 0 };
  const late = (afterMs: number, calmAt = 0) =>
    oracle.late(TTL * 1000 + afterMs, { ...bounds, calmAt }).map(({ finding }) => finding);
  expect(late(60_001)).toEqual(isLeft ? ['leftByTicks'] : []);
  // It was written a minute before its expiry, and so has another minute.
  expect(late(60_000)).toEqual([]);
  expect(late(60_001, TTL * 1000 + 60_002)).toEqual([]);
});

test.each<[string, number, number, string[], number?]>([
  ['in time', 3_000, 180, []],
  ['too late', 3_001, 180, ['late']],
  ['in time for what is written shortly before its expiry', 60_000, 60, []],
  ['too late for that, too', 60_001, 60, ['late']],
  ['in time in a minute that is watched', 3_000, 60, [], 60],
  ['too late for that', 3_001, 60, ['late'], 60],
])('an item that is deleted %s', async (_what, afterMs, aheadSeconds, findings, enough = 120) => {
  const item = image({ ttl: { N: String(TTL + aheadSeconds - 60) } });
  const { oracle, removeAt } = await watched([], item);
  await removeAt('sweep', (aheadSeconds - 60) * 1000 + afterMs);
  const bounds = { calmAt: 0, strictMs: 3_000, aheadMs: enough * 1000, looseMs: 60_000, afterFaultsMs: 0 };
  expect(oracle.late((TTL + 600) * 1000, bounds).map(({ finding }) => finding)).toEqual(findings);
});

const GUARDED = 'DELETE FROM "a ""t""" WHERE "id" = ? AND "ttl" <= ? AND "ttl" > ? RETURNING ALL OLD *';
const PARAMETERS = [{ S: 'x' }, { N: '10' }, { N: '5' }];

function tableWith(attributes: EventImage): MemoryTable {
  const table = tableOfNow('a "t"', 0);
  table.put({ id: { S: 'x' }, ...attributes });
  return table;
}

const batch = (Statement: string, Parameters: readonly object[] = PARAMETERS) => ({
  Statements: [{ Statement, Parameters }],
});

test.each<[EventImage, boolean]>([
  [{ ttl: { N: '9' } }, true],
  [{ ttl: { N: '10' } }, true],
  [{ ttl: { N: '10.5' } }, false],
  [{ ttl: { N: '5' } }, false],
  [{ ttl: { S: '9' } }, false],
  [{}, false],
])('%j is deleted: %s', (attributes, isDeleted) => {
  const table = tableWith(attributes);
  expect(tableOf('BatchExecuteStatement', batch(GUARDED))).toBe('a "t"');
  const { body } = readRequest('BatchExecuteStatement', batch(GUARDED), table).answer(new Map());
  const [answer] = (body as { readonly Responses: readonly object[] }).Responses;
  const expected = isDeleted ? { Item: attributes } : { Error: { Code: 'ConditionalCheckFailed' } };
  expect(answer).toMatchObject(expected);
  expect(table.images.size).toBe(isDeleted ? 0 : 1);
});

test.each([
  ['BatchExecuteStatement', batch('SELECT * FROM "a ""t"""')],
  ['BatchExecuteStatement', batch(GUARDED.replace(' AND "ttl" > ?', ''), PARAMETERS.slice(0, 2))],
  ['BatchExecuteStatement', batch(GUARDED.replace('<=', '<'))],
  ['BatchExecuteStatement', batch(GUARDED, PARAMETERS.slice(0, 2))],
  ['BatchWriteItem', { RequestItems: { 'a "t"': [{ PutRequest: {} }] } }],
  ['Query', { IndexName: 'i', KeyConditionExpression: '#ttl < :second', ExpressionAttributeNames: {} }],
  ['DeleteItem', {}],
])('refuses a %s that the functions never send', (operation, body) => {
  expect(() => readRequest(operation, body, tableWith({})).answer(new Map())).toThrow(UnknownRequestError);
});

const TABLES = [{ name: 't', settings: { deleteMode: 'guarded' } }] as never;

const NONE = { deleted: 0, renewed: 0, notFound: 0, failed: 0, shardsFailed: 0 };

/** @param report what was found is the sum of its counts, unless it says so */
function judged(
  report: Partial<Record<keyof typeof NONE | 'found', number>> | undefined,
  answered: Partial<Tally>,
  how: object = {},
  isReceived = true,
) {
  const { deleted, renewed, notFound, failed } = { ...NONE, ...report };
  const whole = { ...NONE, found: deleted + renewed + notFound + failed, ...report };
  const text = report && JSON.stringify({ tables: { t: whole } });
  const calls = [{ tally: new Map([['t', { ...NO_DELETES, ...answered }]]), isReceived }];
  return judgeReports(
    { name: 'x', status: 'SUCCEEDED', error: undefined, outputText: text, cause: text, ...how },
    calls,
    TABLES,
    false,
  );
}

const FAILED = { status: 'FAILED', error: 'SweepIncompleteError' };

test.each([
  ['what was answered', { deleted: 2 }, { deleted: 2, applied: 2 }, {}],
  [
    'a delete whose answer was lost and that was not found later',
    { deleted: 1, notFound: 1 },
    { deleted: 1, notFound: 1, applied: 2 },
    {},
  ],
  [
    'less than was answered, after an interruption',
    { deleted: 1, shardsFailed: 1 },
    { deleted: 2, applied: 2 },
    FAILED,
  ],
  ['nothing, of an execution that was stopped', undefined, { deleted: 2, applied: 2 }, { status: 'ABORTED' }],
  ['a key that was refused', { deleted: 1, failed: 1 }, { deleted: 1, applied: 1, refused: 1 }, FAILED],
])('a report may say %s', (_what, report, answered, how) => {
  expect(judged(report, answered, how)).toEqual([]);
});

test.each([
  ['more than was answered', { deleted: 3 }, { deleted: 2, applied: 3 }, {}, 'says deleted 3'],
  ['less than was answered', { deleted: 1 }, { deleted: 2, applied: 2 }, {}, 'says deleted 1'],
  ['a delete in no report', { deleted: 1 }, { deleted: 1, applied: 2 }, {}, 'DynamoDB deleted 2'],
  ['a refused key in no report', { deleted: 1 }, { deleted: 1, applied: 1, refused: 1 }, {}, 'refused'],
  [
    'a sum that is not what was found',
    { found: 3, deleted: 2 },
    { deleted: 2 },
    {},
    'found 3 of t, but deleted 2 +',
  ],
  [
    'a success without a report',
    undefined,
    {},
    { outputText: 'oh' },
    'x ended SUCCEEDED without a report: oh',
  ],
  ['a success that left keys', { failed: 1 }, { refused: 1 }, {}, 'succeeded and left 1'],
])('%s is found', (_what, report, answered, how, message) => {
  expect(judged(report, answered, how).map(({ id }) => id)).toContainEqual(expect.stringContaining(message));
});

test('deletes of a call whose result did not arrive count as applied only', () => {
  expect(judged({ deleted: 0 }, { deleted: 1, applied: 1 }, {}, false)).toHaveLength(1);
  expect(judged({ deleted: 0, notFound: 0, failed: 1 }, { deleted: 1, applied: 1 }, FAILED, false)).toEqual(
    [],
  );
});
