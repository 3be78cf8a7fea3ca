import { NO_DELETION } from '../../functions/delete-chunk/deletion.ts';
import { DynamoDbBusyError } from '../../functions/runtime/errors.ts';
import type { QueryExpiredOutput } from '../../statemachine/contract/child.ts';
import type { Chunk, DeleteChunkInput } from '../../statemachine/contract/chunks.ts';
import type { RecordMetricsInput } from '../../statemachine/contract/execution.ts';
import type { ExpiredKey, ItemKey } from '../../statemachine/contract/keys.ts';
import { ROUND_TARGETS, TICK_TARGETS } from '../../statemachine/contract/limits.ts';
import { MACHINES } from '../../statemachine/contract/machines.ts';
import type { SweepReport } from '../../statemachine/contract/report.ts';
import { SESSION_DATA } from '../support/configs.ts';
import {
  allDeleted,
  allFailed,
  answering,
  itemKeys,
  runSweep,
  STARTED,
  TOO_MUCH,
  thrown,
  windowName,
} from '../support/run-sweep.ts';

/* What both state machines keep: the iterations of a tick, and the children of a replay. */

const ids = (keys: readonly ItemKey[]) => keys.map(key => JSON.stringify(key));
const idsOf = (keys: readonly ExpiredKey[]) => ids(keys.map(({ key }) => key));

/** found = deleted + renewed + notFound + failed. */
function expectCountsToAddUp({ found, deleted, renewed, notFound, failed }: SweepReport) {
  expect(deleted + renewed + notFound + failed).toBe(found);
}

describe.each(MACHINES)('the %s', machine => {
  const sweep: typeof runSweep = (worldOf, options) => runSweep(worldOf, { ...options, machine });
  /** Targets at once. */
  const most = machine === 'tick' ? TICK_TARGETS : ROUND_TARGETS;

  describe('a sweep', () => {
    test.each([1, 24, 25, 26, 1000, 1001, 2500])(
      'deletes %d items of one shard, each handed out once',
      async count => {
        const keys = itemKeys(count);
        const deleted: string[] = [];
        const { execution, report, calls } = await sweep(() => ({
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
          steps: machine === 'tick' ? 1 : 2,
          oldestOverdueSeconds: 0,
          failedKeys: [],
          sampleKeys: [],
          lagMs: null,
        });
        expect(calls.filter(({ name }) => name === 'delete-chunk')).toHaveLength(Math.ceil(count / 25));
      },
    );

    test('records its report once, before it ends', async () => {
      const answers: unknown[] = [];
      const { execution, report, calls } = await sweep(() => ({
        windows: { w: itemKeys(3) },
        around: async (name, run) => {
          const answer = await run();
          if (name === 'record-metrics') answers.push(answer);
          return answer;
        },
      }));
      expect(answers).toMatchObject([{ complete: true, tables: { [SESSION_DATA.tableName]: report } }]);
      const { startedAt, endedAt } = { ...(calls.at(-1)?.input as RecordMetricsInput) };
      expect([startedAt, endedAt].map(Date.parse)).toEqual([STARTED, execution.stopDate]);
    });

    test('of a wrong input fails at once with the error of PlanSweep', async () => {
      const { execution, calls } = await sweep(() => ({}), { input: { from: 'yesterday', to: 'today' } });
      expect(execution).toMatchObject({ status: 'FAILED', error: 'InvalidExecutionInputError' });
      expect(execution.cause).toContain('from: expected');
      expect(calls).toHaveLength(1);
    });
  });

  describe('unprocessed keys', () => {
    test('are tried again, and only these', async () => {
      const attempts: string[][] = [];
      const { execution, report } = await sweep(() => ({
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
        await sweep(
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
      const { calls, execution } = await sweep(() => ({
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
      const { report } = await sweep(clock => ({
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
      const { execution, report, calls } = await sweep(
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
      const { execution, report } = await sweep(() => ({
        windows: { w: itemKeys(60) },
        deletes: async keys => ({ ...allFailed(keys.slice(0, 1)), deleted: keys.length - 1 }),
      }));
      expect(execution.error).toBe('SweepIncompleteError');
      expect(report).toMatchObject({ found: 60, deleted: 57, failed: 3, shardsSwept: 1, shardsFailed: 0 });
      expect(report.failedKeys.map(({ key }) => key)).toEqual([0, 25, 50].map(index => itemKeys(60)[index]));
    });

    test('of a chunk whose function fails for good are reported with its error', async () => {
      const { execution, report } = await sweep(() => ({
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
      const { execution, report } = await sweep(() => ({ windows, deletes: async keys => allFailed(keys) }));
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
      'are listed in the largest round too, shortened if need be: the largest keys, %s',
      async (_name, character) => {
        const fill = (bytes: number) => character.repeat(Math.floor(bytes / Buffer.byteLength(character)));
        const report = await allFailing(most, shard => [
          { id: { S: `${shard}-0-${fill(2000)}` }, sort: { S: fill(1024) } },
        ]);
        expect(report).toMatchObject({ found: most, failed: most, shardsFailed: 0 });
        expect(report.failedKeys.length).toBeGreaterThan(0);
        expect(report.failedKeys[0]).toEqual({
          reason: 'ValidationError',
          keyStart: expect.stringMatching(/^\{"id"/),
        });
      },
    );

    test('are listed whole where one child has the room, however long', async () => {
      const key: ItemKey = { id: { S: `0-0-${'\u0001'.repeat(2000)}` }, sort: { S: '\u0001'.repeat(1024) } };
      // What a tick collects in a state is that of 40 targets.
      const listed = machine === 'tick' ? { keyStart: expect.stringMatching(/^\{"id"/) } : { key };
      expect((await allFailing(1, () => [key])).failedKeys).toEqual([
        { ...listed, reason: 'ValidationError' },
      ]);
    });

    test('of usual length are listed whole in each of the most children there can be', async () => {
      const key = (shard: number): ItemKey => ({
        UserName: { S: `someone-${shard}@department.example.com` },
        SessionId: { S: 'x'.repeat(36) },
      });
      const report = await allFailing(most, shard => [key(shard)]);
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
      const { execution, report } = await sweep(() => ({
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
      const { execution, report, clock } = await sweep(() => ({
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

    test('the waits of a query begin anew after one that got through', async () => {
      const refusedAt: number[] = [];
      const { report } = await sweep(clock => {
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

    test('a shard that cannot be queried is counted as failed; the others are swept', async () => {
      const { execution, report } = await sweep(() => ({
        windows: { good: itemKeys(5, 'g'), bad: itemKeys(7, 'b') },
        query: async window => {
          if (window === 'bad') throw thrown('ResourceNotFoundException');
        },
      }));
      expect(execution.error).toBe('SweepIncompleteError');
      expect(report).toMatchObject({ found: 5, deleted: 5, failed: 0, shardsSwept: 1, shardsFailed: 1 });
    });

    test('a shard whose last page fails keeps the counts of those before', async () => {
      const { report } = await sweep(() => ({
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
      const { execution, report, clock } = await sweep(time => ({
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

  describe('what no function is left to count', () => {
    test('a page of chunks whose results are too much for a state counts as failed, its shard as interrupted', async () => {
      const { execution, report } = await sweep(() => ({
        windows: { w: itemKeys(60) },
        ...answering('delete-chunk', chunk => ({ ...chunk, padding: TOO_MUCH })),
      }));
      expect(execution.error).toBe('SweepIncompleteError');
      expect(report).toMatchObject({ found: 60, deleted: 0, failed: 60, shardsSwept: 0, shardsFailed: 1 });
    });

    test.each<[string, string, (chunk: Chunk) => unknown]>([
      ['is too large', 'States.DataLimitExceeded', chunk => ({ ...chunk, padding: TOO_MUCH.repeat(2) })],
      ['is no chunk', 'States.QueryEvaluationError', () => 'gone'],
      ['is nothing', 'States.QueryEvaluationError', () => null],
      [
        'says to wait for no time',
        'States.QueryEvaluationError',
        chunk => ({ ...chunk, next: 'wait', until: 'soon' }),
      ],
      [
        'says to wait until the execution is over',
        'States.QueryEvaluationError',
        chunk => ({ ...chunk, next: 'wait', until: '2026-11-20T09:10:00Z' }),
      ],
      ['says what is no step', 'States.QueryEvaluationError', chunk => ({ ...chunk, next: 'rest' })],
      ['has no time limit', 'States.QueryEvaluationError', ({ timeoutSeconds: _gone, ...chunk }) => chunk],
      ['has another deadline', 'States.QueryEvaluationError', chunk => ({ ...chunk, deadline: '2027' })],
    ])(
      'an answer of DeleteChunk that %s fails the keys of its chunk, each once, and no others',
      async (_name, reason, change) => {
        const { execution, report } = await sweep(() => ({
          windows: { w: itemKeys(60) },
          ...answering('delete-chunk', answer => {
            const chunk = answer as Chunk;
            // Its keys are deleted, and it does not say so.
            return chunk.progress?.deleted === 10 ? change(chunk) : chunk;
          }),
        }));
        expect(execution.error).toBe('SweepIncompleteError');
        expect(report).toMatchObject({ found: 60, deleted: 50, failed: 10, shardsSwept: 1, shardsFailed: 0 });
        expect(report.failedKeys).toHaveLength(10);
        for (const failure of report.failedKeys) expect(failure.reason).toBe(reason);
      },
    );

    test.each<[string, (answer: QueryExpiredOutput) => unknown]>([
      ['is too large', answer => ({ ...answer, padding: TOO_MUCH.repeat(2) })],
      ['is nothing', () => null],
      ['says to wait for no time', answer => ({ ...answer, next: 'wait', until: 'soon' })],
      [
        'says to wait until the execution is over',
        answer => ({ ...answer, next: 'wait', until: '2026-11-20T09:10:00Z' }),
      ],
      ['says what is no step', answer => ({ ...answer, next: 'rest' })],
      ['ends without a result', answer => ({ ...answer, next: 'end', result: null })],
      ['ends with another result', answer => ({ ...answer, next: 'end', result: { complete: true } })],
      [
        'ends with too large a result',
        answer => ({ ...answer, next: 'end', result: { complete: true, padding: TOO_MUCH } }),
      ],
      ['has no chunks to delete', answer => ({ ...answer, next: 'delete', chunks: null })],
      ['has no time limit', ({ timeoutSeconds: _gone, ...answer }) => answer],
    ])('an answer of QueryExpired that %s fails its target, and no other', async (_name, change) => {
      const { execution, report } = await sweep(() => ({
        windows: { good: itemKeys(3, 'g'), bad: itemKeys(3, 'b') },
        ...answering('query-expired', answer => {
          const { progress } = answer as QueryExpiredOutput;
          return windowName(progress.target) === 'bad' ? change(answer as QueryExpiredOutput) : answer;
        }),
      }));
      expect(execution.error).toBe('SweepIncompleteError');
      expect(report).toMatchObject({ found: 3, deleted: 3, failed: 0, shardsSwept: 1, shardsFailed: 1 });
    });
  });

  describe('a child that runs out of time', () => {
    test.each([1, 3, 10])(
      'because its functions hang, with %d chunks at once, ends in time',
      async chunkConcurrency => {
        const { execution, report, calls } = await sweep(
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

    test('comes through a throttle of a minute without a failed execution', async () => {
      const calls: number[] = [];
      const { execution, report } = await sweep(clock => ({
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
});
