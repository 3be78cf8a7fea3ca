import { setTimeout as sleep } from 'node:timers/promises';
import { schedulerTime } from 'aws-on-loopback/scheduler/scheduler';
import { seededRandom } from 'stepfunctions-emulator';
import { LocalCloud, type LocalCloudOptions } from '../../local/cloud.ts';
import {
  FAULTS,
  FaultCounter,
  type FaultCounts,
  type FaultName,
  type FaultProxy,
  type FaultRates,
  faultyDeliveries,
  faultyInvocations,
  startFaultProxy,
} from '../faults/index.ts';
import { type Accounts, Attempts, endOf, tooMany } from '../ledger/accounts.ts';
import type { Following } from '../ledger/followers.ts';
import type { Problems, Progress } from '../report/progress.ts';
import { machinesOf, untilIdle } from '../watch/executions.ts';
import type { WatchedTable } from '../watch/watched-table.ts';
import { planStream } from '../workload/plan.ts';
import { chaosMix, LIFE } from './mix.ts';

/** Rates and duration of the faults. */
export interface StormOptions {
  readonly stack: LocalCloudOptions['stack'];
  readonly deleteMode: 'guarded' | 'batch';
  /** Minutes during which items expire. */
  readonly minutes: number;
  /** Items per second. */
  readonly rate: number;
  readonly seed: number;
  readonly rates: FaultRates;
  /** The attribute that holds an item; some items are held if there is one. */
  readonly holdAttribute: string | undefined;
  /** The table's archive. @default none */
  readonly archive?: Following['archive'];
}

interface StormContext {
  /** Environment variables of the runner. */
  readonly environment: Readonly<Record<string, string>>;
  /** Resolves when all deletions were archived, or cannot be. No more faults are injected. */
  readonly followed: () => Promise<void>;
  readonly table: WatchedTable;
  readonly accounts: Accounts;
  readonly problems: Problems;
  readonly progress: Progress;
  /** Aborts the storm. */
  readonly until: AbortSignal;
}

/** Time until the first item expires, in which the writers write the first items. */
export const LEAD_SECONDS = 10;
/** Limit for executions that still run after the last expiry and the last fault: a child ends before that. */
const MAX_WIND_MS = 330_000;
const SHOWN_EVERY_MS = 500;
const TICK_MS = 60_000;
/** Shortest interval at which an additional tick is started over a range that others are sweeping. */
const OVERLAP_INTERVAL_MS = 10_000;

/**
 * Writers, renewers and deleters change the table, and the synthesized deployment sweeps it by its schedules, under all faults; ends when
 * nothing that was started still runs.
 * @returns the number of faults, and when the storm began, epoch milliseconds
 */
export async function rage(
  options: StormOptions,
  context: StormContext,
): Promise<{ readonly faults: FaultCounts; readonly startMs: number }> {
  const { deleteMode, minutes, rate, seed, holdAttribute } = options;
  const { followed, table, accounts, problems, progress, until } = context;
  const { ledger } = table;
  const sweeping = await startSweeping(options, context);
  const startMs = Date.now();
  try {
    const { actions, lastTtl } = planStream({
      startMs,
      firstTtl: Math.floor(startMs / 1000) + LEAD_SECONDS,
      seconds: minutes * 60,
      rate,
      life: LIFE,
      random: seededRandom(seed),
      mix: chaosMix(deleteMode === 'guarded', holdAttribute !== undefined),
    });
    const written = table.write(actions, until).catch(error => problems.breakOff(`writing failed: ${error}`));
    while (!until.aborted && Date.now() < (lastTtl + 1) * 1000) {
      const { items, renewals, swept } = ledger.counts;
      const { counts } = sweeping.counter;
      const faults = (Object.keys(FAULTS) as FaultName[]).reduce((sum, name) => sum + (counts[name] ?? 0), 0);
      const executions = [...accounts.endings.values()].reduce((sum, count) => sum + count, 0);
      progress.show(
        `written ${items}  renewed ${renewals}  swept ${swept}  overdue ${ledger.tally(Date.now()).overdue}  ` +
          `executions ${executions}  faults ${faults}  ${Math.round(lastTtl + 1 - Date.now() / 1000)} s left`,
      );
      await sleep(SHOWN_EVERY_MS, undefined, { signal: until }).catch(() => {});
    }
    await written;
    if (!until.aborted && !(await sweeping.wind(Date.now() + MAX_WIND_MS)))
      problems.add(`executions still ran ${MAX_WIND_MS / 1000} s after the last item had expired`);
    if (!until.aborted) await followed();
  } finally {
    await sweeping.stop();
  }
  await table.caughtUp();
  // Without the guard, the delete of a missing item counts as deleted.
  if (!until.aborted && deleteMode === 'guarded') {
    const most = { deleted: ledger.counts.swept, ...sweeping.attempts.most(ledger) };
    for (const problem of tooMany(accounts.totals, most)) problems.add(problem);
  }
  return { faults: sweeping.counter.counts, startMs };
}

/** Runs a synthesized deployment by its schedules under all faults. */
async function startSweeping(
  { stack, seed, rates: given }: StormOptions,
  { environment, accounts, problems }: StormContext,
) {
  const attempts = new Attempts();
  const counter = new FaultCounter();
  const random = seededRandom(seed);
  let rates = given;
  let proxy: FaultProxy | undefined;
  const cloud = await LocalCloud.start({
    stack,
    environment,
    random,
    functionsDynamoDbEndpoint: async target => {
      proxy = await startFaultProxy({ target, seed, rates, counter, onCall: call => attempts.add(call) });
      return proxy.endpoint;
    },
    functions: {
      // A call that hangs keeps its thread; on Lambda no other call would wait for it.
      threads: { most: Number.POSITIVE_INFINITY },
      wrap: faultyInvocations({ random, rates: () => rates, counter }),
    },
    deliveries: faultyDeliveries(random, rates, counter),
    mappings: {
      onDiscarded: ({ reason, records }) =>
        problems.add(`${records.length} records were given up: ${reason}`),
      onError: error => problems.add(`the stream: ${error}`),
    },
    onExecution: execution => accounts.add(endOf(execution)),
    onScheduleError: error => problems.add(`a schedule's target could not be started: ${error}`),
  }).catch(async error => {
    await proxy?.stop();
    throw error;
  });
  /** Starts the tick of the current minute, or an earlier one, again or late. */
  const tick = (minutesBack: number): void => {
    const scheduledMs = (Math.floor(Date.now() / TICK_MS) - minutesBack) * TICK_MS;
    cloud.startExecution(machinesOf(cloud).tick, { scheduledTime: schedulerTime(scheduledMs) });
  };
  // Only ticks: a replay would delete what they left, and hide their failures.
  const overlaps = setInterval(() => {
    if (random.next() >= (rates.overlap ?? 0)) return;
    counter.add('overlap');
    tick(random.next() < 0.5 ? 0 : 1);
  }, OVERLAP_INTERVAL_MS);
  // The schedules begin with the next minute, which the tick of this minute owns. The tick before owns this minute.
  tick(1);
  tick(0);
  return {
    attempts,
    counter,
    /**
     * Starts nothing new, ends all faults and waits, until the deadline (epoch milliseconds), for running executions.
     * @returns whether all has ended
     */
    wind(deadline: number): Promise<boolean> {
      clearInterval(overlaps);
      cloud.pauseSchedules();
      rates = {};
      proxy?.setRates({});
      return untilIdle(() => cloud.running.length === 0, { deadline });
    },
    async stop(): Promise<void> {
      clearInterval(overlaps);
      await cloud.stop();
      await proxy?.stop();
    },
  };
}
