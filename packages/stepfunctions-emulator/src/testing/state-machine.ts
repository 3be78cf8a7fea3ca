import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Clock, VirtualClock } from '../clock.ts';
import {
  type Definition,
  Engine,
  isAllowedName,
  loadDefinition,
  type RetryNotice,
  seededRandom,
  type WorkflowType,
} from '../interpreter/index.ts';
import { ROLE_ARN, stateMachineArn } from '../made-up.ts';
import { HarnessError } from './errors.ts';
import { ExecutionResult } from './execution-result.ts';
import type { Mocks } from './mock.ts';
import { MockedFunctions } from './mocked-functions.ts';

export interface MachineOptions {
  /** The state machine's name, for ARN and `$states.context`. @default StateMachine; `fromFile`: file name up to first dot, if allowed */
  readonly name?: string;
  /** @default STANDARD */
  readonly type?: WorkflowType;
  /** Mocks for every execution; a mock in {@link RunOptions} replaces the one with the same key. */
  readonly functions?: Mocks;
}

export interface RunOptions {
  /** Any JSON value. @default {} */
  readonly input?: unknown;
  /** Mocks for this execution; the keys are described at {@link Mocks}. */
  readonly functions?: Mocks;
  /** Name of the execution. @default a new id */
  readonly name?: string;
  /** Clock of the execution; several executions may share a clock. @default a virtual clock that begins at 2026-01-01T00:00:00Z */
  readonly clock?: Clock;
  /** Seed for jitter, `$random`, `$uuid` and all ids: the same seed gives the same run. @default 1 */
  readonly seed?: number;
  /** Runs an Express state machine as StartSyncExecution does. @default false */
  readonly sync?: boolean;
}

export interface RunningExecution {
  readonly arn: string;
  /** Clock of the execution. A test can sleep on this clock, and then for example stop the execution at a certain time. */
  readonly clock: Clock;
  stop(error?: string, cause?: string): void;
  /**
   * Resolves when the execution has ended, with any status.
   * @throws {MissingMockError} when a call had no mock, or its mock had no further answer
   */
  result(): Promise<ExecutionResult>;
}

/** A state machine under test. No execution leaves data for the next execution. */
export class TestedStateMachine {
  readonly name: string;
  readonly type: WorkflowType;
  readonly #loaded: Definition;
  readonly #mocks: Mocks;

  constructor(definition: string, options: MachineOptions) {
    const { name = 'StateMachine', type = 'STANDARD', functions = {} } = options;
    this.name = name;
    this.type = type;
    // Loading accepts every Resource, because the mocks of `run` are not known yet. Later, a call without a mock stops the execution.
    this.#loaded = loadDefinition(definition, type, () => true);
    this.#mocks = functions;
  }

  /**
   * Runs an execution to its end, and returns its result even if it failed.
   * @throws {MissingMockError} when a call has no mock, or its mock has no further answer
   * @throws {InvalidStartError} when the name or the input isn't allowed
   * @throws {HarnessError} when `sync` is set for a Standard state machine
   */
  async run(options: RunOptions = {}): Promise<ExecutionResult> {
    return this.start(options).result();
  }

  /** Starts an execution that the test can stop or observe. @throws {InvalidStartError} as `run` @throws {HarnessError} as `run` */
  start(options: RunOptions = {}): RunningExecution {
    const { input = {}, functions = {}, seed = 1, sync: synchronous = false } = options;
    const { name: executionName, clock = new VirtualClock() } = options;
    const { name, type } = this;
    if (synchronous && type !== 'EXPRESS') {
      throw new HarnessError(`sync: expected an EXPRESS state machine, got a ${type} one`);
    }
    const retries: RetryNotice[] = [];
    const invoker = new MockedFunctions({ ...this.#mocks, ...functions }, clock, () => execution.stop());
    const engine = new Engine({
      clock,
      invoker,
      resources: invoker,
      random: seededRandom(seed),
      onRetry: retry => retries.push(retry),
    });
    const execution = engine.start(
      { arn: stateMachineArn(name), name, roleArn: ROLE_ARN, type, definition: this.#loaded },
      { input, synchronous, ...(executionName !== undefined && { name: executionName }) },
    );
    return {
      arn: execution.arn,
      clock,
      stop: (error, cause) => execution.stop(error, cause),
      result: async () => {
        await execution.done;
        const { problem, calls, names: functionNames } = invoker;
        if (problem !== undefined) throw problem;
        return new ExecutionResult(execution, {
          ...{ retries, functionNames },
          // The records are copied: when the mock of an aborted call answers later, its answer goes into the original record.
          calls: calls.map(call => ({ ...call })),
        });
      },
    };
  }
}

export const stateMachine = {
  /**
   * Creates the state machine from a definition in the Amazon States Language: an object, or its JSON text.
   * @throws {InvalidDefinitionError}
   */
  from: (definition: string | object, options: MachineOptions = {}): TestedStateMachine =>
    new TestedStateMachine(typeof definition === 'string' ? definition : JSON.stringify(definition), options),

  /**
   * @param path a URL, or a path from the working directory
   * @throws {InvalidDefinitionError}
   * @throws the system's error when the file can't be read
   */
  fromFile(path: string | URL, options: MachineOptions = {}): TestedStateMachine {
    const file = typeof path === 'string' ? path : fileURLToPath(path);
    const name = basename(file).split('.')[0] ?? '';
    return new TestedStateMachine(readFileSync(file, 'utf8'), {
      ...(isAllowedName(name) && { name }),
      ...options,
    });
  },
};
