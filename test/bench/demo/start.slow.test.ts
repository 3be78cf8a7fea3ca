/** @jest-environment ./test/support/dynamodb-environment.ts */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

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
