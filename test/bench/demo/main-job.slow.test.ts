/** @jest-environment ./test/support/dynamodb-environment.ts */
import { ListTablesCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { DescribeStreamCommand, ListStreamsCommand } from '@aws-sdk/client-dynamodb-streams';
import { localDynamoDbStreams } from '../../../local/dynamodb/clients.ts';
import { ensureTable } from '../../../local/dynamodb/tables.ts';
import { LocalCloudError } from '../../../local/errors.ts';
import { synthesizedCloud } from '../../../local/stack/synthesized.ts';
import { plainStack } from '../../../stacks/app.ts';
import { configOf, SESSION_DATA } from '../../support/configs.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';
import { runJob } from '../../support/main-job.ts';

const dynamoDb = useLocalDynamoDb();
const streams = localDynamoDbStreams(dynamoDb.endpoint, 'us-east-1');
afterAll(() => streams.destroy());

describe('in a DynamoDB that has a table of that name', () => {
  /** The names of enabled streams: DynamoDB keeps the disabled stream of a deleted table for a day, and no request removes it. */
  const enabledStreams = async () => {
    const { Streams = [] } = await streams.send(new ListStreamsCommand({}));
    const described = await Promise.all(
      Streams.map(({ StreamArn }) => streams.send(new DescribeStreamCommand({ StreamArn }))),
    );
    return described.flatMap(({ StreamDescription: stream }) =>
      stream?.StreamStatus === 'DISABLED' ? [] : [stream?.TableName],
    );
  };
  const everything = async () => ({
    tables: (await dynamoDb.client.send(new ListTablesCommand({}))).TableNames,
    items: (await dynamoDb.client.send(new ScanCommand({ TableName: 'SessionData' }))).Items,
    streams: await enabledStreams(),
  });
  let before: Awaited<ReturnType<typeof everything>>;

  beforeAll(async () => {
    const [table] = synthesizedCloud(plainStack(configOf(SESSION_DATA))).tables;
    if (table === undefined) throw new Error('nothing was synthesized');
    await ensureTable(dynamoDb.client, table);
    // The item expired hours ago, in a window that the sweep reads.
    const window = '2026-11-20T08:55:00.000Z_2026-11-20T08:56:00.000Z';
    await dynamoDb.client.send(
      new PutItemCommand({
        TableName: 'SessionData',
        Item: {
          UserName: { S: 'somebody' },
          SessionId: { S: 'else' },
          expirationWindow: { S: window },
          ExpirationTime: { N: String(Date.parse('2026-11-20T08:55:30Z') / 1000) },
        },
      }),
    );
    before = await everything();
    expect(before).toMatchObject({ tables: ['SessionData'], items: [{}], streams: [] });
  });

  test('nothing of it is touched, and nothing is left', async () => {
    const { result } = await runJob([SESSION_DATA], { minutes: 0.2 });
    expect(result.deleted).toBeGreaterThan(3);
    expect(await everything()).toEqual(before);
  });

  test('nor when the cloud cannot be started after the table was made', async () => {
    const made: unknown[] = [];
    const functionsDynamoDbEndpoint = async (): Promise<never> => {
      const { tables, streams } = await everything();
      made.push(tables, streams);
      throw new LocalCloudError('no proxy');
    };
    await expect(runJob([SESSION_DATA], { cloud: { functionsDynamoDbEndpoint } })).rejects.toThrow(
      'no proxy',
    );
    const own = expect.stringMatching(/^SessionData-demo-/);
    const journal = expect.stringMatching(/^demo-.*-journal$/);
    expect(made).toEqual([
      ['SessionData', own, journal],
      [journal, own],
    ]);
    expect(await everything()).toEqual(before);
  });
});
