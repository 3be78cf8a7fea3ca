import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  type GlobalSecondaryIndexDescription,
  type KeySchemaElement,
  type LocalSecondaryIndexDescription,
  type ProvisionedThroughputDescription,
  ResourceNotFoundException,
  type TableDescription,
  type TableWarmThroughputDescription,
} from '@aws-sdk/client-dynamodb';
import type { KeyType } from '../../config/props.ts';
import { permitted } from '../aws/errors.ts';
import { TableNotFoundError } from '../errors.ts';

/** A key attribute and its type. */
export interface KeyAttribute {
  readonly name: string;
  readonly type: KeyType;
}

/** The keys of a table or an index. An index can have up to four attributes of each kind, a table has one. */
export interface Keys {
  readonly partitionKeys: readonly KeyAttribute[];
  readonly sortKeys: readonly KeyAttribute[];
}

/** Units per second. */
export interface Throughput {
  readonly readUnits: number;
  readonly writeUnits: number;
}

export interface DescribedIndex extends Keys {
  readonly name: string;
  readonly scope: 'global' | 'local';
  /** `KEYS_ONLY`, `INCLUDE` or `ALL`. */
  readonly projection: string;
  /** CREATING, UPDATING, DELETING or ACTIVE. A local index has the status of its table. */
  readonly status: string;
  /** Whether DynamoDB is still adding existing items to the index. */
  readonly backfilling: boolean;
  /** Number of items about six hours ago. */
  readonly itemCount: number;
  /** Bytes about six hours ago. */
  readonly sizeBytes: number;
  /** Undefined on demand. */
  readonly throughput: Throughput | undefined;
  /** Throughput that the index accepts at once, without growing first; undefined if DynamoDB does not return it. */
  readonly warmThroughput: Throughput | undefined;
}

/** Native TTL of a table. */
export interface NativeTtl {
  /** ENABLING, ENABLED, DISABLING or DISABLED. */
  readonly status: string;
  /** Undefined while native TTL is off. */
  readonly attribute: string | undefined;
}

/** Protection settings of a table, and its stream. */
export interface TableSettings {
  readonly deletionProtection: boolean;
  /** View type of the stream, e.g. `NEW_IMAGE`; undefined if the table has none. */
  readonly stream: string | undefined;
  /** Undefined if the table is encrypted with DynamoDB's own key. */
  readonly kmsKeyArn: string | undefined;
  /** `STANDARD` or `STANDARD_INFREQUENT_ACCESS`. */
  readonly tableClass: string;
}

/** A table as DescribeTable and DescribeTimeToLive return it. */
export interface DescribedTable {
  readonly name: string;
  readonly arn: string;
  /** CREATING, UPDATING, DELETING, ACTIVE, ARCHIVED… */
  readonly status: string;
  readonly partitionKey: KeyAttribute;
  readonly sortKey: KeyAttribute | undefined;
  /** Types of all key attributes of the table and its indexes, by name. */
  readonly attributeTypes: Readonly<Record<string, KeyType>>;
  readonly indexes: readonly DescribedIndex[];
  readonly billing: 'on-demand' | 'provisioned';
  /** Undefined on demand. */
  readonly throughput: Throughput | undefined;
  /** Throughput that the table accepts at once, without growing first; undefined if DynamoDB does not return it. */
  readonly warmThroughput: Throughput | undefined;
  readonly settings: TableSettings;
  /** ARN of the current stream; undefined if the table has none. It changes when the stream is turned off and on again. */
  readonly streamArn: string | undefined;
  /** Number of items about six hours ago. */
  readonly itemCount: number;
  /** Bytes about six hours ago. */
  readonly sizeBytes: number;
  readonly ttl: NativeTtl;
  /** Regions of the replicas of a global table; empty for other tables. */
  readonly replicaRegions: readonly string[];
  /** EVENTUAL or STRONG (MRSC) for a global table; undefined if DynamoDB does not return it. */
  readonly multiRegionConsistency: string | undefined;
}

/**
 * Describes a table. Other errors are the SDK's.
 *
 * @throws {TableNotFoundError}
 * @throws {MissingPermissionError}
 */
export async function describeTable(client: DynamoDBClient, tableName: string): Promise<DescribedTable> {
  const table = await describeShape(client, tableName);
  return { ...table, ttl: await describeNativeTtl(client, table) };
}

/** @throws {MissingPermissionError} */
export async function describeNativeTtl(
  client: DynamoDBClient,
  { name, arn }: Pick<DescribedTable, 'name' | 'arn'>,
): Promise<NativeTtl> {
  const { TimeToLiveDescription: ttl } = await permitted('dynamodb:DescribeTimeToLive', arn, () =>
    client.send(new DescribeTimeToLiveCommand({ TableName: name })),
  );
  return { status: ttl?.TimeToLiveStatus ?? 'DISABLED', attribute: ttl?.AttributeName };
}

/**
 * Whether point-in-time recovery is on.
 *
 * @throws {MissingPermissionError}
 */
export async function describeRecovery(
  client: DynamoDBClient,
  { name, arn }: Pick<DescribedTable, 'name' | 'arn'>,
): Promise<boolean> {
  const { ContinuousBackupsDescription: backups } = await permitted(
    'dynamodb:DescribeContinuousBackups',
    arn,
    () => client.send(new DescribeContinuousBackupsCommand({ TableName: name })),
  );
  return backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === 'ENABLED';
}

/** Names of the key attributes, partition key first. */
export function keyNamesOf({
  partitionKey,
  sortKey,
}: Pick<DescribedTable, 'partitionKey' | 'sortKey'>): string[] {
  return [partitionKey.name, ...(sortKey === undefined ? [] : [sortKey.name])];
}

/**
 * Describes a table without native TTL. This takes only one call, for repeated requests while an index is being built.
 *
 * @throws {TableNotFoundError}
 * @throws {MissingPermissionError}
 */
export async function describeShape(
  client: DynamoDBClient,
  tableName: string,
): Promise<Omit<DescribedTable, 'ttl'>> {
  const region = await client.config.region();
  const described = await permitted(
    'dynamodb:DescribeTable',
    `arn:aws:dynamodb:${region}:*:table/${tableName}`,
    async () => {
      try {
        return await client.send(new DescribeTableCommand({ TableName: tableName }));
      } catch (error) {
        if (error instanceof ResourceNotFoundException) throw new TableNotFoundError(tableName, region);
        throw error;
      }
    },
  );
  return shapeOf(described.Table ?? {});
}

/** Converts DynamoDB's description of a table to the terms of this project. */
export function shapeOf(table: TableDescription): Omit<DescribedTable, 'ttl'> {
  const types = Object.fromEntries(
    (table.AttributeDefinitions ?? []).map(({ AttributeName = '', AttributeType = 'S' }) => [
      AttributeName,
      AttributeType as KeyType,
    ]),
  );
  const { partitionKeys, sortKeys } = keysOf(table.KeySchema, types);
  const billing = table.BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST' ? 'on-demand' : 'provisioned';
  const status = table.TableStatus ?? 'ACTIVE';
  return {
    name: table.TableName ?? '',
    arn: table.TableArn ?? '',
    status,
    partitionKey: partitionKeys[0] ?? { name: '', type: 'S' },
    sortKey: sortKeys[0],
    attributeTypes: types,
    indexes: [
      ...(table.GlobalSecondaryIndexes ?? []).map(index => globalIndex(index, types, billing)),
      ...(table.LocalSecondaryIndexes ?? []).map(index => localIndex(index, types, status)),
    ],
    billing,
    throughput: throughputOf(table.ProvisionedThroughput, billing),
    warmThroughput: warmOf(table.WarmThroughput),
    settings: {
      deletionProtection: table.DeletionProtectionEnabled ?? false,
      stream: table.StreamSpecification?.StreamViewType,
      kmsKeyArn: table.SSEDescription?.KMSMasterKeyArn,
      tableClass: table.TableClassSummary?.TableClass ?? 'STANDARD',
    },
    // DynamoDB returns the ARN of the last stream even after it was turned off.
    streamArn: table.StreamSpecification?.StreamEnabled ? table.LatestStreamArn : undefined,
    itemCount: table.ItemCount ?? 0,
    sizeBytes: table.TableSizeBytes ?? 0,
    replicaRegions: (table.Replicas ?? []).map(({ RegionName = '' }) => RegionName),
    multiRegionConsistency: table.MultiRegionConsistency,
  };
}

type Types = DescribedTable['attributeTypes'];

function globalIndex(
  index: GlobalSecondaryIndexDescription,
  types: Types,
  billing: DescribedTable['billing'],
): DescribedIndex {
  return {
    ...keysOf(index.KeySchema, types),
    name: index.IndexName ?? '',
    scope: 'global',
    projection: index.Projection?.ProjectionType ?? 'ALL',
    status: index.IndexStatus ?? 'ACTIVE',
    backfilling: index.Backfilling ?? false,
    itemCount: index.ItemCount ?? 0,
    sizeBytes: index.IndexSizeBytes ?? 0,
    throughput: throughputOf(index.ProvisionedThroughput, billing),
    warmThroughput: warmOf(index.WarmThroughput),
  };
}

function localIndex(index: LocalSecondaryIndexDescription, types: Types, status: string): DescribedIndex {
  return {
    ...keysOf(index.KeySchema, types),
    name: index.IndexName ?? '',
    scope: 'local',
    projection: index.Projection?.ProjectionType ?? 'ALL',
    status,
    backfilling: false,
    itemCount: index.ItemCount ?? 0,
    sizeBytes: index.IndexSizeBytes ?? 0,
    throughput: undefined,
    warmThroughput: undefined,
  };
}

function keysOf(schema: readonly KeySchemaElement[] | undefined, types: Types): Keys {
  const ofType = (wanted: string) =>
    (schema ?? [])
      .filter(({ KeyType }) => KeyType === wanted)
      .map(({ AttributeName: name = '' }) => ({ name, type: types[name] ?? 'S' }));
  return { partitionKeys: ofType('HASH'), sortKeys: ofType('RANGE') };
}

function warmOf(warm: TableWarmThroughputDescription | undefined): Throughput | undefined {
  if (warm?.ReadUnitsPerSecond === undefined || warm.WriteUnitsPerSecond === undefined) return undefined;
  return { readUnits: warm.ReadUnitsPerSecond, writeUnits: warm.WriteUnitsPerSecond };
}

function throughputOf(
  given: ProvisionedThroughputDescription | undefined,
  billing: DescribedTable['billing'],
): Throughput | undefined {
  if (billing === 'on-demand') return undefined;
  return { readUnits: given?.ReadCapacityUnits ?? 0, writeUnits: given?.WriteCapacityUnits ?? 0 };
}
