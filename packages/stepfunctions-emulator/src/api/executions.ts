import { Execution, type Machine, type MapRun, type StartOptions } from '../interpreter/index.ts';
import { ApiError, executionDoesNotExist, resourceNotFound } from './errors.ts';
import type { StateMachine } from './state-machines.ts';

/** Runs executions: the engine, or the local cloud around it. */
export interface Runner {
  start(machine: Machine, options: StartOptions): Execution;
  /** Resolves when the execution runs again; {@link Execution.done} is then a new promise. */
  redrive(execution: Execution): Promise<void>;
}

/** The fields of an ended execution that are kept when its history and its Map Runs are removed. */
export type ExecutionSummary = Pick<
  Execution,
  | 'arn'
  | 'name'
  | 'machine'
  | 'status'
  | 'startDate'
  | 'stopDate'
  | 'inputText'
  | 'outputText'
  | 'error'
  | 'cause'
  | 'mapRunArn'
  | 'redriveCount'
  | 'redriveDate'
>;

/** An execution started by a client, and the state machine at that time. */
export interface StartedExecution<Known extends ExecutionSummary = ExecutionSummary> {
  /** An {@link Execution} as long as its history is kept. */
  readonly execution: Known;
  readonly stateMachine: StateMachine;
  /** In the order of their start. */
  readonly sequence: number;
  /** The token of the last redrive: a request with the same token does not repeat it. */
  redriveToken?: string | undefined;
}

export interface KeptExecutions {
  /** Number of ended executions that are kept for each Standard state machine; AWS keeps them for 90 days. */
  readonly executions: number;
  /** Total number of events of these executions and their children: beyond it, the oldest histories are removed. */
  readonly events: number;
  /** Total number of characters in these events, mostly inputs and outputs: beyond it, the oldest histories are removed. */
  readonly characters: number;
  /** Number of names of Standard executions that stay reserved, for each state machine. */
  readonly names: number;
}

/** Enough for eight hours with an execution a minute; at most about 100 MB, including the parsed values. */
export const KEPT_EXECUTIONS: KeptExecutions = {
  executions: 500,
  events: 50_000,
  characters: 20_000_000,
  names: 100_000,
};

/** Ended executions of an Express state machine that the page can show, and the events that they may have together. */
const SHOWN_EXPRESS = { executions: 20, events: 10_000 };

interface Size {
  readonly events: number;
  readonly characters: number;
}

/** All executions that run, and those that were started lately. */
export class Executions {
  readonly #byArn = new Map<string, StartedExecution>();
  /** Names of Standard executions by state machine: they stay reserved after the execution is removed. */
  readonly #names = new Map<string, Set<string>>();
  /** Ended executions by state machine, the longest ended first. */
  readonly #ended = new Map<string, Set<string>>();
  /** Ended executions that still have one, and its size; the longest ago first. */
  readonly #histories = new Map<string, Size>();
  /** Ended executions of Express state machines, by state machine, the last first: AWS's API has none of them, the page has. */
  readonly #endedExpress = new Map<string, readonly StartedExecution<Execution>[]>();
  #historySize: Size = { events: 0, characters: 0 };
  #sequence = 0;
  #version = 0;
  readonly #runner: Runner;
  readonly #kept: KeptExecutions;

  constructor(runner: Runner, kept: Partial<KeptExecutions> = {}) {
    this.#runner = runner;
    this.#kept = { ...KEPT_EXECUTIONS, ...kept };
  }

  /** A number that changes whenever an execution starts, ends, or is forgotten. */
  get version(): number {
    return this.#version;
  }

  /** Whether a Standard execution of this name was started recently. */
  isTaken(stateMachine: StateMachine, name: string): boolean {
    return this.#names.get(stateMachine.arn)?.has(name) ?? false;
  }

  start(stateMachine: StateMachine, options: StartOptions): StartedExecution<Execution> {
    const execution = this.#runner.start(stateMachine, options);
    this.#sequence += 1;
    const started = { execution, stateMachine, sequence: this.#sequence };
    this.#byArn.set(execution.arn, started);
    if (options.name !== undefined && stateMachine.type === 'STANDARD') {
      this.#takeName(stateMachine, options.name);
    }
    this.#watch(execution);
    return started;
  }

  async redrive(started: StartedExecution<Execution>): Promise<void> {
    await this.#runner.redrive(started.execution);
    const { arn, machine } = started.execution;
    this.#forgetHistory(arn);
    this.#ended.get(machine.arn)?.delete(arn);
    this.#watch(started.execution);
  }

  find(arn: string): StartedExecution | undefined {
    return this.#byArn.get(arn);
  }

  /** Finds an execution, started by a client or by a Map Run, with its state machine or Map Run. */
  get(arn: string): { readonly execution: ExecutionSummary; readonly started: StartedExecution } {
    const started = this.#byArn.get(arn);
    if (started !== undefined) return { execution: started.execution, started };
    for (const candidate of this.#byArn.values()) {
      for (const execution of descendants(candidate.execution)) {
        if (execution.arn === arn) return { execution, started: candidate };
      }
    }
    throw executionDoesNotExist(arn);
  }

  /** Executions of an Express state machine that have ended lately, the last one first. */
  endedExpress(machineArn: string): readonly StartedExecution<Execution>[] {
    return this.#endedExpress.get(machineArn) ?? [];
  }

  /** The same as {@link get}, and Express executions that have ended lately. */
  look(arn: string): ReturnType<Executions['get']> {
    const ended = [...this.#endedExpress.values()].flat().find(({ execution }) => execution.arn === arn);
    return ended === undefined ? this.get(arn) : { execution: ended.execution, started: ended };
  }

  /** An execution with its history and its Map Runs. */
  whole(arn: string): Execution {
    const { execution } = this.get(arn);
    if (execution instanceof Execution) return execution;
    throw executionDoesNotExist(arn, FORGOTTEN);
  }

  mapRun(arn: string): { readonly mapRun: MapRun; readonly started: StartedExecution } {
    for (const started of this.#byArn.values()) {
      if (!(started.execution instanceof Execution)) continue;
      for (const execution of [started.execution, ...descendants(started.execution)]) {
        const mapRun = execution.mapRuns.find(one => one.settings.arn === arn);
        if (mapRun !== undefined) return { mapRun, started };
      }
    }
    throw resourceNotFound(arn);
  }

  /** Lists the executions of a state machine, the last started first. */
  of(machineArn: string): readonly StartedExecution[] {
    return [...this.#byArn.values()].filter(({ stateMachine }) => stateMachine.arn === machineArn).reverse();
  }

  /** Stops the executions of a deleted state machine, and removes their data. */
  forget(machineArn: string): void {
    for (const { execution } of this.of(machineArn)) {
      this.#byArn.delete(execution.arn);
      this.#forgetHistory(execution.arn);
      if (execution instanceof Execution) execution.stop();
    }
    this.#version += 1;
    this.#names.delete(machineArn);
    this.#endedExpress.delete(machineArn);
    this.#ended.delete(machineArn);
  }

  #watch(execution: Execution): void {
    this.#version += 1;
    void execution.done.then(({ arn }) => {
      this.#version += 1;
      const started = this.#byArn.get(arn);
      if (started === undefined || execution.status === 'RUNNING') return;
      // No client can ask for it any more.
      if (execution.machine.type === 'EXPRESS') {
        this.#byArn.delete(arn);
        this.#keepExpress({ ...started, execution });
        return;
      }
      const size = sizeOf(execution);
      const ended = this.#ended.get(execution.machine.arn) ?? new Set();
      this.#ended.set(execution.machine.arn, ended.add(arn));
      this.#histories.set(arn, size);
      this.#historySize = add(this.#historySize, size, 1);
      this.#evict(ended);
    });
  }

  /** The last one stays, however long it is. */
  #keepExpress(started: StartedExecution<Execution>): void {
    const { arn } = started.stateMachine;
    const all = [started, ...this.endedExpress(arn)].slice(0, SHOWN_EXPRESS.executions);
    let events = 0;
    const kept = all.filter(({ execution }, index) => {
      events += execution.history.length;
      return index === 0 || events <= SHOWN_EXPRESS.events;
    });
    this.#endedExpress.set(arn, kept);
  }

  /** The last history is kept, however large it is. */
  #evict(ended: Set<string>): void {
    const { executions, events, characters } = this.#kept;
    for (const arn of ended) {
      if (ended.size <= executions) break;
      this.#forgetHistory(arn);
      ended.delete(arn);
      this.#byArn.delete(arn);
    }
    for (const arn of this.#histories.keys()) {
      const fits = this.#historySize.events <= events && this.#historySize.characters <= characters;
      if (fits || this.#histories.size === 1) return;
      this.#forgetHistory(arn);
      const started = this.#byArn.get(arn);
      if (started !== undefined)
        this.#byArn.set(arn, { ...started, execution: summaryOf(started.execution) });
    }
  }

  #forgetHistory(arn: string): void {
    const size = this.#histories.get(arn);
    if (size !== undefined) this.#historySize = add(this.#historySize, size, -1);
    this.#histories.delete(arn);
  }

  #takeName({ arn }: StateMachine, name: string): void {
    const names = this.#names.get(arn) ?? new Set();
    this.#names.set(arn, names.add(name));
    for (const oldest of names) {
      if (names.size <= this.#kept.names) return;
      names.delete(oldest);
    }
  }
}

/** Everything that the Map Runs of an execution started, and theirs, as long as they are kept. */
export function* descendants(execution: ExecutionSummary): Generator<Execution> {
  if (!(execution instanceof Execution)) return;
  for (const child of execution.mapRuns.flatMap(childrenOf)) {
    yield child;
    yield* descendants(child);
  }
}

/** The children of a Map Run in the order of their start. */
export function childrenOf(mapRun: MapRun): Execution[] {
  return mapRun.executions.filter(child => child instanceof Execution);
}

/** Copies the summary: the execution itself references all of its data. */
function summaryOf(execution: ExecutionSummary): ExecutionSummary {
  const { arn, name, machine, status, startDate, stopDate, inputText, outputText } = execution;
  const { error, cause, mapRunArn, redriveCount, redriveDate } = execution;
  return {
    ...{ arn, name, machine, status, startDate, stopDate, inputText, outputText },
    ...{ error, cause, mapRunArn, redriveCount, redriveDate },
  };
}

function sizeOf(execution: Execution): Size {
  const all = [execution, ...descendants(execution)].map(({ history }) => ({
    events: history.length,
    characters: charactersIn(history),
  }));
  return all.reduce((sum, size) => add(sum, size, 1));
}

const add = (one: Size, other: Size, sign: 1 | -1): Size => ({
  events: one.events + sign * other.events,
  characters: one.characters + sign * other.characters,
});

function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, inner) => sum + charactersIn(inner), 0);
}

/** Reason why an execution that can be described has no history. */
export const FORGOTTEN = 'Its history was forgotten for those of later executions';

/** A name that is taken, whether its execution is still known or not. */
export const executionAlreadyExists = (arn: string): ApiError =>
  new ApiError('ExecutionAlreadyExists', `Execution Already Exists: '${arn}'`);
