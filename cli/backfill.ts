/** `precise-ttl backfill`: writes the window into the items that a table already has. See `--help`. */
import {
  DescribeTableCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { whole } from '../expiry/fields.ts';
import type { WindowModel } from '../expiry/model.ts';
import { shardOf } from '../expiry/shard.ts';
import { type TtlFault, toEpochSeconds, ttlFault } from '../expiry/ttl.ts';
import { windowKey, windowStart } from '../expiry/window.ts';
import { hashOfKey } from '../functions/report/shown-keys.ts';
import { isBusy, isInvalid } from '../functions/table/dynamodb-errors.ts';
import { keyAttributeNames, toNativeKey } from '../functions/table/item-key.ts';
import { namesOf } from './adoption.ts';
import { noneIfMissing } from './clients.ts';
import { defineCommand, EXIT, type Given, type Table, wrong, YES } from './command.ts';
import {
  inParallel,
  type Pace,
  Rate,
  REAL_PACE,
  type ScanProgress,
  type StoredItem,
  scanLine,
  scanTable,
  sizeOf,
  sparingRate,
  storedKey,
  type TableSize,
  unitsOfItem,
  unitsOfScan,
} from './whole-table.ts';
import { aligned, counted, countRows, lasting } from './words.ts';

export const command = defineCommand({
  name: 'backfill',
  tables: 'one',
  flags: {
    // Half of what a window allows in one shard: the table's own writers have the other half.
    rate: { help: 'most writes a second', kind: whole(1, 10_000), value: 'N', default: 500 },
    'dry-run': { help: 'read and count, write nothing' },
    yes: YES,
  },
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
  run: given => planBackfill(given, REAL_PACE),
});

/** What became of an item: how it is told, and why. With a fault of its TTL it is left as it is: no sweep would delete it. */
const FATES = {
  stamped: ['stamped', 'its window was written'],
  toStamp: ['to stamp', 'its window would be written (dry run)'],
  rightAlready: ['right already', 'it has the right window'],
  withoutTtl: ['without TTL', 'it has no TTL'],
  changedMeanwhile: ['changed meanwhile', 'or deleted; run this again if its writer stamps no window'],
  failed: ['failed', 'DynamoDB did not let it be written'],
  notNumber: ['refused: not number', 'the TTL is no Number: it never expires'],
  milliseconds: ['refused: milliseconds', 'the TTL has 13 or 14 digits: it looks like milliseconds'],
  tooFarAhead: ['refused: too far ahead', 'the TTL lies more than 20 years ahead'],
  negative: ['refused: negative', 'the TTL lies before 1970: it never expires'],
  tooOld: ['refused: too old', 'the TTL lies more than five years back: it is ignored'],
} as const satisfies Readonly<Record<TtlFault | string, readonly [name: string, note: string]>>;
export type Fate = keyof typeof FATES;
const FATE_NAMES = Object.keys(FATES) as Fate[];
const REFUSED = FATE_NAMES.filter(fate => FATES[fate][0].startsWith('refused'));

/** Items that are read for each write that the rate allows: a low rate spares the reads too, and a page is written soon. */
const READS_PER_WRITE = 10;
/** Writes of a segment at once. Those of all segments are fewer than twice the sockets of the client. */
const WRITES_AT_ONCE = 24;
/** Attempts at a write for which DynamoDB is too busy, beside the SDK's own. */
const ATTEMPTS = 10;
const MAX_BACKOFF_MS = 20_000;
/** Failures that are listed, and that are shown. */
const NAMED = 100;
const SHOWN = 10;

interface Flags {
  readonly rate: number;
  readonly 'dry-run': boolean;
}
interface Failure {
  /** As the table's `logKeys` allows it. */
  readonly key: string | undefined;
  readonly reason: string;
}

/** @param pace of reads and writes */
export async function planBackfill(
  given: Pick<Given, 'tables' | 'clients' | 'config' | 'signal' | 'now' | 'show'> & { readonly flags: Flags },
  pace: Pace,
) {
  const { rate: perSecond, 'dry-run': dryRun } = given.flags;
  const { props, model } = given.tables[0] as Table & { readonly model: WindowModel };
  const { dynamoDb } = given.clients;
  const { tableName: name, logKeys } = props;
  const keyNames = keyAttributeNames(model);
  const size = await readSize(given, name, keyNames);
  // What it takes if no item has its window yet.
  const unitsPerSecond = Math.min(sparingRate(size), perSecond * READS_PER_WRITE * unitsOfItem(size));
  const readSeconds = unitsOfScan(size) / unitsPerSecond;
  const seconds = dryRun ? readSeconds : Math.max(readSeconds, size.itemCount / perSecond);

  const counts = Object.fromEntries(FATE_NAMES.map(fate => [fate, 0])) as Record<Fate, number>;
  const failures: Failure[] = [];
  const rate = new Rate(perSecond, pace);
  let throttledWrites = 0;

  const write = async (item: StoredItem, window: string, stop: AbortSignal): Promise<Fate> => {
    const update = new UpdateItemCommand(guardedUpdate(name, model, item, window));
    for (let attempt = 1; ; attempt += 1) {
      await rate.take(1, stop);
      try {
        await dynamoDb.send(update);
        return 'stamped';
      } catch (error) {
        const { name: code } = error as Error;
        if (code === 'ConditionalCheckFailedException') return 'changedMeanwhile';
        // It would be too large, or its item collection is full.
        const isOfTheItem = isInvalid(error) || code === 'ItemCollectionSizeLimitExceededException';
        if (stop.aborted || !(isBusy(error) || isOfTheItem)) throw error;
        if (isOfTheItem || attempt === ATTEMPTS) {
          const key = storedKey(item, keyNames);
          const shown = logKeys === 'full' ? JSON.stringify(key) : hashOfKey(key, keyNames, name);
          // DynamoDB's message may repeat the request.
          const reason = logKeys === 'full' ? String(error) : code;
          if (failures.length < NAMED) failures.push({ key: logKeys === 'none' ? undefined : shown, reason });
          return 'failed';
        }
        throttledWrites += 1;
        await pace.sleep(Math.random() * Math.min(MAX_BACKOFF_MS, 250 * 2 ** attempt), stop);
      }
    }
  };
  const settle = async (item: StoredItem, stop: AbortSignal): Promise<void> => {
    const judged = judge(model, item, toEpochSeconds(given.now()));
    counts[
      typeof judged === 'string' ? judged : dryRun ? 'toStamp' : await write(item, judged.window, stop)
    ] += 1;
  };
  const result = (complete: boolean, error?: unknown) => ({
    data: { table: name, dryRun, complete, counts, failures },
    text: `\n${describe(counts, failures, dryRun)}`,
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
      const from = given.now();
      const onProgress = ({ items, throttled }: ScanProgress) =>
        show(
          scanLine(
            size,
            { items, throttled: throttled + throttledWrites },
            given.now() - from,
            `${counts.stamped.toLocaleString('en-US')} written`,
          ),
        );
      const onPage = (items: readonly StoredItem[], stop: AbortSignal) =>
        inParallel(items, WRITES_AT_ONCE, settle, stop);
      try {
        await scanTable(dynamoDb, size, { unitsPerSecond, signal, onPage, onProgress, pace });
      } catch (error) {
        return result(false, error);
      }
      return result(!signal.aborted);
    },
  };
}

/** @throws {InvalidFieldError} for a table that is not there, or has another key than the configuration says */
async function readSize(
  { clients: { dynamoDb }, config: { region } }: Pick<Given, 'clients' | 'config'>,
  TableName: string,
  keyNames: readonly string[],
): Promise<TableSize> {
  const described = await noneIfMissing(() => dynamoDb.send(new DescribeTableCommand({ TableName })));
  const remedy = 'Deploy first, or look at account, region and AWS_ENDPOINT_URL_DYNAMODB.';
  if (described?.Table === undefined) throw wrong('table', `${TableName} in ${region}`, undefined, remedy);
  const got = namesOf(described.Table.KeySchema);
  const expected = `${TableName} with the key ${keyNames.join(', ')}, as the configuration says`;
  if (`${got}` === `${keyNames}`) return sizeOf(described.Table);
  throw wrong('table', expected, got.join(', '), 'Correct partitionKey and sortKey there.');
}

/** The window that an item should have and has not, or why none is written. A fraction gets the window of its second. */
function judge(model: WindowModel, item: StoredItem, nowSeconds: number): Fate | { readonly window: string } {
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

function describe(
  counts: Readonly<Record<Fate, number>>,
  failures: readonly Failure[],
  dryRun: boolean,
): string {
  const scanned = Object.values(counts).reduce((sum, each) => sum + each);
  const rows = FATE_NAMES.map(fate => [FATES[fate][0], counts[fate], FATES[fate][1]] as const);
  const first = failures
    .slice(0, SHOWN)
    .map(({ key, reason }) => `  ${key === undefined ? '' : `${key}: `}${reason}`);
  const more = counts.failed - first.length;
  return [
    countRows([['scanned', scanned, ''], ...rows], ['scanned', FATES[dryRun ? 'toStamp' : 'stamped'][0]]),
    ...(first.length > 0
      ? [['Not written:', ...first, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n')]
      : []),
    ...(REFUSED.some(fate => counts[fate] > 0)
      ? ['Items that were refused are never deleted: mend their writers, then the items (docs/adopt.md).']
      : []),
    ...(dryRun ? ['Nothing was written.'] : []),
  ].join('\n\n');
}
