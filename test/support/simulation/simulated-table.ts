import type { InvokeOptions } from 'stepfunctions-emulator';
import { ENTRY_BYTES } from '../../../cost/assumptions.ts';
import { readUnits } from '../../../cost/capacity-units.ts';
import { type ExpiryModel, expiryModel } from '../../../expiry/model.ts';
import { type Deletion, NO_DELETION } from '../../../functions/delete-chunk/deletion.ts';
import { addLags, lagOf } from '../../../functions/report/lag.ts';
import { DynamoDbBusyError } from '../../../functions/runtime/errors.ts';
import type { ReadIndex } from '../../../functions/table/index-query.ts';
import type { PreciseTtlProps } from '../../../stacks/config/props.ts';
import type { CarriedSettings } from '../../../statemachine/contract/inputs.ts';
import type { ExpiredKey, FailedKey } from '../../../statemachine/contract/keys.ts';
import { carriedOf } from '../sweep-settings.ts';
import type { SimulatedDynamoDb } from './functions.ts';
import { idOf, MemoryTable } from './memory-table.ts';

/** What became of one item; TTL in epoch seconds, deletion in epoch milliseconds of DynamoDB's clock. */
export interface Fate {
  readonly id: string;
  readonly ttl: number;
  readonly deletedAt: number;
}

/** From an item's expiry to its deletion, milliseconds. */
export function lagMsOf({ ttl, deletedAt }: Fate): number {
  return deletedAt - ttl * 1000;
}

/** Milliseconds of a read of the index. */
export interface ReadTime {
  /** From the request to its answer, when nothing else runs. */
  readonly ms: number;
  /** The part of it that the function's processor works, one read after the other. */
  readonly processorMs: number;
}

/** What is wrong with a table as a whole, and what DynamoDB says of it; one that hangs says nothing. */
export type Trouble = 'throttled' | 'deleted' | 'forbidden' | 'hanging';

const ERROR_OF: Readonly<Record<Exclude<Trouble, 'hanging'>, string>> = {
  throttled: 'ThrottlingException',
  deleted: 'ResourceNotFoundException',
  forbidden: 'AccessDeniedException',
};

/** The call of a function that reads the table. */
export interface FunctionCall {
  readonly onUsage: InvokeOptions['onUsage'];
  /** It works on one read after the other, whatever table they are of: the next one from then on, epoch milliseconds. */
  readonly processor: { freeAt: number };
}

/** A table, and what DynamoDB does with it. */
export interface SimulatedTableOptions {
  /** @default 'simulated' */
  readonly name?: string;
  /** What a user has set besides its name and what follows. */
  readonly props?: Partial<Omit<PreciseTtlProps, 'tableName' | 'partitionKey'>>;
  readonly model?: ExpiryModel;
  /** As with an archive or events. @default none */
  readonly marginSeconds?: number;
  /** What each read of the index takes of the call that makes it. @default no time */
  readonly read?: ReadTime;
  /** What is wrong with the table at a moment (epoch milliseconds). @default nothing ever */
  readonly trouble?: (nowMs: number) => Trouble | undefined;
  /** Whether DynamoDB throttles a call as a whole at a moment (epoch milliseconds). @default never */
  readonly throttledCall?: (nowMs: number) => boolean;
  /** Milliseconds that DynamoDB hangs in a batch of deletes before it answers. @default 0 */
  readonly hangingDelete?: (ids: readonly string[], nowMs: number) => number;
  /** Whether DynamoDB leaves a key unprocessed at a moment (epoch milliseconds). @default never */
  readonly throttled?: (id: string, nowMs: number) => boolean;
  /** Whether DynamoDB refuses a key for good. @default never */
  readonly refused?: (id: string) => boolean;
}

/** The clock of DynamoDB, epoch milliseconds, and that of whoever waits for it. */
export interface TableClock {
  readonly now: () => number;
  readonly dynamoDbNow: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

/** A table in memory, with all that goes wrong with it. */
export class SimulatedTable {
  readonly name: string;
  readonly items: MemoryTable;
  /** In the order in which they were deleted. */
  readonly deleted: Fate[] = [];
  /** What an execution carries of it. */
  readonly carried: CarriedSettings;
  readonly #options: SimulatedTableOptions;
  readonly #clock: TableClock;

  constructor(options: SimulatedTableOptions, clock: TableClock) {
    const { name = 'simulated', model = expiryModel({ partitionKey: 'id' }) } = options;
    this.name = name;
    this.items = new MemoryTable(model, clock.dynamoDbNow);
    this.carried = carriedWith(name, model, options);
    this.#options = options;
    this.#clock = clock;
  }

  /** @param patienceMs how long a function waits for an answer to a read, all its attempts together */
  dynamoDb(patienceMs: number, call: FunctionCall): SimulatedDynamoDb {
    return {
      readIndex: this.#reader(patienceMs, call),
      countIndex: async (...query) => {
        await this.#beforeRead(patienceMs, call.processor);
        return this.items.countIndex(...query);
      },
      deleteBatch: (...batch) => this.#deleteBatch(...batch),
    };
  }

  #reader(patienceMs: number, { onUsage, processor }: FunctionCall): ReadIndex {
    return async (...query) => {
      await this.#beforeRead(patienceMs, processor);
      const page = await this.items.readIndex(...query);
      onUsage?.('dynamoDbReadUnits', readUnits(page.entries.length * ENTRY_BYTES) / 2);
      return page;
    };
  }

  /** A read of the index takes its time, and is refused while something is wrong. */
  async #beforeRead(patienceMs: number, processor: FunctionCall['processor']): Promise<void> {
    const { throttledCall = () => false, read = { ms: 0, processorMs: 0 } } = this.#options;
    const { now, sleep } = this.#clock;
    if (read.ms > 0) {
      processor.freeAt = Math.max(processor.freeAt, now()) + read.processorMs;
      await sleep(processor.freeAt + read.ms - read.processorMs - now());
    }
    const error = await this.#refusal(patienceMs);
    if (error === 'ThrottlingException' || error === 'TimeoutError') throw new DynamoDbBusyError(error);
    if (error !== undefined) throw dynamoDbError(error);
    // As the client does: a second attempt at once.
    if (throttledCall(now()) && throttledCall(now())) throw new DynamoDbBusyError('throttled');
  }

  async #deleteBatch(
    keys: readonly ExpiredKey[],
    cutoff: number,
    requestTimeoutMs: number,
  ): Promise<Deletion> {
    const {
      throttledCall = () => false,
      hangingDelete = () => 0,
      throttled = () => false,
      refused = () => false,
    } = this.#options;
    const { now, dynamoDbNow, sleep } = this.#clock;
    const ids = keys.map(({ key }) => idOf(key));
    const hangs = hangingDelete(ids, now());
    await sleep(Math.min(hangs, requestTimeoutMs));
    if (hangs > requestTimeoutMs) throw dynamoDbError('TimeoutError');
    const error = await this.#refusal(requestTimeoutMs);
    if (error !== undefined) throw dynamoDbError(error);
    if (throttledCall(now())) throw dynamoDbError('ThrottlingException');
    let done: Deletion = NO_DELETION;
    const unprocessed: ExpiredKey[] = [];
    const failed: FailedKey[] = [];
    for (const expired of keys) {
      const { key, ttl } = expired;
      if (throttled(idOf(key), now())) {
        unprocessed.push(expired);
        done = { ...done, throttled: done.throttled + 1 };
      } else if (refused(idOf(key))) {
        failed.push({ key, reason: 'ValidationError' });
      } else {
        const outcome = this.items.deleteIfExpired(key, cutoff);
        done = { ...done, [outcome]: done[outcome] + 1 };
        if (outcome !== 'deleted') continue;
        done = { ...done, ...addLags(done, lagOf([ttl], now())) };
        this.deleted.push({ id: idOf(key), ttl, deletedAt: dynamoDbNow() });
      }
    }
    return { ...done, unprocessed, failed };
  }

  /** The error that DynamoDB answers any call with; undefined: it does what it was asked. */
  async #refusal(patienceMs: number): Promise<string | undefined> {
    const { now, sleep } = this.#clock;
    const trouble = this.#options.trouble?.(now());
    if (trouble === undefined) return undefined;
    if (trouble !== 'hanging') return ERROR_OF[trouble];
    await sleep(patienceMs);
    return 'TimeoutError';
  }
}

function dynamoDbError(name: string): Error {
  return Object.assign(new Error(`simulated ${name}`), { name });
}

function carriedWith(
  tableName: string,
  { indexedBy, granularitySeconds, shards }: ExpiryModel,
  { props, marginSeconds }: SimulatedTableOptions,
): CarriedSettings {
  const byWindow = indexedBy === 'window' && { granularityMinutes: granularitySeconds / 60, shards };
  return {
    ...carriedOf({ tableName, partitionKey: 'id', index: { by: indexedBy }, ...byWindow, ...props }),
    ...(marginSeconds !== undefined && { marginSeconds }),
  };
}
