import type { SweepFunctions } from '../../local/simulation/simulation.ts';
import type {
  DeleteChunkInput,
  ExpiredKey,
  FailedKey,
  ItemKey,
  SweepReport,
} from '../../statemachine/contract.ts';
import {
  itemKeys,
  memoryTable,
  NOTHING,
  planOf,
  runSweep,
  STARTED,
  target,
  thrown,
} from '../support/run-sweep.ts';

const ids = (keys: readonly ItemKey[]) => keys.map(key => JSON.stringify(key));
const idsOf = (keys: readonly ExpiredKey[]) => ids(keys.map(({ key }) => key));

/** found = deleted + renewed + alreadyGone + failed. */
function expectCountsToAddUp({ found, deleted, renewed, alreadyGone, failed }: SweepReport) {
  expect(deleted + renewed + alreadyGone + failed).toBe(found);
}

describe('an idle tick', () => {
  test('takes three transitions and calls one function', async () => {
    const { execution, report, calls } = await runSweep(() => memoryTable({}));
    expect(execution.status).toBe('SUCCEEDED');
    expect(calls.map(({ name }) => name)).toEqual(['plan-sweep']);
    expect(execution.billing.stateTransitions).toBeLessThanOrEqual(3);
    expect(report).toMatchObject({ found: 0, deleted: 0, shardsSwept: 0, dryRun: false });
  });

  test('hands PlanSweep the input and the start of the execution', async () => {
    const { calls } = await runSweep(() => memoryTable({}));
    expect(calls[0]?.input).toEqual({
      executionInput: { scheduledTime: '2026-11-20T09:00:00Z' },
      startedAt: new Date(STARTED).toISOString(),
      cursor: null,
    });
  });
});

describe('a sweep', () => {
  test.each([1, 24, 25, 26, 1000, 1001, 2500])(
    'deletes %d items of one shard, each handed out once',
    async count => {
      const keys = itemKeys(count);
      const deleted: string[] = [];
      const { execution, report, calls } = await runSweep(() => {
        const table = memoryTable({ w: keys });
        return {
          ...table,
          'delete-chunk': async input => {
            deleted.push(...idsOf(input.keys));
            return table['delete-chunk'](input);
          },
        };
      });
      expect(execution.status).toBe('SUCCEEDED');
      expect(deleted.sort()).toEqual(ids(keys).sort());
      expect(report).toEqual({
        dryRun: false,
        found: count,
        deleted: count,
        renewed: 0,
        alreadyGone: 0,
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

  test('sweeps many shards and adds up what they did', async () => {
    const shards = Object.fromEntries(
      Array.from({ length: 30 }, (_unused, index) => [`w${index}`, itemKeys(index + 1, `w${index}x`)]),
    );
    const { report } = await runSweep(() => memoryTable(shards));
    expect(report).toMatchObject({ found: 465, deleted: 465, shardsSwept: 30 });
  });

  test('goes on planning from the cursor until there is none', async () => {
    const cursors: unknown[] = [];
    const { report, calls } = await runSweep(() => {
      const table = memoryTable({ a: itemKeys(3, 'a'), b: itemKeys(4, 'b') });
      return {
        ...table,
        'plan-sweep': async ({ cursor }) => {
          cursors.push(cursor);
          const round = cursors.length;
          return planOf(round === 2 ? [] : [target(round === 1 ? 'a' : 'b')], {
            cursor: round < 3 ? { window: round, shard: 0 } : null,
            oldestOverdueSeconds: [0, 30, 90, 60][round] ?? 0,
          });
        },
      };
    });
    expect(cursors).toEqual([null, { window: 1, shard: 0 }, { window: 2, shard: 0 }]);
    expect(report).toMatchObject({ found: 7, deleted: 7, shardsSwept: 2, oldestOverdueSeconds: 90 });
    expect(calls.filter(({ name }) => name === 'record-metrics')).toHaveLength(1);
  });

  test('that never ends stops before its history is full, as incomplete', async () => {
    const { execution, report, calls } = await runSweep(() =>
      memoryTable({}, { 'plan-sweep': async () => planOf([target()], { cursor: { window: 1, shard: 0 } }) }),
    );
    expect(execution).toMatchObject({ status: 'FAILED', error: 'SweepIncompleteError' });
    expect(report.steps).toBe(600);
    expect(execution.history.length).toBeLessThan(25_000);
    expect(calls.at(-1)?.name).toBe('record-metrics');
  });

  test('that never ends stops before its history is full too when every plan has to be retried', async () => {
    const { execution, report } = await runSweep(() => {
      let calls = 0;
      const cursor = { window: 1, shard: 0 };
      return memoryTable(
        {},
        {
          // Nine failures cost no step, a tenth would.
          'plan-sweep': async () => {
            calls += 1;
            if (calls % 10 !== 0) throw thrown('DynamoDbBusyError');
            return planOf([], { cursor });
          },
        },
      );
    });
    expect(execution).toMatchObject({ status: 'FAILED', error: 'SweepIncompleteError' });
    expect(report.steps).toBe(600);
    expect(execution.history.length).toBeGreaterThan(20_000);
    expect(execution.history.length).toBeLessThan(25_000);
  });

  test('counts ten retries of a plan as a step', async () => {
    const { report } = await runSweep(() => {
      const table = memoryTable({ w: itemKeys(3) });
      let calls = 0;
      return {
        ...table,
        'plan-sweep': async input => {
          calls += 1;
          if (calls <= 10) throw thrown('DynamoDbBusyError');
          return table['plan-sweep'](input);
        },
      };
    });
    expect(report).toMatchObject({ deleted: 3, steps: 3 }); // a plan, its retries, and a run
  });

  test('whose planning fails in a later round keeps and records what was swept before', async () => {
    const { execution, report, calls } = await runSweep(() => {
      const table = memoryTable({ w: itemKeys(3) });
      let rounds = 0;
      return {
        ...table,
        'plan-sweep': async () => {
          rounds += 1;
          if (rounds > 1) throw thrown('AccessDeniedException');
          return planOf([target()], { cursor: { window: 1, shard: 0 } });
        },
      };
    });
    expect(execution.error).toBe('SweepIncompleteError');
    expect(report).toMatchObject({ found: 3, deleted: 3, shardsSwept: 1, shardsFailed: 1 });
    expect(calls.at(-1)?.name).toBe('record-metrics');
  });

  test('records its report once, before it ends', async () => {
    const { report, calls } = await runSweep(() => memoryTable({ w: itemKeys(3) }));
    const recorded = calls.filter(({ name }) => name === 'record-metrics');
    expect(recorded).toHaveLength(1);
    const { lagMs, ...counts } = report;
    expect(lagMs).toBeNull();
    expect(recorded[0]?.input).toMatchObject({ totals: counts, startedAt: new Date(STARTED).toISOString() });
  });

  test('of a wrong input fails at once with the error of PlanSweep', async () => {
    const { execution, calls } = await runSweep(() =>
      memoryTable(
        {},
        { 'plan-sweep': () => Promise.reject(thrown('InvalidExecutionInputError', 'from: expected …')) },
      ),
    );
    expect(execution).toMatchObject({ status: 'FAILED', error: 'InvalidExecutionInputError' });
    expect(execution.cause).toContain('from: expected');
    expect(calls).toHaveLength(1);
  });

  test('counts what was renewed or already gone', async () => {
    const { execution, report } = await runSweep(() =>
      memoryTable(
        { w: itemKeys(40) },
        {
          'delete-chunk': async ({ keys }) => ({
            ...NOTHING,
            deleted: keys.length - 3,
            renewed: 2,
            alreadyGone: 1,
          }),
        },
      ),
    );
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ found: 40, deleted: 34, renewed: 4, alreadyGone: 2 });
    expectCountsToAddUp(report);
  });

  test('in a dry run finds and deletes nothing', async () => {
    const { execution, report, calls } = await runSweep(() => {
      const table = memoryTable({ w: itemKeys(1200) });
      return {
        ...table,
        'plan-sweep': async () => planOf([target()], { dryRun: true }),
      };
    });
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ dryRun: true, found: 1200, deleted: 0, failed: 0, shardsSwept: 1 });
    expect(report.sampleKeys).toEqual(itemKeys(20));
    expect(calls.map(({ name }) => name)).not.toContain('delete-chunk');
  });
});

describe('unprocessed keys', () => {
  test('are tried again, and only these', async () => {
    const attempts: string[][] = [];
    const { execution, report } = await runSweep(() =>
      memoryTable(
        { w: itemKeys(10) },
        {
          'delete-chunk': async ({ keys }) => {
            attempts.push(idsOf(keys));
            const done = Math.ceil(keys.length / 2);
            return { ...NOTHING, deleted: done, unprocessed: keys.slice(done) };
          },
        },
      ),
    );
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
        clock =>
          memoryTable(
            { w: itemKeys(1) },
            {
              'delete-chunk': async ({ keys }) => {
                at.push(clock.now());
                return at.length <= 8 ? { ...NOTHING, unprocessed: keys } : { ...NOTHING, deleted: 1 };
              },
            },
          ),
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

  test('of one chunk do not hold up the others', async () => {
    const doneAt = new Map<string, number>();
    const { report } = await runSweep(clock => {
      let throttled = 6;
      return memoryTable(
        { w: itemKeys(75) },
        {
          'delete-chunk': async ({ keys }) => {
            const [first] = idsOf(keys);
            if (first?.includes('item-25') && throttled-- > 0) return { ...NOTHING, unprocessed: keys };
            doneAt.set(String(first), clock.now() - STARTED);
            return { ...NOTHING, deleted: keys.length };
          },
        },
      );
    });
    expect(report).toMatchObject({ deleted: 75, retries: 6 });
    const times = [...doneAt.values()].sort((one, other) => one - other);
    expect(times.slice(0, 2)).toEqual([0, 0]);
    expect(times[2]).toBeGreaterThan(1000);
  });

  test('that never get through are reported, with their reason, after the metrics', async () => {
    const { execution, report, calls } = await runSweep(
      () =>
        memoryTable(
          { w: itemKeys(3) },
          { 'delete-chunk': async ({ keys }) => ({ ...NOTHING, unprocessed: keys }) },
        ),
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
    const { execution, report } = await runSweep(() =>
      memoryTable(
        { w: itemKeys(60) },
        {
          'delete-chunk': async ({ keys }) => {
            const failed = keys.slice(0, 1).map(({ key }): FailedKey => ({ key, reason: 'ValidationError' }));
            return { ...NOTHING, deleted: keys.length - 1, failed };
          },
        },
      ),
    );
    expect(execution.error).toBe('SweepIncompleteError');
    expect(report).toMatchObject({ found: 60, deleted: 57, failed: 3 });
    expect(report.failedKeys.map(({ key }) => key)).toEqual([0, 25, 50].map(index => itemKeys(60)[index]));
  });

  test('of a chunk whose function fails for good are reported with its error', async () => {
    const { execution, report } = await runSweep(() =>
      memoryTable(
        { w: itemKeys(50) },
        {
          'delete-chunk': async ({ keys }: DeleteChunkInput) => {
            if (idsOf(keys)[0]?.includes('item-0')) throw thrown('AccessDeniedException');
            return { ...NOTHING, deleted: keys.length };
          },
        },
      ),
    );
    expect(execution.error).toBe('SweepIncompleteError');
    expect(report).toMatchObject({ found: 50, deleted: 25, failed: 25, shardsSwept: 1 });
    expect(report.failedKeys[0]?.reason).toBe('AccessDeniedException');
  });

  test('are listed up to a bound, and counted beyond it', async () => {
    const long = (index: number): ItemKey => ({ id: { S: `item-${index}-${'\u0001'.repeat(500)}` } });
    const shards = Object.fromEntries(
      Array.from({ length: 12 }, (_unused, shard) => [
        `w${shard}`,
        Array.from({ length: 50 }, (_each, index) => long(index)),
      ]),
    );
    const { execution, report } = await runSweep(() =>
      memoryTable(shards, {
        'delete-chunk': async ({ keys }) => ({
          ...NOTHING,
          failed: keys.map(({ key }) => ({ key, reason: 'ValidationError' })),
        }),
      }),
    );
    expect(execution.error).toBe('SweepIncompleteError');
    expect(report).toMatchObject({ found: 600, failed: 600 });
    expect(report.failedKeys.length).toBeLessThanOrEqual(20);
    expect(execution.cause?.length).toBeLessThan(32_768); // Source: Step Functions quotas, length of a cause
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
    const once =
      <Input, Output>(name: string, run: (input: Input) => Promise<Output>) =>
      async (input: Input) => {
        if (failedOnce.has(name)) return run(input);
        failedOnce.add(name);
        throw thrown(error);
      };
    const { execution, report } = await runSweep(() => {
      const table = memoryTable({ w: itemKeys(3) });
      return {
        'plan-sweep': once('plan-sweep', table['plan-sweep']),
        'query-expired': once('query-expired', table['query-expired']),
        'delete-chunk': once('delete-chunk', table['delete-chunk']),
        'record-metrics': once('record-metrics', table['record-metrics']),
      };
    });
    expect(failedOnce.size).toBe(4);
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ found: 3, deleted: 3 });
  });

  test('a function that dies with every call is tried until the child is out of time, and told of', async () => {
    const { execution, report, clock } = await runSweep(() =>
      memoryTable({ w: itemKeys(3) }, { 'delete-chunk': () => Promise.reject(thrown('Runtime.ExitError')) }),
    );
    expect(execution.error).toBe('SweepIncompleteError');
    expect(report).toMatchObject({ found: 3, failed: 3, shardsSwept: 1, shardsFailed: 0 });
    expect(clock.now() - STARTED).toBeLessThan(300_000);
  });

  test('a table that is throttled for a minute is waited for, by planning and by looking', async () => {
    const { execution, report } = await runSweep(clock => {
      const table = memoryTable({ w: itemKeys(3) });
      const busyFor =
        <Input, Output>(ms: number, run: (input: Input) => Promise<Output>) =>
        (input: Input) =>
          clock.now() < STARTED + ms ? Promise.reject(thrown('DynamoDbBusyError')) : run(input);
      return {
        ...table,
        'plan-sweep': busyFor(60_000, table['plan-sweep']),
        'query-expired': busyFor(120_000, table['query-expired']),
      };
    });
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ found: 3, deleted: 3, shardsFailed: 0 });
  });

  test('metrics that cannot be recorded do not fail the sweep', async () => {
    const { execution, report } = await runSweep(() =>
      memoryTable({ w: itemKeys(3) }, { 'record-metrics': () => Promise.reject(thrown('TypeError')) }),
    );
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ deleted: 3 });
  });

  test('a shard that cannot be queried is counted as failed; the others are swept', async () => {
    const { execution, report } = await runSweep(() => {
      const table = memoryTable({ good: itemKeys(5, 'g'), bad: itemKeys(7, 'b') });
      return {
        ...table,
        'query-expired': async input => {
          if (input.target.windowKeys[0] === 'bad') throw thrown('ResourceNotFoundException');
          return table['query-expired'](input);
        },
      };
    });
    expect(execution.error).toBe('SweepIncompleteError');
    expect(report).toMatchObject({ found: 5, deleted: 5, failed: 0, shardsSwept: 1, shardsFailed: 1 });
  });

  test('a shard whose second page fails keeps the counts of the first', async () => {
    const { report } = await runSweep(() => {
      const table = memoryTable({ w: itemKeys(1500) });
      return {
        ...table,
        'query-expired': async input => {
          if (input.position) throw thrown('ResourceNotFoundException');
          return table['query-expired'](input);
        },
      };
    });
    expect(report).toMatchObject({ found: 1000, deleted: 1000, shardsSwept: 0, shardsFailed: 1 });
    expectCountsToAddUp(report);
  });

  test('a child that hangs until Step Functions ends it is counted as failed', async () => {
    const { execution, report } = await runSweep(clock => {
      const table = memoryTable({ good: itemKeys(5, 'g'), slow: itemKeys(7, 's') });
      return {
        ...table,
        'query-expired': async input => {
          if (input.target.windowKeys[0] === 'slow') await clock.sleep(400_000);
          return table['query-expired'](input);
        },
      };
    });
    expect(execution.error).toBe('SweepIncompleteError');
    expect(report).toMatchObject({ found: 5, deleted: 5, shardsSwept: 1, shardsFailed: 1 });
  });
});

describe('a child that runs out of time', () => {
  /** Every delete takes this long. */
  const slow =
    (seconds: number, more: (table: SweepFunctions) => Partial<SweepFunctions> = () => ({})) =>
    (clock: { sleep(ms: number): Promise<void> }) => {
      const table = memoryTable({ w: itemKeys(3000) });
      return {
        ...table,
        'delete-chunk': async (input: DeleteChunkInput) => {
          await clock.sleep(seconds * 1000);
          return table['delete-chunk'](input);
        },
        ...more(table),
      };
    };

  test('hands the rest to a further child, and every item is counted once', async () => {
    const { execution, report, clock } = await runSweep(slow(20), { props: { chunkConcurrency: 5 } });
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ found: 3000, deleted: 3000, failed: 0, shardsFailed: 0 });
    expect(report.shardsSwept).toBeGreaterThan(1);
    expect(clock.now() - STARTED).toBeGreaterThan(300_000); // longer than one Express execution may take
  });

  test('counts a key that fails in every child once', async () => {
    const bad = ids(itemKeys(3000)).slice(0, 1);
    const { execution, report } = await runSweep(
      slow(20, () => {
        const table = memoryTable({ w: itemKeys(3000) });
        return {
          'query-expired': table['query-expired'],
          'delete-chunk': async input => {
            const keys = input.keys.filter(({ key }) => !bad.includes(JSON.stringify(key)));
            const failed = input.keys.filter(({ key }) => bad.includes(JSON.stringify(key)));
            const done = await table['delete-chunk']({ ...input, keys });
            return { ...done, failed: failed.map(({ key }) => ({ key, reason: 'ValidationError' })) };
          },
        };
      }),
      { props: { chunkConcurrency: 5 } },
    );
    expect(execution.error).toBe('SweepIncompleteError');
    expect(report).toMatchObject({ found: 3000, deleted: 2999, failed: 1 });
  });

  /** A dry run of a window that takes `seconds` a page, and what `query` does instead of a query. */
  const dryRunOf = (seconds: number, query: (table: SweepFunctions) => SweepFunctions['query-expired']) =>
    runSweep(clock => {
      const table = memoryTable({ w: itemKeys(20_000) });
      let planned = false;
      return {
        ...table,
        'plan-sweep': async () => {
          const due = planned ? [] : [target()];
          planned = true;
          return planOf(due, { dryRun: true });
        },
        'query-expired': async input => {
          await clock.sleep(seconds * 1000);
          return query(table)(input);
        },
      };
    });

  test('in a dry run goes on where it was, and counts each entry once', async () => {
    const { execution, report, calls } = await dryRunOf(30, table => table['query-expired']);
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ found: 20_000, deleted: 0, shardsFailed: 0 });
    expect(calls.filter(({ name }) => name === 'query-expired')).toHaveLength(20);
  });

  test('in a dry run and got nowhere does not pass for complete', async () => {
    const { execution, report } = await dryRunOf(30, () => () => Promise.reject(thrown('DynamoDbBusyError')));
    expect(execution.error).toBe('SweepIncompleteError');
    expect(report).toMatchObject({ found: 0, shardsSwept: 0, shardsFailed: 1 });
  });

  test('while a query is tried again hands the rest on too', async () => {
    const { execution, report } = await runSweep(clock => {
      const table = memoryTable({ w: itemKeys(1500) });
      return {
        ...table,
        'query-expired': async input => {
          if (input.position && clock.now() < STARTED + 250_000) throw thrown('DynamoDbBusyError');
          return table['query-expired'](input);
        },
      };
    });
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ found: 1500, deleted: 1500, failed: 0, shardsFailed: 0 });
  });

  test('and got nowhere gives up instead of going round for ever', async () => {
    const { execution, report } = await runSweep(() =>
      memoryTable(
        { w: itemKeys(30) },
        { 'delete-chunk': async ({ keys }) => ({ ...NOTHING, unprocessed: keys }) },
      ),
    );
    expect(execution.error).toBe('SweepIncompleteError');
    expect(report).toMatchObject({ found: 30, failed: 30, shardsSwept: 1 });
  });

  test('comes through a throttle of a minute without a failed execution', async () => {
    const calls: number[] = [];
    const { execution, report } = await runSweep(clock => {
      const table = memoryTable({ w: itemKeys(500) });
      return {
        ...table,
        'delete-chunk': async input => {
          calls.push(clock.now());
          if (clock.now() < STARTED + 60_000) return { ...NOTHING, unprocessed: input.keys };
          return table['delete-chunk'](input);
        },
      };
    });
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ found: 500, deleted: 500 });
    const during = calls.filter(at => at < STARTED + 60_000).length;
    expect(during / 20).toBeLessThanOrEqual(12); // calls per chunk
  });
});
