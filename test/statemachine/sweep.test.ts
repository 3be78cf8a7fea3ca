import { NO_DELETION } from '../../functions/delete-chunk/deletion.ts';
import { DynamoDbBusyError } from '../../functions/runtime/errors.ts';
import type {
  DeleteChunkInput,
  ExpiredKey,
  FailedKey,
  ItemKey,
  QueryExpiredInput,
  RecordMetricsInput,
  SweepReport,
} from '../../statemachine/contract.ts';
import { MAX_STEPS } from '../../statemachine/contract.ts';
import {
  allDeleted,
  itemKeys,
  planOf,
  runSweep,
  STARTED,
  target,
  thrown,
  type World,
} from '../support/run-sweep.ts';

const ids = (keys: readonly ItemKey[]) => keys.map(key => JSON.stringify(key));
const idsOf = (keys: readonly ExpiredKey[]) => ids(keys.map(({ key }) => key));

/** found = deleted + renewed + notFound + failed. */
function expectCountsToAddUp({ found, deleted, renewed, notFound, failed }: SweepReport) {
  expect(deleted + renewed + notFound + failed).toBe(found);
}

const allFailed = (keys: readonly ExpiredKey[], reason = 'ValidationError') => ({
  ...NO_DELETION,
  failed: keys.map(({ key }): FailedKey => ({ key, reason })),
});

describe('an idle tick', () => {
  test('takes three transitions and calls one function', async () => {
    const { execution, report, calls } = await runSweep(() => ({}));
    expect(execution.status).toBe('SUCCEEDED');
    expect(calls.map(({ name }) => name)).toEqual(['plan-sweep']);
    expect(execution.billing.stateTransitions).toBeLessThanOrEqual(3);
    expect(report).toMatchObject({ found: 0, deleted: 0, shardsSwept: 0, dryRun: false });
  });

  test('hands PlanSweep the input and the start of the execution', async () => {
    const { calls } = await runSweep(() => ({}));
    expect(calls[0]?.input).toEqual({
      executionInput: { scheduledTime: '2026-11-20T09:00:00Z' },
      startedAt: new Date(STARTED).toISOString(),
      soFar: null,
    });
  });
});

describe('a sweep', () => {
  test.each([1, 24, 25, 26, 1000, 1001, 2500])(
    'deletes %d items of one shard, each handed out once',
    async count => {
      const keys = itemKeys(count);
      const deleted: string[] = [];
      const { execution, report, calls } = await runSweep(() => ({
        windows: { w: keys },
        deletes: async batch => {
          deleted.push(...idsOf(batch));
          return allDeleted(batch);
        },
      }));
      expect(execution.status).toBe('SUCCEEDED');
      expect(deleted.sort()).toEqual(ids(keys).sort());
      expect(report).toMatchObject({
        dryRun: false,
        found: count,
        deleted: count,
        renewed: 0,
        notFound: 0,
        failed: 0,
        retries: 0,
        shardsSwept: 1,
        shardsFailed: 0,
        steps: 2,
        oldestOverdueSeconds: 0,
        failedKeys: [],
        sampleKeys: [],
        lagMs: null,
      });
      expect(calls.filter(({ name }) => name === 'delete-chunk')).toHaveLength(Math.ceil(count / 25));
    },
  );

  test('takes six transitions, and a call of QueryExpired more than it has pages', async () => {
    const { execution, calls } = await runSweep(() => ({ windows: { w: itemKeys(1001) } }));
    expect(execution.billing.stateTransitions).toBe(6);
    expect(calls.filter(({ name }) => name === 'query-expired')).toHaveLength(3);
  });

  test('sweeps many shards and adds up what they did', async () => {
    const windows = Object.fromEntries(
      Array.from({ length: 30 }, (_unused, index) => [`w${index}`, itemKeys(index + 1, `w${index}x`)]),
    );
    const { report } = await runSweep(() => ({ windows }));
    expect(report).toMatchObject({ found: 465, deleted: 465, shardsSwept: 30 });
  });

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

  test('that planned on and found nothing more is recorded', async () => {
    const { execution, report, calls } = await runSweep(() => ({
      windows: { w: itemKeys(3) },
      plan: async cursor =>
        cursor === null ? planOf([target()], { cursor: { window: 1, shard: 0 } }) : planOf([]),
    }));
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ deleted: 3, steps: 3 });
    expect(calls.at(-1)?.name).toBe('record-metrics');
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

  test('records its report once, before it ends', async () => {
    const answers: unknown[] = [];
    const { execution, report, calls } = await runSweep(() => ({
      windows: { w: itemKeys(3) },
      around: async (name, run) => {
        const answer = await run();
        if (name === 'record-metrics') answers.push(answer);
        return answer;
      },
    }));
    expect(answers).toEqual([report]);
    const { startedAt, endedAt } = { ...(calls.at(-1)?.input as RecordMetricsInput) };
    expect([startedAt, endedAt].map(Date.parse)).toEqual([STARTED, execution.stopDate]);
  });

  test('of a wrong input fails at once with the error of PlanSweep', async () => {
    const { execution, calls } = await runSweep(() => ({}), { input: { from: 'yesterday', to: 'today' } });
    expect(execution).toMatchObject({ status: 'FAILED', error: 'InvalidExecutionInputError' });
    expect(execution.cause).toContain('from: expected');
    expect(calls).toHaveLength(1);
  });

  test('counts what was renewed or not found', async () => {
    const { execution, report } = await runSweep(() => ({
      windows: { w: itemKeys(40) },
      deletes: async keys => ({ ...NO_DELETION, deleted: keys.length - 3, renewed: 2, notFound: 1 }),
    }));
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ found: 40, deleted: 34, renewed: 4, notFound: 2 });
    expectCountsToAddUp(report);
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

describe('unprocessed keys', () => {
  test('are tried again, and only these', async () => {
    const attempts: string[][] = [];
    const { execution, report } = await runSweep(() => ({
      windows: { w: itemKeys(10) },
      deletes: async keys => {
        attempts.push(idsOf(keys));
        const done = Math.ceil(keys.length / 2);
        return { ...NO_DELETION, deleted: done, unprocessed: keys.slice(done) };
      },
    }));
    expect(attempts.map(keys => keys.length)).toEqual([10, 5, 2, 1]);
    expect(attempts[1]).toEqual(attempts[0]?.slice(5));
    expect(attempts[2]).toEqual(attempts[1]?.slice(3));
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ found: 10, deleted: 10, retries: 3 });
  });

  test('wait with exponential backoff, full jitter and a cap', async () => {
    const waits: number[][] = [];
    for (let seed = 1; seed <= 40; seed += 1) {
      const at: number[] = [];
      await runSweep(
        clock => ({
          windows: { w: itemKeys(1) },
          deletes: async keys => {
            at.push(clock.now());
            return at.length <= 8 ? { ...NO_DELETION, unprocessed: keys } : allDeleted(keys);
          },
        }),
        { seed, props: { backoffBaseSeconds: 1, backoffCapSeconds: 20 } },
      );
      waits.push(at.slice(1).map((time, index) => time - (at[index] ?? 0)));
    }
    for (const [attempt, bound] of [1, 2, 4, 8, 16, 20, 20, 20].entries()) {
      const column = waits.map(row => row[attempt] ?? Number.NaN);
      const mean = column.reduce((sum, wait) => sum + wait, 0) / column.length;
      expect(Math.min(...column)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...column)).toBeLessThanOrEqual(bound * 1000);
      expect(Math.max(...column)).toBeGreaterThan(bound * 800); // the whole range is used …
      expect(Math.min(...column)).toBeLessThan(bound * 200);
      expect(Math.abs(mean - bound * 500)).toBeLessThan(bound * 170); // … and evenly
    }
  });

  test('wait in the state machine until a whole second, and less than a second in a function', async () => {
    let failures = 6;
    const { calls, execution } = await runSweep(() => ({
      windows: { w: itemKeys(1) },
      deletes: async keys => (failures-- > 0 ? { ...NO_DELETION, unprocessed: keys } : allDeleted(keys)),
    }));
    expect(execution.status).toBe('SUCCEEDED');
    const chunks = calls.filter(({ name }) => name === 'delete-chunk');
    expect(chunks).toHaveLength(7);
    for (const { input, at } of chunks.slice(1)) {
      const { until, progress } = (input as DeleteChunkInput).chunk;
      expect(until).toMatch(/T\d\d:\d\d:\d\dZ$/);
      expect(at).toBeGreaterThanOrEqual(Date.parse(until ?? ''));
      expect((progress?.retryAtMs ?? 0) - at).toBeLessThan(1000);
    }
  });

  test('of one chunk do not hold up the others', async () => {
    const doneAt = new Map<string, number>();
    let throttled = 6;
    const { report } = await runSweep(clock => ({
      windows: { w: itemKeys(75) },
      deletes: async keys => {
        const [first] = idsOf(keys);
        if (first?.includes('item-25') && throttled-- > 0) return { ...NO_DELETION, unprocessed: keys };
        doneAt.set(String(first), clock.now() - STARTED);
        return allDeleted(keys);
      },
    }));
    expect(report).toMatchObject({ deleted: 75, retries: 6 });
    const times = [...doneAt.values()].sort((one, other) => one - other);
    expect(times.slice(0, 2)).toEqual([0, 0]);
    expect(times[2]).toBeGreaterThan(1000);
  });

  test('that never get through are reported, with their reason, after the metrics', async () => {
    const { execution, report, calls } = await runSweep(
      () => ({
        windows: { w: itemKeys(3) },
        deletes: async keys => ({ ...NO_DELETION, unprocessed: keys }),
      }),
      { props: { deleteAttempts: 5 } },
    );
    expect(execution).toMatchObject({ status: 'FAILED', error: 'SweepIncompleteError' });
    expect(report).toMatchObject({
      found: 3,
      deleted: 0,
      failed: 3,
      retries: 4,
      shardsSwept: 1,
      shardsFailed: 0,
    });
    expect(report.failedKeys).toEqual(itemKeys(3).map(key => ({ key, reason: 'Unprocessed' })));
    expectCountsToAddUp(report);
    expect(calls.filter(({ name }) => name === 'delete-chunk')).toHaveLength(5);
    expect(calls.at(-1)?.name).toBe('record-metrics');
  });
});

describe('keys that cannot be deleted', () => {
  test('are reported and do not stop the rest', async () => {
    const { execution, report } = await runSweep(() => ({
      windows: { w: itemKeys(60) },
      deletes: async keys => ({ ...allFailed(keys.slice(0, 1)), deleted: keys.length - 1 }),
    }));
    expect(execution.error).toBe('SweepIncompleteError');
    expect(report).toMatchObject({ found: 60, deleted: 57, failed: 3, shardsSwept: 1, shardsFailed: 0 });
    expect(report.failedKeys.map(({ key }) => key)).toEqual([0, 25, 50].map(index => itemKeys(60)[index]));
  });

  test('of a chunk whose function fails for good are reported with its error', async () => {
    const { execution, report } = await runSweep(() => ({
      windows: { w: itemKeys(50) },
      deletes: async keys => {
        if (idsOf(keys)[0]?.includes('item-0')) throw thrown('AccessDeniedException');
        return allDeleted(keys);
      },
    }));
    expect(execution.error).toBe('SweepIncompleteError');
    expect(report).toMatchObject({ found: 50, deleted: 25, failed: 25, shardsSwept: 1 });
    expect(report.failedKeys[0]?.reason).toBe('AccessDeniedException');
  });

  /** Each of these shards fails to delete all of its keys. */
  async function allFailing(shards: number, keysOf: (shard: number) => ItemKey[]) {
    const windows = Object.fromEntries(
      Array.from({ length: shards }, (_unused, shard) => [`w${shard}`, keysOf(shard)]),
    );
    const { execution, report } = await runSweep(() => ({ windows, deletes: async keys => allFailed(keys) }));
    expect(execution.error).toBe('SweepIncompleteError');
    expectCountsToAddUp(report);
    // Source: Step Functions quotas, length of a cause; whether that counts characters or bytes is not said.
    expect(Buffer.byteLength(execution.cause ?? '')).toBeLessThan(32_768);
    return report;
  }

  const long = (shard: number, index: number): ItemKey => ({
    id: { S: `shard${shard}-${index}-${'\u0001'.repeat(500)}` },
  });

  test('are listed up to a bound, and counted beyond it', async () => {
    const report = await allFailing(12, shard =>
      Array.from({ length: 50 }, (_unused, index) => long(shard, index)),
    );
    expect(report).toMatchObject({ found: 600, failed: 600 });
    expect(report.failedKeys.length).toBeLessThanOrEqual(20);
    expect(report.failedKeys.length).toBeGreaterThan(0);
  });

  test.each([
    ['of one byte a character', '\u0001'],
    ['of three bytes a character', '語'],
  ])(
    'are listed in a round of 200 children too, shortened if need be: the largest keys, %s',
    async (_name, character) => {
      const fill = (bytes: number) => character.repeat(Math.floor(bytes / Buffer.byteLength(character)));
      const report = await allFailing(200, shard => [
        { id: { S: `${shard}-0-${fill(2000)}` }, sort: { S: fill(1024) } },
      ]);
      expect(report).toMatchObject({ found: 200, failed: 200, shardsFailed: 0 });
      expect(report.failedKeys.length).toBeGreaterThan(0);
      expect(report.failedKeys[0]).toEqual({
        reason: 'ValidationError',
        keyStart: expect.stringMatching(/^\{"id"/),
      });
    },
  );

  test('are listed whole where there is one child, however long', async () => {
    const key: ItemKey = { id: { S: `0-0-${'\u0001'.repeat(2000)}` }, sort: { S: '\u0001'.repeat(1024) } };
    expect((await allFailing(1, () => [key])).failedKeys).toEqual([{ key, reason: 'ValidationError' }]);
  });

  test('of usual length are listed whole in each of the most children there can be', async () => {
    const key = (shard: number): ItemKey => ({
      UserName: { S: `someone-${shard}@department.example.com` },
      SessionId: { S: 'x'.repeat(36) },
    });
    const report = await allFailing(200, shard => [key(shard)]);
    expect(report.failedKeys).toHaveLength(20);
    expect(report.failedKeys.every(({ key: listed }) => listed !== undefined)).toBe(true);
  });
});

describe('functions that fail', () => {
  const TRANSIENT = [
    'DynamoDbBusyError',
    'Lambda.TooManyRequestsException',
    'Lambda.ServiceException',
    'Lambda.Unknown',
    'Runtime.ExitError',
    'Sandbox.Timedout',
  ];

  test.each(TRANSIENT)('%s: every task is called again', async error => {
    const failedOnce = new Set<string>();
    const { execution, report } = await runSweep(() => ({
      windows: { w: itemKeys(3) },
      around: async (name, run) => {
        if (failedOnce.has(name)) return run();
        failedOnce.add(name);
        throw thrown(error);
      },
    }));
    expect(failedOnce.size).toBe(4);
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ found: 3, deleted: 3 });
  });

  test('a DeleteChunk that dies with every call is tried until the child is out of time, and told of', async () => {
    const { execution, report, clock } = await runSweep(() => ({
      windows: { w: itemKeys(3) },
      around: async (name, run) => {
        if (name === 'delete-chunk') throw thrown('Runtime.ExitError');
        return run();
      },
    }));
    expect(execution.error).toBe('SweepIncompleteError');
    expect(report).toMatchObject({ found: 3, failed: 3, shardsSwept: 1, shardsFailed: 0 });
    expect(report.failedKeys).toHaveLength(3);
    expect(report.retries).toBeGreaterThan(10);
    expect(clock.now() - STARTED).toBeLessThan(300_000);
    expect(clock.now() - STARTED).toBeGreaterThan(100_000);
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

  test('the waits of a query begin anew after one that got through', async () => {
    const refusedAt: number[] = [];
    const { report } = await runSweep(clock => {
      let refusals = 0;
      return {
        windows: { w: itemKeys(2500) },
        // Seven refusals before the first page, and one before the second.
        query: async (_window, startKey) => {
          const limit = startKey === null ? 7 : 8;
          if (refusals >= limit) return;
          refusals += 1;
          refusedAt.push(clock.now());
          throw new DynamoDbBusyError('throttled');
        },
        deletes: async keys => {
          if (refusedAt.length === 8) refusedAt.push(clock.now());
          return allDeleted(keys);
        },
      };
    });
    expect(report).toMatchObject({ deleted: 2500 });
    const [eighth = 0, ninth = 0] = refusedAt.slice(7);
    expect(ninth - eighth).toBeLessThanOrEqual(1000);
    expect((refusedAt[6] ?? 0) - (refusedAt[0] ?? 0)).toBeGreaterThan(8000);
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

  test('a shard that cannot be queried is counted as failed; the others are swept', async () => {
    const { execution, report } = await runSweep(() => ({
      windows: { good: itemKeys(5, 'g'), bad: itemKeys(7, 'b') },
      query: async window => {
        if (window === 'bad') throw thrown('ResourceNotFoundException');
      },
    }));
    expect(execution.error).toBe('SweepIncompleteError');
    expect(report).toMatchObject({ found: 5, deleted: 5, failed: 0, shardsSwept: 1, shardsFailed: 1 });
  });

  test('a shard whose last page fails keeps the counts of those before', async () => {
    const { report } = await runSweep(() => ({
      windows: { w: itemKeys(2500) },
      query: async (_window, startKey) => {
        if (JSON.stringify(startKey)?.includes('item-1999')) throw thrown('ResourceNotFoundException');
      },
    }));
    // What the page before it came to is not known: QueryExpired would have added it up.
    expect(report).toMatchObject({
      found: 2000,
      deleted: 1000,
      failed: 1000,
      shardsSwept: 0,
      shardsFailed: 1,
    });
    expectCountsToAddUp(report);
  });

  test('a child whose query hangs is told of before Step Functions ends it', async () => {
    const { execution, report, clock } = await runSweep(time => ({
      windows: { good: itemKeys(5, 'g'), slow: itemKeys(7, 's') },
      query: async window => {
        if (window === 'slow') await time.sleep(400_000);
      },
    }));
    expect(execution.error).toBe('SweepIncompleteError');
    expect(report).toMatchObject({ found: 5, deleted: 5, shardsSwept: 1, shardsFailed: 1 });
    expect(clock.now() - STARTED).toBeLessThan(60_000);
  });
});

/** Answers of a function that its own code does not give, to see what the machine makes of them. */
const answering = (name: string, change: (answer: object) => object): Pick<World, 'around'> => ({
  around: async <Output>(called: string, run: () => Promise<Output>) => {
    const answer = await run();
    return called === name ? (change(answer as object) as Output) : answer;
  },
});

const TOO_MUCH = 'x'.repeat(150_000);

describe('what no function is left to count', () => {
  test.each<[string, (chunk: object) => object]>([
    ['whose results are too much for a state', chunk => ({ ...chunk, padding: TOO_MUCH })],
    ['of which one cannot go on', chunk => ({ ...chunk, next: 'wait', until: 'soon' })],
  ])('a page of chunks %s counts as failed, its shard as interrupted', async (_name, change) => {
    const { execution, report } = await runSweep(() => ({
      windows: { w: itemKeys(60) },
      ...answering('delete-chunk', change),
    }));
    expect(execution.error).toBe('SweepIncompleteError');
    expect(report).toMatchObject({ found: 60, deleted: 0, failed: 60, shardsSwept: 0, shardsFailed: 1 });
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
        const pad = result !== null && progress.target.windowKeys[0] !== 'c';
        return pad ? { ...answer, result: { ...result, padding: TOO_MUCH } } : answer;
      }),
    }));
    expect(execution.error).toBe('SweepIncompleteError');
    // Plan, run, plan, run.
    expect(report).toMatchObject({ found: 3, deleted: 3, shardsSwept: 1, shardsFailed: 2, steps: 4 });
  });

  test('children that crash count as failed, one by one', async () => {
    const { execution, report } = await runSweep(() => ({
      windows: { good: itemKeys(3, 'g'), bad: itemKeys(3, 'b') },
      ...answering('query-expired', answer => {
        const { progress } = answer as QueryExpiredInput;
        return progress.target.windowKeys[0] === 'bad' ? { ...answer, next: 'wait', until: 'soon' } : answer;
      }),
    }));
    expect(execution.error).toBe('SweepIncompleteError');
    expect(report).toMatchObject({ found: 3, deleted: 3, failed: 0, shardsSwept: 1, shardsFailed: 1 });
  });
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
    const [bad] = ids(itemKeys(1));
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

  test.each([1, 3, 10])(
    'because its functions hang, with %d chunks at once, ends in time',
    async chunkConcurrency => {
      const { execution, report, calls } = await runSweep(
        clock => ({
          windows: { w: itemKeys(1000) },
          around: async (name, run) => {
            if (name === 'delete-chunk') await clock.sleep(400_000);
            return run();
          },
        }),
        { props: { chunkConcurrency } },
      );
      expect(execution.error).toBe('SweepIncompleteError');
      expect(report).toMatchObject({ found: 1000, failed: 1000, shardsSwept: 1, shardsFailed: 0 });
      const last = calls.filter(({ name }) => name === 'query-expired').at(-1);
      expect((last?.at ?? 0) - STARTED).toBeLessThan(240_000);
    },
  );

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

  test('in a dry run goes on where it was, and counts each entry once', async () => {
    // Of 1,000 entries each, as many as fit into a page's bytes.
    const { execution, report, calls } = await dryRunOf(9);
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ found: 12_000, deleted: 0, shardsFailed: 0 });
    expect(calls.filter(({ name }) => name === 'query-expired').length).toBeLessThan(16);
  });

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

  test('while a query is tried again hands the rest on too', async () => {
    const { execution, report } = await runSweep(clock => ({
      windows: { w: itemKeys(1500) },
      query: async (_window, startKey) => {
        if (startKey !== null && clock.now() < STARTED + 250_000) throw new DynamoDbBusyError('throttled');
      },
    }));
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ found: 1500, deleted: 1500, failed: 0, shardsFailed: 0 });
  });

  test('and got nowhere gives up instead of going round for ever', async () => {
    const { execution, report } = await runSweep(() => ({
      windows: { w: itemKeys(30) },
      deletes: async keys => ({ ...NO_DELETION, unprocessed: keys }),
    }));
    expect(execution.error).toBe('SweepIncompleteError');
    expect(report).toMatchObject({ found: 30, failed: 30, shardsSwept: 1 });
  });

  test('comes through a throttle of a minute without a failed execution', async () => {
    const calls: number[] = [];
    const { execution, report } = await runSweep(clock => ({
      windows: { w: itemKeys(500) },
      deletes: async keys => {
        calls.push(clock.now());
        return clock.now() < STARTED + 60_000 ? { ...NO_DELETION, unprocessed: keys } : allDeleted(keys);
      },
    }));
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ found: 500, deleted: 500 });
    const during = calls.filter(at => at < STARTED + 60_000).length;
    expect(during / 20).toBeLessThanOrEqual(12); // calls per chunk
  });
});
