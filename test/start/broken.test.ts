/** @jest-environment ./test/support/dynamodb-environment.ts */

import { DeleteItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { PromiseName, Status } from '../../bench/demo/judge.ts';
import { waitUntil } from '../../functions/retry/backoff.ts';
import type { LocalCloudOptions } from '../../local/cloud.ts';
import type { InvokeWrapper } from '../../local/functions/local-functions.ts';
import type { ChildStart } from '../../statemachine/contract/child.ts';
import type { Chunk } from '../../statemachine/contract/chunks.ts';
import type { PlanSweepOutput } from '../../statemachine/contract/execution.ts';
import type { ExpiredKey } from '../../statemachine/contract/keys.ts';
import { useLocalDynamoDb } from '../support/local-dynamodb.ts';
import { answering, deployedWith, JOB_STARTED, judgedJob, SleepingClock } from '../support/main-job.ts';

/*
 * What npm start says of a sweep that does not do what its configuration says, and of a machine that sleeps. Everything
 * that is deployed is the real thing, but for the one thing that is broken.
 */

const dynamoDb = useLocalDynamoDb();

/** Changes what PlanSweep lets the children begin with. */
const planning = (change: (due: readonly ChildStart[]) => readonly ChildStart[]) =>
  answering('plan-sweep', payload => {
    const plan = payload as PlanSweepOutput;
    return { ...plan, groups: plan.groups.map(({ due }) => ({ due: change(due) })) };
  });

const isUpcoming = ({ sweep }: ChildStart) => sweep.target.upcomingFrom !== null;

const later = (start: ChildStart, seconds: number): ChildStart => ({
  ...start,
  until: start.until && waitUntil(Date.parse(start.until) / 1000 + seconds),
});

interface Judged {
  readonly minutes?: number;
  /** @default only that not all is gone in time */
  readonly notKept?: Partial<Record<PromiseName, Status>>;
}

test.concurrent.each<[string, Partial<LocalCloudOptions>, number, Judged?]>([
  [
    'children that are not started for the upcoming minute',
    planning(due => due.filter(start => !isUpcoming(start))),
    50_000,
    // A child that was planned and says nothing has failed.
    { notKept: { goneInTime: 'broken', nothingFailed: 'broken' } },
  ],
  ['children that wait half a minute too long', planning(due => due.map(start => later(start, 30))), 25_000],
  [
    'ticks that come every other minute',
    { isNeeded: async ({ scheduledTime }) => (scheduledTime / 60_000) % 2 === 0 },
    50_000,
    { minutes: 2 },
  ],
])(
  '%s are told from a slow machine',
  async (_name, cloud, lagMs, { minutes = 1, notKept: expected = { goneInTime: 'broken' } } = {}) => {
    const { status, notKept, maxLagMs, machine, printed } = await judgedJob(cloud, minutes);
    expect({ status, notKept }).toEqual({ status: 1, notKept: expected });
    expect(maxLagMs).toBeGreaterThan(lagMs);
    expect(machine.stoodStillMs).toBe(0);
    expect(printed).toContain('though this machine had time for them');
  },
);

/** Leaves the first item that the sweep finds, which is one of those that had expired before. */
function leavingOne(): Partial<LocalCloudOptions> {
  let left: string | undefined;
  return answering('query-expired', payload => {
    const page = payload as { readonly chunks?: readonly Chunk[] };
    left ??= JSON.stringify(page.chunks?.flatMap(({ keys }) => keys)[0]?.key);
    const isSwept = ({ key }: ExpiredKey) => JSON.stringify(key) !== left;
    const chunks = page.chunks?.map(chunk => ({ ...chunk, keys: chunk.keys.filter(isSwept) }));
    return { ...page, ...(chunks && { chunks: chunks.filter(({ keys }) => keys.length > 0) }) };
  });
}

/** Deletes an item that is to live longest, when a tick is planned after some are written. */
function deletingOneLive(): Partial<LocalCloudOptions> {
  let isDone = false;
  const wrap: InvokeWrapper = async ({ functionName, payload }, next) => {
    const planned = await next();
    if (isDone || !functionName.endsWith('-plan-sweep')) return planned;
    const [{ tableName: TableName }] = (payload as { tables: [{ tableName: string }] }).tables;
    const { Items = [] } = await dynamoDb.client.send(new ScanCommand({ TableName }));
    const ttlOf = (item: (typeof Items)[number]) => Number(item['ExpirationTime']?.N ?? 0);
    const { UserName, SessionId, ...last } = Items.toSorted((a, b) => ttlOf(b) - ttlOf(a))[0] ?? {};
    if (UserName === undefined || SessionId === undefined || ttlOf(last) * 1000 < JOB_STARTED) return planned;
    isDone = true;
    await dynamoDb.client.send(new DeleteItemCommand({ TableName, Key: { UserName, SessionId } }));
    return planned;
  };
  return { functions: { wrap } };
}

test.concurrent.each<
  [string, () => Partial<LocalCloudOptions>, Partial<Record<PromiseName, Status>>, RegExp]
>([
  [
    'leaves one item of those that had expired before',
    leavingOne,
    { expiredDeleted: 'broken', tableAsWritten: 'broken' },
    /✗ 1 expired items still in the table: /,
  ],
  [
    'deletes one live item',
    deletingOneLive,
    { liveKept: 'broken', tableAsWritten: 'broken' },
    /✗ live items deleted: expected 0, got 1/,
  ],
])('a sweep that %s is broken', async (_name, sabotage, broken, says) => {
  const { status, notKept, printed } = await judgedJob(sabotage());
  expect({ status, notKept }).toMatchObject({ status: 1, notKept: broken });
  expect(printed).toMatch(says);
});

test('a machine whose timers sleep with it delays what it waits for after it has woken', async () => {
  // In the wait for the first minute; the tick of 09:01 was to come while it sleeps.
  const clock = new SleepingClock(JOB_STARTED, Date.parse('2026-11-20T09:00:55Z'), 20_000, true);
  const { status, notKept, machine } = await judgedJob({ clock });
  expect(machine.stoodStillMs).toBeGreaterThan(19_000);
  expect({ status, notKept }).toEqual({ status: 3, notKept: { goneInTime: 'undecided' } });
});

test('a machine that sleeps does not excuse a sweep that is broken', async () => {
  const { status, notKept } = await judgedJob({
    clock: new SleepingClock(JOB_STARTED, Date.parse('2026-11-20T09:01:40Z'), 5_000),
    ...deployedWith({ precision: 'minute' }),
  });
  expect({ status, notKept }).toEqual({ status: 1, notKept: { goneInTime: 'broken' } });
});

test('what is not deleted at all is broken, however long the machine slept', async () => {
  // By then everything has expired, and the sweep is given the time to make up for it.
  const clock = new SleepingClock(JOB_STARTED, Date.parse('2026-11-20T09:01:40Z'), 3_600_000);
  const { status, notKept, printed } = await judgedJob({
    clock,
    ...answering('query-expired', payload => ({ ...(payload as object), chunks: [] })),
  });
  expect(status).toBe(1);
  expect(notKept).toMatchObject({ expiredDeleted: 'broken', tableAsWritten: 'broken' });
  expect(printed).toMatch(/✗ expired, deleted: expected \d+, got 0/);
});

/** Stands before the functions whose names end so. */
const before = (name: string, wrap: InvokeWrapper): Partial<LocalCloudOptions> => ({
  functions: {
    wrap: (call, next) => (call.functionName.endsWith(`-${name}`) ? wrap(call, next) : next()),
  },
});
const passesNothing: InvokeWrapper = async () => ({ ok: true, payload: [] });

test('an OnlyExpiries that passes nothing is seen', async () => {
  const { status, notKept, printed } = await judgedJob(before('only-expiries', passesNothing), 1, {
    archive: true,
  });
  expect({ status, notKept }).toEqual({ status: 1, notKept: { eventOfEach: 'broken' } });
  expect(printed).toMatch(/✗ deleted, with event +0 of \d+ +of 2 pipes/);
});
