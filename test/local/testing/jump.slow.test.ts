/** @jest-environment ./test/support/dynamodb-environment.ts */
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { seededRandom } from 'stepfunctions-emulator';
import { expiryAttributes } from '../../../expiry/index.ts';
import { IdleTicks } from '../../../local/testing/idle-ticks.ts';
import { type LocalPreciseTtl, type PreciseTtlProps, withPreciseTtl } from '../../../local/testing/index.ts';
import { modelOf } from '../../../stacks/config/deployments.ts';
import { dynamoDbOfFile } from '../../support/local-dynamodb.ts';

// What `advance` leaves out changes nothing that a test can see.

const START = Date.parse('2026-11-20T21:48:20Z');
const BUS = 'arn:aws:events:us-east-1:123456789012:event-bus/orders';

const { isNeeded } = IdleTicks.prototype;
const decide = jest.spyOn(IdleTicks.prototype, 'isNeeded');
afterEach(() => decide.mockClear());

interface Plan {
  readonly table: Partial<PreciseTtlProps>;
  readonly items: number;
  readonly hours: number;
  readonly seed: number;
}

/** Runs a plan of random writes and steps, and returns all that a test can see afterwards. */
function run({ table, items, hours, seed }: Plan) {
  const props: PreciseTtlProps = { tableName: 'Sessions', partitionKey: 'id', ...table };
  const model = modelOf(props);
  const random = seededRandom(seed);
  const within = (seconds: number) => Math.floor(random.next() * seconds);
  const use = async (local: LocalPreciseTtl) => {
    const { documents, client, clock } = local;
    const write = async (id: string, expiresAt: number) => {
      const Item = { id, ...expiryAttributes(model, { id }, { expiresAt, nowMs: (expiresAt - 10) * 1000 }) };
      await documents.send(new PutCommand({ TableName: 'Sessions', Item }));
    };
    const { TableNames = [] } = await client.send(new ListTablesCommand({}));
    const TableName = TableNames.find(name => name.endsWith('-journal')) ?? '';
    const journal = async (id: string) => {
      const values = { KeyConditionExpression: 'id = :id', ExpressionAttributeValues: { ':id': id } };
      return (await documents.send(new QueryCommand({ TableName, ...values }))).Items ?? [];
    };
    const pause = { id: 'deployment', at: 'table#Sessions' };
    const steps = 6;
    for (let step = 0; step < steps; step++) {
      const now = Math.floor(clock.now() / 1000);
      // Some have expired before they are written.
      for (let each = 0; each < items / steps; each++)
        await write(`${step}-${each}`, now - 1_200 + within(hours * 3_600));
      if (step === 3) {
        const Item = { ...pause, pause: { since: new Date(clock.now()).toISOString() } };
        await documents.send(new PutCommand({ TableName, Item }));
      }
      if (step === 4) await documents.send(new DeleteCommand({ TableName, Key: pause }));
      await documents.send(new DeleteCommand({ TableName: 'Sessions', Key: { id: `${step}-0` } }));
      await local.advance(`${(hours * 3_600) / steps - 60 + within(120)}s`);
    }
    // The replay waits by real time for a call that is slow.
    const now = clock.now();
    const span = { from: new Date(START).toISOString(), to: new Date(now).toISOString() };
    const replayed = await local.sweep('Sessions', span);
    const { Items = [] } = await documents.send(new ScanCommand({ TableName: 'Sessions' }));
    const idOf = ({ key }: { readonly key: object }) => JSON.stringify(key);
    const expiries = (await local.expiries()).toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
    const rows = [...(await journal('sweep#Sessions')), { startedAt: '', report: replayed }];
    const [mark] = await journal('deployment');
    const { since, gone } = mark?.['table#Sessions'] ?? {};
    return {
      seen: {
        ...{ since, gone, now, left: Items.map(({ id }) => id).sort() },
        expired: expiries.map(({ key }) => key),
        reports: rows.map(({ startedAt, report }) => {
          const { found, deleted, renewed, notFound, failed } = report;
          return { startedAt, found, deleted, renewed, notFound, failed };
        }),
      },
      // A call takes real time, and a slow one plans nothing: its items go a second later.
      times: [
        ...expiries.map(({ deletedAt }) => Date.parse(deletedAt)),
        ...rows.map(({ report }) => report.lagMs?.max ?? 0),
      ],
    };
  };
  return withPreciseTtl({ tables: [props] }, use, {
    dynamoDbEndpoint: dynamoDbOfFile().endpoint,
    startTime: START,
  });
}

test.each<[string, Plan]>([
  ['by window', { table: { events: { to: BUS } }, items: 24, hours: 1, seed: 1 }],
  ['by second', { table: { events: { to: BUS }, index: { by: 'second' } }, items: 12, hours: 0.4, seed: 2 }],
  ['with a limit', { table: { maxDeletesPerSecond: 1 }, items: 18, hours: 0.5, seed: 3 }],
  ['a minute late', { table: { precision: 'minute' }, items: 18, hours: 0.5, seed: 4 }],
])('%s a jump and its ticks one by one come to the same', async (_what, plan) => {
  decide.mockImplementation(isNeeded);
  const jumped = await run(plan);
  const ticks = await Promise.all(decide.mock.results.map(({ value }) => value));
  decide.mockImplementation(async function (this: IdleTicks, input, nowMs) {
    await this.prepare(input, nowMs);
    return true;
  });
  const oneByOne = await run(plan);
  expect(jumped.seen).toEqual(oneByOne.seen);
  for (const [at, time] of jumped.times.entries())
    expect(Math.abs(time - (oneByOne.times[at] ?? 0))).toBeLessThan(5_000);
  expect(ticks.filter(Boolean).length).toBeLessThan(ticks.length);
});

// `npm run test:slow -- test/local/testing/jump -t 'a day'`: jest prints the time of each, and a second and a half of it is the start.
test.each([
  ['an empty table by window', 'window', 0],
  ['an empty table by second', 'second', 0],
  ['thirty expiries', 'window', 30],
] as const)('a day of %s runs no tick that has nothing to do', async (_what, by, items) => {
  decide.mockImplementation(isNeeded);
  const props: PreciseTtlProps = { tableName: 'Sessions', partitionKey: 'id', index: { by } };
  const random = seededRandom(1);
  const use = async ({ advance, clock, documents }: LocalPreciseTtl) => {
    for (let each = 0; each < items; each++) {
      const ttlSeconds = 200 + Math.floor(random.next() * 86_000);
      const item = { id: `${each}` };
      const Item = { ...item, ...expiryAttributes(modelOf(props), item, { ttlSeconds, nowMs: clock.now() }) };
      await documents.send(new PutCommand({ TableName: 'Sessions', Item }));
    }
    await advance('1d');
    const ticks = await Promise.all(decide.mock.results.map(({ value }) => value));
    expect(ticks).toHaveLength(1440);
    expect(ticks.filter(Boolean).length).toBeLessThanOrEqual(items);
    expect((await documents.send(new ScanCommand({ TableName: 'Sessions' }))).Count).toBe(0);
  };
  await withPreciseTtl({ tables: [props] }, use, { startTime: START });
});
