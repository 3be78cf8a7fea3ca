import { Execution, type Machine, type MapRun, type StartOptions } from '../interpreter/index.ts';
import { ApiError, executionDoesNotExist, resourceNotFound } from './errors.ts';
import type { StateMachine } from './state-machine.ts';

/** What runs executions: the engine, or the local cloud around it. */
export interface Runner {
  start(machine: Machine, options: StartOptions): Execution;
  /** Resolves when the execution runs again; {@link Execution.done} is then a new promise. */
  redrive(execution: Execution): Promise<void>;
}

/** By which ARN an execution was started, when that was not the state machine's own. */
export interface StartedBy {
  readonly versionArn?: string | undefined;
  readonly aliasArn?: string | undefined;
}

/** An execution that somebody started, and the state machine as it was then. */
export interface StartedExecution extends StartedBy {
  readonly execution: Execution;
  readonly stateMachine: StateMachine;
  /** In the order of their start. */
  readonly sequence: number;
  /** Of the last redrive: asked for again with it, that redrive is not repeated. */
  redriveToken?: string | undefined;
}

export interface KeptExecutions {
  /** Ended executions that are remembered; AWS keeps them for 90 days. */
  readonly executions: number;
  /** Events of all of them and their children together. */
  readonly events: number;
}

/** Eight hours of an execution a minute, and what a thread can hold. */
export const KEPT_EXECUTIONS: KeptExecutions = { executions: 500, events: 50_000 };

/** What was started lately, and everything that runs. */
export class Executions {
  readonly #byArn = new Map<string, StartedExecution>();
  /** Names that were given to Standard executions, by state machine: taken also when the execution is forgotten. */
  readonly #names = new Map<string, Set<string>>();
  /** Ended, the longest ago first, with the number of their events. */
  readonly #ended = new Map<string, number>();
  #endedEvents = 0;
  #sequence = 0;
  readonly #runner: Runner;
  readonly #kept: KeptExecutions;

  constructor(runner: Runner, kept: KeptExecutions = KEPT_EXECUTIONS) {
    this.#runner = runner;
    this.#kept = kept;
  }

  /** Whether a Standard execution of this name was ever started. */
  isTaken(stateMachine: StateMachine, name: string): boolean {
    return this.#names.get(stateMachine.arn)?.has(name) ?? false;
  }

  start(stateMachine: StateMachine, options: StartOptions, by: StartedBy = {}): StartedExecution {
    const execution = this.#runner.start(stateMachine, options);
    this.#sequence += 1;
    const started = { ...by, execution, stateMachine, sequence: this.#sequence };
    this.#byArn.set(execution.arn, started);
    if (options.name !== undefined && stateMachine.type === 'STANDARD') {
      const names = this.#names.get(stateMachine.arn) ?? new Set();
      this.#names.set(stateMachine.arn, names.add(options.name));
    }
    this.#watch(execution);
    return started;
  }

  async redrive(started: StartedExecution): Promise<void> {
    await this.#runner.redrive(started.execution);
    this.#forgetEnd(started.execution.arn);
    this.#watch(started.execution);
  }

  find(arn: string): StartedExecution | undefined {
    return this.#byArn.get(arn);
  }

  /** An execution, started by somebody or by a Map Run, and what it belongs to. */
  get(arn: string): { readonly execution: Execution; readonly started: StartedExecution } {
    const started = this.#byArn.get(arn);
    if (started !== undefined) return { execution: started.execution, started };
    for (const candidate of this.#byArn.values()) {
      for (const execution of descendants(candidate.execution)) {
        if (execution.arn === arn) return { execution, started: candidate };
      }
    }
    throw executionDoesNotExist(arn);
  }

  mapRun(arn: string): { readonly mapRun: MapRun; readonly started: StartedExecution } {
    for (const started of this.#byArn.values()) {
      for (const execution of [started.execution, ...descendants(started.execution)]) {
        const mapRun = execution.mapRuns.find(one => one.settings.arn === arn);
        if (mapRun !== undefined) return { mapRun, started };
      }
    }
    throw resourceNotFound(arn);
  }

  /**
   * The last started first.
   *
   * @param arn of a state machine, or of a version or an alias that they were started by
   */
  of(arn: string): readonly StartedExecution[] {
    return [...this.#byArn.values()]
      .filter(({ stateMachine, versionArn, aliasArn }) =>
        [stateMachine.arn, versionArn, aliasArn].includes(arn),
      )
      .reverse();
  }

  /** The executions of a state machine that is deleted end, and with them everything that was known of it. */
  forget(machineArn: string): void {
    for (const { execution } of this.of(machineArn)) {
      this.#byArn.delete(execution.arn);
      this.#forgetEnd(execution.arn);
      execution.stop();
    }
    this.#names.delete(machineArn);
  }

  #watch(execution: Execution): void {
    void execution.done.then(({ arn }) => {
      if (!this.#byArn.has(arn) || execution.status === 'RUNNING') return;
      const events = countEvents(execution);
      this.#ended.set(arn, events);
      this.#endedEvents += events;
      this.#evict();
    });
  }

  /** The last one stays, however long its history is. */
  #evict(): void {
    for (const arn of this.#ended.keys()) {
      const { executions, events } = this.#kept;
      const fits = this.#ended.size <= executions && this.#endedEvents <= events;
      if (fits || this.#ended.size === 1) return;
      this.#forgetEnd(arn);
      this.#byArn.delete(arn);
    }
  }

  #forgetEnd(arn: string): void {
    this.#endedEvents -= this.#ended.get(arn) ?? 0;
    this.#ended.delete(arn);
  }
}

/** Everything that the Map Runs of an execution started, and theirs. */
export function* descendants(execution: Execution): Generator<Execution> {
  for (const child of execution.mapRuns.flatMap(childrenOf)) {
    yield child;
    yield* descendants(child);
  }
}

/** The children of a Map Run in the order of their start. */
export function childrenOf(mapRun: MapRun): Execution[] {
  return mapRun.executions.filter(child => child instanceof Execution);
}

function countEvents(execution: Execution): number {
  let events = execution.history.length;
  for (const child of descendants(execution)) events += child.history.length;
  return events;
}

/** A name that is taken, whether its execution is still known or not. */
export const executionAlreadyExists = (arn: string): ApiError =>
  new ApiError('ExecutionAlreadyExists', `Execution Already Exists: '${arn}'`);
