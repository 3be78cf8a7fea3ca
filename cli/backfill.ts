import { UpdateItemCommand, type UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { whole } from '../expiry/fields.ts';
import type { WindowModel } from '../expiry/model.ts';
import { shardOf } from '../expiry/shard.ts';
import { toEpochSeconds } from '../expiry/ttl.ts';
import { windowKey, windowStart } from '../expiry/window.ts';
import { keyShower } from '../functions/report/shown-keys.ts';
import { isBusy, isInvalid } from '../functions/table/dynamodb-errors.ts';
import { keyAttributeNames, toNativeKey } from '../functions/table/item-key.ts';
import type { ShownKey } from '../statemachine/contract/keys.ts';
import { defineCommand, EXIT, type Flags, type Given, type Plan, type Table, wrong, YES } from './command.ts';
import { count, counted, lasting } from './dashboard/words.ts';
import { FAULT_IDS, FAULTS, type FaultId, faultOf, readItem } from './faults.ts';
import { aligned, countRows, shownText } from './format.ts';
import {
  describeTable,
  inParallel,
  namesOf,
  Rate,
  type StoredItem,
  scanTable,
  sizeOf,
  storedKey,
} from './whole-table.ts';

const FLAGS = {
  // By default, half of the writes per second that DynamoDB accepts for one partition: the application's writes need the other half.
  rate: { help: 'most writes a second', kind: whole(1, 10_000), value: 'N', default: 500 },
  'dry-run': { help: 'read and count, write nothing' },
  yes: YES,
} as const satisfies Flags;

export const command = defineCommand({
  name: 'backfill',
  tables: 'one',
  flags: FLAGS,
  about: `Writes the window of its TTL into each item of a table that lacks it or has another one. It reads the whole table from this
machine, in parallel segments, at a rate that spares the table. It leaves as it is an item whose TTL or window is changed
meanwhile, and one whose TTL no sweep would delete. Stop it whenever you like: run again, it reads the table from its beginning
and skips every item whose window is right, so that nothing is written twice.`,
  services: ['DYNAMODB'],
  exits: '0 every item was read and no write failed, 1 not',
  check({ tables: [table] }) {
    if (table?.model.windowAttribute !== undefined) return;
    const name = table?.props.tableName;
    const remedy = 'Nothing is to be done: DynamoDB indexes its items by itself.';
    throw wrong('--table', 'one that is indexed by window', `${name}, which is by second`, remedy);
  },
  run: planBackfill,
});

/** Possible results for an item. An item with a wrong TTL stays unchanged and has none of these results: `refused` counts its fault. */
const FATES = {
  stamped: ['stamped', 'its window was written'],
  toStamp: ['to stamp', 'its window would be written (dry run)'],
  rightAlready: ['right already', 'it has the right window'],
  withoutTtl: ['without TTL', 'it has no TTL'],
  changedMeanwhile: ['changed meanwhile', 'or deleted; run this again if its writer stamps no window'],
  failed: ['failed', 'DynamoDB did not let it be written'],
} as const satisfies Readonly<Record<string, readonly [name: string, note: string]>>;
type Fate = keyof typeof FATES;
const FATE_NAMES = Object.keys(FATES) as Fate[];

/** For each write that `--rate` allows, at most this many items are read, so that a low rate also means few reads. */
const READS_PER_WRITE = 10;
/** Concurrent writes in one segment of the scan. With more writes the SDK would warn about requests that wait for a socket. */
const WRITES_AT_ONCE = 24;
const NAMED = 100;
const SHOWN = 10;

interface Failure {
  readonly key: ShownKey | undefined;
  readonly reason: string;
}

async function planBackfill(given: Given<typeof FLAGS>): Promise<Plan> {
  const { rate: perSecond, 'dry-run': dryRun } = given.flags;
  const { props, model } = given.tables[0] as Table & { readonly model: WindowModel };
  const { dynamoDb } = given.clients;
  const { tableName: name } = props;
  const keyNames = keyAttributeNames(model);
  const size = await readSize(given, name, keyNames);
  const reads = new Rate(Math.min(size.sparingRate, perSecond * READS_PER_WRITE * size.unitsOfItem));
  const writes = new Rate(perSecond);
  const readSeconds = size.units / reads.perSecond;
  const seconds = dryRun ? readSeconds : Math.max(readSeconds, size.itemCount / perSecond);

  const counts = Object.fromEntries(FATE_NAMES.map(fate => [fate, 0])) as Record<Fate, number>;
  const refused: Partial<Record<FaultId, number>> = {};
  const failures: Failure[] = [];
  const shown = keyShower({ logKeys: props.logKeys, tableName: name, model });

  const write = async (item: StoredItem, window: string, stop: AbortSignal): Promise<Fate> => {
    const update = new UpdateItemCommand(guardedUpdate(name, model, item, window));
    const send = async () => {
      await writes.take(1, stop);
      await dynamoDb.send(update);
    };
    try {
      await writes.patiently(send, stop, isBusy);
      return 'stamped';
    } catch (error) {
      const { name: code } = error as Error;
      if (code === 'ConditionalCheckFailedException') return 'changedMeanwhile';
      // Whether DynamoDB refuses only this item: the item would be too large, for example, or its item collection is full.
      const isOfTheItem = isInvalid(error) || code === 'ItemCollectionSizeLimitExceededException';
      if (stop.aborted || !(isBusy(error) || isOfTheItem)) throw error;
      // DynamoDB's message may repeat the item's key, and `logKeys` may forbid that keys are shown.
      const reason = props.logKeys === 'full' ? String(error) : code;
      if (failures.length < NAMED) failures.push({ key: shown(storedKey(item, keyNames)), reason });
      return 'failed';
    }
  };
  const settle = async (item: StoredItem, stop: AbortSignal): Promise<void> => {
    const fault = faultOf(readItem(item, model, toEpochSeconds(given.now())), model)?.id;
    if (item[model.ttlAttribute] === undefined) {
      counts.withoutTtl += 1;
      return;
    }
    if (fault?.startsWith('ttl-')) {
      refused[fault] = (refused[fault] ?? 0) + 1;
      return;
    }
    const window = windowToWrite(model, item);
    if (window === undefined) counts.rightAlready += 1;
    else counts[dryRun ? 'toStamp' : await write(item, window, stop)] += 1;
  };
  const result = (complete: boolean, error?: unknown) => ({
    data: { table: name, dryRun, complete, counts, refused, failures },
    text: `\n${describe({ counts, refused, failures, dryRun })}`,
    exit: complete && counts.failed === 0 ? EXIT.fine : EXIT.notFine,
    ...(error !== undefined && { error }),
  });
  return {
    text: `${dryRun ? 'Dry run of a backfill' : 'Backfill'} in ${given.config.region}\n${aligned([
      ['table', name],
      ['rate', `at most ${counted(perSecond, 'write')} a second`],
      ['items', `about ${counted(size.itemCount, 'item')}, as DynamoDB counted them last (every six hours)`],
      ['takes', `about ${lasting(seconds)}${dryRun ? '' : ', if none of them has its window yet'}`],
    ])}`,
    question: dryRun ? undefined : 'Write the windows?',
    async apply() {
      const { signal, show } = given;
      const work = () => ({ done: `${count(counts.stamped)} written`, busy: writes.busy });
      const onPage = (items: readonly StoredItem[], stop: AbortSignal) =>
        inParallel(items, WRITES_AT_ONCE, settle, stop);
      try {
        await scanTable(dynamoDb, size, { rate: reads, signal, show, onPage, work });
      } catch (error) {
        return result(false, error);
      }
      return result(!signal.aborted);
    },
  };
}

async function readSize({ clients, config }: Given<typeof FLAGS>, name: string, keyNames: readonly string[]) {
  const table = await describeTable(clients.dynamoDb, name);
  const remedy = 'Deploy first, or look at account, region and AWS_ENDPOINT_URL_DYNAMODB.';
  if (table === undefined) throw wrong('table', `${name} in ${config.region}`, undefined, remedy);
  const got = namesOf(table.KeySchema);
  if (`${got}` === `${keyNames}`) return sizeOf(table);
  const expected = `${name} with the key ${keyNames.join(', ')}, as the configuration says`;
  throw wrong('table', expected, got.join(', '), 'Correct partitionKey and sortKey there.');
}

/** The right window of an item; undefined if the item has it already. A TTL with a fraction gets the window of its whole second. */
function windowToWrite(model: WindowModel, item: StoredItem): string | undefined {
  const { granularitySeconds, shards, ttlAttribute, windowAttribute } = model;
  const shard = shardOf(toNativeKey(storedKey(item, keyAttributeNames(model))), model, shards);
  const start = windowStart(Number(item[ttlAttribute]?.N), granularitySeconds);
  const window = windowKey(start, granularitySeconds, shard);
  return item[windowAttribute]?.S === window ? undefined : window;
}

/** An update that fails if TTL or window are not as they were read, because somebody has changed or deleted the item. */
function guardedUpdate(
  table: string,
  model: WindowModel,
  item: StoredItem,
  window: string,
): UpdateItemCommandInput {
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

interface Told {
  readonly counts: Readonly<Record<Fate, number>>;
  readonly refused: Partial<Readonly<Record<FaultId, number>>>;
  readonly failures: readonly Failure[];
  readonly dryRun: boolean;
}

function describe({ counts, refused, failures, dryRun }: Told): string {
  const faults = FAULT_IDS.map(id => [`refused: ${id}`, refused[id] ?? 0, FAULTS[id].is] as const);
  const fates = FATE_NAMES.map(fate => [FATES[fate][0], counts[fate], FATES[fate][1]] as const);
  const all = [...fates, ...faults];
  const scanned = ['scanned', all.reduce((sum, [, items]) => sum + items, 0), ''] as const;
  const first = failures.slice(0, SHOWN).map(({ key, reason }) => {
    return `  ${key === undefined ? '' : `${shownText(key)}: `}${reason}`;
  });
  const more = counts.failed - first.length;
  return [
    countRows([scanned, ...all], ['scanned', FATES[dryRun ? 'toStamp' : 'stamped'][0]]),
    first.length > 0 &&
      ['Not written:', ...first, more > 0 && `  and ${more} more`].filter(Boolean).join('\n'),
    faults.some(([, items]) => items > 0) &&
      'Items that were refused are never deleted: mend their writers, then the items (docs/adopt.md).',
    dryRun && 'Nothing was written.',
  ]
    .filter(Boolean)
    .join('\n\n');
}
