/** @jest-environment ./test/support/dynamodb-environment.ts */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { executed } from '../support/executed.ts';
import { useLocalDynamoDb } from '../support/local-dynamodb.ts';

const dynamoDb = useLocalDynamoDb();
const START = [join(import.meta.dirname, '../../bin/precise-ttl.js'), 'start'];

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `npm start` as npm does, and lets a test act on what it prints. */
function run(
  args: string[],
  environment: Record<string, string> = {},
  onOutput: (printed: string, kill: (signal: NodeJS.Signals) => void) => void = () => {},
): Promise<Ended> {
  return new Promise(resolve => {
    const child = spawn(process.execPath, [...START, ...args], { env: { ...process.env, ...environment } });
    const printed = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].on('data', (data: Buffer) => {
        printed[name] += data;
        onOutput(printed.stdout, signal => child.kill(signal));
      });
    }
    child.on('close', status => resolve({ status, ...printed }));
  });
}

test('--help says what it does', async () => {
  const { status, stdout } = await executed('start', ['--help']);
  expect(status).toBe(0);
  for (const flag of ['--minutes', '--rate', '--seed', '--table', '--json']) expect(stdout).toContain(flag);
  for (const status of [0, 1, 2, 3, 130]) expect(stdout).toMatch(new RegExp(`(status: |; |, )${status} `));
});

test.each([
  [
    ['--minuts', '3'],
    '--minuts: expected one of --minutes, --rate, --seed, --table, --by, --archive, --config, --json, --help, got an unknown flag',
  ],
  [['--minutes', '0'], '--minutes: expected a number from 0.1 to 1440, got "0"'],
  [['--rate', 'fast'], '--rate: expected a number from 0.1 to 1000, got "fast"'],
  [
    ['--json', '/no/such/folder/out.json'],
    '--json: expected a file in a folder that can be written to, got "/no/such',
  ],
  [['--json', tmpdir()], '--json: expected a file, got the folder'],
])('fails with status 2 for %p', async (args, message) => {
  const { status, stdout, stderr } = await executed('start', args);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain(message);
  expect(stderr.split('\n')).toHaveLength(1);
});

test('so it does as a process, for a table that the configuration does not have', async () => {
  const { status, stdout, stderr } = await run(['--table', 'Sessions']);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(/^--table: expected one of SessionData, got "Sessions".*\n$/);
});

test('fails for a DynamoDB that is not on this machine, and asks it nothing', async () => {
  const { status, stderr } = await run([], {
    AWS_ENDPOINT_URL_DYNAMODB: 'https://dynamodb.us-east-1.amazonaws.com',
  });
  expect(status).toBe(1);
  expect(stderr.trim()).toMatch(/^AWS_ENDPOINT_URL_DYNAMODB: expected a URL on this machine/);
});

/** Runs a command in a terminal of 80 columns, by `script` of util-linux; Ctrl-C is typed once it shows something. */
function runInTerminal(command: string, until: RegExp): Promise<{ status: number | null; shown: string }> {
  return new Promise(resolve => {
    const child = spawn('script', ['-qec', `stty cols 80 rows 40; exec ${command}`, '/dev/null'], {
      env: { ...process.env, TERM: 'xterm' },
    });
    let shown = '';
    let asked = false;
    child.stdout.on('data', (data: Buffer) => {
      shown += data;
      if (asked || !until.test(shown)) return;
      asked = true;
      child.stdin.write('\u0003');
    });
    child.on('close', status => resolve({ status, shown }));
  });
}

(process.platform === 'linux' ? test : test.skip)(
  'on a terminal sessions are dots, and Ctrl-C gives the terminal back',
  async () => {
    const command = [process.execPath, ...START, '--minutes', '1', '--seed', '1'].join(' ');
    const { status, shown } = await runInTerminal(command, /[\u2801-\u28ff]{3}/);
    expect(status).toBe(130);
    const text = shown.replaceAll('\u001b[', 'ESC');
    const blocks = text.split('ESC?25l')[1]?.split('ESC?25h') ?? [];
    // Hidden once, and shown again before the result.
    expect(blocks).toHaveLength(2);
    expect(blocks[0]).toMatch(/ESC1[01]A.*now .*\+30 s/);
    expect(blocks[0]).toMatch(/look at .*http:\/\/127\.0\.0\.1:\d+\//);
    for (const line of (blocks[0] ?? '').replaceAll(/ESC[?\d;]*[A-Za-z]/g, '').split(/[\r\n]+/))
      expect(/│|written/.test(line) ? line.length : 0).toBeLessThan(80);
    expect(blocks[1]).toMatch(/Interrupted: this is what is known so far/);
    expect(blocks[1]).not.toContain('ESC');
  },
);

test('Ctrl-C stops cleanly: says what is known, exits with 130, leaves no DynamoDB Local', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-start-test-'));
  try {
    const file = join(folder, 'out.json');
    let asked = false;
    const { status, stdout } = await run(['--json', file, '--seed', '1'], {}, (printed, kill) => {
      if (asked || !printed.includes('Ctrl-C stops.')) return;
      asked = true;
      setTimeout(() => kill('SIGINT'), 300);
    });
    expect(status).toBe(130);
    expect(stdout).toContain('Interrupted: this is what is known so far');
    const result = JSON.parse(readFileSync(file, 'utf8'));
    expect(Object.keys(result)).toEqual([
      'written',
      'expired',
      'deleted',
      'liveDeleted',
      'renewedKept',
      'overdue',
      'lagMs',
      'promisedLagMs',
      'verdict',
      'promises',
      'machine',
    ]);
    expect(result.verdict).toBe('interrupted');
    expect(result.written).toBeGreaterThan(0);
    const port = Number(/http:\/\/127\.0\.0\.1:(\d+)/.exec(stdout)?.[1]);
    const answers = await new Promise(resolve => {
      connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    });
    expect(answers).toBe(false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('Ctrl-C removes its table from a DynamoDB Local that was running, and leaves that running', async () => {
  let asked = false;
  const { status, stdout } = await run(
    [],
    { AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.endpoint },
    (printed, kill) => {
      if (asked || !printed.includes('Ctrl-C stops.')) return;
      asked = true;
      kill('SIGINT');
    },
  );
  expect(status).toBe(130);
  expect(stdout).toMatch(/table +SessionData-demo-[0-9a-f]{8},/);
  expect(stdout).toContain(`${dynamoDb.endpoint}, which was running; the table is removed again at the end`);
  expect((await dynamoDb.client.send(new ListTablesCommand({}))).TableNames).toEqual([]);
});
