import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { ListTablesCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { localDynamoDb } from '../../local/dynamodb/clients.ts';
import { isFree } from '../../local/ports.ts';
import {
  type EmulatorProcess,
  startEmulator,
} from '../../packages/stepfunctions-emulator/test/support/emulator-process.ts';
import { sfnClient } from '../../packages/stepfunctions-emulator/test/support/step-functions-api.ts';
import config from '../../precise-ttl.config.ts';
import { freeLocalPorts } from '../support/ports.ts';
import { putSessions } from '../support/put-sessions.ts';

const [TABLE = { tableName: '', partitionKey: '' }] = config.tables;
const PROGRAM = join(import.meta.dirname, '../../bin/precise-ttl.js');

const children: ChildProcess[] = [];
// A test that fails must not leave a local cloud running.
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Runs `npx precise-ttl local` as npm does. */
function run(args: string[], environment: Record<string, string> = {}): EmulatorProcess {
  const running = startEmulator(['local', ...args], { bin: PROGRAM, env: environment });
  children.push(running.child);
  return running;
}

test('serves DynamoDB and Step Functions where it says, shows executions, and leaves nothing behind', async () => {
  const { ports, args } = await freeLocalPorts();
  const dynamoDbPort = ports['--dynamodb-port'];
  const { child, ended, printed, until } = run(
    [...args, '--no-schedules', '--verbose'],
    // The shell may still have the variables of an earlier run.
    { AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${dynamoDbPort}` },
  );
  await until(/Ctrl-C stops/);
  const exported = (name: string) => new RegExp(`^export ${name}=(.*)$`, 'm').exec(printed.stdout)?.[1] ?? '';
  const dynamoDb = localDynamoDb(exported('AWS_ENDPOINT_URL_DYNAMODB'), exported('AWS_REGION'));
  const { TableNames } = await dynamoDb.send(new ListTablesCommand({}));
  expect(TableNames).toEqual(['SessionData', 'precise-ttl-journal']);
  const left = async () => {
    const { Count } = await dynamoDb.send(new ScanCommand({ TableName: 'SessionData', Select: 'COUNT' }));
    return Count;
  };
  const now = Math.floor(Date.now() / 1_000);
  const expired = Array.from({ length: 10 }, (_unused, at) => now - 300 - at);
  const address = { endpoint: exported('AWS_ENDPOINT_URL_DYNAMODB'), region: exported('AWS_REGION') };
  await putSessions(address, TABLE, [...expired, ...expired.map(ttl => ttl + 86_400)]);
  expect(await left()).toBe(20);
  expect(printed.stdout).toMatch(/^ {2}schedules +none fires \(--no-schedules\)$/m);
  const [, openPort] =
    /DynamoDB Local itself listens on port (\d+) of every interface/.exec(printed.stdout) ?? [];
  expect(Number(openPort)).not.toBe(dynamoDbPort);
  expect(await isFree(Number(openPort))).toBe(false);

  const example =
    /^aws stepfunctions start-execution --state-machine-arn (\S+) --input '(.*)' --endpoint-url /m.exec(
      printed.stdout,
    );
  const [, stateMachineArn, input] = example ?? [];
  const sfn = sfnClient(exported('AWS_ENDPOINT_URL_SFN'));
  const { executionArn } = await sfn.send(
    new StartExecutionCommand({ stateMachineArn, input, name: 'by-hand' }),
  );
  await until(/^.* {2}replay {2}SessionData: found 10, deleted 10, .*lag p50 [\d.]+ s, p99 [\d.]+ s$/m);
  const { status } = await sfn.send(new DescribeExecutionCommand({ executionArn }));
  expect(status).toBe('SUCCEEDED');
  expect(await left()).toBe(10);
  dynamoDb.destroy();
  expect(printed.stdout).toMatch(/^\d\d:\d\d:\d\dZ {2}record-metrics +INFO +swept {2}.* found=10 /m);
  expect(printed.stdout).toMatch(/^\d\d:\d\d:\d\dZ {2}record-metrics +METRIC +.*ItemsDeleted=10 /m);

  await sfn.send(
    new StartExecutionCommand({ stateMachineArn, input: '{"from":"x","to":"y"}', name: 'wrong' }),
  );
  const [failure] = await until(/^.* {2}replay {2}FAILED in [\d.]+ s, wrong\n(?: {11}.*\n)+/m);
  expect(failure).toMatch(/^ {11}function +precise-ttl-plan-sweep$/m);
  expect(failure).toMatch(/^ {11}error +InvalidExecutionInputError\n/m);
  expect(failure).toMatch(/from: expected a time in /);

  const role = 'arn:aws:iam::123456789012:role/local';
  const waits = { Type: 'Wait', Seconds: 600, End: true };
  const waiting = await sfn.send(
    new CreateStateMachineCommand({
      name: 'waiting',
      roleArn: role,
      definition: JSON.stringify({ QueryLanguage: 'JSONata', StartAt: 'Wait', States: { Wait: waits } }),
    }),
  );
  await sfn.send(new StartExecutionCommand({ stateMachineArn: waiting.stateMachineArn, name: 'cut-off' }));

  child.kill('SIGINT');
  sfn.destroy();
  expect(await ended).toBe(0);
  expect(printed.stdout).toMatch(/ {2}waiting {2}cut off after [\d.]+ s, as this command was stopped$/m);
  expect(printed.stdout).not.toContain('ABORTED');
  expect(printed.stderr).toBe('');
  for (const port of [...Object.values(ports), Number(openPort)]) expect(await isFree(port)).toBe(true);
});
