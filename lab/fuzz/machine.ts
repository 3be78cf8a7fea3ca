import { type Clock, Engine, loadDefinition, type RandomSource } from 'stepfunctions-emulator';
import { skewedClock } from '../../local/skewed-clock.ts';
import { TASKS } from '../../statemachine/contract.ts';
import { type ConcurrencyOptions, sweepDefinition } from '../../statemachine/definition.ts';
import type { FunctionArns } from '../../statemachine/states.ts';
import { type Ended, endOf } from '../ledger/accounts.ts';
import type { Functions } from './functions.ts';
import type { CallTally } from './sdk.ts';

/** An execution that has ended, and what its calls came to by the answers that they got and it got. */
export interface EndedSweep extends Ended {
  readonly tally: CallTally;
}

export interface MachineOptions {
  readonly concurrency: ConcurrencyOptions;
  readonly clock: Clock;
  /** How far Step Functions' clock is ahead, milliseconds. */
  readonly skewMs: number;
  readonly random: RandomSource;
  readonly functions: Functions;
}

/** All that this fuzzer knows of what drives the functions: how one sweep is started, and how it ended. */
export class Machine {
  readonly #options: MachineOptions;
  readonly #clock: Clock;
  readonly #machine;

  constructor(options: MachineOptions) {
    this.#options = options;
    this.#clock = skewedClock(options.clock, options.skewMs);
    const arns = Object.fromEntries(
      Object.entries(TASKS).map(([task, file]) => [
        task,
        `arn:aws:lambda:us-east-1:123456789012:function:${file}`,
      ]),
    ) as FunctionArns;
    this.#machine = {
      arn: 'arn:aws:states:us-east-1:123456789012:stateMachine:fuzz',
      name: 'fuzz',
      roleArn: 'arn:aws:iam::123456789012:role/sweep',
      type: 'STANDARD',
      definition: loadDefinition(JSON.stringify(sweepDefinition(arns, options.concurrency))),
    } as const;
  }

  /** @returns when it has ended; `stop` ends it as StopExecution does */
  start(input: unknown): { readonly ended: Promise<EndedSweep>; readonly stop: () => void } {
    const { functions, random } = this.#options;
    const tally: CallTally = { deleted: 0, notFound: 0 };
    // One engine for each: so it is known whose calls these are.
    const engine = new Engine({
      clock: this.#clock,
      random,
      invoker: {
        invoke: async (arn, payload, { signal }) => {
          const called = await functions.call(arn.split(':').at(-1) ?? '', payload);
          if (called.result.ok && !signal.aborted) {
            tally.deleted += called.tally.deleted;
            tally.notFound += called.tally.notFound;
          }
          return called.result;
        },
      },
    });
    const execution = engine.start(this.#machine, { input });
    return { ended: execution.done.then(done => ({ ...endOf(done), tally })), stop: () => execution.stop() };
  }
}
