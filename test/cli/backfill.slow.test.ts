/** @jest-environment ./test/support/dynamodb-environment.ts */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { Clients } from '../../operate/aws/clients.ts';
import { prepareBackfill } from '../../operate/backfill.ts';
import type { BackfillOptions } from '../../operate/changes.ts';
import { BackfillError } from '../../operate/errors.ts';
import { sfnClient } from '../../stepfunctions-emulator/test/support/step-functions-api.ts';
import { configOf } from '../support/configs.ts';
import { dynamoDbOfFile } from '../support/local-dynamodb.ts';
import { type ServedMachines, serveMachines } from '../support/served-machines.ts';
import { sessionOf } from '../support/session.ts';
import { shellCommand } from '../support/shell-command.ts';

const TABLE = { tableName: 'Filled', partitionKey: 'id', index: { backfill: true } } as const;
const MACHINE = 'precise-ttl-Filled-backfill';

const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-backfill-test-'));
const RESULT = join(folder, 'out.json');
const CONFIG = join(folder, 'config.json');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const backfill = shellCommand('backfill');

const NOWHERE = { AWS_ENDPOINT_URL_SFN: 'http://127.0.0.1:9' };

test('the table of the checkout has no backfill, and the command says what to do', async () => {
  const { status, stdout, stderr } = await backfill([], NOWHERE);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toContain(
    'table SessionData: expected index: { backfill: true } in the configuration, got false; add it and deploy',
  );
});

const OTHER = { tableName: 'Other', partitionKey: 'id' };
test.each<[Partial<BackfillOptions>, string]>([
  [{ config: configOf(TABLE, OTHER), table: 'Other' }, 'table Other: expected index: { backfill: true }'],
  [
    { config: configOf({ ...OTHER, index: { by: 'second' } }) },
    "table Other: expected one that is indexed by window, got index: { by: 'second' }",
  ],
])('refuses %p before it asks AWS', async (options, message) => {
  const prepared = prepareBackfill({ config: configOf(TABLE), clients: {} as Clients, ...options });
  await expect(prepared).rejects.toThrow(BackfillError);
  await expect(prepared).rejects.toThrow(message);
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
    backfill(['--config', CONFIG, ...args], local(), onStart);
  const inProcess = async (options: Partial<BackfillOptions> = {}) => {
    const sfn = sfnClient(served.endpoint);
    const clients = { ...sessionOf({ sfn, isBeside: () => false }).clients, sfn };
    return prepareBackfill({ config: configOf(TABLE), input: { segments: 2 }, clients, ...options });
  };

  test('a dry run counts, says what it would take, and writes nothing', async () => {
    const { status, stdout, stderr } = await run([
      '--dry-run',
      '--segments',
      '3',
      '--rate',
      '7',
      '--json',
      RESULT,
    ]);
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
    const first = await run(['--segments', '3'], child => {
      let printed = '';
      child.stderr.on('data', function follow(data: Buffer) {
        printed += data;
        if (!printed.includes('0 of 3 segments')) return;
        // Only once: a second signal after the end of the command would end the process like any other.
        child.stderr.off('data', follow);
        child.kill('SIGINT');
      });
    });
    expect(first.status).toBe(130);
    expect(first.stderr).toContain('Interrupted; the execution goes on.');
    expect(first.stderr).toMatch(
      /aws stepfunctions stop-execution --execution-arn arn:aws:states:us-east-1:\d+:execution:precise-ttl-Filled-backfill:backfill-\S+ --endpoint-url http/,
    );
    const { facts, apply } = await inProcess({ onProgress: open });
    expect(facts.running).toMatch(/^backfill-/);
    expect(await apply()).toMatchObject({ status: 'SUCCEEDED', execution: facts.running, stamped: 3 });
    expect(await stamped()).toBe(3);
  }, 60_000);

  test('run again it finds all to be right; what fails is told', async () => {
    const again = await inProcess();
    expect(again.facts).toMatchObject({ running: undefined, size: undefined, estimate: undefined });
    expect(await again.apply()).toMatchObject({ status: 'SUCCEEDED', rightAlready: 3 });

    served.calls.fail = true;
    const failing = await inProcess();
    expect(await failing.apply()).toMatchObject({ status: 'FAILED', segmentsIncomplete: 2 });
    const { status, stdout, stderr } = await run(['--segments=2']);
    served.calls.fail = false;
    expect(status).toBe(1);
    expect(stdout).toMatch(/segments left +2 {2}of 2/);
    expect(stderr).toContain(`npx precise-ttl backfill --config ${CONFIG} --segments=2`);
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
    await expect(inProcess({ config: configOf({ ...TABLE, name: 'other' }) })).rejects.toThrow(
      'state machine: expected other-backfill',
    );
  });
});
