import {
  type Definition,
  Engine,
  type EngineOptions,
  type Execution,
  type InvokeOptions,
  seededRandom,
  VirtualClock,
  type WorkflowType,
} from 'stepfunctions-emulator';
import { reportDynamoDb } from '../../../cost/dynamodb-usage.ts';
import { type ExpiryModel, expiryModel } from '../../../expiry/model.ts';
import type { PollPace } from '../../../functions/child/poll.ts';
import { type Deletion, NO_DELETION } from '../../../functions/delete-chunk/deletion.ts';
import { addLags, lagOf } from '../../../functions/report/lag.ts';
import { DynamoDbBusyError } from '../../../functions/runtime/errors.ts';
import type { ReadIndex } from '../../../functions/table/index-query.ts';
import type {
  ExpiredKey,
  FailedKey,
  QueryExpiredInput,
  ReplayInput,
  SweepInput,
  TickInput,
} from '../../../statemachine/contract.ts';
import { settingsOf } from '../sweep-settings.ts';
import { type SimulatedDynamoDb, type SweepFunctions, simulatedFunctions } from './functions.ts';
import { idOf, MemoryTable } from './memory-table.ts';

/** What became of one item; TTL in epoch seconds, deletion in epoch milliseconds of DynamoDB's clock. */
export interface Fate {
  readonly id: string;
  readonly ttl: number;
  readonly deletedAt: number;
}

/** A call of a function that fails, or takes long. */
export interface CallFault {
  /** Milliseconds more than other calls take; the work is done at their end. @default 0 */
  readonly hangsMs?: number;
  /** The error's name; without one the call succeeds. */
  readonly error?: string;
  /** The work is done, and only the answer is lost. @default false */
  readonly answerLost?: boolean;
}

/** Milliseconds of a read of the index. */
export interface ReadTime {
  /** From the request to its answer, when nothing else runs. */
  readonly ms: number;
  /** The part of it that the function's processor works, one read after the other. */
  readonly processorMs: number;
}

export interface SimulationOptions {
  /** Epoch seconds. */
  readonly start: number;
  /** The state machine; its functions' ARNs end in the names of their files. */
  readonly definition: Definition;
  /** The state machine's. @default STANDARD */
  readonly type?: WorkflowType;
  /** Runs an Express execution more than once. @default once */
  readonly expressDeliveries?: NonNullable<EngineOptions['expressDeliveries']>;
  readonly pace?: PollPace;
  /** @default 0 */
  readonly graceSeconds?: number;
  /** As with an archive or events. @default none */
  readonly marginSeconds?: number;
  /** How far DynamoDB's clock is ahead of that of Step Functions, milliseconds. @default 0 */
  readonly dynamoDbAheadMs?: number;
  /** How far the functions' clocks are ahead of that of Step Functions, milliseconds. @default 0 */
  readonly functionsAheadMs?: number;
  readonly model?: ExpiryModel;
  /** Most children of an upcoming minute: each takes several shards, one after the other. @default one for each shard */
  readonly mostUpcoming?: number;
  /** How far a tick looks back. @default that of a table which is indexed so */
  readonly lookbackMinutes?: number;
  /** Milliseconds that every call of a function takes, without what it reads. */
  readonly callMs?: number;
  /** What each read of the index takes of the call that makes it. @default no time */
  readonly read?: ReadTime;
  /** Memory of the functions, MB, for what they would cost. */
  readonly memoryMb?: number;
  readonly mapRunDelays?: NonNullable<EngineOptions['mapRunDelays']>;
  /** What goes wrong with a call of a function. @default nothing */
  readonly failingCall?: (name: keyof SweepFunctions) => CallFault | undefined;
  /** Whether DynamoDB throttles a call as a whole at a moment (epoch milliseconds). @default never */
  readonly throttledCall?: (nowMs: number) => boolean;
  /** Milliseconds that DynamoDB hangs in a batch of deletes before it answers. @default 0 */
  readonly hangingDelete?: (ids: readonly string[], nowMs: number) => number;
  /** Whether DynamoDB leaves a key unprocessed at a moment (epoch milliseconds). @default never */
  readonly throttled?: (id: string, nowMs: number) => boolean;
  /** Whether children learn of throttled keys, and slow down. @default true */
  readonly adaptive?: boolean;
  /** Whether DynamoDB refuses a key for good. @default never */
  readonly refused?: (id: string) => boolean;
}

/**
 * The real definition and all that the functions decide, around a table in memory, on a virtual clock: hours of ticks in seconds.
 * Only DynamoDB and Lambda are left out.
 */
export class Simulation {
  readonly clock: VirtualClock;
  readonly table: MemoryTable;
  readonly deleted: Fate[] = [];
  readonly executions: Execution[] = [];
  /** Calls of each function. */
  readonly calls = { 'plan-sweep': 0, 'query-expired': 0, 'delete-chunk': 0, 'record-metrics': 0 };
  readonly #random = seededRandom(1);
  readonly #engine: Engine;
  readonly #definition: Definition;
  readonly #type: WorkflowType;
  readonly #dynamoDbNow: () => number;
  readonly #pending: Promise<unknown>[] = [];

  constructor(options: SimulationOptions) {
    const { start, definition, type = 'STANDARD', callMs = 30, memoryMb = 512 } = options;
    const { mapRunDelays, expressDeliveries } = options;
    this.clock = new VirtualClock(start * 1000);
    const { dynamoDbAheadMs = 0 } = options;
    this.#dynamoDbNow = () => this.clock.now() + dynamoDbAheadMs;
    this.table = new MemoryTable(options.model ?? expiryModel({ partitionKey: 'id' }), this.#dynamoDbNow);
    this.#definition = definition;
    this.#type = type;
    this.#engine = new Engine({
      clock: this.clock,
      random: this.#random,
      ...(mapRunDelays && { mapRunDelays }),
      ...(expressDeliveries && { expressDeliveries }),
      onStart: execution => {
        this.executions.push(execution);
        this.#pending.push(execution.done);
      },
      invoker: {
        invoke: async (arn, payload, { onUsage }) => {
          const name = arn.split(':').at(-1) as keyof SweepFunctions;
          this.calls[name] += 1;
          const { hangsMs = 0, error, answerLost = false } = options.failingCall?.(name) ?? {};
          await this.clock.sleep(callMs + hangsMs);
          const functions = this.#functions(options, onUsage);
          const told = options.adaptive === false ? withoutThrottled(payload) : payload;
          const answer = error && !answerLost ? null : await functions[name](told as never);
          return error
            ? { ok: false, errorType: error, errorMessage: `simulated ${error}` }
            : { ok: true, payload: answer, memoryMb };
        },
      },
    });
  }

  /** What all executions would be billed for. */
  get billing(): Engine['billing'] {
    return this.#engine.billing;
  }

  /** Starts a tick for this minute (epoch seconds), so many seconds late. */
  tick(scheduled: number, lateSeconds = 0, input: Omit<TickInput, 'scheduledTime'> = {}): void {
    this.#start(scheduled, lateSeconds, input);
  }

  /** Starts a reconcile (epoch seconds) that looks so far back. */
  reconcile(
    scheduled: number,
    lookbackMinutes: number,
    input: Pick<TickInput, 'maxDeletesPerSecond'> = {},
  ): void {
    this.#start(scheduled, 0, { lookbackMinutes, ...input });
  }

  /** Starts a replay now. */
  replay(input: ReplayInput): void {
    this.#run(this.clock.now(), input);
  }

  #start(scheduled: number, lateSeconds: number, input: Omit<TickInput, 'scheduledTime'>): void {
    const scheduledTime = new Date(scheduled * 1000).toISOString().replace('.000', '');
    this.#run((scheduled + lateSeconds) * 1000, { scheduledTime, ...input });
  }

  #run(atMs: number, input: SweepInput): void {
    const run = async () => {
      await this.clock.sleep(atMs - this.clock.now());
      const machine = {
        arn: 'arn:aws:states:us-east-1:123456789012:stateMachine:simulated',
        name: 'simulated',
        roleArn: 'arn:aws:iam::123456789012:role/sweep',
        type: this.#type,
        definition: this.#definition,
      } as const;
      this.#engine.start(machine, { input });
    };
    this.#pending.push(run());
  }

  /** Lets time pass until the last execution has ended. */
  async finish(): Promise<void> {
    while (this.#pending.length > 0) await Promise.all(this.#pending.splice(0));
  }

  #functions(
    {
      pace,
      lookbackMinutes,
      graceSeconds = 0,
      marginSeconds,
      functionsAheadMs = 0,
      ...options
    }: SimulationOptions,
    onUsage: InvokeOptions['onUsage'],
  ): SweepFunctions {
    const dynamoDb = {
      readIndex: this.#reader(options, onUsage),
      readHeld: this.table.readHeld,
      deleteBatch: this.#deleter({ ...options, graceSeconds }),
    };
    const model = options.model ?? expiryModel({ partitionKey: 'id' });
    return simulatedFunctions({
      settings: {
        ...DEFAULTS[model.indexedBy],
        ...pace,
        ...(lookbackMinutes !== undefined && { lookbackMinutes }),
        graceSeconds,
        ...(marginSeconds !== undefined && { marginSeconds }),
        model,
      },
      ...(options.mostUpcoming !== undefined && { mostUpcoming: options.mostUpcoming }),
      dynamoDb,
      clock: {
        now: () => this.clock.now() + functionsAheadMs,
        sleep: ms => this.clock.sleep(ms),
      },
      random: this.#random,
    });
  }

  #reader(
    {
      throttledCall = () => false,
      read = { ms: 0, processorMs: 0 },
    }: Pick<SimulationOptions, 'throttledCall' | 'read'>,
    onUsage: InvokeOptions['onUsage'],
  ): ReadIndex {
    let processorFreeAt = 0;
    return async (...query) => {
      if (read.ms > 0) {
        processorFreeAt = Math.max(processorFreeAt, this.clock.now()) + read.processorMs;
        await this.clock.sleep(processorFreeAt + read.ms - read.processorMs - this.clock.now());
      }
      // As the client does: a second attempt at once.
      if (throttledCall(this.clock.now()) && throttledCall(this.clock.now())) {
        throw new DynamoDbBusyError('throttled');
      }
      const page = await this.table.readIndex(...query);
      const bytes = page.entries.length * ENTRY_BYTES;
      const readUnits = Math.max(1, Math.ceil(bytes / 4096)) / 2;
      if (onUsage) reportDynamoDb(onUsage, { readUnits, writeUnits: 0 });
      return page;
    };
  }

  #deleter({
    throttledCall = () => false,
    hangingDelete = () => 0,
    throttled = () => false,
    refused = () => false,
    graceSeconds = 0,
  }: Omit<SimulationOptions, 'start' | 'definition'>): SimulatedDynamoDb['deleteBatch'] {
    const { table, clock } = this;
    return async (keys, cutoff, requestTimeoutMs): Promise<Deletion> => {
      const hangs = hangingDelete(
        keys.map(({ key }) => idOf(key)),
        clock.now(),
      );
      await clock.sleep(Math.min(hangs, requestTimeoutMs));
      if (hangs > requestTimeoutMs) throw Object.assign(new Error('no answer'), { name: 'TimeoutError' });
      if (throttledCall(clock.now())) throw Object.assign(new Error('busy'), { name: 'ThrottlingException' });
      let done: Deletion = NO_DELETION;
      const unprocessed: ExpiredKey[] = [];
      const failed: FailedKey[] = [];
      for (const expired of keys) {
        const { key, ttl } = expired;
        if (throttled(idOf(key), clock.now())) {
          unprocessed.push(expired);
          done = { ...done, throttled: done.throttled + 1 };
        } else if (refused(idOf(key))) {
          failed.push({ key, reason: 'ValidationError' });
        } else {
          const outcome = table.deleteIfExpired(key, cutoff);
          done = { ...done, [outcome]: done[outcome] + 1 };
          if (outcome !== 'deleted') continue;
          done = { ...done, ...addLags(done, lagOf([ttl + graceSeconds], clock.now())) };
          this.deleted.push({ id: idOf(key), ttl, deletedAt: this.#dynamoDbNow() });
        }
      }
      return { ...done, unprocessed, failed };
    };
  }
}

/** The input of QueryExpired as if no key had been throttled: what the sweep would do without its brake. */
function withoutThrottled(payload: unknown): unknown {
  const { results } = payload as Partial<QueryExpiredInput>;
  if (!results) return payload;
  const untold = results.map(
    chunk => chunk.progress && { ...chunk, progress: { ...chunk.progress, throttled: 0 } },
  );
  return { ...(payload as object), results: untold.map((chunk, index) => chunk ?? results[index]) };
}

const DEFAULTS = {
  window: settingsOf({ tableName: 'simulated', partitionKey: 'id' }),
  second: settingsOf({ tableName: 'simulated', partitionKey: 'id', indexedBy: 'second' }),
};

/** Of an index entry, about: a window, a TTL, a key, and what DynamoDB adds to each. */
const ENTRY_BYTES = 100;
