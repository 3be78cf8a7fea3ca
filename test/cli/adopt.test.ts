/** @jest-environment ./test/support/dynamodb-environment.ts */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand, DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { parseBody, withBody } from 'aws-on-loopback/dynamodb/answer';
import { DynamoDbProxy } from 'aws-on-loopback/dynamodb/proxy';
import { useLocalDynamoDb } from '../support/local-dynamodb.ts';
import { shellCommand } from '../support/shell.ts';

const { client, endpoint } = useLocalDynamoDb();
const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-adopt-command-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = shellCommand('adopt');

const makeTable = (TableName: string) =>
  client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: 'user', KeyType: 'HASH' },
        { AttributeName: 'at', KeyType: 'RANGE' },
      ],
      AttributeDefinitions: [
        { AttributeName: 'user', AttributeType: 'S' },
        { AttributeName: 'at', AttributeType: 'N' },
      ],
    }),
  );

test('a table that is not there, and one that cannot be adopted: status 2', async () => {
  await makeTable('Refused');
  const local = { AWS_ENDPOINT_URL_DYNAMODB: endpoint };
  const [missing, refused] = await Promise.all([
    run(['--table', 'Missing'], local),
    run(['--table', 'Refused', '--ttl-attribute', 'at'], local),
  ]);
  expect(missing).toMatchObject({ status: 2, stderr: expect.stringContaining('got "Missing"') });
  expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('got its sort key') });
});

test('done: status 0; the block, the file, and every flag', async () => {
  await makeTable('Commanded');
  const file = join(folder, 'out.json');
  const done = await run(
    [
      ...['--table', 'Commanded', '--ttl-attribute', 'expires', '--index-name', 'bySecond', '--yes'],
      ...['--by', 'second', '--region', 'eu-west-1', '--json', file],
    ],
    { AWS_ENDPOINT_URL_DYNAMODB: endpoint, AWS_REGION: 'eu-central-1' },
  );
  expect(done).toMatchObject({ status: 0 });
  expect(done.stdout).toContain(`with region: 'eu-west-1' (docs/adopt.md):

    {
      tableName: 'Commanded',
      existingTable: true,
      partitionKey: 'user',
      sortKey: { name: 'at', type: 'N' },
      ttlAttribute: 'expires',
      index: { by: 'second', name: 'bySecond' },
    },`);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    result: { end: 'done', index: 'built', nativeTtl: 'turned on' },
    configuration: { tableName: 'Commanded', index: { by: 'second', name: 'bySecond' } },
  });
  const { Table } = await client.send(new DescribeTableCommand({ TableName: 'Commanded' }));
  expect(Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName)).toEqual(['bySecond']);
});

test('Ctrl-C while the index is built: status 130, what goes on, and the command to go on with', async () => {
  await makeTable('Stopped');
  let kill: (signal: NodeJS.Signals) => void = () => {};
  const proxy = await DynamoDbProxy.start(endpoint, {
    async handle(call) {
      const answer = await call.forward();
      const { Table: table } = (parseBody(answer.body) ?? {}) as {
        Table?: { GlobalSecondaryIndexes?: object[] };
      };
      if (call.operation !== 'DescribeTable' || table?.GlobalSecondaryIndexes === undefined) return answer;
      kill('SIGINT');
      const creating = table.GlobalSecondaryIndexes.map(index => ({ ...index, IndexStatus: 'CREATING' }));
      return withBody(answer, { Table: { ...table, GlobalSecondaryIndexes: creating } });
    },
  });
  try {
    const { status, stdout, stderr } = await run(
      ['--table', 'Stopped', '--ttl-attribute', 'ttl'],
      { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint },
      child => {
        kill = signal => child.kill(signal);
      },
    );
    expect({ status, stderr: stderr.trim() }).toEqual({
      status: 130,
      stderr:
        'Interrupted. The same command goes on:\n  npx precise-ttl adopt --table Stopped --ttl-attribute ttl',
    });
    expect(stdout).toContain('Interrupted: DynamoDB goes on building the index expirySecondIndex by itself.');
  } finally {
    await proxy.stop();
  }
});
