import { skewedClock } from 'aws-on-loopback/skewed-clock';
import { type Clock, Engine, loadDefinition, type RandomSource } from 'stepfunctions-emulator';
import { isDynamoDbQuery } from '../../local/dynamodb/queries.ts';
import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import { type MachineName, TASKS } from '../../statemachine/contract/machines.ts';
import { replayDefinition, tickDefinition } from '../../statemachine/definition.ts';
import type { FunctionArns } from '../../statemachine/states.ts';
import { type Ended, endOf } from '../ledger/accounts.ts';
import type { Functions } from './functions.ts';
import type { CallTally } from './sdk.ts';

/** An execution that has ended, with the results of its calls by the answers that the functions and the execution received. */
export interface EndedSweep extends Ended {
  readonly tally: CallTally;
}

export interface MachineOptions {
  readonly carried: CarriedSettings;
  readonly clock: Clock;
  /** Number of milliseconds by which Step Functions' clock is ahead. */
  readonly skewMs: number;
  readonly random: RandomSource;
  readonly functions: Functions;
  /** Called for each execution that another one starts as a hand-over. */
  readonly onStarted: (started: Started) => void;
}

export interface Started {
  readonly ended: Promise<EndedSweep>;
  /** Stops the execution, as StopExecution does. */
  readonly stop: () => void;
}

const ARN = 'arn:aws:states:us-east-1:123456789012:stateMachine:fuzz';
const REPLAY_ARN = `${ARN}-replay`;

/** Runs the sweeps in this fuzzer: it starts executions, hands over spans, and reports the results. */
export class Machines {
  readonly #options: MachineOptions;
  readonly #clock: Clock;
  readonly #machines;

  constructor(options: MachineOptions) {
    this.#options = options;
    this.#clock = skewedClock(options.clock, options.skewMs);
    const functions = Object.fromEntries(
      Object.entries(TASKS).map(([task, file]) => [
        task,
        `arn:aws:lambda:us-east-1:123456789012:function:${file}`,
      ]),
    ) as FunctionArns;
    const load = (definition: object) =>
      loadDefinition(JSON.stringify(definition), 'STANDARD', isDynamoDbQuery);
    const tables = [options.carried];
    const tick = tickDefinition(functions, { tables, replayArn: REPLAY_ARN });
    const replay = replayDefinition(functions, { tables });
    this.#machines = {
      tick: { arn: ARN, type: 'EXPRESS', definition: load(tick) },
      replay: { arn: REPLAY_ARN, type: 'STANDARD', definition: load(replay) },
    } as const;
  }

  start(name: MachineName, input: unknown, execution?: string): Started {
    const { functions, random, onStarted } = this.#options;
    const tally: CallTally = { deleted: 0, notFound: 0 };
    // Each execution has its own engine, so that its calls can be identified.
    const engine = new Engine({
      clock: this.#clock,
      random,
      resources: {
        invoke: async (resource, args, options) => {
          if (isDynamoDbQuery(resource)) return functions.query(resource, args, options);
          const { StateMachineArn, Name, Input } = args as StartExecution;
          onStarted(this.start(StateMachineArn === REPLAY_ARN ? 'replay' : 'tick', Input, Name));
          return { ok: true, payload: {} };
        },
      },
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
    const machine = {
      name: 'fuzz',
      roleArn: 'arn:aws:iam::123456789012:role/sweep',
      ...this.#machines[name],
    };
    const started = engine.start(machine, { input, ...(execution && { name: execution }) });
    return { ended: started.done.then(done => ({ ...endOf(done), tally })), stop: () => started.stop() };
  }
}

/** Arguments of `states:startExecution`. */
interface StartExecution {
  readonly StateMachineArn: string;
  readonly Name?: string;
  readonly Input: unknown;
}
