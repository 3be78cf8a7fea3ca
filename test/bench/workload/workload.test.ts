import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { seededRandom, VirtualClock } from 'stepfunctions-emulator';
import { MachineWatch } from '../../../bench/workload/machine.ts';
import { type Action, backlogOf, type PlanOptions, planItems } from '../../../bench/workload/plan.ts';
import { WatchedTable } from '../../../bench/workload/watched-table.ts';
import { expiryModel } from '../../../expiry/index.ts';
import { localDynamoDb } from '../../../local/dynamodb/clients.ts';

const NOW = Date.parse('2026-11-20T09:00:00Z');
const TTL = NOW / 1000 + 60;
const model = expiryModel({ partitionKey: 'User', sortKey: 'CreatedAt' });

type Input = Readonly<Record<string, unknown>>;

const client = localDynamoDb('http://127.0.0.1:1', 'us-east-1');
afterAll(() => client.destroy());

/** A table whose requests a test answers in place of DynamoDB. */
function tableThat(answer: (command: string) => unknown = () => ({}), type = 'S') {
  const sent: [command: string, at: number, input: Input][] = [];
  const clock = new VirtualClock(NOW);
  jest.spyOn(DynamoDBDocumentClient.prototype, 'send').mockImplementation(async (command: object) => {
    const { input } = command as { input: Input };
    sent.push([command.constructor.name, (clock.now() - NOW) / 1000, input]);
    return answer(command.constructor.name);
  });
  const table = { name: 'Sessions', region: 'us-east-1', attributes: { User: type, CreatedAt: type } };
  const watched = new WatchedTable({
    ...{ cloud: { client } as never, table: table as never, model, prefix: 'x', clock },
    onError: () => undefined,
  });
  const write = (...actions: readonly Action[]) => watched.write(actions, new AbortController().signal);
  return { sent, clock, watched, write };
}

const action = (item: number, seconds: number, ttl: number | undefined = TTL): Action => ({
  ...{ atMs: NOW + seconds * 1000, item, ttl },
  how: 'wrote',
});
const renewal = (seconds: number) => ({ ...action(1, seconds, TTL + 60), how: 'renewed' }) as const;

test.each(['KEYS_ONLY', 'NEW_IMAGE'])(
  'a stream of %s shows no deleted item, and is refused',
  async stream => {
    const table = { name: 'Sessions', region: 'us-east-1', attributes: {}, stream };
    const options = { cloud: { client } as never, table: table as never, model, prefix: 'x' };
    const starting = WatchedTable.start({
      ...options,
      clock: new VirtualClock(NOW),
      onError: () => undefined,
    });
    await expect(starting).rejects.toThrow(
      `expected a stream with old images to see deletions by, got ${stream}`,
    );
  },
);

test.each([
  ['a string', 'S', 'x-7'],
  ['a number', 'N', '7'],
  ['bytes', 'B', 'x-7'],
])('a sort key that is %s names the item, in the ledger as in the stream', async (_name, type, id) => {
  const { watched, write } = tableThat(undefined, type);
  await write(action(7, 0));
  expect(watched.ledger.current(id)).toMatchObject({ number: 1 });
  const value = { [type]: type === 'B' ? Buffer.from(id).toString('base64') : id };
  const image = { CreatedAt: value, BenchVersion: { N: '2' }, ExpirationTime: { N: '5' } } as never;
  expect(watched.read(image)).toMatchObject({ id, version: 2 });
});

test('every write comes at its time and gives its item another version; the ledger has what was acknowledged', async () => {
  const { sent, write, watched } = tableThat();
  await write(
    action(1, 1),
    renewal(2),
    { ...renewal(3), how: 'made permanent', ttl: undefined },
    action(2, 5),
  );
  expect(sent.map(([command, at]) => [command, at])).toEqual([
    ['PutCommand', 1],
    ['UpdateCommand', 2],
    ['UpdateCommand', 3],
    ['PutCommand', 5],
  ]);
  expect(sent[0]?.[2]).toMatchObject({
    Item: { CreatedAt: 'x-1', [model.ttlAttribute]: TTL, BenchVersion: 1 },
  });
  expect(JSON.stringify(sent[2])).toContain('":version":3');
  expect(watched.ledger.current('x-1')).toMatchObject({ number: 3, written: { how: 'made permanent' } });
});

test('a renewal that came too late is no write', async () => {
  const refused = new ConditionalCheckFailedException({ message: 'no', $metadata: {} });
  const { write, watched } = tableThat(command => {
    if (command === 'UpdateCommand') throw refused;
  });
  await write(action(1, 0), renewal(1));
  expect(watched.ledger.current('x-1')).toMatchObject({ number: 1, ttl: TTL });
});

test('what would expire before it is written is left out; what had expired by plan is written', async () => {
  const { clock, sent, write } = tableThat();
  await clock.sleep(61_000);
  await write(action(1, 1), action(2, 2, TTL + 60), action(3, 3, NOW / 1000 - 9));
  expect(sent.map(([, , { Item }]) => (Item as Input)['CreatedAt'])).toEqual(['x-2', 'x-3']);
});

test('an item waits for its action before, and no other item does', async () => {
  const { clock, sent, write } = tableThat(() => clock.sleep(10_000));
  await clock.sleep(5_000);
  await write(action(1, 1), renewal(2), action(2, 3));
  expect(sent.map(([command, at]) => [command, at])).toEqual([
    ['PutCommand', 5],
    ['PutCommand', 5],
    ['UpdateCommand', 15],
  ]);
});

test('ends with the first error, and when it is stopped', async () => {
  const failing = tableThat(() => {
    throw new Error('no table');
  });
  await expect(failing.write(action(1, 1), action(2, 2))).rejects.toThrow('no table');
  expect(failing.sent).toHaveLength(1);
  const stopping = new AbortController();
  const { watched, sent } = tableThat(() => stopping.abort());
  await watched.write([action(1, 1), action(2, 2)], stopping.signal);
  expect(sent).toHaveLength(1);
});

const START = 1_800_000_000_400;
const FIRST = Math.ceil(START / 1000) + 10;
const plan = (over: Partial<PlanOptions> = {}) =>
  planItems({
    ...{ startMs: START, firstTtl: FIRST, seconds: 180, rate: 20, renewals: true, random: seededRandom(1) },
    ...over,
  });

test('items expire at a steady rate; each is written first, in time and in order', () => {
  const { actions, lastTtl } = plan();
  const writes = actions.filter(({ how }) => how === 'wrote');
  expect(new Set(writes.map(({ item }) => item)).size).toBe(3600);
  const perSecond = Map.groupBy(writes, ({ ttl }) => ttl);
  perSecond.delete(undefined);
  expect([...perSecond.keys()].toSorted()).toEqual(Array.from({ length: 180 }, (_unused, at) => FIRST + at));
  expect(lastTtl).toBe(FIRST + 179);
  // 5 % never expire.
  for (const { length } of perSecond.values()) expect(length).toBeGreaterThan(10);
  expect(actions).toEqual(actions.toSorted((one, other) => one.atMs - other.atMs));
  for (const { atMs, ttl = Number.POSITIVE_INFINITY } of writes) {
    expect(atMs).toBeGreaterThanOrEqual(START);
    expect(ttl * 1000 - atMs).toBeGreaterThanOrEqual(9_000);
  }
});

test('some are renewed or made permanent in their last seconds; some expire again, some outlive the run', () => {
  const { actions, lastTtl } = plan();
  const ttls = new Map(actions.flatMap(({ how, item, ttl }) => (how === 'wrote' ? [[item, ttl]] : [])));
  const changes = actions.filter(({ how }) => how !== 'wrote');
  for (const { item, atMs, ttl = Number.POSITIVE_INFINITY } of changes) {
    const left = Number(ttls.get(item)) * 1000 - atMs;
    expect(left).toBeGreaterThanOrEqual(1_000);
    expect(left).toBeLessThanOrEqual(5_000);
    expect(ttl).toBeGreaterThan(Number(ttls.get(item)));
  }
  const renewals = changes.flatMap(({ ttl }) => ttl ?? []);
  expect(renewals.some(ttl => ttl <= lastTtl)).toBe(true);
  expect(renewals.some(ttl => ttl > lastTtl + 3600)).toBe(true);
  expect(changes.length - renewals.length).toBeGreaterThan(100);
});

test('the same seed gives the same plan; without renewals every item is written once', () => {
  expect(plan()).toEqual(plan());
  expect(plan({ random: seededRandom(2) })).not.toEqual(plan());
  expect(plan({ renewals: false }).actions.map(({ how }) => how)).toEqual(Array(3600).fill('wrote'));
});

test.each([
  ['less than an item', { seconds: 6, rate: 0.1 }, 1, 5],
  ['seconds that were meant to be whole', { seconds: 8.3 * 60, rate: 1 }, 498, 497],
  ['a part of a second', { seconds: 6.5, rate: 2 }, 14, 6],
])('has at least an item, and whole seconds: %s', (_case, options, items, last) => {
  const { actions, lastTtl } = plan({ ...options, renewals: false });
  expect(actions).toHaveLength(items);
  expect(lastTtl).toBe(FIRST + last);
});

test('a backlog expired within ten minutes before, and is none of the planned items', () => {
  const backlog = backlogOf(FIRST, 20);
  expect(new Set(backlog.map(({ item }) => item)).size).toBe(480);
  expect(Math.max(...backlog.map(({ item }) => item))).toBe(-1);
  expect([backlog[0]?.ttl, backlog.at(-1)?.ttl]).toEqual([FIRST - 1, FIRST - 599]);
  expect([0.1, 0.5, 1_000].map(rate => backlogOf(FIRST, rate).length)).toEqual([3, 12, 480]);
});

const AWAKE = Date.parse('2026-11-20T09:00:00Z');

/** A machine that sleeps once for some time, beginning after a second. */
async function watched(sleepMs: number): Promise<MachineWatch> {
  const clock = new VirtualClock(AWAKE);
  const awake = clock.now.bind(clock);
  clock.now = () => (awake() < AWAKE + 1_000 ? awake() : awake() + sleepMs);
  const watch = new MachineWatch(clock);
  await clock.sleep(4_050);
  watch.stop();
  watch.stop();
  return watch;
}

test('a machine that has time loses none, and excuses nothing', async () => {
  const watch = await watched(49);
  expect(watch.stoodStillMs).toBe(0);
  expect(watch.excuses(AWAKE, AWAKE + 4_000, 1)).toBe(false);
});

test('one that stands still excuses as much, and anything near it when that was long enough for a tick', async () => {
  const short = await watched(900);
  expect(short.stoodStillMs).toBe(900);
  expect([900, 901].map(late => short.excuses(AWAKE, AWAKE + 4_000, late))).toEqual([true, false]);
  const long = await watched(20_000);
  const woken = AWAKE + 21_000;
  expect(long.longestStandstillMs(woken, woken + 1)).toBe(20_000);
  expect([woken + 120_000, woken + 120_001].map(due => long.excuses(due, due + 9, 9))).toEqual([true, false]);
  // What came before the standstill was not delayed by it.
  expect(long.excuses(AWAKE, AWAKE + 900, 9)).toBe(false);
});
