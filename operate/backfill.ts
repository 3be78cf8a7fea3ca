import {
  ConditionalCheckFailedException,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { modelOf } from '../config/deployments.ts';
import { type PreciseTtlProps, resolveProps } from '../config/props.ts';
import type { WindowModel } from '../expiry/model.ts';
import { shardOf } from '../expiry/shard.ts';
import { toEpochSeconds, ttlFault } from '../expiry/ttl.ts';
import { windowKey, windowStart } from '../expiry/window.ts';
import { isBusy, isInvalid } from '../functions/table/dynamodb-errors.ts';
import { keyAttributeNames, toNativeKey } from '../functions/table/item-key.ts';
import type { With } from './aws/clients.ts';
import { permitted } from './aws/errors.ts';
import type { BackfillFacts, BackfillFate, BackfillOptions, BackfillResult } from './changes.ts';
import { chooseTable } from './deployment/subject.ts';
import { InputError, StoppedError } from './errors.ts';
import { NEVER, type Prepared } from './options.ts';
import { describeShape, keyNamesOf } from './table/describe-table.ts';
import { keyText, storedKey } from './table/key-text.ts';
import type { StoredItem } from './table/sample.ts';
import { type Pace, Rate, REAL_PACE, scanTable, sparingRate, wholeTable } from './table/scan.ts';
import { inParallel } from './time-limit.ts';

/** Items that are read for each write that the rate allows: a low rate spares the table's reads too, and a page is written soon. */
const READS_PER_WRITE = 10;
const READ_UNIT_BYTES = 8192;
/** Writes of a segment at the same time. Those of all four segments are fewer than twice the sockets of the client. */
const WRITES_AT_ONCE = 24;
/** Attempts at a write for which DynamoDB is too busy, each with the SDK's own. */
const ATTEMPTS = 10;
const MAX_BACKOFF_MS = 20_000;
/** Items that failed and are named. */
const NAMED = 100;

/**
 * Prepares a backfill. Applying it reads the whole table in segments and writes the window of its TTL into each item that lacks it or
 * has another one. Applied again after an interruption, it skips what was written before.
 *
 * @throws {InputError} {TableNotFoundError} {MissingPermissionError}; when applied, {StoppedError} with the counts so far
 */
export async function prepareBackfill(
  options: BackfillOptions & With<'dynamoDb'> & { readonly pace?: Pace },
): Promise<Prepared<BackfillFacts, BackfillResult>> {
  const { clients, signal = NEVER, now = Date.now, onProgress, pace = REAL_PACE } = options;
  const { ratePerSecond, dryRun } = options;
  const props = chooseTable(options.config, options.table);
  const model = windowModelOf(props);
  const table = await describeShape(clients.dynamoDb, props.tableName);
  const { name, arn, itemCount, sizeBytes } = table;
  const [keyNames, expected] = [keyNamesOf(table), keyAttributeNames(model)];
  if (`${keyNames}` !== `${expected}`) {
    const keys = `expected ${name} with the key ${expected}, as the configuration says, got ${keyNames}`;
    throw new InputError('table', `${keys}; correct partitionKey and sortKey there`);
  }
  const itemUnits = (sizeBytes / itemCount || 1024) / READ_UNIT_BYTES;
  const readUnitsPerSecond = Math.min(sparingRate(table), ratePerSecond * READS_PER_WRITE * itemUnits);
  const readSeconds = sizeBytes / READ_UNIT_BYTES / readUnitsPerSecond;
  const seconds = dryRun ? readSeconds : Math.max(readSeconds, itemCount / ratePerSecond);

  const counts = { ...NOTHING };
  const failures: BackfillResult['failures'][number][] = [];
  let [throttledWrites, throttledReads] = [0, 0];
  const rate = new Rate(ratePerSecond, pace);
  const shown = { tableName: name, keyNames, logKeys: resolveProps(props).logKeys };

  const write = async (item: StoredItem, window: string, stop: AbortSignal): Promise<BackfillFate> => {
    const update = new UpdateItemCommand(guardedUpdate(name, model, item, window));
    for (let attempt = 1; ; attempt += 1) {
      await rate.take(1, stop);
      try {
        // Without a signal: a write that has begun ends, and counts.
        await permitted('dynamodb:UpdateItem', arn, () => clients.dynamoDb.send(update));
        return 'stamped';
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return 'changedMeanwhile';
        // It would be too large, or its item collection is full.
        const { name: code } = error as Error;
        const isOfTheItem = isInvalid(error) || code === 'ItemCollectionSizeLimitExceededException';
        if (stop.aborted || !(isBusy(error) || isOfTheItem)) throw error;
        if (isOfTheItem || attempt === ATTEMPTS) {
          const key = keyText(storedKey(item, keyNames), shown);
          // DynamoDB's message may repeat the request.
          const reason = shown.logKeys === 'full' ? String(error) : code;
          if (failures.length < NAMED) failures.push({ key, reason });
          return 'failed';
        }
        throttledWrites += 1;
        await pace.sleep(Math.random() * Math.min(MAX_BACKOFF_MS, 250 * 2 ** attempt), stop);
      }
    }
  };
  const settle = async (item: StoredItem, stop: AbortSignal): Promise<void> => {
    const judged = judge(model, item, toEpochSeconds(now()));
    const isDecided = typeof judged === 'string';
    const fate = isDecided ? judged : dryRun ? 'toStamp' : await write(item, judged.window, stop);
    counts[fate] += 1;
    onProgress?.(counts, throttledReads + throttledWrites);
  };
  const result = (complete: boolean) => ({ table: name, dryRun, complete, counts, failures });
  return {
    facts: { table: name, ratePerSecond, dryRun, itemCount, seconds },
    async apply() {
      await scanTable(clients.dynamoDb, {
        ...{ ...wholeTable(table, { readUnitsPerSecond, signal }), pace },
        onPage: async (items, stop) => void (await inParallel(items, WRITES_AT_ONCE, settle, stop)),
        onProgress: progress => {
          throttledReads = progress.throttled;
        },
      }).catch((error: unknown) => {
        throw new StoppedError(result(false), error);
      });
      return result(!signal.aborted);
    },
  };
}

const NOTHING: BackfillResult['counts'] = {
  ...{ stamped: 0, toStamp: 0, rightAlready: 0, withoutTtl: 0, changedMeanwhile: 0, failed: 0 },
  ...{ notNumber: 0, milliseconds: 0, tooFarAhead: 0, negative: 0, tooOld: 0 },
};

/** The window that an item should have and has not, or why none is written. A fraction gets the window of its second. */
function judge(model: WindowModel, item: StoredItem, nowSeconds: number): BackfillFate | { window: string } {
  const stored = item[model.ttlAttribute];
  if (stored === undefined) return 'withoutTtl';
  const ttl = stored.N === undefined ? Number.NaN : Number(stored.N);
  const fault = ttlFault(ttl, nowSeconds);
  if (fault !== undefined) return fault;
  const { granularitySeconds, shards, windowAttribute } = model;
  const shard = shardOf(toNativeKey(storedKey(item, keyAttributeNames(model))), model, shards);
  const window = windowKey(windowStart(ttl, granularitySeconds), granularitySeconds, shard);
  return item[windowAttribute]?.S === window ? 'rightAlready' : { window };
}

/** The write of a window, on condition that TTL and window are still what was read: whoever changed them or deleted the item wins. */
function guardedUpdate(table: string, model: WindowModel, item: StoredItem, window: string) {
  const { [model.ttlAttribute]: ttl, [model.windowAttribute]: was } = item;
  return {
    TableName: table,
    Key: Object.fromEntries(keyAttributeNames(model).map(name => [name, item[name]])),
    UpdateExpression: 'SET #window = :window',
    ConditionExpression: `#ttl = :ttl AND ${was ? '#window = :was' : 'attribute_not_exists(#window)'}`,
    ExpressionAttributeNames: { '#window': model.windowAttribute, '#ttl': model.ttlAttribute },
    ExpressionAttributeValues: { ':window': { S: window }, ':ttl': ttl, ...(was && { ':was': was }) },
  } as UpdateItemCommandInput;
}

/** @throws {InputError} for a table that is indexed by second */
function windowModelOf(props: PreciseTtlProps): WindowModel {
  const model = modelOf(props);
  if (model.windowAttribute !== undefined) return model as WindowModel;
  const text = `expected one that is indexed by window, got ${props.tableName}, which is by second`;
  throw new InputError('table', `${text}; nothing is to be done: DynamoDB indexes the items by itself`);
}
