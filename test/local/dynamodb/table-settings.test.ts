/** @jest-environment ./test/support/dynamodb-environment.ts */
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { ensureTable, withOldImages } from 'aws-on-loopback/dynamodb/tables';
import type { PreciseTtlProps } from '../../../config/props.ts';
import { synthesizedCloud } from '../../../local/stack/synthesized.ts';
import { plainStack } from '../../../stacks/plain-stack.ts';
import { configOf, SESSION_DATA } from '../../support/configs.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const dynamo = useLocalDynamoDb();

const named = (tableName: string, props: Partial<PreciseTtlProps>) => ({
  ...SESSION_DATA,
  ...props,
  tableName,
});

test('a table is made on this machine on demand, whatever an override says of its capacity', async () => {
  const overrides = {
    'aws_dynamodb_table.Provisioned': {
      ...{ billing_mode: 'PROVISIONED', read_capacity: 5, write_capacity: 5 },
      ...{ table_class: 'STANDARD_INFREQUENT_ACCESS', deletion_protection_enabled: false },
    },
  };
  const tableKmsKeyArn = 'arn:aws:kms:us-east-1:123456789012:key/1234abcd';
  const config = { ...configOf(named('Provisioned', { tableKmsKeyArn })), overrides };
  const [table] = synthesizedCloud(plainStack(config)).tables;
  expect(table && (await ensureTable(dynamo.client, table))).toBe(true);
  const { Table } = await dynamo.client.send(new DescribeTableCommand({ TableName: 'Provisioned' }));
  expect(Table?.BillingModeSummary?.BillingMode).toBe('PAY_PER_REQUEST');
});

test.each([
  ['KEYS_ONLY', 'OLD_IMAGE'],
  ['OLD_IMAGE', 'OLD_IMAGE'],
  ['NEW_IMAGE', 'NEW_AND_OLD_IMAGES'],
  ['NEW_AND_OLD_IMAGES', 'NEW_AND_OLD_IMAGES'],
] as const)('who watches a stream of %s sees one of %s, with all that it had', (stream, seen) => {
  const overrides = { 'aws_dynamodb_table.Watched': { stream_enabled: true, stream_view_type: stream } };
  const config = { ...configOf(named('Watched', {})), overrides };
  const [table] = synthesizedCloud(plainStack(config)).tables;
  expect(table && withOldImages(table).stream).toBe(seen);
});

test('a table without a stream is left to enableStream', () => {
  const [table] = synthesizedCloud(plainStack(configOf(SESSION_DATA))).tables;
  expect(table && withOldImages(table)).toBe(table);
});
