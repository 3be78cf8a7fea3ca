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
import { carriedSettings, type TableSettings } from '../../../functions/runtime/environment.ts';
import { DynamoDbBusyError } from '../../../functions/runtime/errors.ts';
import type { ReadIndex } from '../../../functions/table/index-query.ts';
import { functionSettings, resolveProps } from '../../../stacks/props.ts';
import type {
  CarriedSettings,
  ExpiredKey,
  FailedKey,
  MachineName,
  QueryExpiredInput,
  ReplayInput,
  SweepInput,
  TickInput,
} from '../../../statemachine/contract.ts';
import { type Machines, REPLAY_ARN, simulatedMachines } from './definition.ts';
import { type SimulatedDynamoDb, type SweepFunctions, simulatedFunctions } from './functions.ts';
import { MemoryJournal } from './memory-journal.ts';
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
  /** The state machines; their functions' ARNs end in the names of their files. @default those of its settings */
  readonly definition?: Machines;
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
  readonly journal: MemoryJournal;
  readonly #engine: Engine;
  readonly #machines: Readonly<Record<MachineName, Machine>>;
  readonly #dynamoDbNow: () => number;
  readonly #pending: Promise<unknown>[] = [];

  constructor(options: SimulationOptions) {
    const { start, callMs = 30, memoryMb = 512, mapRunDelays } = options;
    this.clock = new VirtualClock(start * 1000);
    const { dynamoDbAheadMs = 0 } = options;
    this.#dynamoDbNow = () => this.clock.now() + dynamoDbAheadMs;
    this.table = new MemoryTable(options.model ?? expiryModel({ partitionKey: 'id' }), this.#dynamoDbNow);
    this.journal = new MemoryJournal(() => this.clock.now());
    const carried = carriedOf(options);
    const { tick, replay } = options.definition ?? simulatedMachines([carried]);
    this.#machines = {
      tick: machineOf('simulated', 'EXPRESS', tick),
      replay: machineOf('simulated-replay', 'STANDARD', replay),
    };
    this.#engine = new Engine({
      clock: this.clock,
      random: this.#random,
      ...(mapRunDelays && { mapRunDelays }),
      resources: {
        invoke: async (_resource, args) => {
          const { StateMachineArn, Input } = args as { StateMachineArn: string; Input: unknown };
          const name = StateMachineArn === REPLAY_ARN ? 'replay' : 'tick';
          this.#run(name, this.clock.now(), Input as SweepInput);
          return { ok: true, payload: {} };
        },
      },
      invoker: {
        invoke: async (arn, payload, { onUsage }) => {
          const name = arn.split(':').at(-1) as keyof SweepFunctions;
          this.calls[name] += 1;
          const { hangsMs = 0, error, answerLost = false } = options.failingCall?.(name) ?? {};
          await this.clock.sleep(callMs + hangsMs);
          const functions = this.#functions(options, onUsage);
          const told = ofTable(carried, options.adaptive === false ? withoutThrottled(payload) : payload);
          try {
            const answer = error && !answerLost ? null : await functions[name](told as never);
            return error
              ? { ok: false, errorType: error, errorMessage: `simulated ${error}` }
              : { ok: true, payload: answer, memoryMb };
          } catch (thrown) {
            const { name: errorType, message: errorMessage } = thrown as Error;
            return { ok: false, errorType, errorMessage };
          }
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
    this.#run('replay', this.clock.now(), input);
  }

  #start(scheduled: number, lateSeconds: number, input: Omit<TickInput, 'scheduledTime'>): void {
    const scheduledTime = new Date(scheduled * 1000).toISOString().replace('.000', '');
    this.#run('tick', (scheduled + lateSeconds) * 1000, { scheduledTime, ...input });
  }

  #run(machine: MachineName, atMs: number, input: SweepInput): void {
    const run = async () => {
      await this.clock.sleep(atMs - this.clock.now());
      const execution = this.#engine.start(this.#machines[machine], { input });
      this.executions.push(execution);
      await execution.done;
    };
    this.#pending.push(run());
  }

  /** Lets time pass until the last execution has ended, those that others have started included. */
  async finish(): Promise<void> {
    for (let ended = 0; ended < this.#pending.length; ended += 1) await this.#pending[ended];
  }

  #functions(
    { functionsAheadMs = 0, ...options }: SimulationOptions,
    onUsage: InvokeOptions['onUsage'],
  ): SweepFunctions {
    const dynamoDb = {
      readIndex: this.#reader(options, onUsage),
      readHeld: this.table.readHeld,
      deleteBatch: this.#deleter(options),
    };
    return simulatedFunctions({
      dynamoDbOf: () => dynamoDb,
      journal: this.journal,
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

interface Machine {
  readonly arn: string;
  readonly name: string;
  readonly roleArn: string;
  readonly type: WorkflowType;
  readonly definition: Definition;
}

function machineOf(name: string, type: WorkflowType, definition: Definition): Machine {
  return {
    arn: `arn:aws:states:us-east-1:123456789012:stateMachine:${name}`,
    name,
    roleArn: 'arn:aws:iam::123456789012:role/sweep',
    type,
    definition,
  };
}

/** The one table of the simulation, as its executions carry it. */
function carriedOf({
  model = expiryModel({ partitionKey: 'id' }),
  pace,
  lookbackMinutes,
  graceSeconds,
  marginSeconds,
}: SimulationOptions): CarriedSettings {
  const { indexedBy, granularitySeconds, shards } = model;
  const byWindow = indexedBy === 'window' && { granularityMinutes: granularitySeconds / 60, shards };
  const props = resolveProps({ tableName: 'simulated', partitionKey: 'id', indexedBy, ...byWindow });
  const changed = { ...pace, lookbackMinutes, graceSeconds, marginSeconds };
  const given = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined));
  return { ...carriedSettings({ ...functionSettings(props), ...given }) } as CarriedSettings & TableSettings;
}

/** Whatever tables a definition was made for, the simulation has its own. */
function ofTable(carried: CarriedSettings, payload: unknown): unknown {
  return 'tables' in (payload as object) ? { ...(payload as object), tables: [carried] } : payload;
}

/** Of an index entry, about: a window, a TTL, a key, and what DynamoDB adds to each. */
const ENTRY_BYTES = 100;
