import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from 'stepfunctions-emulator';
import type { LocalCloudOptions } from '../../local/cloud.ts';
import { FAULTS, type FaultCounts, type FaultName, type FaultRates } from '../faults/index.ts';
import { type Accounts, Attempts, endOf, tooMany } from '../ledger/accounts.ts';
import type { Following } from '../ledger/followers.ts';
import type { Problems, Progress } from '../report/progress.ts';
import type { WatchedTable } from '../watch/watched-table.ts';
import { planStream } from '../workload/plan.ts';
import { chaosMix, LIFE } from './mix.ts';
import { ChaosRunner } from './runner.ts';

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

/**
 * Writers, renewers and deleters change the table, and the synthesized deployment sweeps it by its schedules, under all faults; ends when
 * nothing that was started still runs.
 * @returns the number of faults, and when the storm began, epoch milliseconds
 */
export async function rage(
  { stack, deleteMode, minutes, rate, seed, rates, holdAttribute, archive }: StormOptions,
  { environment, followed, table, accounts, problems, progress, until }: StormContext,
): Promise<{ readonly faults: FaultCounts; readonly startMs: number }> {
  const attempts = new Attempts();
  const runner = await ChaosRunner.start({
    ...{ stack, environment, seed, rates },
    onCall: call => attempts.add(call),
    onExecution: execution => accounts.add(endOf(execution)),
    onProblem: problem => problems.add(problem),
  });
  const { ledger } = table;
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
      const counts = runner.counter.counts;
      const faults = (Object.keys(FAULTS) as FaultName[]).reduce((sum, name) => sum + (counts[name] ?? 0), 0);
      const executions = [...accounts.endings.values()].reduce((sum, count) => sum + count, 0);
      progress.show(
        `written ${items}  renewed ${renewals}  swept ${swept}  overdue ${ledger.tally(Date.now()).overdue}  ` +
          `executions ${executions}  faults ${faults}  ${Math.round(lastTtl + 1 - Date.now() / 1000)} s left`,
      );
      await sleep(SHOWN_EVERY_MS, undefined, { signal: until }).catch(() => {});
    }
    await written;
    if (!until.aborted && !(await runner.wind(Date.now() + MAX_WIND_MS)))
      problems.add(`executions still ran ${MAX_WIND_MS / 1000} s after the last item had expired`);
    if (!until.aborted) await followed();
  } finally {
    await runner.stop();
  }
  await table.caughtUp();
  // Without the guard, the delete of a missing item counts as deleted; the reads of archiveFirst are no deletes.
  if (!until.aborted && deleteMode === 'guarded' && !archive?.isFirst) {
    const most = { deleted: ledger.counts.swept, ...attempts.most(ledger) };
    for (const problem of tooMany(accounts.totals, most)) problems.add(problem);
  }
  return { faults: runner.counter.counts, startMs };
}
