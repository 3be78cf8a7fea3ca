/** @jest-environment ./test/support/dynamodb-environment.ts */

import { DeleteItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { PromiseName, Status } from '../../bench/demo/judge.ts';
import type { LocalCloudOptions } from '../../local/cloud.ts';
import type { InvokeWrapper } from '../../local/functions/local-functions.ts';
import type { ChildStart } from '../../statemachine/contract/child.ts';
import type { Chunk } from '../../statemachine/contract/chunks.ts';
import type { PlanSweepOutput } from '../../statemachine/contract/execution.ts';
import type { ExpiredKey } from '../../statemachine/contract/keys.ts';
import { useLocalDynamoDb } from '../support/local-dynamodb.ts';
import { answering, JOB_STARTED, judgedJob, SleepingClock } from '../support/main-job.ts';

/*
 * What npm start says of a sweep that does not do what its configuration says, and of a machine that sleeps. Everything
 * that is deployed is the real thing, but for the one thing that is broken.
 */

const dynamoDb = useLocalDynamoDb();

type Judged = Partial<Record<PromiseName, Status>>;

/** Children are not started for the upcoming minute. */
const withoutUpcoming = answering('plan-sweep', payload => {
  const plan = payload as PlanSweepOutput;
  const isBack = ({ sweep }: ChildStart) => sweep.target.upcomingFrom === null;
  return { ...plan, groups: plan.groups.map(({ due }) => ({ due: due.filter(isBack) })) };
});

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
    // Two ticks may be planned at once.
    if (isDone) return planned;
    isDone = true;
    await dynamoDb.client.send(new DeleteItemCommand({ TableName, Key: { UserName, SessionId } }));
    return planned;
  };
  return { functions: { wrap } };
}

const passesNothing: InvokeWrapper = async ({ functionName }, next) =>
  functionName.endsWith('-only-expiries') ? { ok: true, payload: [] } : next();

test.concurrent.each<[string, () => Partial<LocalCloudOptions>, Judged, RegExp]>([
  [
    'has no children for the upcoming minute is told from a slow machine',
    () => withoutUpcoming,
    // A child that was planned and says nothing has failed.
    { goneInTime: 'broken', nothingFailed: 'broken' },
    /though this machine had time for them/,
  ],
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
  [
    'deletes nothing, however long the machine slept',
    () => ({
      // By then everything has expired, and the sweep is given the time to make up for it.
      clock: new SleepingClock(JOB_STARTED, Date.parse('2026-11-20T09:01:40Z'), 3_600_000),
      ...answering('query-expired', payload => ({ ...(payload as object), chunks: [] })),
    }),
    { expiredDeleted: 'broken', tableAsWritten: 'broken' },
    /✗ expired, deleted: expected \d+, got 0/,
  ],
  [
    'has an OnlyExpiries that passes nothing',
    () => ({ functions: { wrap: passesNothing } }),
    { eventOfEach: 'broken' },
    /✗ deleted, with event +0 of \d+ +of 2 pipes/,
  ],
])('a sweep that %s is broken', async (_name, sabotage, broken, says) => {
  const archive = 'eventOfEach' in broken;
  const { status, notKept, printed } = await judgedJob(sabotage(), 1, { archive });
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
