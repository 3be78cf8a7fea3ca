import { timeToLive } from '../command-line.ts';
import { invocation } from '../invocation.ts';
import type { TtlCounts } from '../table/sample.ts';
import { describeKeys } from './index-plan.ts';
import type { AdoptionPlan } from './plan.ts';
import type { Reading, Wish } from './reading.ts';

/** The write units per second that one key of an index takes. Source: DynamoDB Developer Guide, partition limits. */
const KEY_WRITE_UNITS = 1000;

/** The table as it was read. @param where region or endpoint */
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

/** What is done, in its order, and what has to be known of it. */
export function describePlan(
  { region, table, sample, writes }: Reading,
  plan: AdoptionPlan,
  wish: Wish,
): string {
  const { ttl, index, nativeTtl, cost } = plan;
  const steps: string[] = [];
  if (index.action === 'create') {
    const throughput = index.throughput
      ? ` It gets ${count(index.throughput.readUnits)} read and ${count(index.throughput.writeUnits)} write units a second ` +
        '(--index-read-units, --index-write-units).'
      : '';
    steps.push(
      `Add the index ${index.name} with ${describeKeys(index)}, KEYS_ONLY. DynamoDB puts about ${count(cost.entries)} items ` +
        `into it.${throughput} From then on it refuses writes whose ${ttl.attribute} is not a Number.`,
    );
  }
  if (index.action === 'wait') steps.push(`Wait until DynamoDB has built the index ${index.name}.`);
  if (nativeTtl === 'enable') {
    steps.push(
      `Turn on native TTL for ${ttl.attribute}, as the backstop: from then on DynamoDB deletes expired items, within days. Of ` +
        `the ${count(sample.items.length)} sampled items ${count(plan.expired)} are expired now.`,
    );
  }
  const source = {
    flag: 'as --ttl-attribute says',
    nativeTtl: 'as native TTL has it',
    sample: 'which looks like it in the sample: native TTL is off, and --ttl-attribute names none',
  }[ttl.from];
  return [
    `TTL attribute: ${ttl.attribute}, ${source}.`,
    `  ${describeTtlValues(plan.ttlValues)}`,
    '',
    ...(steps.length === 0
      ? [`Everything is there: the index ${index.name} is ACTIVE, native TTL is ${table.ttl.status}.`]
      : [
          'What is done:',
          ...steps.map((step, number) => `  ${number + 1}. ${step}`),
          '',
          describeCost(plan, table, region),
        ]),
    ...notes(plan, table, writes, wish).map(note => `\nNote: ${note}`),
  ].join('\n');
}

const KIND_TEXTS: Readonly<Record<keyof TtlCounts, string>> = {
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

function describeTtlValues(counts: TtlCounts): string {
  const found = (Object.keys(KIND_TEXTS) as (keyof TtlCounts)[]).filter(kind => counts[kind] > 0);
  if (found.length === 0) return 'The sample has no items.';
  return `Sampled items: ${found.map(kind => `${count(counts[kind])} ${KIND_TEXTS[kind]}`).join(', ')}.`;
}

function describeCost({ cost, index }: AdoptionPlan, table: Reading['table'], region: string): string {
  // Whether this region is among the replicas is the same.
  const replicas = new Set([region, ...table.replicaRegions]).size;
  const each = replicas > 1 ? ` in each of ${replicas} regions` : '';
  const once =
    cost.buildDollars === undefined
      ? `about ${count(cost.buildUnits)} write units of the index's own throughput${
          cost.buildSeconds === undefined
            ? ''
            : `, so at least ${count(Math.ceil(cost.buildSeconds / 60))} min`
        }`
      : `about ${count(cost.buildUnits)} write units${each}, ${dollars(cost.buildDollars * replicas)}`;
  const month = index.throughput
    ? `${dollars((cost.monthDollars ?? 0) * replicas)} for the throughput of the index${each}`
    : cost.monthDollars === undefined
      ? 'one write unit more for each write of an item with a TTL, two for a renewal; how many is not known'
      : `about ${dollars(cost.monthDollars * replicas)} for the writes to the index${each}, up to twice that if they are renewals`;
  return `What it costs, at the prices of us-east-1:\n${aligned([
    ['once', index.action === 'create' ? once : 'nothing: the index is there'],
    ['a month', month],
    [
      'the sweep',
      `about ${decimal(cost.deleteUnits)} write units for each deleted item, and what docs/cost.md says`,
    ],
  ])}`;
}

function notes(
  { ttlValues, index, ttl, nativeTtl }: AdoptionPlan,
  table: Reading['table'],
  writes: Reading['writes'],
  { indexedBy }: Wish,
): string[] {
  const bySecond = indexedBy === 'second';
  const wrong = ttlValues.milliseconds + ttlValues.negative + ttlValues.tooOld + ttlValues.tooFarAhead;
  const fast = 'busiestHour' in writes && writes.busiestHour > KEY_WRITE_UNITS / 2;
  const strings = ttlValues.string + ttlValues.otherType;
  return [
    !bySecond &&
      'by window every writer must stamp the window too (docs/writers.md), and items that are there have to be stamped once: ' +
        `${invocation('backfill', `--table ${table.name}`)}. Until then only native TTL deletes them. By second needs neither.`,
    bySecond &&
      ttlValues.fraction > 0 &&
      `by second, ${count(ttlValues.fraction)} of the sampled items are not found, since their TTL is no whole second; native TTL ` +
        'deletes them. --by window finds them, and needs a stamp by the writers.',
    nativeTtl === 'off' &&
      table.ttl.status !== 'DISABLED' &&
      `native TTL is ${table.ttl.status}, and would delete what is held, or in its grace. Turn it off before you deploy, which takes up to ` +
        `an hour: aws dynamodb update-time-to-live --table-name ${table.name} --time-to-live-specification ` +
        timeToLive(false, table.ttl.attribute ?? ttl.attribute),
    wrong > 0 &&
      `${count(wrong)} of the sampled items have a ${ttl.attribute} that neither native TTL nor the sweep understands as meant.`,
    strings > 0 &&
      `${count(strings)} of the sampled items have a ${ttl.attribute} that is no Number: the index has not got them.`,
    bySecond &&
      fast &&
      `a key of the index takes ${count(KEY_WRITE_UNITS)} write units a second. If more items than that get the same second of expiry, ` +
        'their writes are throttled: take --by window with shards (docs/indexes.md).',
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

/** How the table's entry in the configuration is handed over. */
export function describeConfiguration(block: string, region: string): string {
  return `The table's entry in the configuration, under tables, with region: '${region}' (docs/existing-table.md):\n\n${block}\n`;
}

function aligned(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`).join('\n');
}

const count = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 0 });
const decimal = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 1 });

function dollars(value: number): string {
  return value > 0 && value < 0.01
    ? 'less than $0.01'
    : `$${value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

function bytes(value: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;
  const step = value < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(value) / 10));
  return `${decimal(value / 1024 ** step)} ${units[step]}`;
}
