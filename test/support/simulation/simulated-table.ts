import type { Clock, InvokeOptions } from 'stepfunctions-emulator';
import { ENTRY_BYTES } from '../../../cost/assumptions.ts';
import { readUnits } from '../../../cost/sweep-usage.ts';
import { type ExpiryModel, expiryModel } from '../../../expiry/model.ts';
import { type Deletion, NO_DELETION } from '../../../functions/delete-chunk/deletion.ts';
import { addLags, lagOf } from '../../../functions/report/lag.ts';
import { DynamoDbBusyError } from '../../../functions/runtime/errors.ts';
import type { ReadIndex } from '../../../functions/table/index-query.ts';
import type { PreciseTtlProps } from '../../../stacks/config/props.ts';
import type { CarriedSettings } from '../../../statemachine/contract/inputs.ts';
import type { ExpiredKey, FailedKey } from '../../../statemachine/contract/keys.ts';
import { carriedOf } from '../configs.ts';
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
  /** What each read of the index takes of the call that makes it. @default no time */
  readonly read?: ReadTime;
  /** Whether DynamoDB throttles a call as a whole at a moment (epoch milliseconds). @default never */
  readonly throttledCall?: (nowMs: number) => boolean;
  /** Milliseconds that DynamoDB hangs in a batch of deletes before it answers. @default 0 */
  readonly hangingDelete?: (ids: readonly string[], nowMs: number) => number;
  /** Whether DynamoDB leaves a key unprocessed at a moment (epoch milliseconds). @default never */
  readonly throttled?: (id: string, nowMs: number) => boolean;
  /** Whether DynamoDB refuses a key for good. @default never */
  readonly refused?: (id: string) => boolean;
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
  readonly #clock: Pick<Clock, 'now' | 'sleep'>;

  constructor(options: SimulatedTableOptions, clock: Pick<Clock, 'now' | 'sleep'>) {
    const { name = 'simulated', model = expiryModel({ partitionKey: 'id' }) } = options;
    this.name = name;
    this.items = new MemoryTable(model, () => clock.now());
    this.carried = carriedWith(name, model, options.props);
    this.#options = options;
    this.#clock = clock;
  }

  dynamoDb(call: FunctionCall): SimulatedDynamoDb {
    return {
      readIndex: this.#reader(call),
      countIndex: async (...query) => {
        await this.#beforeRead(call.processor);
        return this.items.countIndex(...query);
      },
      deleteBatch: (...batch) => this.#deleteBatch(...batch),
    };
  }

  #reader({ onUsage, processor }: FunctionCall): ReadIndex {
    return async (...query) => {
      await this.#beforeRead(processor);
      const page = await this.items.readIndex(...query);
      onUsage?.('dynamoDbReadUnits', readUnits(page.entries.length * ENTRY_BYTES) / 2);
      return page;
    };
  }

  /** A read of the index takes its time, and is refused while something is wrong. */
  async #beforeRead(processor: FunctionCall['processor']): Promise<void> {
    const { throttledCall = () => false, read = { ms: 0, processorMs: 0 } } = this.#options;
    const clock = this.#clock;
    if (read.ms > 0) {
      processor.freeAt = Math.max(processor.freeAt, clock.now()) + read.processorMs;
      await clock.sleep(processor.freeAt + read.ms - read.processorMs - clock.now());
    }
    // As the client does: a second attempt at once.
    if (throttledCall(clock.now()) && throttledCall(clock.now())) throw new DynamoDbBusyError('throttled');
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
    const clock = this.#clock;
    const now = () => clock.now();
    const ids = keys.map(({ key }) => idOf(key));
    const hangs = hangingDelete(ids, now());
    await clock.sleep(Math.min(hangs, requestTimeoutMs));
    if (hangs > requestTimeoutMs) throw dynamoDbError('TimeoutError');
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
        this.deleted.push({ id: idOf(key), ttl, deletedAt: now() });
      }
    }
    return { ...done, unprocessed, failed };
  }
}

function dynamoDbError(name: string): Error {
  return Object.assign(new Error(`simulated ${name}`), { name });
}

function carriedWith(
  tableName: string,
  { indexedBy, granularitySeconds, shards }: ExpiryModel,
  props: SimulatedTableOptions['props'],
): CarriedSettings {
  const byWindow = indexedBy === 'window' && { granularityMinutes: granularitySeconds / 60, shards };
  return carriedOf({ tableName, partitionKey: 'id', index: { by: indexedBy }, ...byWindow, ...props });
}
