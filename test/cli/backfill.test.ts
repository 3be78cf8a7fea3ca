/** @jest-environment ./test/support/dynamodb-environment.ts */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { BackfillError } from '../../cli/backfill/errors.ts';
import { type BackfillJobOptions, runBackfill } from '../../cli/backfill/job.ts';
import { FlagError } from '../../cli/flags.ts';
import { sfnClient } from '../../stepfunctions-emulator/test/support/step-functions-api.ts';
import { dynamoDbOfFile } from '../support/local-dynamodb.ts';
import { type ServedMachines, serveMachines } from '../support/served-machines.ts';
import { shellCommand } from '../support/shell-command.ts';
import { configOf } from '../support/synthesized.ts';

const TABLE = { tableName: 'Filled', partitionKey: 'id', backfill: true } as const;
const MACHINE = 'precise-ttl-Filled-backfill';

const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-backfill-test-'));
const RESULT = join(folder, 'out.json');
const CONFIG = join(folder, 'config.json');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const backfill = shellCommand('backfill');

const NOWHERE = { AWS_ENDPOINT_URL_SFN: 'http://127.0.0.1:9' };

test('--help says what it does', async () => {
  const { status, stdout } = await backfill(['--help'], {});
  expect(status).toBe(0);
  for (const flag of ['--table', '--rate', '--segments', '--dry-run', '--config', '--yes', '--json'])
    expect(stdout).toContain(flag);
});

test.each([
  [['--rate', '0'], '--rate: expected a whole number from 1 to 10000, got "0"'],
  [['--segments', '351'], '--segments: expected a whole number from 1 to 350, got "351"'],
  [['--json', '/no/such/folder/out.json'], '--json: expected a file in a folder that can be written'],
])('fails with status 2 for %p', async (args, message) => {
  const { status, stdout, stderr } = await backfill(args, NOWHERE);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain(message);
});

test('the table of the checkout has no backfill, and the command says what to do', async () => {
  const { status, stdout, stderr } = await backfill([], NOWHERE);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toContain(
    'table SessionData: expected backfill: true in the configuration, got false; add it and deploy',
  );
});

/** The job without a process, of which nothing is asked. */
function job(options: Partial<BackfillJobOptions>) {
  const printed: string[] = [];
  const end = runBackfill({
    table: undefined,
    input: { segments: 2, ratePerSecond: 1000, dryRun: false },
    resultFile: undefined,
    config: configOf(TABLE),
    connect: () => {
      throw new Error('connected');
    },
    sizeOf: async () => undefined,
    confirm: async () => true,
    now: Date.now,
    print: text => void printed.push(text),
    signal: new AbortController().signal,
    ...options,
  });
  return { end, printed };
}

const OTHER = { tableName: 'Other', partitionKey: 'id' };
test.each<[Partial<BackfillJobOptions>, new (...args: never[]) => Error, string]>([
  [{ table: 'Nope' }, FlagError, '--table: expected one of Filled, got "Nope"'],
  [
    { config: configOf(TABLE, OTHER) },
    FlagError,
    '--table: expected one of Filled, Other, got none; this is for one table',
  ],
  [{ config: configOf(TABLE, OTHER), table: 'Other' }, BackfillError, 'table Other: expected backfill: true'],
  [
    { config: configOf({ ...OTHER, indexedBy: 'second' }) },
    BackfillError,
    "table Other: expected one that is indexed by window, got indexedBy: 'second'",
  ],
])('refuses %p before it connects', async (options, kind, message) => {
  const { end } = job(options);
  await expect(end).rejects.toThrow(kind);
  await expect(end).rejects.toThrow(message);
});

describe('against the local Step Functions', () => {
  let served: ServedMachines;
  beforeAll(async () => {
    writeFileSync(CONFIG, JSON.stringify(configOf(TABLE)));
    served = await serveMachines(configOf(TABLE), 'backfill-segment');
    const ttl = Math.floor(Date.now() / 1000) + 3600;
    for (const id of ['a', 'b', 'c']) await put({ id, ttl });
    await put({ id: 'no ttl' });
    await put({ id: 'milliseconds', ttl: ttl * 1000 });
  }, 60_000);
  afterAll(() => served?.stop());

  const documents = () => DynamoDBDocumentClient.from(served.cloud.client);
  const put = (Item: object) => documents().send(new PutCommand({ TableName: TABLE.tableName, Item }));
  const stamped = async () => {
    const { Items = [] } = await documents().send(new ScanCommand({ TableName: TABLE.tableName }));
    return Items.filter(item => 'expirationWindow' in item).length;
  };
  const local = () => ({
    AWS_ENDPOINT_URL_SFN: served.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: dynamoDbOfFile().endpoint,
  });
  const run = (args: readonly string[], onStart?: Parameters<typeof backfill>[2]) =>
    backfill(['--config', CONFIG, '--segments', '3', ...args], local(), onStart);
  const inProcess = (options: Partial<BackfillJobOptions> = {}) =>
    job({
      connect: () => ({ sfn: sfnClient(served.endpoint), endpoint: () => new URL(served.endpoint) }),
      ...options,
    });

  test('a dry run counts, says what it would take, and writes nothing', async () => {
    const { status, stdout, stderr } = await run(['--dry-run', '--rate', '7', '--json', RESULT]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(`table       Filled, state machine ${MACHINE}`);
    expect(stdout).toContain('rate        at most 7 writes a second; 3 segments, 3 at a time');
    expect(stdout).toContain('items       about 5, ');
    expect(stdout).toMatch(/to stamp +3 {2}its window would be written/);
    expect(stdout).toMatch(/refused: milliseconds +1 {2}the TTL has 13 or 14 digits/);
    expect(stdout).toContain('Nothing was written.');
    expect(stdout).not.toContain(served.cloud.synthesized.account);
    expect(JSON.parse(readFileSync(RESULT, 'utf8'))).toMatchObject({
      table: 'Filled',
      status: 'SUCCEEDED',
      input: { segments: 3, ratePerSecond: 7, dryRun: true },
      estimate: { writeUnits: 0 },
      scanned: 5,
      toStamp: 3,
      withoutTtl: 1,
      refused: { milliseconds: 1 },
    });
    expect(await stamped()).toBe(0);
  }, 60_000);

  test('Ctrl-C leaves the execution running; the same command follows it to its end', async () => {
    let open = () => undefined as unknown;
    served.calls.gate = new Promise(resolve => {
      open = () => resolve();
    });
    const first = await run([], child => {
      let printed = '';
      child.stdout.on('data', function follow(data: Buffer) {
        printed += data;
        if (!printed.includes('0 of 3 segments')) return;
        // Once: a second one, when the command has ended what it does, would end the process as it ends any.
        child.stdout.off('data', follow);
        child.kill('SIGINT');
      });
    });
    expect(first.status).toBe(130);
    expect(first.stderr).toContain('Interrupted; the execution goes on.');
    expect(first.stderr).toMatch(
      /aws stepfunctions stop-execution --execution-arn arn:aws:states:us-east-1:\d+:execution:precise-ttl-Filled-backfill:backfill-\S+ --endpoint-url http/,
    );
    const { end, printed } = inProcess({
      print: text => {
        printed.push(text);
        open();
      },
    });
    expect(await end).toEqual({ end: 'done' });
    expect(printed[0]).toMatch(/^backfill-\S+ is running: this follows it/);
    expect(printed.join('\n')).toMatch(/stamped +3 {2}its window was written/);
    expect(await stamped()).toBe(3);
  }, 60_000);

  test('run again it finds all to be right; what is declined or fails is told', async () => {
    const again = inProcess();
    expect(await again.end).toEqual({ end: 'done' });
    expect(again.printed.join('\n')).toMatch(/right already +3 /);
    expect(again.printed.join('\n')).toContain('items       unknown: AWS_ENDPOINT_URL_DYNAMODB says where');

    const elsewhere = () => ({
      sfn: sfnClient(served.endpoint),
      endpoint: () => new URL('https://states.example'),
    });
    const declined = inProcess({ connect: elsewhere, confirm: async () => false });
    expect(await declined.end).toEqual({ end: 'declined' });

    served.calls.fail = true;
    const failing = inProcess({ resultFile: RESULT });
    expect(await failing.end).toEqual({ end: 'failed' });
    expect(failing.printed.join('\n')).toMatch(/segments left +2 {2}of 2/);
    expect(JSON.parse(readFileSync(RESULT, 'utf8'))).toMatchObject({
      status: 'FAILED',
      segmentsIncomplete: 2,
    });
    served.calls.fail = false;
  }, 60_000);

  test('a table that is not there is told', async () => {
    const other = join(folder, 'missing.json');
    writeFileSync(
      other,
      JSON.stringify(configOf({ ...TABLE, tableName: 'Missing', name: 'precise-ttl-Filled' })),
    );
    expect(await backfill(['--config', other], local())).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('table: expected one that exists in us-east-1, got "Missing"'),
    });
  });

  test('a state machine that is not there yet is told', async () => {
    const { end } = inProcess({ config: configOf({ ...TABLE, name: 'other' }) });
    await expect(end).rejects.toThrow('state machine: expected other-backfill');
  });
});
