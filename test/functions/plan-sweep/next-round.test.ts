import { endShard, handOn } from '../../../functions/child/shard-result.ts';
import { nextRound, type PlannedRound } from '../../../functions/plan-sweep/next-round.ts';
import type { SweepLimit } from '../../../functions/plan-sweep/sweep-input.ts';
import { startTotals } from '../../../functions/report/sweep-totals.ts';
import type { ChildOutput } from '../../../statemachine/contract/child.ts';
import type { PlanCursor, TableRound } from '../../../statemachine/contract/execution.ts';
import { MAX_STEPS, ROUND_TARGETS } from '../../../statemachine/contract/limits.ts';
import type { SweepTotals } from '../../../statemachine/contract/report.ts';
import type { SweepTarget } from '../../../statemachine/contract/targets.ts';
import { childProgress, type Progressed } from '../../support/sweep-reports.ts';

const target = (name: string, upcomingFrom: number | null = null): SweepTarget => ({
  windows: [{ start: name.codePointAt(0) ?? 0, shards: '0' }],
  from: 1,
  before: 2_000_000_000,
  upcomingFrom,
});

const namesOf = ({ windows }: SweepTarget) => windows.map(({ start }) => String.fromCodePoint(start));

const child = (name: string, progress: Progressed = {}) =>
  childProgress({ target: target(name), listedKeysBytes: 1000 }, progress);
const swept = (name: string, deleted = 1) =>
  endShard(child(name, { counts: { deleted } }), { interrupted: false });

function soFar(results: readonly ChildOutput[], overrides: Partial<TableRound> = {}): TableRound {
  const { progress, ...others } = overrides;
  const totals = { ...startTotals(false), steps: 1 };
  return {
    progress: { totals, roundTargets: results.length, cursor: null, ...progress },
    results,
    retries: 0,
    ...others,
  };
}

const CURSOR: PlanCursor = { window: 60, shard: 0 };

async function decide(
  state: TableRound | null,
  planned: Partial<PlannedRound> = {},
  dryRun = false,
  limit: SweepLimit | null = null,
) {
  const asked: unknown[] = [];
  const answer = await nextRound(state, {
    dryRun,
    limit,
    concurrency: 0,
    behindSeconds: 0,
    plan: async (...args) => {
      asked.push(args);
      return { due: [], cursor: null, oldestOverdueSeconds: 0, ...planned };
    },
  });
  return { ...answer, asked };
}

const names = ({ due }: Awaited<ReturnType<typeof decide>>) =>
  due.map(({ progress }) => namesOf(progress.target).join());

test('nothing due: the end', async () => {
  const answer = await decide(null);
  expect(answer).toMatchObject({ next: 'end', due: [], report: { found: 0, steps: 1 } });
  expect(answer.asked).toEqual([[null, ROUND_TARGETS]]);
});

test('an execution that began before the count was there goes on', async () => {
  const { braked: _braked, ...totals } = startTotals(false);
  const before = soFar([], { progress: { totals: totals as SweepTotals, roundTargets: 0, cursor: CURSOR } });
  expect((await decide(before)).report.braked).toBe(0);
});

test('children are told how to begin', async () => {
  const due = [target('back'), target('upcoming', 1_795_165_260)];
  const answer = await decide(null, { due, oldestOverdueSeconds: 40 }, true);
  expect(answer).toMatchObject({ next: 'sweep', last: true, progress: { roundTargets: 2, cursor: null } });
  expect(answer.due).toEqual([
    {
      next: 'query',
      until: null,
      timeoutSeconds: 10,
      results: [],
      progress: { target: due[0], dryRun: true, listedKeysBytes: 20_000, limit: null },
    },
    {
      next: 'wait',
      until: '2026-11-20T09:01:00Z',
      timeoutSeconds: 3,
      results: [],
      progress: { target: due[1], dryRun: true, listedKeysBytes: 20_000, limit: null },
    },
  ]);
  expect(answer.report).toMatchObject({ dryRun: true, oldestOverdueSeconds: 40 });
});

describe('with a limit', () => {
  const tick = { perSecond: 40, from: 1_795_165_260, before: 1_795_165_320 };

  test('all children wait for the minute in which they may delete, and share the limit', async () => {
    const due = [target('upcoming', 1_795_165_260), target('a'), target('b'), target('c')];
    const answer = await decide(null, { due }, false, tick);
    expect(answer.due.map(({ next, until }) => [next, until])).toEqual([['wait', '2026-11-20T09:01:00Z']]);
    expect(answer.due.map(({ progress }) => [namesOf(progress.target), progress.limit])).toEqual([
      [['a', 'b', 'c', 'u'], { perSecond: 40, credit: 40, before: 1_795_165_320 }],
    ]);
    expect(answer.progress.roundTargets).toBe(1);
  });

  test('a tick has one round: what did not fit into it is left to the next one, and is no failure', async () => {
    const answer = await decide(null, { due: [target('a')], cursor: CURSOR }, false, tick);
    expect(answer).toMatchObject({ last: true, progress: { cursor: null }, report: { leftForLater: 1 } });
  });

  test('a replay goes on from its cursor, once what was handed on is done', async () => {
    const replay = { perSecond: 40, from: null, before: null };
    const first = await decide(null, { due: [target('a')], cursor: CURSOR }, false, replay);
    expect(first).toMatchObject({ last: false, progress: { cursor: CURSOR } });
    const handed = soFar([handOn(child('a', { counts: { deleted: 1 } }))], { progress: first.progress });
    const second = await decide(handed, { due: [target('b')] }, false, replay);
    expect(names(second)).toEqual(['a']);
    expect(second.asked).toEqual([]);
    expect(second).toMatchObject({ last: false, progress: { cursor: CURSOR } });
    const third = await decide(
      soFar([swept('a')], { progress: second.progress }),
      { due: [target('b')] },
      false,
      replay,
    );
    expect(names(third)).toEqual(['b']);
    expect(third).toMatchObject({ last: true, report: { leftForLater: 0 } });
  });
});

test('children of a full round share what they may list', async () => {
  const due = Array.from({ length: ROUND_TARGETS }, (_unused, index) => target(String(index)));
  expect((await decide(null, { due })).due[0]?.progress.listedKeysBytes).toBe(225);
});

test('a cursor is planned on from, and a round with one is not the last', async () => {
  const first = await decide(null, { due: [target('a')], cursor: CURSOR });
  expect(first).toMatchObject({ next: 'sweep', last: false, progress: { cursor: CURSOR } });
  const state = soFar([swept('a')], { progress: first.progress });
  const second = await decide(state, { due: [target('b')] });
  expect(second.asked).toEqual([[CURSOR, ROUND_TARGETS]]);
  expect(second).toMatchObject({
    next: 'sweep',
    last: true,
    report: { deleted: 1, shardsSwept: 1, steps: 3 },
  });
});

test('a cursor with nothing due yet is planned on from at once', async () => {
  expect(await decide(null, { cursor: CURSOR })).toMatchObject({ next: 'plan', due: [] });
});

test('what children handed on comes first, and nothing is planned twice', async () => {
  const handedOn = handOn(child('a', { counts: { deleted: 5 } }));
  const answer = await decide(soFar([swept('b'), handedOn]));
  expect(names(answer)).toEqual(['a']);
  expect(answer.asked).toEqual([]);
  expect(answer).toMatchObject({ next: 'sweep', last: true, report: { deleted: 6, shardsSwept: 2 } });

  const state = soFar([handedOn], { progress: { ...soFar([handedOn]).progress, cursor: CURSOR } });
  const both = await decide(state, { due: [target('c')] });
  expect(names(both)).toEqual(['a', 'c']);
  expect(both.asked).toEqual([[CURSOR, ROUND_TARGETS - 1]]);
});

const FAILURES: [string, ChildOutput, object][] = [
  [
    'failed a key',
    endShard(child('a', { counts: { failed: 1 } }), { interrupted: false }),
    { failed: 1, shardsFailed: 0 },
  ],
  ['was interrupted', endShard(child('a'), { interrupted: true }), { failed: 0, shardsFailed: 1 }],
  ['crashed', { Error: 'States.Runtime', Cause: '…' }, { failed: 0, shardsFailed: 1, shardsSwept: 1 }],
  [
    'was ended by the machine with a page in flight',
    {
      interruptedBy: 'States.ALL',
      progress: child('a', { deferred: { count: 2 }, counts: { deleted: 4, failed: 1, inFlight: 25 } }),
    },
    { found: 33, deleted: 5, failed: 28, shardsFailed: 1 },
  ],
  [
    'was ended by the machine at its first query',
    {
      interruptedBy: 'AccessDeniedException',
      progress: { target: target('a'), dryRun: false, listedKeysBytes: 9 },
    },
    { found: 1, failed: 0, shardsFailed: 1 },
  ],
];

test.each(FAILURES)('a child that %s makes a failure of the sweep', async (_name, output, report) => {
  expect(await decide(soFar([swept('b'), output]))).toMatchObject({ next: 'recordFailure', report });
});

test.each(FAILURES)(
  'a child that %s makes a failure of a round before the last too',
  async (_name, output) => {
    const state = soFar([output]);
    const answer = await decide(
      { ...state, progress: { ...state.progress, cursor: CURSOR } },
      { due: [target('b')] },
    );
    expect(answer).toMatchObject({ next: 'sweep', last: false });
  },
);

test('a round of which nothing is known failed in each of its children, and in nothing else', async () => {
  const before = {
    ...startTotals(false),
    found: 7,
    deleted: 7,
    shardsSwept: 1,
    steps: 3,
    lagCounts: { 4: 7 },
  };
  const state = soFar([], { progress: { totals: before, roundTargets: 3, cursor: null } });
  const { progress, report } = await decide(state);
  expect(report).toMatchObject({ found: 7, deleted: 7, shardsSwept: 1, shardsFailed: 3, steps: 4 });
  expect(progress.totals.lagCounts).toEqual({ 4: 7 });
});

test('nothing more to plan after a round that left nothing: recorded', async () => {
  const state = soFar([swept('a')], { progress: { ...soFar([swept('a')]).progress, cursor: CURSOR } });
  expect(await decide(state)).toMatchObject({ next: 'record', due: [] });
});

test.each([
  ['left nothing', [swept('a')], 'end'],
  [
    'left something',
    [endShard(child('a', { counts: { failed: 1 } }), { interrupted: false })],
    'recordFailure',
  ],
])('a sweep that cannot be recorded and %s ends with its counts', async (_name, results, next) => {
  const answer = await decide(soFar(results, { recordingFailed: 'TypeError' }));
  expect(answer).toMatchObject({ next, report: { shardsSwept: 1, notRecorded: 'TypeError' } });
  expect(answer.asked).toEqual([]);
});

test.each([
  [MAX_STEPS - 3, 0, 'sweep'], // and the run of the last round, and this plan and its run
  [MAX_STEPS - 2, 0, 'recordFailure'],
  [MAX_STEPS - 3, 10, 'recordFailure'],
  [MAX_STEPS - 3, 9, 'sweep'],
])('after %d steps and %d retries of a plan: %s', async (steps, retries, next) => {
  const totals = { ...startTotals(false), steps };
  const state = soFar([swept('a')], { progress: { totals, roundTargets: 1, cursor: CURSOR }, retries });
  expect(await decide(state, { due: [target('b')], cursor: CURSOR })).toMatchObject({ next });
});
