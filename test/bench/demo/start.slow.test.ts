/** @jest-environment ./test/support/dynamodb-environment.ts */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
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
const PROGRAM = join(import.meta.dirname, '../../../bin/precise-ttl.js');

/** Runs a command in a terminal of 80 columns, by `script` of util-linux; Ctrl-C is typed once it shows something. */
function runInTerminal(command: string, until: RegExp): Promise<{ status: number | null; shown: string }> {
  return new Promise(resolve => {
    const child = spawn('script', ['-qec', `stty cols 80 rows 40; exec ${command}`, '/dev/null'], {
      env: { ...process.env, TERM: 'xterm', AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.endpoint },
    });
    let shown = '';
    let asked = false;
    // A read may end within a character.
    child.stdout.setEncoding('utf8').on('data', (data: string) => {
      shown += data;
      if (asked || !until.test(shown)) return;
      asked = true;
      child.stdin.write('\u0003');
    });
    child.on('close', status => resolve({ status, shown }));
  });
}

(process.platform === 'linux' ? test : test.skip)(
  'on a terminal sessions are dots; Ctrl-C gives the terminal back, and removes the table from a DynamoDB that was running',
  async () => {
    const command = [process.execPath, PROGRAM, 'start', '--minutes', '1', '--seed', '1'].join(' ');
    const { status, shown } = await runInTerminal(command, /\[10A.*now[\s\S]*│(?:.*[\u2801-\u28ff]){3}/);
    expect(status).toBe(130);
    // The terminal shows the key where it comes, even inside of a sequence.
    const text = shown.replaceAll('^C', '').replaceAll('\u001b[', 'ESC');
    const blocks = text.split('ESC?25l')[1]?.split('ESC?25h') ?? [];
    // Hidden once, and shown again before the result.
    expect(blocks).toHaveLength(2);
    expect(blocks[0]).toMatch(/ESC10A.*now .*\+30 s/);
    expect(blocks[0]).toMatch(/look at .*http:\/\/127\.0\.0\.1:\d+\//);
    // A frame ends without a line feed, and the next one begins with a move of the cursor.
    const lines = (blocks[0] ?? '').replaceAll(/ESC\d+A/g, '\n').replaceAll(/ESC[?\d;]*[A-Za-z]/g, '');
    for (const line of lines.split(/[\r\n]+/))
      expect(/│|written/.test(line) ? line : '').toMatch(/^.{0,79}$/);
    expect(blocks[1]).toMatch(/Interrupted: this is what is known so far/);
    expect(blocks[1]).not.toContain('ESC');
    expect((await dynamoDb.client.send(new ListTablesCommand({}))).TableNames).toEqual([]);
  },
);

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
    const table = { ...SESSION_DATA, archive: true } as const;
    await expect(runJob([table], { cloud: { functionsDynamoDbEndpoint } })).rejects.toThrow('no proxy');
    const own = expect.stringMatching(/^SessionData-demo-/);
    const journal = expect.stringMatching(/^demo-.*-journal$/);
    expect(made).toEqual([['SessionData', own, journal], [own]]);
    expect(await everything()).toEqual(before);
  });
});
