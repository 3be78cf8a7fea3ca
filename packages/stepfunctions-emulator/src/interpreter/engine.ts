import { randomUUID } from 'node:crypto';
import { type Clock, realClock } from '../clock.ts';
import { EmulatorError } from '../errors.ts';
import { ALLOWED_NAME, isAllowedName } from './arn.ts';
import { Billing, type BillingCounters } from './billing.ts';
import { Execution, type ExecutionSpec } from './execution.ts';
import { exceedsBytes, toJson } from './json.ts';
import { AWS_LIMITS, type Limits, type Payload, payload } from './limits.ts';
import type { Definition } from './load/definition.ts';
import { InvalidDefinitionError } from './load/problems.ts';
import { type RandomSource, systemRandom, uuidFrom } from './random.ts';
import type { MachineIdentity } from './run/child.ts';
import { type EngineContext, Pace, type RetryNotice } from './run/run.ts';
import type { FunctionInvoker } from './task/invoker.ts';

export interface EngineOptions {
  readonly invoker: FunctionInvoker;
  /**
   * Answers Tasks that call no function, such as `states:startExecution`. `invoke` gets the Resource in place of a function's ARN.
   * @default such a Task fails
   */
  readonly resources?: FunctionInvoker;
  readonly clock?: Clock;
  /** Source of random numbers for jitter, `$random`, `$uuid`, `$shuffle` and all ids. @default different numbers in every run */
  readonly random?: RandomSource;
  readonly limits?: Partial<Limits>;
  /** Called at the start of each execution, but not for child executions of a Map Run. */
  readonly onStart?: (execution: Execution) => void;
  /** Called for each retry before its delay, because the history has no event that announces a retry. */
  readonly onRetry?: (retry: RetryNotice) => void;
}

export interface Machine extends MachineIdentity {
  readonly definition: Definition;
}

export interface StartOptions {
  /** Name of 1 to 80 characters. The engine does not check whether another execution has the name. @default a new id */
  readonly name?: string;
  readonly input: unknown;
  /** JSON text of the input as the client sent the text; the history shows this text. @default made from `input` */
  readonly inputText?: string;
  /** Whether `$states.context` has no RedriveCount, as after StartSyncExecution. @default false */
  readonly synchronous?: boolean;
}

/** The execution can't be started: its name or input isn't allowed. */
export class InvalidStartError extends EmulatorError {
  override readonly name: 'InvalidName' | 'InvalidExecutionInput';

  constructor(name: 'InvalidName' | 'InvalidExecutionInput', message: string) {
    super(message);
    this.name = name;
  }
}

function engineContext({ limits, random, clock = realClock, ...options }: EngineOptions): EngineContext {
  return {
    ...options,
    clock,
    pace: new Pace(clock),
    random: random ?? systemRandom,
    limits: { ...AWS_LIMITS, ...limits },
    billing: new Billing(),
    newId: random === undefined ? randomUUID : () => uuidFrom(random),
  };
}

/** Runs state machines. The engine stores no executions; `billing` includes all of them. */
export class Engine {
  readonly #context: EngineContext;
  readonly #onStart: EngineOptions['onStart'];

  constructor(options: EngineOptions) {
    this.#context = engineContext(options);
    this.#onStart = options.onStart;
  }

  get billing(): Readonly<BillingCounters> {
    return this.#context.billing.counters;
  }

  /**
   * Starts an execution in the background.
   * @throws InvalidStartError when the name or the input isn't allowed
   * @throws InvalidDefinitionError for a distributed Map in an Express state machine
   */
  start(machine: Machine, options: StartOptions): Execution {
    const { definition, arn, name, roleArn, type } = machine;
    if (type === 'EXPRESS' && definition.hasDistributedMap) {
      const expected = 'no distributed Map in an Express state machine';
      throw new InvalidDefinitionError([{ path: '', expected, got: 'one' }]);
    }
    const spec: ExecutionSpec = {
      machine: { arn, name, roleArn, type },
      graph: definition,
      definitionBytes: definition.bytes,
      timeoutSeconds: definition.timeoutSeconds,
      name: options.name === undefined ? this.#context.newId() : checkName(options.name),
      input: this.#checkInput(options),
      synchronous: options.synchronous ?? false,
    };
    const execution = new Execution(this.#context, spec);
    this.#onStart?.(execution);
    return execution;
  }

  #checkInput({ input, inputText }: StartOptions): Payload {
    const { value, text } = readInput(input);
    const checked = { value, text: inputText ?? text };
    const { payloadBytes } = this.#context.limits;
    if (exceedsBytes(checked.text, payloadBytes)) {
      const got = Buffer.byteLength(checked.text);
      throw new InvalidStartError(
        'InvalidExecutionInput',
        `the input may have ${payloadBytes} bytes, got ${got}`,
      );
    }
    return checked;
  }
}

function readInput(input: unknown): Payload {
  try {
    return payload(toJson(input));
  } catch (error) {
    const got = error instanceof RangeError ? 'values nested too deeply' : (error as Error).message;
    throw new InvalidStartError('InvalidExecutionInput', `the input has to be JSON, got ${got}`);
  }
}

function checkName(name: string): string {
  if (isAllowedName(name)) return name;
  throw new InvalidStartError(
    'InvalidName',
    `the name of an execution has ${ALLOWED_NAME}; got ${JSON.stringify(name)}`,
  );
}
