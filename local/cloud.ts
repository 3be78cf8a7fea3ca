import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  type ApiContext,
  type Clock,
  Engine,
  type Execution,
  Executions,
  InvalidDefinitionError,
  loadDefinition,
  nestedExecutions,
  realClock,
  StateMachines,
} from 'stepfunctions-emulator';
import type { PlainStack } from '../stacks/app.ts';
import { localDynamoDb, localDynamoDbStreams } from './dynamodb/clients.ts';
import { type DynamoDbEndpoint, startOrAttachDynamoDb } from './dynamodb/dynamodb-local.ts';
import { ensureTable } from './dynamodb/tables.ts';
import { LocalCloudError, TerraformError } from './errors.ts';
import { LocalFunctions, type LocalFunctionsOptions } from './functions/local-functions.ts';
import { type Pipes, type PipesOptions, startPipes } from './pipes/pipes.ts';
import { type Firing, Schedules } from './schedules.ts';
import { type SynthesizedCloud, synthesizedCloud } from './stack/synthesized.ts';

export interface LocalCloudOptions {
  readonly stack: PlainStack;
  /** A running DynamoDB, which `stop()` does not stop. @default the endpoint in AWS_ENDPOINT_URL_DYNAMODB, or a new DynamoDB Local */
  readonly dynamoDb?: DynamoDbEndpoint;
  /** Environment variables, of which only AWS_ENDPOINT_URL_DYNAMODB is read. @default process.env */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Returns the endpoint of a proxy through which the functions call DynamoDB. @default the endpoint of DynamoDB */
  readonly functionsDynamoDbEndpoint?: (dynamoDbEndpoint: string) => string | Promise<string>;
  readonly functions?: Omit<LocalFunctionsOptions, 'dynamoDbEndpoint'>;
  readonly pipes?: PipesOptions;
  /** Clock of the state machines, schedules and pipes, but not of the functions. @default the computer's clock, as for the functions */
  readonly clock?: Clock;
  /** Whether `start()` loads each function in a thread, so that the function's first call waits less. @default false */
  readonly warm?: boolean;
  readonly childrenAtOnce?: number | undefined;
  /** Whether the schedules fire. @default true */
  readonly schedules?: boolean;
  /** Decides whether a firing of a schedule starts an execution. A virtual clock stands still during the call. @default always true */
  readonly isNeeded?: ((firing: Firing) => Promise<boolean>) | undefined;
  /** Called after each execution of any status, except Map Runs' children. `schedule` is undefined if no schedule started the execution. */
  readonly onExecution?: (execution: Execution, schedule: string | undefined) => void;
  readonly onScheduleError?: (error: unknown, firing: Firing) => void;
}

/**
 * A synthesized deployment on this computer: functions in worker threads, state machines in an emulator of Step Functions. Pipes read the
 * tables' streams, but give the events to `onExpiry` of PipesOptions, not to the pipes' targets.
 */
export class LocalCloud {
  readonly synthesized: SynthesizedCloud;
  readonly dynamoDb: DynamoDbEndpoint;
  readonly client: DynamoDBClient;
  readonly functions: LocalFunctions;
  readonly pipes: Pipes;
  readonly schedules: Schedules;
  readonly stepFunctions: ApiContext;
  readonly #running = new Set<Execution>();
  readonly #undo: readonly (() => unknown)[];
  #stopped: Promise<void> | undefined;

  private constructor(
    options: LocalCloudOptions,
    parts: Pick<LocalCloud, 'synthesized' | 'dynamoDb' | 'client' | 'functions' | 'pipes'>,
    machines: readonly LoadedMachine[],
    undo: readonly (() => unknown)[],
  ) {
    this.#undo = undo;
    this.synthesized = parts.synthesized;
    this.dynamoDb = parts.dynamoDb;
    this.client = parts.client;
    this.functions = parts.functions;
    this.pipes = parts.pipes;
    const { clock = realClock, onScheduleError, onExecution, isNeeded } = options;
    const { childrenAtOnce: distributedMapConcurrency } = options;
    const scheduledBy = new WeakMap<Execution, string>();
    const engine = new Engine({
      invoker: this.functions,
      clock,
      ...(distributedMapConcurrency && { limits: { distributedMapConcurrency } }),
      resources: nestedExecutions(() => this.stepFunctions),
      onStart: execution => {
        this.#running.add(execution);
        void execution.done.then(ended => {
          this.#running.delete(ended);
          onExecution?.(ended, scheduledBy.get(ended));
        });
      },
    });
    const stateMachines = new StateMachines(() => clock.now());
    for (const machine of machines) stateMachines.create(machine);
    const { account, region, partition } = parts.synthesized;
    this.stepFunctions = { account, region, partition, stateMachines, executions: new Executions(engine) };
    this.schedules = new Schedules({
      clock,
      schedules: parts.synthesized.schedules,
      fire: ({ schedule, input }) => {
        const execution = this.startExecution(schedule.targetArn, JSON.parse(input));
        scheduledBy.set(execution, schedule.name);
      },
      onError: onScheduleError ?? (error => console.error(error)),
      isNeeded,
    });
  }

  /**
   * Starts the deployment. After a failure, everything that was started is stopped.
   * @throws {LocalCloudError}; {NotLoopbackError} when an endpoint of DynamoDB is on another computer
   */
  static async start(options: LocalCloudOptions): Promise<LocalCloud> {
    // The stack is read first, so that a mistake is found before a process is started.
    const clock = options.clock ?? realClock;
    const synthesized = synthesizedCloud(options.stack, { deployedAtMs: clock.now() });
    const machines = loadMachines(synthesized);
    const environment = options.environment ?? process.env;
    const undo: (() => unknown)[] = [];
    try {
      const dynamoDb = options.dynamoDb ?? (await startOrAttachDynamoDb(environment));
      if (options.dynamoDb === undefined) undo.push(() => dynamoDb.stop());
      const { region } = synthesized;
      const client = localDynamoDb(dynamoDb.endpoint, region);
      undo.push(() => client.destroy());
      for (const table of synthesized.tables) await ensureTable(client, table);
      const streams = localDynamoDbStreams(dynamoDb.endpoint, region);
      undo.push(() => streams.destroy());
      const dynamoDbEndpoint =
        (await options.functionsDynamoDbEndpoint?.(dynamoDb.endpoint)) ?? dynamoDb.endpoint;
      const functions = new LocalFunctions(synthesized.functions, { ...options.functions, dynamoDbEndpoint });
      undo.push(() => functions.stop());
      const pipes = await startPipes({
        ...options.pipes,
        ...{ pipes: synthesized.pipes, client, streams, clock },
        invoke: (functionArn, payload) => functions.invoke(functionArn, payload),
      });
      // Stops the pipes, and waits a short time for their invocations. The functions stop next, which ends the invocations that still run.
      undo.push(() => Promise.race([pipes.stop(), sleep(LAST_INVOCATION_MS, undefined, { ref: false })]));
      const parts = { synthesized, dynamoDb, client, functions, pipes };
      const cloud = new LocalCloud(options, parts, machines, undo);
      if (options.warm) functions.warm();
      if (options.schedules ?? true) cloud.schedules.start();
      return cloud;
    } catch (error) {
      for (const step of undo.toReversed()) await step();
      throw error;
    }
  }

  get running(): readonly Execution[] {
    return [...this.#running];
  }

  /**
   * @param machine name or ARN of a state machine
   * @throws {LocalCloudError} for an unknown state machine; InvalidStartError for a name or input that AWS refuses
   */
  startExecution(machine: string, input: unknown, name?: string): Execution {
    const { stateMachines, executions } = this.stepFunctions;
    const found = stateMachines.all.find(each => each.arn === machine || each.name === machine);
    if (found === undefined) {
      const known = stateMachines.all.map(each => each.name).join(', ') || 'none';
      throw new LocalCloudError(`state machine: expected one of ${known}, got "${machine}"`);
    }
    return executions.start(found, { input, ...(name !== undefined && { name }) }).execution;
  }

  /** Stops all executions and everything that `start()` started, so that the process can end. Safe to call more than once. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.schedules.stop();
    const { running } = this;
    for (const execution of running) execution.stop('Local.Stopped', 'The local cloud was stopped.');
    await Promise.all(running.map(execution => execution.done));
    for (const step of this.#undo.toReversed()) await step();
  }
}

const LAST_INVOCATION_MS = 5_000;

type LoadedMachine = Parameters<StateMachines['create']>[0];

function loadMachines({ stateMachines }: SynthesizedCloud): LoadedMachine[] {
  const problems: string[] = [];
  const machines = stateMachines.flatMap(
    ({ address, name, arn, roleArn, type, definition }): LoadedMachine[] => {
      try {
        const loaded = loadDefinition(definition, type);
        return [{ name, arn, roleArn, type, definition: loaded, definitionText: definition }];
      } catch (error) {
        if (!(error instanceof InvalidDefinitionError)) throw error;
        problems.push(`${address}.definition: ${error.message}`);
        return [];
      }
    },
  );
  if (problems.length > 0) throw new TerraformError(problems);
  return machines;
}
