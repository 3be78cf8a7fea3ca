import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from 'stepfunctions-emulator';
import type { LocalCloudOptions } from '../../local/cloud.ts';
import { FAULTS, type FaultCounts, type FaultName, type FaultRates } from '../faults/index.ts';
import { type Accounts, Attempts, endOf, tooMany } from '../ledger/accounts.ts';
import type { Following } from '../ledger/followers.ts';
import type { Problems } from '../report/problems.ts';
import type { Progress } from '../report/progress.ts';
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
  /** Whether some items are held. */
  readonly holds?: boolean;
  /** The table's archive. @default none */
  readonly archive?: Following['archive'];
}

export interface StormContext {
  /** Environment variables of the runner. */
  readonly environment: Readonly<Record<string, string>>;
  /** Resolves when all deletions were archived and published, or cannot be. No more faults are injected. */
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
 */
export class Storm {
  readonly #options: StormOptions;
  readonly #context: StormContext;
  readonly #runner: ChaosRunner;
  readonly #attempts: Attempts;

  private constructor(options: StormOptions, context: StormContext, runner: ChaosRunner, attempts: Attempts) {
    this.#options = options;
    this.#context = context;
    this.#runner = runner;
    this.#attempts = attempts;
  }

  /** Starts the sweeping. */
  static async start(options: StormOptions, context: StormContext): Promise<Storm> {
    const { stack, seed, rates } = options;
    const { environment, accounts, problems } = context;
    const attempts = new Attempts();
    const runner = await ChaosRunner.start({
      ...{ stack, environment, seed, rates },
      onCall: call => attempts.add(call),
      onExecution: execution => accounts.add(endOf(execution)),
      onProblem: problem => problems.add(problem),
    });
    return new Storm(options, context, runner, attempts);
  }

  get faults(): FaultCounts {
    return this.#runner.counter.counts;
  }

  /** Runs from `startMs` (epoch milliseconds) until the last item has expired and all sweeps have ended. */
  async rage(startMs: number): Promise<void> {
    const { table, problems, until } = this.#context;
    const { minutes, rate, seed, deleteMode, holds } = this.#options;
    const { actions, lastTtl } = planStream({
      startMs,
      firstTtl: Math.floor(startMs / 1000) + LEAD_SECONDS,
      seconds: minutes * 60,
      rate,
      life: LIFE,
      random: seededRandom(seed),
      mix: chaosMix(deleteMode === 'guarded', holds),
    });
    const written = table.write(actions, until).catch(error => problems.breakOff(`writing failed: ${error}`));
    while (!until.aborted && Date.now() < (lastTtl + 1) * 1000) {
      this.#show(lastTtl);
      await sleep(SHOWN_EVERY_MS, undefined, { signal: until }).catch(() => {});
    }
    await written;
    if (!until.aborted && !(await this.#runner.wind(Date.now() + MAX_WIND_MS)))
      problems.add(`executions still ran ${MAX_WIND_MS / 1000} s after the last item had expired`);
    if (!until.aborted) await this.#context.followed();
    await this.stop();
  }

  /** Actions that the executions report but cannot have done, one sentence each. The stream must have caught up. */
  overcounted(): string[] {
    const { table, accounts } = this.#context;
    const { deleteMode, archive } = this.#options;
    // Without the guard, the delete of a missing item counts as deleted; the reads of archiveFirst are no deletes.
    if (deleteMode !== 'guarded' || archive?.isFirst) return [];
    const { ledger } = table;
    const most = { deleted: ledger.counts.swept, ...this.#attempts.most(ledger) };
    return tooMany(accounts.totals, most);
  }

  /** Safe to call more than once. */
  stop(): Promise<void> {
    return this.#runner.stop();
  }

  #show(lastTtl: number): void {
    const { table, accounts, progress } = this.#context;
    const { items, renewals, swept } = table.ledger.counts;
    const { overdue } = table.ledger.tally(Date.now());
    const counts = this.faults;
    const faults = (Object.keys(FAULTS) as FaultName[]).reduce((sum, name) => sum + (counts[name] ?? 0), 0);
    const executions = [...accounts.endings.values()].reduce((sum, count) => sum + count, 0);
    const left = Math.max(0, Math.round(lastTtl - Date.now() / 1000));
    progress.show(
      `written ${items}  renewed ${renewals}  swept ${swept}  overdue ${overdue}  executions ${executions}  faults ${faults}  ${left} s left`,
    );
  }
}
