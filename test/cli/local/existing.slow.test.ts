/** @jest-environment ./test/support/dynamodb-environment.ts */

import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { StartExecutionCommand } from '@aws-sdk/client-sfn';
import { localDynamoDb } from 'aws-on-loopback/dynamodb/clients';
import type { PreciseTtlProps } from '../../../config/props.ts';
import {
  type EmulatorProcess,
  exportedBy,
  startEmulator,
} from '../../../stepfunctions-emulator/test/support/emulator-process.ts';
import { sfnClient } from '../../../stepfunctions-emulator/test/support/step-functions-api.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';
import { freeLocalPorts } from '../../support/local-ports.ts';
import { awsCommandIn } from '../../support/shell-words.ts';

// Other differences of existing tables are tested in test/local/dynamodb/existing-table.test.ts.

const PROGRAM = join(import.meta.dirname, '../../../bin/precise-ttl.js');
const dynamo = useLocalDynamoDb();
const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-existing-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const children: ChildProcess[] = [];
// A test that fails must not leave a local cloud running.
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

const WINDOWS: PreciseTtlProps = { tableName: 'Windows', partitionKey: 'id', existingTable: true };
const SECONDS: PreciseTtlProps = {
  ...{ tableName: 'Seconds', partitionKey: 'owner', sortKey: { name: 'no', type: 'N' } },
  ...{ existingTable: true, index: { by: 'second' } },
};

/** Runs `npx precise-ttl local` on these tables, as npm does. */
async function run(
  tables: readonly PreciseTtlProps[],
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<EmulatorProcess> {
  const config = join(folder, 'config.json');
  writeFileSync(config, JSON.stringify({ region: 'eu-west-1', tables }));
  const { args: ports } = await freeLocalPorts();
  const flags = ['local', '--config', config, '--no-schedules', ...ports, ...args];
  const running = startEmulator(flags, { bin: PROGRAM, env: environment });
  children.push(running.child);
  return running;
}

const indexOf = async (client: DynamoDBClient, TableName: string) => {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  return Table?.GlobalSecondaryIndexes?.flatMap(({ KeySchema = [] }) =>
    KeySchema.map(({ AttributeName }) => AttributeName),
  );
};

test('in a DynamoDB Local of its own, existing tables are made as they are configured, and swept', async () => {
  // The table by window comes first: the seeded hour takes a query for each of its 60 windows, but by second one for each
  // second.
  const local = await run([WINDOWS, SECONDS], ['--seed', '10']);
  await local.until(/Ctrl-C stops/);
  const { AWS_ENDPOINT_URL_DYNAMODB = '', AWS_ENDPOINT_URL_SFN = '' } = exportedBy(local);
  const client = localDynamoDb(AWS_ENDPOINT_URL_DYNAMODB, 'eu-west-1');
  const sfn = sfnClient(AWS_ENDPOINT_URL_SFN);
  try {
    expect(await indexOf(client, 'Windows')).toEqual(['expirationWindow', 'ttl']);
    expect(await indexOf(client, 'Seconds')).toEqual(['ttl']);
    expect((await client.send(new ScanCommand({ TableName: 'Windows' }))).Count).toBe(10);
    const [, stateMachineArn, input] =
      /start-execution --state-machine-arn (\S+) --input '(.*)' --endpoint-url /.exec(local.printed.stdout) ??
      [];
    await sfn.send(new StartExecutionCommand({ stateMachineArn, input, name: 'by-hand' }));
    await local.until(/replay +5 deleted .* {2}Windows$/m);
  } finally {
    client.destroy();
    sfn.destroy();
  }
  local.child.kill('SIGINT');
  expect(await local.ended).toBe(0);
});

test('in one that was running, a missing table is told with its command; afterwards it starts, and seeds nothing', async () => {
  const attached = { AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint };
  const missing = await run([SECONDS, WINDOWS], [], attached);
  expect(await missing.ended).toBe(1);
  expect(missing.printed.stderr.match(/aws dynamodb create-table --table-name \w+/g)).toEqual([
    'aws dynamodb create-table --table-name Seconds',
    'aws dynamodb create-table --table-name Windows',
  ]);
  const { command, flags, json } = awsCommandIn(missing.printed.stderr);
  expect(command).toBe('create-table');
  expect(flags).toMatchObject({ '--endpoint-url': dynamo.endpoint, '--region': 'eu-west-1' });
  await dynamo.client.send(
    new CreateTableCommand({
      TableName: flags['--table-name'],
      BillingMode: flags['--billing-mode'] as 'PAY_PER_REQUEST',
      KeySchema: json('--key-schema'),
      AttributeDefinitions: json('--attribute-definitions'),
      GlobalSecondaryIndexes: json('--global-secondary-indexes'),
    }),
  );
  expect(await indexOf(dynamo.client, 'Seconds')).toEqual(['ttl']);
  const seeding = await run([SECONDS], ['--seed', '10'], attached);
  expect(await seeding.ended).toBe(2);
  expect(seeding.printed.stderr).toMatch(/^--seed: expected a first table that is made here, got Seconds/);
  expect((await dynamo.client.send(new ScanCommand({ TableName: 'Seconds' }))).Count).toBe(0);
});
