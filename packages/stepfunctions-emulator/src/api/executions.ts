import { type Engine, Execution, type MapRun, type StartOptions } from '../interpreter/index.ts';
import { ApiError, executionDoesNotExist, resourceNotFound } from './errors.ts';
import type { StateMachine } from './state-machines.ts';

export type Runner = Pick<Engine, 'start'>;

export interface StartedExecution {
  readonly execution: Execution;
  readonly stateMachine: StateMachine;
  readonly sequence: number;
}

export interface KeptExecutions {
  /** Maximum number of ended executions that are kept for each state machine. AWS keeps ended Standard executions for 90 days. */
  readonly executions: number;
  /**
   * Maximum number of characters, as JSON, of the events of a state machine's ended executions and their child executions. Above this
   * number, the server removes the events of the executions that ended first.
   */
  readonly characters: number;
}

/** Default limits. 500 executions are eight hours of one execution a minute. 10,000,000 characters take about 50 MB of memory. */
const KEPT_EXECUTIONS: KeptExecutions = { executions: 500, characters: 10_000_000 };

export class Executions {
  readonly #byArn = new Map<string, StartedExecution>();
  /** ARN of a Standard state machine → names given to executions at the start. A name stays taken after the execution has been removed. */
  readonly #names = new Map<string, Set<string>>();
  /** State machine's ARN → ended execution, earliest end first → length of the JSON of its events and its child executions' events. */
  readonly #ended = new Map<string, Map<Execution, number>>();
  #sequence = 0;
  #version = 0;
  readonly #runner: Runner;
  readonly #kept: KeptExecutions;

  constructor(runner: Runner, kept: Partial<KeptExecutions> = {}) {
    this.#runner = runner;
    this.#kept = { ...KEPT_EXECUTIONS, ...kept };
  }

  get version(): number {
    return this.#version;
  }

  isTaken(stateMachine: StateMachine, name: string): boolean {
    return this.#names.get(stateMachine.arn)?.has(name) ?? false;
  }

  start(stateMachine: StateMachine, options: StartOptions): StartedExecution {
    const execution = this.#runner.start(stateMachine, options);
    this.#sequence += 1;
    this.#version += 1;
    const started = { execution, stateMachine, sequence: this.#sequence };
    this.#byArn.set(execution.arn, started);
    if (options.name !== undefined && stateMachine.type === 'STANDARD') {
      const names = this.#names.get(stateMachine.arn) ?? new Set();
      this.#names.set(stateMachine.arn, names.add(options.name));
    }
    void execution.done.then(() => this.#keep(started));
    return started;
  }

  find(arn: string): StartedExecution | undefined {
    return this.#byArn.get(arn);
  }

  /** Finds an execution, or a child execution of a Map Run. For a child, `started` is the outermost execution that contains the Map Run. */
  get(arn: string): { readonly execution: Execution; readonly started: StartedExecution } {
    const known = this.#byArn.get(arn);
    if (known !== undefined) return { execution: known.execution, started: known };
    for (const started of this.#byArn.values()) {
      for (const execution of descendants(started.execution)) {
        if (execution.arn === arn) return { execution, started };
      }
    }
    throw executionDoesNotExist(arn);
  }

  whole(arn: string): Execution {
    const { execution } = this.get(arn);
    if (!execution.forgotten) return execution;
    throw executionDoesNotExist(arn, 'Its history was forgotten for those of later executions');
  }

  mapRun(arn: string): MapRun {
    for (const { execution } of this.#byArn.values()) {
      for (const { mapRuns } of [execution, ...descendants(execution)]) {
        const mapRun = mapRuns.find(one => one.settings.arn === arn);
        if (mapRun !== undefined) return mapRun;
      }
    }
    throw resourceNotFound(arn);
  }

  of(machineArn: string): readonly StartedExecution[] {
    return [...this.#byArn.values()].filter(({ stateMachine }) => stateMachine.arn === machineArn).reverse();
  }

  forget(machineArn: string): void {
    for (const { execution } of this.of(machineArn)) {
      this.#byArn.delete(execution.arn);
      execution.stop();
    }
    this.#version += 1;
    this.#names.delete(machineArn);
    this.#ended.delete(machineArn);
  }

  #keep({ execution, stateMachine }: StartedExecution): void {
    this.#version += 1;
    if (!this.#byArn.has(execution.arn)) return;
    const ended = this.#ended.get(stateMachine.arn) ?? new Map<Execution, number>();
    this.#ended.set(stateMachine.arn, ended.set(execution, charactersOf(execution)));
    let characters = [...ended.values()].reduce((sum, size) => sum + size, 0);
    for (const [oldest, size] of ended) {
      if (oldest === execution) return; // The last ended execution is kept, however large its history is.
      if (ended.size > this.#kept.executions) {
        ended.delete(oldest);
        this.#byArn.delete(oldest.arn);
      } else if (characters > this.#kept.characters) {
        ended.set(oldest, 0);
        oldest.forget();
      } else return;
      characters -= size;
    }
  }
}

/** All child executions of an execution's Map Runs, at any depth; none after `Execution.forget`, which removes the Map Runs. */
export function* descendants({ mapRuns }: Execution): Generator<Execution> {
  for (const child of mapRuns.flatMap(childrenOf)) {
    yield child;
    yield* descendants(child);
  }
}

export function childrenOf(mapRun: MapRun): Execution[] {
  return mapRun.executions.filter(child => child instanceof Execution);
}

const charactersOf = (execution: Execution): number =>
  [execution, ...descendants(execution)].reduce(
    (sum, { history }) => sum + JSON.stringify(history).length,
    0,
  );

export const executionAlreadyExists = (arn: string): ApiError =>
  new ApiError('ExecutionAlreadyExists', `Execution Already Exists: '${arn}'`);
