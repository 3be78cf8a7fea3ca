/** @jest-environment ./test/support/dynamodb-environment.ts */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { CreateStateMachineCommand } from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { COMMANDS } from '../../bin/commands.ts';
import { COMMAND_ACTIONS, type IamAction } from '../../cli/iam-actions.ts';
import { journalName } from '../../functions/journal/layout.ts';
import { writeWatermarks } from '../../functions/journal/write-entries.ts';
import { DynamoDbProxy } from '../../local/dynamodb/proxy.ts';
import {
  ROLE_ARN,
  useStepFunctionsApi,
} from '../../packages/stepfunctions-emulator/test/support/step-functions-api.ts';
import { deploymentOf, EVERY_MINUTE, TICK_INPUT } from '../../stacks/config/deployments.ts';
import { deadLetterQueueOf, replayName, tickName } from '../../stacks/config/names.ts';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';
import { resolveProps } from '../../stacks/config/props.ts';
import { EXECUTION_COUNTS, noCounts } from '../../statemachine/counts.ts';
import { configOf } from '../support/configs.ts';
import { createJournal } from '../support/journal-table.ts';
import { useLocalDynamoDb } from '../support/local-dynamodb.ts';
import { useLoopbackAws } from '../support/loopback-aws.ts';
import { shellCommand } from '../support/shell.ts';
import { tableInput } from '../support/table-input.ts';

const WATCHED: PreciseTtlProps = { tableName: 'Watched', partitionKey: 'id', deployment: 'watched' };
const FAILING: PreciseTtlProps = {
  tableName: 'Failing',
  deployment: 'watched',
  partitionKey: 'id',
  archive: true,
  events: { to: 'arn:aws:events:us-east-1:123456789012:event-bus/default' },
};

type AwsCommand = keyof typeof COMMAND_ACTIONS;

const { client, endpoint } = useLocalDynamoDb();
const sfn = useStepFunctionsApi();
const aws = useLoopbackAws();
const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-actions-test-'));
const CONFIG = join(folder, 'config.json');
const called: string[] = [];
const proxies: DynamoDbProxy[] = [];

/** Records the calls of a service by their names in IAM. @param target the service */
async function recorded(service: string, target: string): Promise<string> {
  const proxy = await DynamoDbProxy.start(target, {
    async handle({ operation, method, url, forward }) {
      called.push(`${service}:${operation ?? `${method} ${url}`}`);
      return forward();
    },
  });
  proxies.push(proxy);
  return proxy.endpoint;
}

async function makeMachine(name: string, States: Record<string, object>): Promise<string> {
  const definition = JSON.stringify({ QueryLanguage: 'JSONata', StartAt: 'First', States });
  const made = await sfn.send(new CreateStateMachineCommand({ name, definition, roleArn: ROLE_ARN }));
  return made.stateMachineArn ?? '';
}

beforeAll(async () => {
  writeFileSync(CONFIG, JSON.stringify(configOf(WATCHED, FAILING)));
  for (const { tableName } of [WATCHED, FAILING]) {
    await client.send(new CreateTableCommand(tableInput({ name: tableName, index: null })));
    const later = String(Math.floor(Date.now() / 1000) + 86_400);
    for (const [id, ttl] of Object.entries({ a: '1', b: later }))
      await client.send(
        new PutItemCommand({ TableName: tableName, Item: { id: { S: id }, ttl: { N: ttl } } }),
      );
  }
  const Output = { tables: { Watched: { ...noCounts(EXECUTION_COUNTS), failedKeys: [] } } };
  for (const machine of ['watched', replayName('watched')])
    await makeMachine(machine, { First: { Type: 'Pass', Output, End: true } });
  await createJournal(client, 'watched');
  const gone = Math.floor(Date.now() / 1000) - 86_400;
  const watermark = { since: 0, gone, at: new Date().toISOString(), shards: 1 };
  const journal = { documents: DynamoDBDocumentClient.from(client), tableName: journalName('watched') };
  await writeWatermarks(journal, watermark.at, { Watched: watermark });
  const deployment = deploymentOf([WATCHED, FAILING].map(resolveProps));
  aws.answers.queues.set(deadLetterQueueOf(deployment.name), 0);
  const Target = { Arn: 'arn', Input: JSON.stringify(TICK_INPUT) };
  const schedule = { State: 'ENABLED', ScheduleExpression: EVERY_MINUTE, Target };
  aws.answers.schedules.set(`${deployment.name}/${tickName(deployment.name)}`, schedule);
});
afterAll(async () => {
  for (const proxy of proxies) await proxy.stop();
  rmSync(folder, { recursive: true, force: true });
});

const CONFIGURED = ['--config', CONFIG];
const TABLE = ['--table', 'Watched'];
const SPAN = ['--from', '2026-01-01T00:00:00Z', '--to', '2026-01-01T01:00:00Z'];

/**
 * Command lines that together make each command call everything that it can call. The calls of `verify` are checked in
 * verify.test.ts.
 */
const LINES: Readonly<Record<Exclude<AwsCommand, 'verify'>, readonly (readonly string[])[]>> = {
  doctor: [CONFIGURED],
  replay: [[...CONFIGURED, ...TABLE, ...SPAN, '--yes']],
  backfill: [[...CONFIGURED, ...TABLE, '--yes']],
  status: [CONFIGURED, [...CONFIGURED, '--history']],
  pause: [[...CONFIGURED, ...TABLE, '--yes']],
  resume: [[...CONFIGURED, ...TABLE, '--yes']],
  adopt: [[...TABLE, '--by', 'window', '--ttl-attribute', 'ttl', '--region', 'us-east-1', '--yes']],
};

/** DynamoDB Local would delete at once; without alarms no topic is known. */
const ON_AWS_ONLY = ['dynamodb:UpdateTimeToLive', 'sns:GetTopicAttributes'];

test.each(Object.entries(LINES))(
  '%s calls all that is listed as its actions in IAM, and nothing else',
  async (command, lines) => {
    called.length = 0;
    aws.answers.asked.length = 0;
    const environment = {
      AWS_REGION: 'us-east-1',
      AWS_ENDPOINT_URL: aws.endpoint,
      AWS_ENDPOINT_URL_SCHEDULER: aws.endpoint,
      AWS_ENDPOINT_URL_DYNAMODB: await recorded('dynamodb', endpoint),
      AWS_ENDPOINT_URL_SFN: await recorded('states', sfn.endpoint),
    };
    const printed = [];
    for (const line of lines) printed.push(await shellCommand(command)(line, environment));
    const actions = [...new Set([...called, ...aws.answers.asked])].sort();
    const all: readonly IamAction[] = COMMAND_ACTIONS[command as AwsCommand];
    // An action on two resources is listed for each of them.
    const listed = [
      ...new Set(all.flatMap(({ action }) => (ON_AWS_ONLY.includes(action) ? [] : [action]))),
    ].sort();
    expect({ actions, ...(actions.join() !== listed.join() && { printed }) }).toEqual({ actions: listed });
  },
);

test('each command that asks AWS says what it needs, and no other one', async () => {
  for (const [name, { load }] of Object.entries(COMMANDS)) {
    const help = (await load()).help();
    expect([name, help.includes('It needs in IAM: ')]).toEqual([name, help.includes('It asks AWS with ')]);
  }
});
