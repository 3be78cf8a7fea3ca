import { NO_DELETION } from '../../functions/delete-chunk/deletion.ts';
import { DynamoDbBusyError } from '../../functions/runtime/errors.ts';
import type { QueryExpiredInput } from '../../statemachine/contract/child.ts';
import type { ExpiredKey } from '../../statemachine/contract/keys.ts';
import { MAX_STEPS } from '../../statemachine/contract/limits.ts';
import { SESSION_DATA } from '../support/configs.ts';
import {
  allDeleted,
  allFailed,
  answering,
  itemKeys,
  planOf,
  runSweep,
  STARTED,
  TOO_MUCH,
  target,
  thrown,
  type World,
  windowName,
} from '../support/run-sweep.ts';
import { carriedOf } from '../support/sweep-settings.ts';

/* What only the replay machine does: rounds, further children, dry runs. */

describe('an idle replay', () => {
  test('takes three transitions and calls one function', async () => {
    const { execution, report, calls } = await runSweep(() => ({}));
    expect(execution.status).toBe('SUCCEEDED');
    expect(calls.map(({ name }) => name)).toEqual(['plan-sweep']);
    expect(execution.billing.stateTransitions).toBeLessThanOrEqual(3);
    expect(report).toMatchObject({ found: 0, deleted: 0, shardsSwept: 0, dryRun: false });
  });

  test('hands PlanSweep its tables, the input and the start of the execution', async () => {
    const { calls, execution } = await runSweep(() => ({}));
    expect(calls[0]?.input).toEqual({
      machine: 'replay',
      tables: [carriedOf(SESSION_DATA)],
      execution: execution.name,
      executionInput: { from: '2026-11-20T08:00:00Z', to: '2026-11-20T09:00:05Z' },
      startedAt: new Date(STARTED).toISOString(),
      soFar: null,
    });
  });
});

describe('a replay', () => {
  test('goes on planning from the cursor until there is none', async () => {
    const cursors: unknown[] = [];
    const { report, calls } = await runSweep(() => ({
      windows: { a: itemKeys(3, 'a'), b: itemKeys(4, 'b') },
      plan: async cursor => {
        cursors.push(cursor);
        const round = cursors.length;
        return planOf(round === 2 ? [] : [target(round === 1 ? 'a' : 'b')], {
          cursor: round < 3 ? { window: round, shard: 0 } : null,
          oldestOverdueSeconds: [0, 30, 90, 60][round] ?? 0,
        });
      },
    }));
    expect(cursors).toEqual([null, { window: 1, shard: 0 }, { window: 2, shard: 0 }]);
    expect(report).toMatchObject({
      found: 7,
      deleted: 7,
      shardsSwept: 2,
      oldestOverdueSeconds: 90,
      steps: 5,
    });
    expect(calls.filter(({ name }) => name === 'record-metrics')).toHaveLength(1);
  });

  const FOR_EVER = { window: 1, shard: 0 };

  test('that never ends stops before its history is full, as incomplete', async () => {
    const { execution, report, calls } = await runSweep(() => ({
      plan: async () => planOf([target()], { cursor: FOR_EVER }),
    }));
    expect(execution).toMatchObject({ status: 'FAILED', error: 'SweepIncompleteError' });
    expect(report.steps).toBe(MAX_STEPS);
    expect(execution.history.length).toBeLessThan(25_000);
    expect(calls.at(-1)?.name).toBe('record-metrics');
  });

  test('that never ends stops before its history is full too when every plan has to be retried', async () => {
    let calls = 0;
    const { execution, report } = await runSweep(() => ({
      plan: async () => planOf([], { cursor: FOR_EVER }),
      around: async (name, run) => {
        // Nine failures cost no step, a tenth would.
        if (name === 'plan-sweep' && ++calls % 10 !== 0) throw thrown('DynamoDbBusyError');
        return run();
      },
    }));
    expect(execution).toMatchObject({ status: 'FAILED', error: 'SweepIncompleteError' });
    // A plan and its run together are the two steps that did not fit any more.
    expect(report.steps).toBe(MAX_STEPS - 1);
    expect(execution.history.length).toBeGreaterThan(20_000);
    expect(execution.history.length).toBeLessThan(25_000);
  });

  test('counts ten retries of a plan as a step', async () => {
    let calls = 0;
    const { report } = await runSweep(() => ({
      windows: { w: itemKeys(3) },
      around: async (name, run) => {
        if (name === 'plan-sweep' && ++calls <= 10) throw thrown('DynamoDbBusyError');
        return run();
      },
    }));
    expect(report).toMatchObject({ deleted: 3, steps: 3 }); // a plan, its retries, and a run
  });

  test('whose planning fails in a later round keeps and records what was swept before', async () => {
    const { execution, report, calls } = await runSweep(() => ({
      windows: { w: itemKeys(3) },
      plan: async cursor => {
        if (cursor !== null) throw thrown('AccessDeniedException');
        return planOf([target()], { cursor: FOR_EVER });
      },
    }));
    expect(execution.error).toBe('SweepIncompleteError');
    expect(report).toMatchObject({ found: 3, deleted: 3, shardsSwept: 1, shardsFailed: 1, steps: 3 });
    expect(calls.at(-1)?.name).toBe('record-metrics');
  });

  test('a table that is throttled for a minute is waited for, by planning and by polling', async () => {
    const { execution, report, calls } = await runSweep(clock => ({
      windows: { w: itemKeys(3) },
      plan: async () => {
        if (clock.now() < STARTED + 60_000) throw new DynamoDbBusyError('throttled');
        return planOf([target()]);
      },
      query: async () => {
        if (clock.now() < STARTED + 120_000) throw new DynamoDbBusyError('throttled');
      },
    }));
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ found: 3, deleted: 3, shardsFailed: 0 });
    expect(calls.filter(({ name }) => name === 'query-expired').length).toBeLessThan(20);
  });

  describe('metrics that cannot be recorded', () => {
    const noMetrics: Pick<World, 'around'> = {
      around: (name, run) => (name === 'record-metrics' ? Promise.reject(thrown('TypeError')) : run()),
    };

    test('do not fail the sweep, nor take its counts', async () => {
      const { execution, report } = await runSweep(() => ({ windows: { w: itemKeys(3) }, ...noMetrics }));
      expect(execution.status).toBe('SUCCEEDED');
      expect(report).toMatchObject({ found: 3, deleted: 3, shardsSwept: 1, notRecorded: 'TypeError' });
    });

    test('do not hide what was not deleted', async () => {
      const { execution, report } = await runSweep(() => ({
        windows: { w: itemKeys(3) },
        deletes: async keys => allFailed(keys),
        ...noMetrics,
      }));
      expect(execution.error).toBe('SweepIncompleteError');
      expect(report).toMatchObject({ found: 3, failed: 3, notRecorded: 'TypeError' });
    });

    test('nor end in a loop when nothing else can be called either', async () => {
      let plans = 0;
      const { execution, report } = await runSweep(() => ({
        windows: { w: itemKeys(3) },
        around: async (name, run) => {
          if (name === 'record-metrics' || (name === 'plan-sweep' && plans++ > 0)) throw thrown('TypeError');
          return run();
        },
      }));
      expect(execution.error).toBe('SweepIncompleteError');
      expect(report).toEqual({ notRecorded: 'TypeError' });
    });
  });
});

const DRY_RUN = { from: '2026-11-20T08:00:00Z', to: '2026-11-20T09:00:05Z', dryRun: true };

test('a dry run finds and deletes nothing', async () => {
  const { execution, report, calls } = await runSweep(() => ({ windows: { w: itemKeys(1200) } }), {
    input: DRY_RUN,
  });
  expect(execution.status).toBe('SUCCEEDED');
  expect(report).toMatchObject({ dryRun: true, found: 1200, deleted: 0, failed: 0, shardsSwept: 1 });
  expect(report.sampleKeys).toEqual(itemKeys(20));
  expect(calls.map(({ name }) => name)).not.toContain('delete-chunk');
});

test('children whose results are too much for a state count as failed, and the next round goes on', async () => {
  const { execution, report } = await runSweep(() => ({
    windows: { a: itemKeys(3, 'a'), b: itemKeys(3, 'b'), c: itemKeys(3, 'c') },
    plan: async cursor =>
      cursor === null
        ? planOf([target('a'), target('b')], { cursor: { window: 1, shard: 0 } })
        : planOf([target('c')]),
    ...answering('query-expired', answer => {
      const { result, progress } = answer as {
        result: object | null;
        progress: QueryExpiredInput['progress'];
      };
      const pad = result !== null && windowName(progress.target) !== 'c';
      return pad ? { ...answer, result: { ...result, padding: TOO_MUCH } } : answer;
    }),
  }));
  expect(execution.error).toBe('SweepIncompleteError');
  // Plan, run, plan, run.
  expect(report).toMatchObject({ found: 3, deleted: 3, shardsSwept: 1, shardsFailed: 2, steps: 4 });
});

describe('a child that runs out of time', () => {
  /** Every delete takes this long. */
  const slow =
    (seconds: number, deletes: World['deletes'] = async keys => allDeleted(keys)) =>
    (clock: { sleep(ms: number): Promise<void> }): World => ({
      windows: { w: itemKeys(3000) },
      deletes: async keys => {
        await clock.sleep(seconds * 1000);
        return deletes(keys);
      },
    });

  test('hands the rest to a further child, and every item is counted once', async () => {
    const { execution, report, clock } = await runSweep(slow(14), { props: { chunkConcurrency: 3 } });
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ found: 3000, deleted: 3000, failed: 0, shardsFailed: 0 });
    expect(report.shardsSwept).toBeGreaterThan(1);
    expect(clock.now() - STARTED).toBeGreaterThan(300_000); // longer than one Express execution may take
  });

  test('counts a key that fails in every child once', async () => {
    const bad = JSON.stringify(itemKeys(1)[0]);
    const { execution, report } = await runSweep(
      slow(14, async keys => {
        const isBad = (key: ExpiredKey) => JSON.stringify(key.key) === bad;
        return { ...allFailed(keys.filter(isBad)), deleted: keys.filter(key => !isBad(key)).length };
      }),
      { props: { chunkConcurrency: 3 } },
    );
    expect(execution.error).toBe('SweepIncompleteError');
    expect(report).toMatchObject({ found: 3000, deleted: 2999, failed: 1 });
  });

  test.each(['renewed', 'notFound'] as const)('with items only that were %s is no failure', async fate => {
    const { execution, report } = await runSweep(
      slow(14, async keys => ({ ...NO_DELETION, [fate]: keys.length })),
      { props: { chunkConcurrency: 3 } },
    );
    expect({ status: execution.status, cause: execution.cause }).toEqual({
      status: 'SUCCEEDED',
      cause: undefined,
    });
    expect(report).toMatchObject({ found: 3000, [fate]: 3000, failed: 0, shardsFailed: 0 });
  });

  /** A dry run of a window that takes `seconds` a page. */
  const dryRunOf = (seconds: number, query: World['query'] = async () => undefined) =>
    runSweep(
      clock => ({
        windows: { w: itemKeys(12_000) },
        plan: async () => planOf([target()]),
        query: async (window, startKey) => {
          await clock.sleep(seconds * 1000);
          await query(window, startKey);
        },
      }),
      { input: DRY_RUN },
    );

  test('in a dry run of more than one child goes on where it was too', async () => {
    let polls = 0;
    const { execution, report } = await runSweep(
      clock => ({
        windows: { w: itemKeys(5000) },
        plan: async () => planOf([target()]),
        query: async () => {
          await clock.sleep(9000);
          polls += 1;
          // Not a second time in the same call: two of three polls are busy, so that time runs out.
          if (polls % 12 !== 0) throw new DynamoDbBusyError('throttled');
        },
      }),
      { input: DRY_RUN },
    );
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ found: 5000, deleted: 0, shardsFailed: 0 });
    expect(report.shardsSwept).toBeGreaterThan(1);
  });

  test('in a dry run and got nowhere does not pass for complete', async () => {
    const { execution, report } = await dryRunOf(5, () => Promise.reject(new DynamoDbBusyError('throttled')));
    expect(execution.error).toBe('SweepIncompleteError');
    expect(report).toMatchObject({ found: 0, shardsSwept: 0, shardsFailed: 1 });
  });
});
