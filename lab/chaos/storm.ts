import { setTimeout as sleep } from 'node:timers/promises';
import { schedulerTime } from 'aws-on-loopback/scheduler/scheduler';
import { seededRandom } from 'stepfunctions-emulator';
import type { ExpiryModel } from '../../expiry/index.ts';
import type { LocalCloudOptions } from '../../local/cloud.ts';
import { FAULTS, type FaultName, type FaultRates } from '../faults/index.ts';
import { type Accounts, tooMany } from '../ledger/accounts.ts';
import type { Following } from '../ledger/followers.ts';
import type { Problems } from '../report/problems.ts';
import type { Progress } from '../report/progress.ts';
import type { WatchedTable } from '../watch/watched-table.ts';
import { planStream } from '../workload/plan.ts';
import { Attempts } from './attempts.ts';
import { indexedOf } from './indexed.ts';
import { KilledSweeping } from './killed.ts';
import { chaosMix, LIFE } from './mix.ts';
import { type Sweeping, sweepHere } from './sweeping.ts';

/** Rates and duration of the faults. */
export interface StormOptions {
  readonly stack: LocalCloudOptions['stack'];
  readonly tableName: string;
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
  /** Number of runners to kill; with any, the sweep runs in its own process. */
  readonly kills: number;
}

export interface StormContext {
  /** Environment variables of the runners. */
  readonly environment: Readonly<Record<string, string>>;
  readonly checkpointFile: string;
  /** Resolves when all deletions were archived and published, or cannot be. No more faults are injected. */
  readonly followed: () => Promise<void>;
  readonly table: WatchedTable;
  readonly model: ExpiryModel;
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
  readonly #sweeping: Sweeping;
  readonly #attempts: Attempts;

  private constructor(options: StormOptions, context: StormContext, sweeping: Sweeping, attempts: Attempts) {
    this.#options = options;
    this.#context = context;
    this.#sweeping = sweeping;
    this.#attempts = attempts;
  }

  /** Starts the sweeping. */
  static async start(options: StormOptions, context: StormContext): Promise<Storm> {
    const { stack, tableName, minutes, seed, rates, kills } = options;
    const { environment, checkpointFile, accounts, problems, progress } = context;
    const attempts = new Attempts();
    const common = {
      ...{ stack, environment, checkpointFile, tableName, seed, rates },
      onEnd: (ended: Parameters<Accounts['add']>[0]) => accounts.add(ended),
      onProblem: (problem: string) => problems.add(problem),
    };
    const sweeping =
      kills === 0
        ? await sweepHere({ ...common, onCall: call => attempts.add(call) })
        : new KilledSweeping({
            ...common,
            kills,
            withinMs: minutes * 60_000,
            onKill: count => progress.say(`${schedulerTime(Date.now())}  runner ${count} killed`),
          });
    return new Storm(options, context, sweeping, attempts);
  }

  get faults(): Sweeping['counts'] {
    return this.#sweeping.counts;
  }

  get kills(): number {
    return this.#sweeping.kills;
  }

  /** Runs from `startMs` (epoch milliseconds) until the last item has expired and all sweeps have ended. */
  async rage(startMs: number): Promise<void> {
    const { table, model, problems, until } = this.#context;
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
    const written = table
      .write(actions, until, {
        onWritten: (item, stamped) => {
          const indexed = indexedOf(table.id(item), stamped, model);
          if (indexed) this.#sweeping.remember(indexed);
        },
      })
      .catch(error => problems.breakOff(`writing failed: ${error}`));
    while (!until.aborted && Date.now() < (lastTtl + 1) * 1000) {
      this.#show(lastTtl);
      await sleep(SHOWN_EVERY_MS, undefined, { signal: until }).catch(() => {});
    }
    await written;
    if (!until.aborted && !(await this.#sweeping.wind(Date.now() + MAX_WIND_MS)))
      problems.add(`executions still ran ${MAX_WIND_MS / 1000} s after the last item had expired`);
    if (!until.aborted) await this.#context.followed();
    await this.stop();
  }

  /** Actions that the executions report but cannot have done, one sentence each. The stream must have caught up. */
  overcounted(): string[] {
    const { table, accounts } = this.#context;
    const { deleteMode, kills, archive } = this.#options;
    // Without the guard, the delete of a missing item counts as deleted; the attempts of a killed runner are unknown; the reads of
    // archiveFirst are no deletes.
    if (deleteMode !== 'guarded' || archive?.isFirst) return [];
    const { ledger } = table;
    const most = { deleted: ledger.counts.swept, ...(kills === 0 ? this.#attempts.most(ledger) : {}) };
    return tooMany(accounts.totals, most);
  }

  /** Safe to call more than once. */
  stop(): Promise<void> {
    return this.#sweeping.stop();
  }

  #show(lastTtl: number): void {
    const { table, accounts, progress } = this.#context;
    const { items, renewals, swept } = table.ledger.counts;
    const { overdue } = table.ledger.tally(Date.now());
    const counts = this.#sweeping.counts;
    const faults = (Object.keys(FAULTS) as FaultName[]).reduce((sum, name) => sum + (counts[name] ?? 0), 0);
    const executions = [...accounts.endings.values()].reduce((sum, count) => sum + count, 0);
    const left = Math.max(0, Math.round(lastTtl - Date.now() / 1000));
    progress.show(
      `written ${items}  renewed ${renewals}  swept ${swept}  overdue ${overdue}  executions ${executions}  faults ${faults}  ${left} s left`,
    );
  }
}
