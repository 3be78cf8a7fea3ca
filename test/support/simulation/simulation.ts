import {
  Engine,
  type Execution,
  type FunctionResult,
  type InvokeOptions,
  loadDefinition,
  type Machine,
  seededRandom,
  VirtualClock,
} from 'stepfunctions-emulator';
import { MemoryJournal } from '../../../bench/fuzz/memory-journal.ts';
import { readExecutionReport } from '../../../functions/report/sweep-totals.ts';
import type {
  CarriedSettings,
  ReplayInput,
  SweepInput,
  TickInput,
} from '../../../statemachine/contract/inputs.ts';
import type { MachineName } from '../../../statemachine/contract/machines.ts';
import type { SweepReport } from '../../../statemachine/contract/report.ts';
import { replayDefinition, tickDefinition } from '../../../statemachine/definition.ts';
import { FUNCTION_ARNS } from '../configs.ts';
import { billedJournal } from './billed-journal.ts';
import { type SweepFunctions, simulatedFunctions } from './functions.ts';
import type { MemoryTable } from './memory-table.ts';
import { type Fate, SimulatedTable, type SimulatedTableOptions } from './simulated-table.ts';

export { type Fate, lagMsOf, type SimulatedTableOptions } from './simulated-table.ts';

/** A call of a function that fails, or takes long. */
export interface CallFault {
  /** Milliseconds more than other calls take; the work is done at their end. @default 0 */
  readonly hangsMs?: number;
  /** The error's name; without one the call succeeds. */
  readonly error?: string;
  /** The work is done, and only the answer is lost. @default false */
  readonly answerLost?: boolean;
}

/** A call of a function, as the one who disturbs it sees it. */
export interface SimulatedCall {
  readonly name: keyof SweepFunctions;
  readonly input: unknown;
  /** Epoch milliseconds. */
  readonly nowMs: number;
}

/** What is said of the one table, or with `tables` only of the deployment. */
export interface SimulationOptions extends SimulatedTableOptions {
  /** Epoch seconds. */
  readonly start: number;
  /** Several tables of one deployment. @default one */
  readonly tables?: readonly SimulatedTableOptions[];
  /** Milliseconds that every call of a function takes, without what it reads. */
  readonly callMs?: number;
  /** Milliseconds of each call of the journal. @default no time */
  readonly journalMs?: number;
  /** What goes wrong with a call of a function. @default nothing */
  readonly failingCall?: (name: keyof SweepFunctions, call: SimulatedCall) => CallFault | undefined;
  /** What a function answers in place of its answer. @default its answer */
  readonly answering?: (answer: unknown, call: SimulatedCall) => unknown;
}

/**
 * The real definition and all that the functions decide, around a table in memory, on a virtual clock: hours of ticks in seconds.
 * Only DynamoDB and Lambda are left out.
 */
export class Simulation {
  readonly clock: VirtualClock;
  /** All of the deployment. */
  readonly tables: readonly SimulatedTable[];
  readonly executions: Execution[] = [];
  /** Calls of each function. */
  readonly calls = { 'plan-sweep': 0, 'query-expired': 0, 'delete-chunk': 0, 'record-metrics': 0 };
  readonly journal: MemoryJournal;
  readonly #random = seededRandom(1);
  readonly #options: SimulationOptions;
  readonly #engine: Engine;
  readonly #starts: Promise<void>[] = [];

  constructor(options: SimulationOptions) {
    const { start, tables = [options] } = options;
    this.#options = options;
    this.clock = new VirtualClock(start * 1000);
    this.tables = tables.map(table => new SimulatedTable(table, this.clock));
    this.journal = new MemoryJournal(() => this.clock.now());
    this.#engine = new Engine({
      clock: this.clock,
      random: this.#random,
      onStart: execution => this.executions.push(execution),
      invoker: {
        invoke: async (arn, payload, { onUsage }) => {
          const name = arn.split(':').at(-1) as keyof SweepFunctions;
          return this.#call(name, payload, onUsage);
        },
      },
    });
  }

  /** The first table, or the only one. */
  get table(): MemoryTable {
    return this.#first.items;
  }

  /** What was deleted of it. */
  get deleted(): readonly Fate[] {
    return this.#first.deleted;
  }

  get #first(): SimulatedTable {
    const [first] = this.tables;
    if (first === undefined) throw new TypeError('a simulation needs a table');
    return first;
  }

  /** The table with this name. */
  named(name: string): SimulatedTable {
    const found = this.tables.find(table => table.name === name);
    if (found === undefined) throw new TypeError(`${name}: expected a table of the simulation`);
    return found;
  }

  /** What executions came to for a table, in the order of their starts; those that know nothing of it are left out. */
  reportsOf(name = this.#first.name): SweepReport[] {
    return this.executions.flatMap(execution => reportOf(execution, name) ?? []);
  }

  /** What all executions would be billed for. */
  get billing(): Engine['billing'] {
    return this.#engine.billing;
  }

  /** Starts a tick for this minute (epoch seconds), so many seconds late. */
  tick(scheduled: number, lateSeconds = 0, input: Omit<TickInput, 'scheduledTime'> = {}): void {
    const scheduledTime = new Date(scheduled * 1000).toISOString().replace('.000', '');
    this.#startAt('tick', (scheduled + lateSeconds) * 1000, { scheduledTime, ...input });
  }

  /** Starts a replay, now or then (epoch seconds). */
  replay(input: ReplayInput, at = this.clock.now() / 1000): void {
    this.#startAt('replay', at * 1000, input);
  }

  /** Lets time pass until the last execution has ended. */
  async finish(): Promise<void> {
    await Promise.all(this.#starts);
    for (let ended = 0; ended < this.executions.length; ended += 1) await this.executions[ended]?.done;
  }

  #startAt(machine: MachineName, atMs: number, input: SweepInput): void {
    const start = async () => {
      await this.clock.sleep(atMs - this.clock.now());
      const tables = this.tables.map(({ carried }) => carried);
      this.#engine.start(machineOf(machine, tables), { input });
    };
    this.#starts.push(start());
  }

  async #call(
    name: keyof SweepFunctions,
    payload: unknown,
    onUsage: InvokeOptions['onUsage'],
  ): Promise<FunctionResult> {
    const { failingCall, callMs = 30, answering = answer => answer } = this.#options;
    this.calls[name] += 1;
    const call = () => ({ name, input: payload, nowMs: this.clock.now() });
    const { hangsMs = 0, error, answerLost = false } = failingCall?.(name, call()) ?? {};
    await this.clock.sleep(callMs + hangsMs);
    try {
      const answer = error && !answerLost ? null : await this.#functions(onUsage)[name](payload as never);
      return error
        ? { ok: false, errorType: error, errorMessage: `simulated ${error}` }
        : { ok: true, payload: answering(answer, call()), memoryMb: 512 };
    } catch (thrown) {
      const { name: errorType, message: errorMessage } = thrown as Error;
      return { ok: false, errorType, errorMessage };
    }
  }

  #functions(onUsage: InvokeOptions['onUsage']): SweepFunctions {
    const { clock } = this;
    const sleep = (ms: number) => clock.sleep(ms);
    const call = { onUsage, processor: { freeAt: 0 } };
    return simulatedFunctions({
      dynamoDbOf: ({ tableName }) => this.named(tableName).dynamoDb(call),
      journal: billedJournal(this.journal, { onUnits: onUsage, sleep, callMs: this.#options.journalMs ?? 0 }),
      ...{ clock, random: this.#random },
    });
  }
}

/** What an execution says of a table. */
export function reportOf({ output, cause }: Execution, name: string): SweepReport | undefined {
  const report = readExecutionReport(output ?? cause);
  return report?.tables[name];
}

const MACHINES = {
  tick: { name: 'simulated', type: 'EXPRESS', definition: tickDefinition },
  replay: { name: 'simulated-replay', type: 'STANDARD', definition: replayDefinition },
} as const;

/** By their definition: to compile one takes longer than many a simulation. */
const made = new Map<string, Machine>();

function machineOf(machine: MachineName, tables: readonly CarriedSettings[]): Machine {
  const { name, type, definition } = MACHINES[machine];
  const text = JSON.stringify(definition(FUNCTION_ARNS, { tables }));
  const known = made.get(text);
  if (known !== undefined) return known;
  const loaded = {
    arn: `arn:aws:states:us-east-1:123456789012:stateMachine:${name}`,
    roleArn: 'arn:aws:iam::123456789012:role/sweep',
    ...{ name, type, definition: loadDefinition(text, 'STANDARD') },
  };
  made.set(text, loaded);
  return loaded;
}
