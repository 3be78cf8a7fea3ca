// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references

import { DynamodbTable } from '@cdktf/provider-aws/lib/dynamodb-table/index.js';
import { KmsKey } from '@cdktf/provider-aws/lib/kms-key/index.js';
import { AwsProvider } from '@cdktf/provider-aws/lib/provider/index.js';
import { SnsTopic } from '@cdktf/provider-aws/lib/sns-topic/index.js';
import { SqsQueue } from '@cdktf/provider-aws/lib/sqs-queue/index.js';
import { TerraformOutput, TerraformStack, Testing } from 'cdktf';
import { PreciseTtl, PreciseTtlStack } from '../../stacks/cdktf.ts';
import type { ConstructProps } from '../../stacks/precise-ttl.ts';
import { TASKS } from '../../statemachine/contract/machines.ts';
import { SESSION_DATA } from '../support/configs.ts';
import {
  type Resource,
  resources,
  rolesIn,
  settingsIn,
  sweptTables,
  type TerraformJson,
} from '../support/synthesized.ts';

/** A stack as a team has it, into which constructs go. */
function ownStack(): TerraformStack {
  const stack = new TerraformStack(Testing.app(), 'own');
  new AwsProvider(stack, 'aws', { region: 'eu-central-1' });
  return stack;
}

function synthesizedStack(stack: TerraformStack): TerraformJson {
  return JSON.parse(Testing.synth(stack));
}

// What a team does with the construct in a stack of its own.

const sessionsIn = (stack: TerraformStack) =>
  new DynamodbTable(stack, 'sessions', {
    name: 'Sessions',
    hashKey: 'id',
    attribute: [{ name: 'id', type: 'S' }],
  });

/** A table that the deployment knows by its name. */
const GIVEN = {
  name: 'Sessions',
  arn: 'arn:aws:dynamodb:eu-central-1:123456789012:table/Sessions',
};
const STREAM = `${GIVEN.arn}/stream/2026-11-22T02:38:23.123`;
const QUEUE = 'arn:aws:sqs:eu-central-1:123456789012:expiries';

const construct = (props: object, stack = ownStack()) =>
  new PreciseTtl(
    stack,
    'ttl',
    ('tables' in props ? props : { partitionKey: 'id', ...props }) as ConstructProps,
  );

test('a table of the same stack is swept by reference, with what else the stack makes', () => {
  const stack = ownStack();
  const table = sessionsIn(stack);
  const { arn: kmsKeyArn } = new KmsKey(stack, 'key', {});
  const topic = new SnsTopic(stack, 'on-call', { name: 'on-call' });
  const queue = new SqsQueue(stack, 'expiries', { name: 'expiries' });
  const sweep = construct(
    {
      ...{
        table: { name: table.name, arn: table.arn, streamArn: table.streamArn },
        deployment: 'sessions-ttl',
      },
      ...{ index: { by: 'second' }, kmsKeyArn, tableKmsKeyArn: kmsKeyArn, alarms: topic.arn },
      events: { to: queue.arn, as: 'queue' },
    },
    stack,
  );
  const json = synthesizedStack(stack);
  expect(sweptTables(json)).toMatchObject([{ name: 'Sessions' }]);
  expect(Object.keys(json.data)).not.toContain('aws_dynamodb_table');
  expect(settingsIn(json)).toMatchObject([
    { tableName: '${aws_dynamodb_table.sessions.name}', indexName: 'expirySecondIndex' },
  ]);
  const { 'sessions-ttl-query-expired': query, 'sessions-ttl-delete-chunk': deletion } = rolesIn(json);
  expect(query).toContain('dynamodb:Query on ${aws_dynamodb_table.sessions.arn}/index/expirySecondIndex');
  expect(query?.join()).toContain('kms:Decrypt, kms:DescribeKey on ${aws_kms_key.key.arn} if ');
  expect(deletion).toContain('dynamodb:PartiQLDelete on ${aws_dynamodb_table.sessions.arn}');
  expect(resources(json, 'aws_pipes_pipe')).toMatchObject([
    { source: '${aws_dynamodb_table.sessions.stream_arn}', target: '${aws_sqs_queue.expiries.arn}' },
  ]);
  expect(Object.keys(sweep.pipes?.pipes ?? {})).toEqual(['sessions-ttl-queue']);
  for (const { alarm_actions: actions } of resources(json, 'aws_cloudwatch_metric_alarm'))
    expect(actions).toEqual(['${aws_sns_topic.on-call.arn}']);
});

test('what it exposes refers to the resource of that name, and the name of a given table names all of it', () => {
  const stack = ownStack();
  const ttl = construct({ table: { ...GIVEN, streamArn: STREAM }, archive: true }, stack);
  const { functions, tick, replay, journal, schedules, tables } = ttl;
  const made = { ...functions, tick, replay, schedule: schedules.tick, queue: schedules.deadLetterQueue };
  const arns = Object.entries(made).map(([name, { arn }]) => [name, arn]);
  new TerraformOutput(stack, 'out', {
    value: { ...Object.fromEntries(arns), journal: journal.tableArn, index: tables[0]?.indexArn },
  });
  const json = synthesizedStack(stack);
  const nameOf = (reference: string) => {
    const [, type = '', block = ''] = /^\$\{(\w+)\.([\w-]+)\.arn\}$/.exec(reference) ?? [];
    const resource = json.resource[type]?.[block] ?? {};
    return resource['name'] ?? resource['function_name'] ?? reference;
  };
  const prefix = 'precise-ttl-Sessions';
  const exposed = Object.entries<string>(json.output['out']?.value as unknown as Record<string, string>);
  expect(Object.fromEntries(exposed.map(([name, arn]) => [name, nameOf(arn)]))).toEqual({
    ...Object.fromEntries(Object.entries(TASKS).map(([task, file]) => [task, `${prefix}-${file}`])),
    tick: prefix,
    replay: `${prefix}-replay`,
    schedule: `${prefix}-tick`,
    queue: `${prefix}-dead-letters`,
    journal: `${prefix}-journal`,
    index: `${GIVEN.arn}/index/expirationWindowIndex`,
  });
  for (const [each, main] of [
    [ttl, tick.stateMachine],
    [functions.PlanSweep, functions.PlanSweep.function],
    [functions.PlanSweep.role, functions.PlanSweep.role.role],
    [schedules, schedules.tick],
    [journal, journal.table],
  ] as const)
    expect(each.node.defaultChild).toBe(main);
});

test('many tables of a stack are swept by one deployment, which has its name and what stands beside them', () => {
  const stack = ownStack();
  const ttl = new PreciseTtl(stack, 'ttl', {
    ...{ deployment: 'identity', dashboard: true },
    tables: [SESSION_DATA, { table: sessionsIn(stack), partitionKey: 'id' }],
  });
  new TerraformOutput(stack, 'config', { value: ttl.configuration });
  const json = synthesizedStack(stack);
  expect(json.output['config']?.value).toMatchObject({
    tables: [
      { deployment: 'identity', dashboard: true, existingTable: true, partitionKey: 'UserName' },
      { deployment: 'identity', tableName: '${aws_dynamodb_table.sessions.name}' },
    ],
  });
  expect(resources(json, 'aws_cloudwatch_dashboard')).toMatchObject([{ dashboard_name: 'identity' }]);
  expect(settingsIn(json)).toMatchObject([
    { tableName: expect.stringMatching(/SessionData_table/) },
    { tableName: '${aws_dynamodb_table.sessions.name}' },
  ]);
  expect(ttl.tables.map(({ props }) => props.name)).toEqual(['identity-SessionData', 'identity-sessions']);
  const made = Object.entries(json.resource).flatMap(([type, named]) =>
    Object.entries(named).map(([name, resource]) => ({ ...resource, address: `${type}.${name}` })),
  );
  const addresses = made.map(({ address }) => address);
  for (const { depends_on: on } of made as readonly Resource[])
    expect(addresses).toEqual(expect.arrayContaining((on as string[] | undefined) ?? []));
});

test('a table may have the name of a part', () => {
  const { node } = construct({ tableName: 'Sessions', archive: true, dashboard: true });
  const ids = node.children.map(({ node: { id } }) => id);
  const names = ids.filter(id => !id.startsWith('first-deploy'));
  expect(names).toContain('dashboard');
  expect(() => {
    construct({ dashboard: true, tables: names.map(tableName => ({ tableName, partitionKey: 'id' })) });
  }).not.toThrow();
});

test('two deployments of a stack have names with which no role has that of another', () => {
  const stack = ownStack();
  construct({ tableName: 'Sessions' }, stack);
  const other = () => new PreciseTtl(stack, 'other', { tableName: 'sessions', partitionKey: 'id' });
  expect(other).toThrow(/deployment: expected a name with which .* Give one of them another deployment/);
});

const token = () => sessionsIn(ownStack()).hashKey;
const OTHER = { tableName: 'Tokens', partitionKey: 'id', dashboard: true };
const refused: [props: object, message: string | RegExp][] = [
  [{ tableName: token() }, 'Pass table: { name, arn } instead'],
  [{ tableName: 'Sessions', partitionKey: token() }, /partitionKey: .* and no token/],
  [{ table: GIVEN, index: { attribute: token() } }, /index\.attribute: .* and no token/],
  [{ tableName: 'Sessions', table: GIVEN }, 'tableName: expected nothing beside'],
  [{}, 'tableName: expected a table name'],
  [{ table: GIVEN, existingTable: true }, 'existingTable: expected nothing beside'],
  [{ table: { name: 'Sessions' } }, 'table.arn: expected the ARN of a DynamoDB table, got nothing'],
  [{ table: { ...GIVEN, arn: `${GIVEN.arn}/index/a` } }, 'table.arn: expected the'],
  [{ table: { ...GIVEN, name: 'a b' } }, 'table.name: expected a table name'],
  [{ table: 'Sessions' }, 'table: expected { name, arn } of a table, and its streamArn, got "Sessions"'],
  [{ table: { ...GIVEN, name: '${x.y.name}' } }, 'deployment: expected a name for the deployment'],
  [{ table: GIVEN, archive: true }, /table\.streamArn: expected .* because of archive, got nothing/],
  [{ table: GIVEN, events: { to: QUEUE } }, /table\.streamArn: expected .* because of events/],
  [{ table: { ...GIVEN, streamArn: GIVEN.arn } }, "streamArn: expected the ARN of the table's stream"],
  [{ tables: [] }, 'tables: expected a list of at least one table'],
  [{ tables: [SESSION_DATA], shards: 2 }, 'shards: expected'],
  [{ tables: [SESSION_DATA, OTHER] }, 'tables[1].dashboard: expected false, as tables[0] (SessionData)'],
];

test.each(refused)('%j is refused', (props, message) => {
  expect(() => construct(props)).toThrow(message);
});

test('a table without a stream is swept without a pipe', () => {
  expect(construct({ table: GIVEN, archive: false }).pipes).toBeUndefined();
});

test('a whole stack checks its configuration itself', () => {
  const config = { region: 'eu-central-1', tables: [{ ...SESSION_DATA, index: { shards: 0 } }] };
  expect(() => new PreciseTtlStack(Testing.app(), 'ttl', config)).toThrow(
    /tables\[0\]\.index\.shards: expected/,
  );
});
