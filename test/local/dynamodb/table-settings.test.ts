/** @jest-environment ./test/support/dynamodb-environment.ts */
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import type { TableResource } from 'aws-on-loopback/dynamodb/table';
import { ensureTable, withOldImages } from 'aws-on-loopback/dynamodb/tables';
import type { PreciseTtlProps } from '../../../config/props.ts';
import { MIN_WARM, STREAM_VIEWS } from '../../../config/table-settings.ts';
import { synthesizedCloud } from '../../../local/stack/synthesized.ts';
import { plainStack } from '../../../stacks/plain-stack.ts';
import { configOf, SESSION_DATA } from '../../support/configs.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const dynamo = useLocalDynamoDb();

function synthesizedTables(...tables: PreciseTtlProps[]): readonly TableResource[] {
  return synthesizedCloud(plainStack(configOf(...tables))).tables;
}

const named = (tableName: string, props: Partial<PreciseTtlProps>) => ({
  ...SESSION_DATA,
  ...props,
  tableName,
});

test('every setting of a table is made on this machine, as far as DynamoDB Local knows it', async () => {
  const settings: readonly PreciseTtlProps[] = [
    ...STREAM_VIEWS.map(stream => named(`Stream-${stream}`, { newTable: { stream } })),
    named('Provisioned', {
      newTable: {
        provisionedCapacity: { read: 5, write: 5, indexRead: 1, indexWrite: 5 },
        tableClass: 'STANDARD_INFREQUENT_ACCESS',
        pointInTimeRecovery: false,
        deletionProtection: false,
      },
    }),
    named('Warm', {
      newTable: { warmThroughput: MIN_WARM, tableClass: 'STANDARD' },
      tableKmsKeyArn: 'arn:aws:kms:us-east-1:123456789012:key/1234abcd',
    }),
  ];
  // Besides the journal of their deployment.
  const tables = synthesizedTables(...settings).filter(({ name }) => !name.endsWith('-journal'));
  expect(tables).toHaveLength(settings.length);
  for (const table of tables) {
    expect(await ensureTable(dynamo.client, table)).toBe(true);
    const { Table } = await dynamo.client.send(new DescribeTableCommand({ TableName: table.name }));
    const { newTable } = settings.find(({ tableName }) => tableName === table.name) ?? {};
    expect([table.name, Table?.StreamSpecification?.StreamViewType]).toEqual([table.name, newTable?.stream]);
    expect(Table?.BillingModeSummary?.BillingMode).toBe('PAY_PER_REQUEST');
  }
});

test.each([
  ['KEYS_ONLY', 'OLD_IMAGE'],
  ['OLD_IMAGE', 'OLD_IMAGE'],
  ['NEW_IMAGE', 'NEW_AND_OLD_IMAGES'],
  ['NEW_AND_OLD_IMAGES', 'NEW_AND_OLD_IMAGES'],
] as const)('who watches a stream of %s sees one of %s, with all that it had', (stream, seen) => {
  const [table] = synthesizedTables(named('Watched', { newTable: { stream } }));
  expect(table && withOldImages(table).stream).toBe(seen);
});

test('a table without a stream is left to enableStream', () => {
  const [table] = synthesizedTables(SESSION_DATA);
  expect(table && withOldImages(table)).toBe(table);
});
