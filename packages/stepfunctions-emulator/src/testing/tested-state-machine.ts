import { type Clock, realClock, VirtualClock } from '../clock.ts';
import {
  type Definition,
  Engine,
  loadDefinition,
  type Machine,
  seededRandom,
  type WorkflowType,
} from '../interpreter/index.ts';
import { ROLE_ARN, stateMachineArn } from '../made-up.ts';
import { HarnessError } from './errors.ts';
import { ExecutionResult } from './execution-result.ts';
import type { Mocks } from './mock.ts';
import { MockedFunctions } from './mocked-functions.ts';
import { type RetryRecord, visitKey } from './visits.ts';

/** Clock and start of executions. */
export interface ClockOptions {
  /**
   * `virtual`: stands still while anything runs and then jumps to the next timer. `real`: the wall clock. Or a clock of your own, which
   * several executions may share.
   * @default virtual
   */
  readonly clock?: 'virtual' | 'real' | Clock;
  /** Start time of a virtual clock: a Date, ISO-8601 text or epoch milliseconds. @default 2026-01-01T00:00:00Z */
  readonly startTime?: Date | string | number;
}

/** @throws {HarnessError} */
function clockFor({ clock = 'virtual', startTime }: ClockOptions): Clock {
  if (clock === 'virtual')
    return startTime === undefined ? new VirtualClock() : new VirtualClock(read(startTime));
  if (startTime !== undefined) {
    throw new HarnessError("startTime: expected it together with clock: 'virtual', got another clock");
  }
  if (clock === 'real') return realClock;
  if (typeof clock === 'object' && typeof clock.busy === 'function') return clock;
  throw new HarnessError(`clock: expected 'virtual', 'real' or a Clock, got ${JSON.stringify(clock)}`);
}

function read(startTime: Date | string | number): number {
  const ms = new Date(startTime).getTime();
  if (Number.isFinite(ms)) return ms;
  throw new HarnessError(
    `startTime: expected a Date, ISO-8601 text or epoch milliseconds, got ${JSON.stringify(startTime)}`,
  );
}

export interface MachineOptions {
  /** @default STANDARD */
  readonly type?: WorkflowType;
  /** Mocks for every execution; the mocks of `run` take precedence. */
  readonly functions?: Mocks;
}

export interface RunOptions extends ClockOptions {
  /** Any JSON value. @default {} */
  readonly input?: unknown;
  /** Mocks by name, `name:qualifier` or ARN of the function or other Resource, or by the calling state. */
  readonly functions?: Mocks;
  /** Name of the execution. @default a new id */
  readonly name?: string;
  /** Seed for jitter, `$random`, `$uuid` and all ids: the same seed gives the same run. @default 1 */
  readonly seed?: number;
  /** Runs an Express state machine as StartSyncExecution does. @default false */
  readonly sync?: boolean;
}

/** A running execution. */
export interface RunningExecution {
  readonly arn: string;
  /** Clock of the execution; sleep on it to act at a certain moment. */
  readonly clock: Clock;
  /** Stops the execution as StopExecution does. */
  stop(error?: string, cause?: string): void;
  /**
   * Resolves when it has ended, whatever its status.
   * @throws {MissingMockError}
   */
  result(): Promise<ExecutionResult>;
}

/** A state machine under test. It keeps nothing from one execution to the next. */
export class TestedStateMachine {
  readonly name: string;
  readonly type: WorkflowType;
  /** Definition in the Amazon States Language, JSON text, with all substitutions. */
  readonly definition: string;
  readonly #loaded: Definition;
  readonly #mocks: Mocks;

  /** @throws {InvalidDefinitionError} */
  constructor(name: string, definition: string, { type = 'STANDARD', functions = {} }: MachineOptions) {
    this.name = name;
    this.type = type;
    this.definition = definition;
    // A Resource without a mock is refused only when it is called.
    this.#loaded = loadDefinition(definition, type, () => true);
    this.#mocks = functions;
  }

  /**
   * Runs the state machine to its end, whatever the status: a failed execution is a result as well.
   * @throws {MissingMockError} when a function is called that has no mock
   * @throws {InvalidStartError} when the name or the input isn't allowed
   */
  async run(options: RunOptions = {}): Promise<ExecutionResult> {
    return this.start(options).result();
  }

  /** Starts an execution that the test can stop or observe. @throws {InvalidStartError} */
  start(options: RunOptions = {}): RunningExecution {
    const { input = {}, functions = {}, name, seed = 1, sync = false } = options;
    if (sync && this.type !== 'EXPRESS') {
      throw new HarnessError(`sync: expected an EXPRESS state machine, got a ${this.type} one`);
    }
    const clock = clockFor(options);
    const retries: RetryRecord[] = [];
    const cutOffs = new Map<string, number>();
    const invoker = new MockedFunctions({ ...this.#mocks, ...functions }, clock, () => execution.stop());
    const engine = new Engine({
      clock,
      invoker,
      resources: invoker,
      random: seededRandom(seed),
      onRetry: ({ delayMs: ms, ...retry }) => retries.push({ ...retry, ms }),
      onCutOff: visit => cutOffs.set(visitKey(visit), clock.now()),
    });
    const execution = engine.start(this.#machine, {
      input,
      synchronous: sync,
      ...(name !== undefined && { name }),
    });
    return {
      arn: execution.arn,
      clock,
      stop: (error, cause) => execution.stop(error, cause),
      result: async () => {
        await execution.done;
        const { problem, calls, names: functionNames } = invoker;
        if (problem !== undefined) throw problem;
        return new ExecutionResult(execution, {
          ...{ retries, cutOffs, functionNames, stateMachine: this },
          // A call that nobody waits for may still end.
          calls: calls.map(call => ({ ...call })),
        });
      },
    };
  }

  get #machine(): Machine {
    const { name, type } = this;
    return { arn: stateMachineArn(name), name, roleArn: ROLE_ARN, type, definition: this.#loaded };
  }
}
