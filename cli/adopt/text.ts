import type { Deletion } from '../../functions/delete-chunk/deletion.ts';
import { DELETES_PER_SECOND, expiredBefore, readUnitsOf } from '../../operate/adopt/delete-expired.ts';
import { describeKeys } from '../../operate/adopt/index-plan.ts';
import type { AdoptionPlan } from '../../operate/adopt/plan.ts';
import type { Reading, Wish } from '../../operate/adopt/reading.ts';
import type { TtlLook } from '../../operate/adopt/ttl.ts';
import { commandLine, quoted } from '../../operate/command-line.ts';
import type { ScanProgress } from '../../operate/options.ts';
import { keyText, tableKeyText } from '../../operate/table/key-text.ts';
import type { TtlKind } from '../../operate/table/sample.ts';
import { sparingRate } from '../../operate/table/scan.ts';
import { bytes, count, decimal, span } from '../numbers.ts';
import { describeExpired } from './expired.ts';

/** The write units per second that one key of an index takes. Source: DynamoDB Developer Guide, partition limits. */
const KEY_WRITE_UNITS = 1000;

/** Describes the table as it was read. @param where region or endpoint */
export function describeReading({ table, sample, writes }: Reading, where: string): string {
  const keys = [table.partitionKey, ...(table.sortKey ? [table.sortKey] : [])];
  const billing = table.throughput
    ? `provisioned, ${count(table.throughput.readUnits)} read and ${count(table.throughput.writeUnits)} write units a second`
    : 'on demand';
  const warm = table.warmThroughput;
  const rows: readonly (readonly [string, string])[] = [
    ['keys', keys.map(({ name, type }) => `${name} (${type})`).join(', ')],
    ['items', `${count(table.itemCount)}, ${bytes(table.sizeBytes)} (DynamoDB counts them every six hours)`],
    ['capacity', `${billing}${warm ? `; warm for ${count(warm.writeUnits)} write units a second` : ''}`],
    [
      'writes',
      'unknown' in writes
        ? `not known: ${writes.unknown}`
        : `${decimal(writes.unitsPerSecond)} write units a second, ${decimal(writes.busiestHour)} in the busiest hour of the last day`,
    ],
    ['native TTL', table.ttl.attribute ? `${table.ttl.status} on ${table.ttl.attribute}` : table.ttl.status],
    ['indexes', table.indexes.map(index => `${index.name} (${index.status})`).join(', ') || 'none'],
    ['sample', `${count(sample.items.length)} items${sample.complete ? ', which are all of them' : ''}`],
    ...(table.replicaRegions.length > 0
      ? [
          [
            'global table',
            `replicas in ${table.replicaRegions.join(', ')}; consistency ${table.multiRegionConsistency ?? 'EVENTUAL'}`,
          ] as const,
        ]
      : []),
  ];
  return `Table ${table.name} at ${where}\n${aligned(rows)}`;
}

/** Lists the steps in their order, with all that the user has to know about them. */
export function describePlan({ region, table, writes }: Reading, plan: AdoptionPlan, wish: Wish): string {
  const { ttl, index, nativeTtl, units, look } = plan;
  const steps: string[] = [];
  if (index.action === 'create') {
    const throughput = index.throughput
      ? ` It gets ${count(index.throughput.readUnits)} read and ${count(index.throughput.writeUnits)} write units a second ` +
        '(--index-read-units, --index-write-units).'
      : '';
    steps.push(
      `Add the index ${index.name} with ${describeKeys(index)}, KEYS_ONLY. DynamoDB puts about ${count(units.entries)} items ` +
        `into it.${throughput} From then on it refuses writes whose ${ttl.attribute} is not a Number.`,
    );
  }
  if (index.action === 'wait') steps.push(`Wait until DynamoDB has built the index ${index.name}.`);
  if (nativeTtl === 'enable') {
    steps.push(
      `Turn on native TTL for ${ttl.attribute}, as the backstop: from then on DynamoDB deletes expired items, within days. Of ` +
        `the ${count(look.items)} ${lookedAt(look)} ${count(look.expired)} are expired now.`,
    );
  }
  const source = {
    flag: 'as --ttl-attribute says',
    nativeTtl: 'as native TTL has it',
    sample: 'which looks like it in the sample: native TTL is off, and --ttl-attribute names none',
  }[ttl.from];
  return [
    `TTL attribute: ${ttl.attribute}, ${source}.`,
    `  ${describeTtlValues(look)}`,
    ...describeNamed(look, table, wish),
    '',
    ...(steps.length === 0
      ? [`Everything is there: the index ${index.name} is ACTIVE, native TTL is ${table.ttl.status}.`]
      : [
          'What is done:',
          ...steps.map((step, number) => `  ${number + 1}. ${step}`),
          '',
          describeUnits(plan, table, region),
        ]),
    ...(look.expired > 0 || wish.deleteExpired !== undefined
      ? ['', describeLeft(plan, { table, region }, wish)]
      : []),
    ...notes(plan, table, writes, wish).map(note => `\nNote: ${note}`),
  ].join('\n');
}

const KIND_TEXTS: Readonly<Record<TtlKind, string>> = {
  seconds: 'in epoch seconds',
  missing: 'without it, which never expire',
  string: 'with a String',
  otherType: 'with another type',
  milliseconds: 'in milliseconds, which never expire',
  fraction: 'with a fraction of a second',
  negative: 'that are negative, which never expire',
  tooOld: 'over five years ago, which never expire',
  tooFarAhead: 'over 20 years ahead',
};

const lookedAt = ({ isFull }: TtlLook): string => (isFull ? 'items' : 'sampled items');

function describeTtlValues(look: TtlLook): string {
  const { values, isFull } = look;
  const found = (Object.keys(KIND_TEXTS) as TtlKind[]).filter(kind => values[kind] > 0);
  if (found.length === 0) return `The ${isFull ? 'table' : 'sample'} has no items.`;
  return `${isFull ? `All ${count(look.items)} items` : 'Sampled items'}: ${found.map(kind => `${count(values[kind])} ${KIND_TEXTS[kind]}`).join(', ')}.`;
}

/** Lists the first keys that a full look has found for each fault. */
function describeNamed(
  { keys, isFull, values }: TtlLook,
  table: Reading['table'],
  { mask = false }: Wish,
): string[] {
  if (!isFull) return [];
  const options = tableKeyText(table, mask);
  return (Object.keys(KIND_TEXTS) as TtlKind[]).flatMap(kind => {
    const found = keys[kind] ?? [];
    if (found.length === 0) return [];
    const more = values[kind] > found.length ? ', …' : '';
    return [`    ${KIND_TEXTS[kind]}: ${found.map(key => keyText(key, options)).join(', ')}${more}`];
  });
}

/** Says what happens to the items that have already expired. */
function describeLeft(plan: AdoptionPlan, reading: Pick<Reading, 'table' | 'region'>, wish: Wish): string {
  const rate = wish.deleteExpired ?? DELETES_PER_SECOND;
  const expired = expiredBefore(plan, reading, rate);
  const text = describeExpired(expired, plan.look.items);
  if (wish.deleteExpired === undefined)
    return `${text}. At the end you are asked whether to delete them; in a script, --delete-expired ${rate} says so.`;
  return `${text}: they are deleted at the end, at ${count(rate)} a second, about ${span(expired.seconds)} (--delete-expired).`;
}

/** Says why a full look is better than a sample, and what it costs; undefined if all items were read, or if no index is added. */
export function describeFullLook({ look, index }: AdoptionPlan, table: Reading['table']): string | undefined {
  if (look.complete || index.action !== 'create') return undefined;
  const units = readUnitsOf(table);
  const missed = Math.round((1 - 1 / RARE) ** look.items * 100);
  return (
    `Only a sample of ${count(look.items)} items was looked at, of about ${count(table.itemCount)}: a writer of Strings that has one item in ` +
    `${count(RARE)} is missed ${missed} times in 100, and fails once the index is there. --full looks at every item: about ${count(units)} read units, ` +
    `${span(units / sparingRate(table))} at ${count(sparingRate(table))} read units a second.`
  );
}

/** Example of a rare fault that a sample misses: one item in this many has it. */
const RARE = 5000;

/** The progress of a full look or of a deletion, on one line. */
export function lookLine(
  { itemCount }: Pick<Reading['table'], 'itemCount'>,
  { items, readUnits, throttled }: ScanProgress,
  elapsedMs: number,
): string {
  const seconds = elapsedMs / 1000;
  const share = itemCount > 0 ? Math.min(1, items / itemCount) : undefined;
  const parts = [
    `Read ${count(items)}${itemCount > 0 ? ` of about ${count(itemCount)}` : ''} items`,
    ...(share === undefined ? [] : [`${Math.floor(share * 100)} %`]),
    ...(seconds >= 1 ? [`${count(readUnits / seconds)} read units a second`] : []),
    ...(share && share < 1 ? [`about ${span((seconds / share) * (1 - share))} left`] : []),
    ...(throttled > 0 ? [`throttled ${count(throttled)} times, and read again`] : []),
  ];
  return parts.join(', ');
}

/** Says what to watch once the index exists, and how to remove it. */
export function describeAfterwards(
  { index }: AdoptionPlan,
  { table, region }: Pick<Reading, 'table' | 'region'>,
): string {
  return [
    `Watch CloudWatch's WriteThrottleEvents of TableName=${table.name}, GlobalSecondaryIndexName=${index.name}: above 0, writers of the table are`,
    `throttled with it, since a key of the index takes ${count(KEY_WRITE_UNITS)} write units a second (docs/adopt.md). Once the sweep is`,
    `deployed: ${commandLine('status', quoted(['--table', table.name]))}`,
    'This takes the index away again, after the table was taken out of the deployment:',
    `  ${dropCommand(index.name, table.name, region)}`,
  ].join('\n');
}

/** The AWS CLI's command that deletes the index. */
export function dropCommand(IndexName: string, tableName: string, region: string): string {
  const updates = JSON.stringify([{ Delete: { IndexName } }]);
  return `aws dynamodb update-table ${quoted(['--region', region, '--table-name', tableName, '--global-secondary-index-updates', updates])}`;
}

function describeUnits({ units, index }: AdoptionPlan, table: Reading['table'], region: string): string {
  // The set counts this region once, whether it is listed as a replica or not.
  const replicas = new Set([region, ...table.replicaRegions]).size;
  const each = replicas > 1 ? ` in each of ${replicas} regions` : '';
  const own = index.throughput ? " of the index's own throughput" : each;
  const least =
    units.buildSeconds === undefined ? '' : `, so at least ${count(Math.ceil(units.buildSeconds / 60))} min`;
  const once = `about ${count(units.buildUnits)} write units${own}${least}`;
  return `What it takes; npx precise-ttl cost says what that costs:\n${aligned([
    ['once', index.action === 'create' ? once : 'nothing: the index is there'],
    ['each write', 'of an item with a TTL one write unit more, two for a renewal'],
    ['each delete', `about ${decimal(units.deleteUnits)} write units`],
  ])}`;
}

function notes(
  { look, index, ttl }: AdoptionPlan,
  table: Reading['table'],
  writes: Reading['writes'],
  { indexedBy }: Wish,
): string[] {
  const ttlValues = look.values;
  const bySecond = indexedBy === 'second';
  const wrong = ttlValues.milliseconds + ttlValues.negative + ttlValues.tooOld + ttlValues.tooFarAhead;
  const fast = 'busiestHour' in writes && writes.busiestHour > KEY_WRITE_UNITS / 2;
  const strings = ttlValues.string + ttlValues.otherType;
  return [
    !bySecond &&
      'by window every writer must stamp the window too (docs/use.md), and items that are there have to be stamped once: ' +
        `${commandLine('backfill', `--table ${table.name}`)}. Until then only native TTL deletes them. By second needs neither.`,
    bySecond &&
      ttlValues.fraction > 0 &&
      `by second, ${count(ttlValues.fraction)} of the ${lookedAt(look)} are not found, since their TTL is no whole second; native TTL ` +
        'deletes them. --by window finds them, and needs a stamp by the writers.',
    wrong > 0 &&
      `${count(wrong)} of the ${lookedAt(look)} have a ${ttl.attribute} that neither native TTL nor the sweep understands as meant.`,
    strings > 0 &&
      `${count(strings)} of the ${lookedAt(look)} have a ${ttl.attribute} that is no Number: the index has not got them.`,
    bySecond &&
      fast &&
      `a key of the index takes ${count(KEY_WRITE_UNITS)} write units a second. If more items than that get the same second of expiry, ` +
        'their writes are throttled: take --by window with shards (docs/use.md).',
    index.throughput !== undefined &&
      'the throughput of the index stays as it is. If the table has auto scaling, add it to the index too: an index that is too ' +
        'slow slows down the writes to the table.',
    table.replicaRegions.length > 0 &&
      'this is a global table: the index is added in every region, and each delete is replicated. Deploy the sweep in one region only.',
    bySecond &&
      index.action === 'create' &&
      table.indexes.some(other =>
        other.sortKeys.some(key => key.name === ttl.attribute && key.type === 'N'),
      ) &&
      `an index that is there has ${ttl.attribute} as its sort key. If it is that of the windows, --by window uses it.`,
  ].filter(note => note !== false);
}

/** Prints the table's entry in the configuration and says where to put it. */
export function describeConfiguration(block: string, region: string): string {
  return `The table's entry in the configuration, under tables, with region: '${region}' (docs/adopt.md):\n\n${block}\n`;
}

function aligned(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`).join('\n');
}

/** Describes the deletion of the items that had expired before the adoption. */
export function describeDeletion(
  { deleted, renewed, notFound, failed, unprocessed }: Deletion,
  table: Reading['table'],
  { mask = false }: Wish,
): string {
  const options = tableKeyText(table, mask);
  const named = (keys: Deletion['failed'] | Deletion['unprocessed']) =>
    `: ${keys
      .slice(0, 3)
      .map(({ key }) => keyText(key, options))
      .join(', ')}${keys.length > 3 ? ', …' : ''}`;
  const parts = [
    `${count(deleted)} deleted`,
    ...(renewed > 0 ? [`${count(renewed)} renewed meanwhile, which stay`] : []),
    ...(notFound > 0 ? [`${count(notFound)} gone already`] : []),
    ...(unprocessed.length > 0
      ? [`${count(unprocessed.length)} left, since DynamoDB was too busy${named(unprocessed)}`]
      : []),
    ...(failed.length > 0 ? [`${count(failed.length)} refused by DynamoDB${named(failed)}`] : []),
  ];
  return `Of the expired items: ${parts.join('; ')}.`;
}
