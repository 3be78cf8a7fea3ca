/** @jest-environment ./test/support/dynamodb-environment.ts */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
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
  const { status, stdout } = await run(['--help']);
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
  [['--table', 'Sessions'], '--table: expected one of SessionData, got "Sessions"'],
])('fails with status 2 for %p', async (args, message) => {
  const { status, stdout, stderr } = await run(args);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain(message);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test('fails for a DynamoDB that is not on this machine, and asks it nothing', async () => {
  const { status, stderr } = await run([], {
    AWS_ENDPOINT_URL_DYNAMODB: 'https://dynamodb.us-east-1.amazonaws.com',
  });
  expect(status).toBe(1);
  expect(stderr.trim()).toMatch(/^AWS_ENDPOINT_URL_DYNAMODB: expected a URL on this machine/);
});

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
