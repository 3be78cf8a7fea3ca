import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { readsStream } from '../../config/props.ts';
import { isReference } from '../../config/terraform-text.ts';
import { adviseShards, NEW_TABLE_UNITS } from '../../expiry/partition-rule.ts';
import { type Checked, check } from '../deployment/check.ts';
import type { Subject } from '../deployment/subject.ts';
import type { DescribedIndex, DescribedTable, KeyAttribute, NativeTtl } from '../table/describe-table.ts';
import { readTableMetric } from '../table/metrics.ts';
import { type Finding, finding } from './report.ts';

/** The fields of DescribeTable. */
export type TableShape = Omit<DescribedTable, 'ttl'>;

/** States in which a table or an index can be read and written, even while DynamoDB changes something. */
const USABLE = ['ACTIVE', 'UPDATING'];

/** Findings about the table itself and its index. @param table undefined if the table does not exist */
export function tableFindings(table: TableShape | undefined, subject: Subject): Finding[] {
  const { props, region } = subject;
  if (table === undefined) {
    return [finding('table-missing', subject, { detail: `${props.tableName} in ${region}` })];
  }
  return [
    ...(USABLE.includes(table.status)
      ? []
      : [finding('table-not-active', subject, { detail: `it is ${table.status}` })]),
    ...keyFindings(table, subject),
    ...indexFindings(table, subject),
    ...streamFindings(table, subject),
  ];
}

/** Findings about the stream for `archive` and `events`, which need the old image of an item. */
function streamFindings({ settings: { stream } }: TableShape, subject: Subject): Finding[] {
  if (!readsStream(subject.props)) return [];
  if (stream === undefined) return [finding('stream-off', subject)];
  if (stream === 'OLD_IMAGE' || stream === 'NEW_AND_OLD_IMAGES') return [];
  const detail = `expected OLD_IMAGE or NEW_AND_OLD_IMAGES, got ${stream}`;
  return [finding('stream-without-old-images', subject, { detail })];
}

function keyFindings({ partitionKey, sortKey }: TableShape, subject: Subject): Finding[] {
  const { partitionKeyType, sortKeyType } = subject.props;
  const found = sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
  const wanted: KeyAttribute[] = [{ name: subject.props.partitionKey, type: partitionKeyType }];
  if (subject.props.sortKey !== undefined) {
    wanted.push({ name: subject.props.sortKey, type: sortKeyType });
  }
  if (names(found) !== names(wanted)) {
    return [finding('keys-differ', subject, { detail: `expected ${names(wanted)}, got ${names(found)}` })];
  }
  if (typed(found) === typed(wanted)) return [];
  return [finding('key-types-differ', subject, { detail: `expected ${typed(wanted)}, got ${typed(found)}` })];
}

function indexFindings({ indexes }: TableShape, subject: Subject): Finding[] {
  const { indexName } = subject.props;
  const index = indexes.find(({ name, scope }) => name === indexName && scope === 'global');
  if (index === undefined) {
    const others = indexes.map(({ name, scope }) => (name === indexName ? `${name} (${scope})` : name));
    const detail = `expected ${indexName}, got ${others.join(', ') || 'none'}`;
    return [finding('index-missing', subject, { detail })];
  }
  const { status, backfilling, projection } = index;
  return [
    ...indexKeyFindings(index, subject),
    ...(USABLE.includes(status)
      ? []
      : [
          finding('index-not-active', subject, {
            detail: `${indexName} is ${status}${backfilling ? ' and being filled with the items that are there' : ''}`,
          }),
        ]),
    ...(projection === 'KEYS_ONLY'
      ? []
      : [finding('index-projection', subject, { detail: `expected KEYS_ONLY, got ${projection}` })]),
  ];
}

function indexKeyFindings({ partitionKeys, sortKeys }: DescribedIndex, subject: Subject): Finding[] {
  const { ttlAttribute, windowAttribute } = subject.model;
  const ttl: KeyAttribute = { name: ttlAttribute, type: 'N' };
  const wanted = windowAttribute === undefined ? [ttl] : [{ name: windowAttribute, type: 'S' as const }, ttl];
  // An index with several partition keys can be queried only with values for all of them.
  const found = [...partitionKeys, ...sortKeys];
  const sortKeyCount = windowAttribute === undefined ? 0 : 1;
  if (names(found) !== names(wanted) || sortKeys.length !== sortKeyCount) {
    const got = sortKeys.length > 0 ? `${names(partitionKeys)} and ${names(sortKeys)}` : names(partitionKeys);
    return [
      finding('index-keys-differ', subject, { detail: `expected ${names(wanted, ' and ')}, got ${got}` }),
    ];
  }
  if (typed(found) === typed(wanted)) return [];
  return [
    finding('index-key-types-differ', subject, { detail: `expected ${typed(wanted)}, got ${typed(found)}` }),
  ];
}

/** Findings about native TTL. @param isLocal whether the table is in DynamoDB Local */
export function nativeTtlFindings(
  { status, attribute }: NativeTtl,
  subject: Subject,
  isLocal: boolean,
): Finding[] {
  const { ttlAttribute } = subject.model;
  if (status !== 'ENABLED' && status !== 'ENABLING') {
    return isLocal
      ? [finding('native-ttl-off-local', subject)]
      : [finding('native-ttl-off', subject, { detail: `it is ${status}` })];
  }
  if (attribute === ttlAttribute) return [];
  const detail = `expected ${ttlAttribute}, got ${attribute ?? 'none'}`;
  return [finding('native-ttl-attribute', subject, { detail })];
}

function names(keys: readonly KeyAttribute[], separator = ', '): string {
  return keys.map(({ name }) => name).join(separator) || 'none';
}

function typed(keys: readonly KeyAttribute[]): string {
  return keys.map(({ name, type }) => `${name} (${type})`).join(', ');
}

/**
 * Findings about settings that the configuration has and the table lacks, for example after a restore from a backup. An existing
 * table is checked only for its KMS key; a table that the deployment created is checked for its protection too.
 */
export function settingsFindings(table: TableShape, subject: Subject): Finding[] {
  const { tableKmsKeyArn: key, existingTable } = subject.props;
  const { deletionProtection, kmsKeyArn } = table.settings;
  return [
    ...(existingTable || deletionProtection ? [] : [finding('deletion-protection-off', subject)]),
    ...(key === undefined || isReference(key) || key === kmsKeyArn
      ? []
      : [finding('table-key-differs', subject, { detail: `expected ${key}, got ${kmsKeyArn ?? 'none'}` })]),
  ];
}

/** Findings about point-in-time recovery. @param isOn whether it is on */
export function recoveryFindings(isOn: boolean, subject: Subject): Finding[] {
  return isOn ? [] : [finding('point-in-time-recovery-off', subject)];
}

/** Whether the configuration wants point-in-time recovery, so that its absence is a finding. */
export function wantsRecovery({ props }: Subject): boolean {
  return !props.existingTable;
}

const MINUTE = 60;
const DAY = 86_400;

/** Writes to the index in the last day. */
export interface IndexWrites {
  /** Write units per second in the busiest minute; 0 if there were no writes. */
  readonly busiestMinute: number;
  /** Writes that were throttled because of the index. */
  readonly throttled: number;
}

/** Reads CloudWatch's metrics of the index. @param now epoch milliseconds */
export function observeIndexWrites(
  cloudWatch: CloudWatchClient,
  { props: { tableName, indexName } }: Subject,
  now: number,
): Promise<Checked<IndexWrites>> {
  const to = Math.floor(now / 1000 / MINUTE) * MINUTE;
  const minutes = (metric: string) =>
    readTableMetric(cloudWatch, {
      ...{ metric, statistic: 'Sum', periodSeconds: MINUTE, from: to - DAY, to },
      dimensions: { TableName: tableName, GlobalSecondaryIndexName: indexName },
    });
  return check('cloudwatch:GetMetricData', '*', async () => {
    const [units, throttled] = await Promise.all([
      minutes('ConsumedWriteCapacityUnits'),
      minutes('WriteThrottleEvents'),
    ]);
    return {
      busiestMinute: units.reduce((most, each) => Math.max(most, each), 0) / MINUTE,
      throttled: throttled.reduce((sum, each) => sum + each, 0),
    };
  });
}

/**
 * Checks whether the shards are sufficient for the writes to the index. The metric does not separate puts from deletes; every
 * entry that is put is also deleted later. The result is not certain: throttled writes are not counted, and a replay writes to
 * many windows at the same time.
 */
export function shardFindings(
  { busiestMinute, throttled }: IndexWrites,
  table: TableShape,
  subject: Subject,
): Finding[] {
  const { props } = subject;
  const index = table.indexes.find(({ name }) => name === props.indexName);
  const { verdict, shards, warmUnits } = adviseShards({
    ...props,
    putsPerSecond: busiestMinute / 2,
    deletesPerSecond: busiestMinute / 2,
    warmUnits: index?.warmThroughput?.writeUnits,
  });
  if (verdict === 'holds') return [];
  const text = (amount: number) => Math.round(amount).toLocaleString('en-US');
  const detail = [
    `${text(busiestMinute)} write units a second in the busiest minute of the last day, on ${props.shards} shard${props.shards === 1 ? '' : 's'}`,
    ...(throttled === 0 ? [] : [`${text(throttled)} writes throttled in that day`]),
  ].join('; ');
  const tableIsCold = (table.warmThroughput?.writeUnits ?? NEW_TABLE_UNITS) < warmUnits;
  return [finding('shards-few', subject, { detail, values: { shards, warmUnits, tableIsCold } })];
}
