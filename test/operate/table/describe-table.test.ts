import type { TableDescription } from '@aws-sdk/client-dynamodb';
import { shapeOf } from '../../../operate/table/describe-table.ts';

const TABLE: TableDescription = {
  TableName: 'Sessions',
  TableArn: 'arn:aws:dynamodb:us-east-1:123456789012:table/Sessions',
  TableStatus: 'UPDATING',
  KeySchema: [
    { AttributeName: 'user', KeyType: 'HASH' },
    { AttributeName: 'at', KeyType: 'RANGE' },
  ],
  AttributeDefinitions: [
    { AttributeName: 'user', AttributeType: 'B' },
    { AttributeName: 'at', AttributeType: 'N' },
    { AttributeName: 'tenant', AttributeType: 'S' },
    { AttributeName: 'ttl', AttributeType: 'N' },
  ],
  DeletionProtectionEnabled: true,
  StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
  LatestStreamArn: 'arn:aws:dynamodb:us-east-1:123456789012:table/Sessions/stream/2026-11-21T00:00:00.000',
  SSEDescription: { SSEType: 'KMS', KMSMasterKeyArn: 'arn:aws:kms:us-east-1:123456789012:key/1234abcd' },
  TableClassSummary: { TableClass: 'STANDARD_INFREQUENT_ACCESS' },
  ItemCount: 7,
  TableSizeBytes: 700,
  // DynamoDB returns no billing summary for a table that was never on demand.
  ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 6 },
  WarmThroughput: { ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 4000, Status: 'ACTIVE' },
  GlobalSecondaryIndexes: [
    {
      IndexName: 'byTenant',
      IndexStatus: 'CREATING',
      Backfilling: true,
      ItemCount: 3,
      KeySchema: [
        { AttributeName: 'tenant', KeyType: 'HASH' },
        { AttributeName: 'user', KeyType: 'HASH' },
        { AttributeName: 'ttl', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['x'] },
      ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 2 },
    },
  ],
  LocalSecondaryIndexes: [
    {
      IndexName: 'byTtl',
      KeySchema: [
        { AttributeName: 'user', KeyType: 'HASH' },
        { AttributeName: 'ttl', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
  ],
  Replicas: [{ RegionName: 'eu-west-1' }],
  MultiRegionConsistency: 'EVENTUAL',
};

test('a description has every key with its type, every index, and the capacity', () => {
  const user = { name: 'user', type: 'B' };
  const ttl = { name: 'ttl', type: 'N' };
  expect(shapeOf(TABLE)).toEqual({
    name: 'Sessions',
    arn: 'arn:aws:dynamodb:us-east-1:123456789012:table/Sessions',
    status: 'UPDATING',
    partitionKey: user,
    sortKey: { name: 'at', type: 'N' },
    attributeTypes: { user: 'B', at: 'N', tenant: 'S', ttl: 'N' },
    indexes: [
      {
        name: 'byTenant',
        scope: 'global',
        partitionKeys: [{ name: 'tenant', type: 'S' }, user],
        sortKeys: [ttl],
        projection: 'INCLUDE',
        status: 'CREATING',
        backfilling: true,
        itemCount: 3,
        sizeBytes: 0,
        throughput: { readUnits: 1, writeUnits: 2 },
      },
      {
        name: 'byTtl',
        scope: 'local',
        partitionKeys: [user],
        sortKeys: [ttl],
        projection: 'KEYS_ONLY',
        status: 'UPDATING',
        backfilling: false,
        itemCount: 0,
        sizeBytes: 0,
        throughput: undefined,
      },
    ],
    billing: 'provisioned',
    throughput: { readUnits: 5, writeUnits: 6 },
    warmThroughput: { readUnits: 12_000, writeUnits: 4000 },
    settings: {
      deletionProtection: true,
      stream: 'KEYS_ONLY',
      kmsKeyArn: 'arn:aws:kms:us-east-1:123456789012:key/1234abcd',
      tableClass: 'STANDARD_INFREQUENT_ACCESS',
    },
    streamArn: 'arn:aws:dynamodb:us-east-1:123456789012:table/Sessions/stream/2026-11-21T00:00:00.000',
    itemCount: 7,
    sizeBytes: 700,
    replicaRegions: ['eu-west-1'],
    multiRegionConsistency: 'EVENTUAL',
  });
});

test('on demand there is no throughput, of the table or its indexes', () => {
  const { billing, throughput, indexes } = shapeOf({
    ...TABLE,
    BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
    ProvisionedThroughput: { ReadCapacityUnits: 0, WriteCapacityUnits: 0 },
  });
  expect([billing, throughput, indexes[0]?.throughput]).toEqual(['on-demand', undefined, undefined]);
});

test('a stream that is off has no ARN, though DynamoDB goes on naming it', () => {
  const { StreamSpecification: _off, ...off } = TABLE;
  expect([off.LatestStreamArn, shapeOf(off).streamArn]).toEqual([expect.any(String), undefined]);
});
