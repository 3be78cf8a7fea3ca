/** A runner in its own process, which can be killed: its parent sends the options, and receives the executions that ended. */

import type { FaultCounts } from '../faults/index.ts';
import { type Ended, endOf } from '../ledger/accounts.ts';
import { untilIdle } from '../watch/until-idle.ts';
import type { Indexed } from './indexed.ts';
import { ChaosRunner, type RunnerOptions, type StartedHandOver } from './runner.ts';

export type ToRunner =
  | {
      readonly kind: 'start';
      readonly options: Omit<RunnerOptions, 'onCall' | 'onExecution' | 'onHandOver' | 'onProblem'>;
      readonly tableName: string;
    }
  | { readonly kind: 'remember'; readonly indexed: Indexed }
  | { readonly kind: 'wind' };

export type FromRunner =
  | { readonly kind: 'handOver'; readonly started: StartedHandOver; readonly counts: FaultCounts }
  | { readonly kind: 'ended'; readonly ended: Ended; readonly counts: FaultCounts }
  | { readonly kind: 'problem'; readonly problem: string }
  | { readonly kind: 'idle'; readonly counts: FaultCounts };

let runner: ChaosRunner | undefined;
let tableName = '';

const tell = (message: FromRunner): void => {
  process.send?.(message);
};

process.on('message', (message: ToRunner) => {
  if (message.kind === 'start') void start(message);
  else if (message.kind === 'remember')
    runner?.remember(tableName, message.indexed.indexKey, message.indexed.entry);
  else void wind();
});

// Ctrl-C in a terminal goes to every process of the group; this one is stopped by its parent.
process.on('SIGINT', () => {});
// The parent has ended, so nobody would stop this process.
process.on('disconnect', () => process.exit());

async function start(message: Extract<ToRunner, { kind: 'start' }>): Promise<void> {
  tableName = message.tableName;
  try {
    runner = await ChaosRunner.start({
      ...message.options,
      onHandOver: started => tell({ kind: 'handOver', started, counts: countsOf(runner) }),
      onExecution: execution => tell({ kind: 'ended', ended: endOf(execution), counts: countsOf(runner) }),
      onProblem: problem => tell({ kind: 'problem', problem }),
    });
  } catch (error) {
    tell({ kind: 'problem', problem: `the runner could not be started: ${error}` });
  }
}

async function wind(): Promise<void> {
  runner?.wind();
  await untilIdle(() => (runner?.running ?? 0) === 0);
  tell({ kind: 'idle', counts: countsOf(runner) });
}

function countsOf(from: ChaosRunner | undefined): FaultCounts {
  return from?.counter.counts ?? {};
}
