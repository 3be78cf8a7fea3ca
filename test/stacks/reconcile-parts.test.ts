import fc from 'fast-check';
import { VirtualClock } from 'stepfunctions-emulator';
import { expiryModel, MAX_SHARDS } from '../../expiry/model.ts';
import { MINUTES_PER_DAY } from '../../expiry/window.ts';
import { windowStarts } from '../../expiry/window-starts.ts';
import { plan } from '../../functions/plan-sweep/plan.ts';
import { checkSpan, readSweepInput, type SweepRequest } from '../../functions/plan-sweep/sweep-input.ts';
import { indexLayout } from '../../functions/table/index-layout.ts';
import { LocalScheduler } from '../../local/scheduler/scheduler.ts';
import { synthesizedCloud } from '../../local/stack/synthesized.ts';
import { modelOf } from '../../stacks/model-of.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import { type PreciseTtlProps, resolveProps } from '../../stacks/props.ts';
import { type ReconcilePart, reconcileParts } from '../../stacks/reconcile-parts.ts';
import { schedulesOf } from '../../stacks/schedules-of.ts';
import { ROUND_TARGETS } from '../../statemachine/contract.ts';
import { configOf, SESSION_DATA } from '../support/synthesized.ts';
import { windowKeysOf } from '../support/target-windows.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TICK = { lookbackMinutes: 10, precisionSeconds: 1, maxDeletesPerSecond: 0, graceSeconds: 0 };

/** The executions of one round of parts, the first of which starts in the hour that begins at `hour`. */
function requestsOf(parts: readonly ReconcilePart[], hour: number): SweepRequest[] {
  const first = hour + (parts[0]?.minute ?? 0) * MINUTE;
  return parts.map(({ minute, lookbackMinutes, skipMinutes }) => {
    const at = hour + minute * MINUTE;
    const scheduled = at < first ? at + HOUR : at;
    const input = { scheduledTime: new Date(scheduled).toISOString(), lookbackMinutes, skipMinutes };
    return readSweepInput(input, scheduled + 5000, TICK);
  });
}

test('everything that fits into one execution is one part, at seven minutes past', () => {
  expect(reconcileParts({ reconcileHours: 24, granularityMinutes: 1, shards: 41 })).toEqual([
    { minute: 7, lookbackMinutes: 1440, skipMinutes: 0 },
  ]);
});

test('100 shards and 31 windows of a day are one part', () => {
  expect(reconcileParts({ reconcileHours: 744, granularityMinutes: 1440, shards: 100 })).toEqual([
    { minute: 7, lookbackMinutes: 44_640, skipMinutes: 0 },
  ]);
});

test('100 shards and a day are three parts of eight hours, twenty minutes apart', () => {
  expect(reconcileParts({ reconcileHours: 24, granularityMinutes: 1, shards: 100 })).toEqual([
    { minute: 7, lookbackMinutes: 480, skipMinutes: 0 },
    { minute: 27, lookbackMinutes: 960 + 20, skipMinutes: 480 + 20 },
    { minute: 47, lookbackMinutes: 1440 + 40, skipMinutes: 960 + 40 },
  ]);
});

test('1,000 shards and a day are 25 parts in windows of a minute, and one in windows of a day', () => {
  const many = { reconcileHours: 24, shards: 1000 };
  const parts = reconcileParts({ ...many, granularityMinutes: 1 });
  expect(parts).toHaveLength(25);
  expect(new Set(parts.map(({ minute }) => minute)).size).toBe(25);
  expect(reconcileParts({ ...many, granularityMinutes: MINUTES_PER_DAY })).toEqual([
    { minute: 7, lookbackMinutes: 1440, skipMinutes: 0 },
  ]);
});

test('no window of the lookback is left out, and no part is more than an execution gets through', () => {
  const divisors = Array.from({ length: MINUTES_PER_DAY }, (_unused, index) => index + 1).filter(
    minutes => MINUTES_PER_DAY % minutes === 0,
  );
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: MAX_SHARDS }),
      fc.constantFrom(...divisors),
      fc.oneof(fc.integer({ min: 1, max: 72 }), fc.integer({ min: 1, max: 744 })),
      fc.integer({ min: 490_000, max: 500_000 }),
      (shards, granularityMinutes, reconcileHours, hour) => {
        const parts = reconcileParts({ shards, granularityMinutes, reconcileHours });
        const requests = requestsOf(parts, hour * HOUR);
        const model = expiryModel({ partitionKey: 'id', shards, granularityMinutes });
        const covered = new Set(
          requests.flatMap(({ windowsFrom, windowsBefore }) => [
            ...windowStarts(windowsFrom, windowsBefore, model.granularitySeconds),
          ]),
        );
        for (const request of requests) expect(() => checkSpan(request, indexLayout(model))).not.toThrow();
        const first = (hour * HOUR + 7 * MINUTE) / 1000;
        const lookback = windowStarts(first - reconcileHours * 3600, first + 1, model.granularitySeconds);
        expect([...lookback].filter(window => !covered.has(window))).toEqual([]);
      },
    ),
    { numRuns: 100 },
  );
});

describe('100 shards and 48 hours, as they are synthesized', () => {
  const { schedules } = synthesizedCloud(
    plainStack(configOf({ ...SESSION_DATA, granularityMinutes: 1, shards: 100, reconcileHours: 48 })),
  );
  const reconciles = schedules.filter(({ name }) => !name.endsWith('-tick'));

  test('have a schedule for each part; the first has the name that a single one has', () => {
    expect(reconciles.map(({ name }) => name).sort()).toEqual([
      'precise-ttl-reconcile',
      'precise-ttl-reconcile-2',
      'precise-ttl-reconcile-3',
      'precise-ttl-reconcile-4',
      'precise-ttl-reconcile-5',
    ]);
  });

  test('are probed to the last window and shard within an hour of the local scheduler', async () => {
    const clock = new VirtualClock(Date.parse('2026-11-20T09:00:00Z'));
    const inputs: [unknown, number][] = [];
    const scheduler = new LocalScheduler({
      clock,
      schedules: reconciles,
      fire: ({ input }) => inputs.push([JSON.parse(input), clock.now()]),
      onError: error => {
        throw error;
      },
    });
    scheduler.start();
    await clock.sleep(HOUR);
    scheduler.stop();
    expect(inputs).toHaveLength(5);

    const model = modelOf({ ...SESSION_DATA, granularityMinutes: 1, shards: 100 });
    const pairs = new Set<string>();
    for (const [input, now] of inputs) {
      const request = readSweepInput(input, now, TICK);
      await plan(request, null, {
        layout: indexLayout(model),
        probe: async target => {
          for (const key of windowKeysOf(target)) pairs.add(key);
          return undefined;
        },
        concurrency: 1000,
        maxDue: ROUND_TARGETS * 1000,
        watchAlways: false,
        outOfTime: () => false,
      });
    }
    const missed: string[] = [];
    for (let minute = 0; minute <= 48 * 60; minute += 1) {
      const start = Date.parse('2026-11-20T09:07:00Z') - minute * MINUTE;
      const window = `${new Date(start).toISOString()}_${new Date(start + MINUTE).toISOString()}`;
      for (let shard = 0; shard < 100; shard += 1) {
        const key = shard === 0 ? window : `${window}#${shard}`;
        if (!pairs.has(key)) missed.push(key);
      }
    }
    expect(missed).toEqual([]);
  });
});

test('tables that look back alike share a reconcile, and others have their own', () => {
  const table = (tableName: string, props: Partial<PreciseTtlProps> = {}) =>
    resolveProps({ tableName, partitionKey: 'id', ...props });
  const inputs = (...tables: ReturnType<typeof resolveProps>[]) =>
    schedulesOf({ name: 'own', tables })
      .slice(1)
      .map(({ name, input }) => [name, input.tables, input.lookbackMinutes]);
  expect(inputs(table('one'), table('two', { shards: 3 }))).toEqual([['own-reconcile', undefined, 44_640]]);
  expect(
    inputs(
      table('one'),
      table('by-second', { indexedBy: 'second' }),
      table('two'),
      table('minutes', { granularityMinutes: 1 }),
      table('off', { indexedBy: 'second', enabled: false }),
    ),
  ).toEqual([
    ['own-reconcile', ['one', 'two'], 44_640],
    ['own-reconcile-2', ['by-second'], 120],
    ['own-reconcile-3', ['minutes'], 1_440],
  ]);
});
