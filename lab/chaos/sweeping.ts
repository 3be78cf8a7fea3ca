import type { FaultCounts } from '../faults/index.ts';
import { type Ended, endOf } from '../ledger/accounts.ts';
import { untilIdle } from '../watch/until-idle.ts';
import type { Indexed } from './indexed.ts';
import { ChaosRunner, type RunnerOptions } from './runner.ts';

export interface SweepingOptions extends Omit<RunnerOptions, 'onExecution'> {
  readonly tableName: string;
  readonly onEnd: (ended: Ended) => void;
}

/** Runs the sweeps of a chaos run. */
export interface Sweeping {
  readonly counts: FaultCounts;
  /** Number of kills. */
  readonly kills: number;
  remember(indexed: Indexed): void;
  /**
   * Starts nothing new, ends all faults and waits, until the deadline (epoch milliseconds), for running executions.
   * @returns whether all has ended
   */
  wind(deadline: number): Promise<boolean>;
  stop(): Promise<void>;
}

/** Sweeps in this process. */
export async function sweepHere(options: SweepingOptions): Promise<Sweeping> {
  const runner = await ChaosRunner.start({
    ...options,
    onExecution: execution => options.onEnd(endOf(execution)),
  });
  return {
    get counts() {
      return runner.counter.counts;
    },
    kills: 0,
    remember: ({ indexKey, entry }) => runner.remember(options.tableName, indexKey, entry),
    wind(deadline) {
      runner.wind();
      return untilIdle(() => runner.running === 0, { deadline });
    },
    stop: () => runner.stop(),
  };
}
