/** @jest-environment ./test/support/dynamodb-environment.ts */
import { windowKey } from '../../../expiry/window.ts';
import { startProgress } from '../../../functions/child/child-progress.ts';
import { endShard } from '../../../functions/child/shard-result.ts';
import { askedTable, planRound } from '../../../functions/plan-sweep/plan-round.ts';
import type { RoundPlan, TableRound } from '../../../statemachine/contract/execution.ts';
import {
  createExpiringTable,
  type ExpiringTable,
  type ExpiringTableOptions,
} from '../../support/expiring-table.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';
import { windowKeysOf } from '../../support/sweep-settings.ts';

const dynamo = useLocalDynamoDb();

const seconds = (iso: string) => Date.parse(iso) / 1000;
const startedAt = '2026-11-20T09:00:05.000Z';
const TICK = { scheduledTime: '2026-11-20T09:00:00Z' };
const enough = () => 100_000;

/** A table in windows of a minute, in one shard: most of these tests ask which windows are planned. */
const minutes = (options: ExpiringTableOptions = {}) =>
  createExpiringTable(dynamo.client, { granularityMinutes: 1, shards: 1, ...options });

/** An item in the window that starts at this minute, with this TTL. */
function item(id: string, window: string, ttl: string, shard = 0) {
  return { id, ttl: seconds(ttl), expirationWindow: windowKey(seconds(window), 60, shard) };
}

async function planned(table: ExpiringTable, executionInput: unknown): Promise<RoundPlan> {
  return planRound({ executionInput, startedAt, soFar: null }, askedTable(table.runtime), enough);
}

const targets = ({ due }: RoundPlan) => due.map(({ progress }) => progress.target);
const windows = (planned: RoundPlan) =>
  targets(planned).map(target =>
    windowKeysOf(target)
      .map(key => key.slice(11, 16) + key.slice(49))
      .join('+'),
  );

test('a tick finds the windows of its lookback that hold something expired, and names no keys', async () => {
  const table = await minutes({ shards: 2 });
  await table.put([
    item('beyond the lookback', '2026-11-20T08:48:00Z', '2026-11-20T08:48:30Z'),
    item('late', '2026-11-20T08:52:00Z', '2026-11-20T08:52:30Z', 1),
    item('the older way: on the edge that ends its window', '2026-11-20T08:59:00Z', '2026-11-20T09:00:00Z'),
    item('of a shard that is not swept', '2026-11-20T08:55:00Z', '2026-11-20T08:55:30Z', 2),
    item('a second too early', '2026-11-20T09:00:00Z', '2026-11-20T09:00:01Z'),
    item('in an old window, renewed without moving', '2026-11-20T08:54:00Z', '2026-11-20T10:00:00Z'),
  ]);
  const plan = await planned(table, TICK);
  expect(windows(plan)).toEqual(['08:52#1', '08:59']);
  expect(plan).toMatchObject({ next: 'sweep', last: true, progress: { cursor: null } });
  expect(targets(plan)[1]).toEqual({
    windows: [{ start: seconds('2026-11-20T08:59:00Z'), shards: '0' }],
    from: seconds(TICK.scheduledTime) - 5 * 365 * 86_400 + 600 + 1,
    before: seconds(TICK.scheduledTime) + 1,
    upcomingFrom: null,
  });
  expect(plan.progress.totals.oldestOverdueSeconds).toBe(7 * 60 + 35);
  expect(JSON.stringify(plan)).not.toContain('"late"');
});

test('an item exactly on the edge is due with the tick of that minute', async () => {
  const table = await minutes();
  await table.put([item('on the edge', '2026-11-20T09:00:00Z', '2026-11-20T09:00:00Z')]);
  expect(windows(await planned(table, TICK))).toEqual(['09:00']);
});

describe('in windows of a day', () => {
  const DAY = 86_400;
  const stamped = (id: string, day: string, ttl: string) => ({
    id,
    ttl: seconds(ttl),
    expirationWindow: windowKey(seconds(`${day}T00:00:00Z`), DAY),
  });
  const days = (planned: RoundPlan) => targets(planned).map(target => windowKeysOf(target)[0]?.slice(0, 10));
  const at = (scheduledTime: string, input: object = {}) => ({ scheduledTime, ...input });

  /** A table with something left of each of these days. */
  async function leftOf(...of: readonly string[]) {
    const table = await createExpiringTable(dynamo.client);
    await table.put(of.map(day => stamped(day, day, `${day}T00:00:10Z`)));
    return table;
  }

  async function plannedAt(table: ExpiringTable, scheduledTime: string, input: object = {}) {
    const executionInput = at(scheduledTime, input);
    return planRound(
      { executionInput, startedAt: scheduledTime, soFar: null },
      askedTable(table.runtime),
      enough,
    );
  }

  test('a tick finds what is left of the day, however late, with what was written into it wrong', async () => {
    const table = await createExpiringTable(dynamo.client);
    await table.put([stamped('left', '2026-11-20', '2026-11-20T00:00:01Z')]);
    const plan = await planned(table, TICK);
    expect(days(plan)).toEqual(['2026-11-20']);
    expect(plan.progress.totals.oldestOverdueSeconds).toBe(9 * 3600 + 4);
    const strays = await createExpiringTable(dynamo.client);
    await strays.put([stamped('stray', '2026-11-20', '2026-10-01T00:00:00Z')]);
    expect(days(await planned(strays, TICK))).toEqual(['2026-11-20']);
  });

  test('the first minutes of a day belong to both, and later a tick looks into yesterday behind a backlog', async () => {
    const yesterday = await leftOf('2026-11-19');
    expect(days(await plannedAt(yesterday, '2026-11-20T00:09:00Z'))).toEqual(['2026-11-19']);
    expect(days(await plannedAt(yesterday, '2026-11-20T00:12:00Z'))).toEqual([]);
    const both = await leftOf('2026-11-18', '2026-11-19', '2026-11-20');
    expect(days(await planned(both, TICK))).toEqual(['2026-11-18', '2026-11-19', '2026-11-20']);
  });

  test('the replay of a deployment that was off for weeks finds each day that has something', async () => {
    const table = await leftOf('2026-10-22', '2026-10-30', '2026-11-12');
    expect(days(await planned(table, TICK))).toEqual([]);
    const replay = await planned(table, { from: '2026-10-20T00:00:00Z', to: TICK.scheduledTime });
    expect(days(replay)).toEqual(['2026-10-22', '2026-10-30', '2026-11-12']);
  });

  test('a replay takes its span out of a day, and leaves the rest', async () => {
    const table = await createExpiringTable(dynamo.client);
    await table.put([stamped('before', '2026-11-20', '2026-11-20T07:59:59Z')]);
    const span = { from: '2026-11-20T08:00:00Z', to: '2026-11-20T08:30:00Z' };
    expect(days(await planned(table, span))).toEqual([]);
    await table.put([stamped('in', '2026-11-20', '2026-11-20T08:29:59Z')]);
    const plan = await planned(table, span);
    expect(targets(plan)).toMatchObject([{ from: seconds(span.from), before: seconds(span.to) }]);
  });
});

describe('a precise tick', () => {
  const precise = async (pollSeconds = 0) => {
    const table = await minutes();
    return {
      ...table,
      runtime: { ...table.runtime, settings: { ...table.settings, precisionSeconds: 1, pollSeconds } },
    };
  };
  const SPAN = {
    windows: ['2026-11-20T09:00:00Z', '2026-11-20T09:01:00Z'].map(start => ({
      start: seconds(start),
      shards: '0',
    })),
    before: seconds('2026-11-20T09:02:00Z'),
    upcomingFrom: seconds('2026-11-20T09:01:00Z'),
  };

  test.each([
    ['the first second of its span', '2026-11-20T09:01:00Z', '2026-11-20T09:01:00Z', true],
    ['the last second of its span', '2026-11-20T09:01:00Z', '2026-11-20T09:01:59Z', true],
    ['the second after its span', '2026-11-20T09:02:00Z', '2026-11-20T09:02:00Z', false],
    ['the edge before it, the older way', '2026-11-20T09:00:00Z', '2026-11-20T09:01:00Z', true],
    ['what the tick before owns', '2026-11-20T09:00:00Z', '2026-11-20T09:00:59Z', false],
  ])('watches for %s', async (_name, window, ttl, watched) => {
    const table = await precise();
    await table.put([item('a', window, ttl)]);
    expect(targets(await planned(table, TICK))).toEqual(watched ? [expect.objectContaining(SPAN)] : []);
  });

  test('has nothing to do for an empty table, unless it polls', async () => {
    expect((await planned(await precise(), TICK)).due).toEqual([]);
    expect(targets(await planned(await precise(5), TICK))).toEqual([expect.objectContaining(SPAN)]);
  });
});

test('a replay finds its span and nothing beside it', async () => {
  const table = await minutes();
  await table.put([
    item('before', '2026-11-20T07:59:00Z', '2026-11-20T07:59:59Z'),
    item('first second', '2026-11-20T08:00:00Z', '2026-11-20T08:00:00Z'),
    item('last second', '2026-11-20T08:29:00Z', '2026-11-20T08:29:59Z'),
    item('after', '2026-11-20T08:30:00Z', '2026-11-20T08:30:00Z'),
  ]);
  const span = { from: '2026-11-20T08:00:00Z', to: '2026-11-20T08:30:00Z' };
  expect(windows(await planned(table, span))).toEqual(['08:00', '08:29']);
  const dry = await planned(table, { ...span, dryRun: true });
  expect(dry.report.dryRun).toBe(true);
  expect(dry.due.map(({ progress }) => progress.dryRun)).toEqual([true, true]);
});

test('an empty table has nothing due', async () => {
  const table = await minutes();
  expect(await planned(table, TICK)).toMatchObject({
    next: 'end',
    due: [],
    report: { dryRun: false, found: 0, shardsSwept: 0, oldestOverdueSeconds: 0 },
  });
});

test('stops with a cursor when its time runs out, and goes on from there', async () => {
  const table = await minutes();
  await table.put([
    item('old', '2026-11-20T00:10:00Z', '2026-11-20T00:10:30Z'),
    item('new', '2026-11-20T08:50:00Z', '2026-11-20T08:50:30Z'),
  ]);
  const span = { from: '2026-11-20T00:00:00Z', to: '2026-11-20T09:00:00Z' };
  let left = 60_000;
  const remaining = () => {
    left -= 10_000;
    return left;
  };
  const first = await planRound(
    { executionInput: span, startedAt, soFar: null },
    askedTable(table.runtime),
    remaining,
  );
  expect(windows(first)).toEqual(['00:10']);
  expect(first).toMatchObject({ last: false, progress: { roundTargets: 1 } });
  const [task] = first.due.map(({ progress }) => startProgress(progress));
  if (!task) throw new Error('nothing was due');
  const swept = endShard(task, { interrupted: false });
  const soFar: TableRound = { progress: first.progress, results: [swept], retries: 0 };
  const rest = await planRound({ executionInput: span, startedAt, soFar }, askedTable(table.runtime), enough);
  expect(windows(rest)).toEqual(['08:50']);
  expect(rest).toMatchObject({ last: true, report: { shardsSwept: 1 } });
});

test('prints a line for what it finds, and none for a tick that finds nothing', async () => {
  const table = await minutes();
  const info = jest.fn();
  const runtime = { ...table.runtime, logger: { ...table.runtime.logger, info } };
  const idle = await planRound({ executionInput: TICK, startedAt, soFar: null }, askedTable(runtime), enough);
  expect([idle.next, info.mock.calls]).toEqual(['end', []]);
  await table.put([item('due', '2026-11-20T08:55:00Z', '2026-11-20T08:55:30Z')]);
  await planRound({ executionInput: TICK, startedAt, soFar: null }, askedTable(runtime), enough);
  expect(info.mock.calls).toEqual([['planned', expect.objectContaining({ due: 1 })]]);
});

test('fails for a wrong input before it reads anything', async () => {
  const table = await minutes();
  const send = jest.fn();
  const runtime = { ...table.runtime, documents: { send } as never };
  await expect(
    planRound({ executionInput: {}, startedAt, soFar: null }, askedTable(runtime), enough),
  ).rejects.toMatchObject({
    name: 'InvalidExecutionInputError',
  });
  expect(send).not.toHaveBeenCalled();
});
