/** @jest-environment ./test/support/dynamodb-environment.ts */

import { DescribeTableCommand, DescribeTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { LocalCloud } from '../../local/cloud.ts';
import { enableStream, ensureTable, type TableResource } from '../../local/dynamodb/tables.ts';
import { LocalCloudError, TerraformError } from '../../local/errors.ts';
import { synthesizedCloud } from '../../local/stack/synthesized.ts';
import { plainStack } from '../../stacks/app.ts';
import { mapValues } from '../../stacks/parts/deployed-sweep.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import { dynamoDbOfFile, useLocalDynamoDb } from '../support/local-dynamodb.ts';

/** Starts the stack of a table with another definition in its machines. */
function startWith(states: object): Promise<LocalCloud> {
  const stack = plainStack(configOf({ tableName: 'Sessions', partitionKey: 'id' }));
  const definition = JSON.stringify({ StartAt: 'A', ...states });
  const machines = mapValues(stack.resource['aws_sfn_state_machine'] ?? {}, machine => ({
    ...machine,
    definition,
  }));
  const resource = { ...stack.resource, aws_sfn_state_machine: machines };
  return LocalCloud.start({ stack: { ...stack, resource }, dynamoDb: dynamoDbOfFile(), schedules: false });
}

test('runs a machine by name and by ARN; stopping ends what runs, and can be done twice', async () => {
  const A = { Type: 'Wait', Seconds: 60, End: true };
  const cloud = await startWith({ QueryLanguage: 'JSONata', States: { A } });
  const byName = cloud.startExecution('precise-ttl', {});
  const arn = 'arn:aws:states:us-east-1:123456789012:stateMachine:precise-ttl-replay';
  const byArn = cloud.startExecution(arn, {}, 'mine');
  expect(cloud.running).toEqual([byName, byArn]);
  expect(byArn).toMatchObject({ name: 'mine', machine: { arn } });
  expect(() => cloud.startExecution('other', {})).toThrow(
    'state machine: expected one of precise-ttl, precise-ttl-replay, got "other"',
  );
  await Promise.all([cloud.stop(), cloud.stop()]);
  expect([byName.status, byArn.status]).toEqual(['ABORTED', 'ABORTED']);
});

test('fails at the start for a definition the interpreter refuses, and says where it stands', async () => {
  const starting = startWith({ States: { A: { Type: 'Pass', InputPath: '$.x', End: true } } });
  await expect(starting).rejects.toThrow(TerraformError);
  await expect(starting).rejects.toThrow(/- aws_sfn_state_machine\..+\.definition: .*QueryLanguage/);
});

const { client } = useLocalDynamoDb();
const [table] = synthesizedCloud(plainStack(configOf(SESSION_DATA))).tables as [TableResource];
const [index] = table.globalIndexes as [TableResource['globalIndexes'][number]];
const KEYS = { UserName: 'S', SessionId: 'S' } as const;

test('makes the table with native TTL off, uses it again, and gives it a stream once', async () => {
  await ensureTable(client, table);
  await ensureTable(client, table);
  // What is wanted may be less than what is there.
  await ensureTable(client, { ...table, globalIndexes: [], attributes: KEYS });
  const ttl = await client.send(new DescribeTimeToLiveCommand({ TableName: table.name }));
  expect(ttl.TimeToLiveDescription?.TimeToLiveStatus).toBe('DISABLED');
  const described = async () =>
    (await client.send(new DescribeTableCommand({ TableName: table.name }))).Table;
  expect((await described())?.StreamSpecification).toBeUndefined();
  const stream = await enableStream(client, table.name);
  expect(await enableStream(client, table.name)).toBe(stream);
  expect((await described())?.StreamSpecification).toEqual({
    StreamEnabled: true,
    StreamViewType: 'OLD_IMAGE',
  });
});

test.each<[string, Partial<TableResource>, RegExp]>([
  [
    'another key',
    {
      rangeKey: undefined as never,
      attributes: { UserName: 'S', expirationWindow: 'S', ExpirationTime: 'N' },
    },
    /keys: expected UserName HASH, got UserName HASH, SessionId RANGE/,
  ],
  [
    'no such index',
    { globalIndexes: [{ ...index, name: 'other' }] },
    /index other: expected expirationWindow HASH, ExpirationTime RANGE, KEYS_ONLY, got none\nnpx precise-ttl adopt --table SessionData adds/,
  ],
  [
    'another projection',
    { globalIndexes: [{ ...index, projection: 'ALL' }] },
    /expected expirationWindow HASH, ExpirationTime RANGE, ALL, got .* KEYS_ONLY/,
  ],
])('fails for a table of that name with %s', async (_, over, expected) => {
  await ensureTable(client, table);
  const second = ensureTable(client, { ...table, ...over });
  await expect(second).rejects.toThrow(LocalCloudError);
  await expect(second).rejects.toThrow(expected);
});
