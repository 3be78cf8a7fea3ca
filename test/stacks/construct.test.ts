// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { DynamodbTable } from '@cdktf/provider-aws/lib/dynamodb-table/index.js';
import { KmsKey } from '@cdktf/provider-aws/lib/kms-key/index.js';
import { LambdaFunction } from '@cdktf/provider-aws/lib/lambda-function/index.js';
import { AwsProvider } from '@cdktf/provider-aws/lib/provider/index.js';
import { TerraformOutput, TerraformStack, Testing } from 'cdktf';
import { checkConfig } from '../../config/config.ts';
import { resolveProps } from '../../config/props.ts';
import { FUNCTION_MEMORY_MB } from '../../cost/assumptions.ts';
import { expiryModel } from '../../expiry/model.ts';
import { PreciseTtl, PreciseTtlStack } from '../../stacks/cdktf.ts';
import type { ConstructProps } from '../../stacks/construct-props.ts';
import { TASKS } from '../../statemachine/contract/machines.ts';
import { SESSION_DATA } from '../support/configs.ts';
import {
  type Resource,
  resources,
  settingsIn,
  sweptTables,
  type TerraformJson,
} from '../support/synthesized.ts';

// What a team does with the construct in a stack of its own.

function ownStack(): TerraformStack {
  const stack = new TerraformStack(Testing.app(), 'own');
  new AwsProvider(stack, 'aws', { region: 'eu-central-1' });
  return stack;
}

function synthesized(stack: TerraformStack): TerraformJson {
  return JSON.parse(Testing.synth(stack));
}

interface Statement {
  readonly Effect: string;
  readonly Action: string[];
  readonly Resource: string[];
  readonly Condition?: object;
}

/** The statements of the role whose name ends so. */
function statementsOf(json: TerraformJson, role: string): Statement[] {
  const policy = resources(json, 'aws_iam_role_policy').find(({ name }) => String(name).endsWith(role));
  return JSON.parse(String(policy?.['policy'])).Statement;
}

const environmentOf = (lambda: Resource) =>
  (lambda['environment'] as { variables: Record<string, string> }).variables;

describe('a table of the same stack', () => {
  const stack = ownStack();
  const table = new DynamodbTable(stack, 'sessions', {
    name: 'Sessions',
    hashKey: 'id',
    attribute: [{ name: 'id', type: 'S' }],
  });
  const sweep = new PreciseTtl(stack, 'ttl', { table, sweep: 'sessions-ttl', partitionKey: 'id' });
  new TerraformOutput(stack, 'out', {
    value: [sweep.table.tableName, sweep.table.tableArn, sweep.table.indexArn],
  });
  const json = synthesized(stack);

  test('has the model that its writers need', () => {
    expect(expiryModel(sweep.table.expiryModel)).toEqual(expiryModel({ partitionKey: 'id' }));
  });

  test('is swept, and neither made nor looked up', () => {
    expect(sweptTables(json)).toMatchObject([{ name: 'Sessions' }]);
    expect(Object.keys(json.data)).not.toContain('aws_dynamodb_table');
  });

  test.each([
    ['the table', (made: DynamodbTable) => made],
    ['its name and ARN', ({ name, arn }: DynamodbTable) => ({ name, arn })],
  ])('is swept by second, too, by %s', (_what, reference) => {
    const own = ownStack();
    const made = new DynamodbTable(own, 'sessions', {
      name: 'Sessions',
      hashKey: 'id',
      attribute: [{ name: 'id', type: 'S' }],
    });
    const props = { sweep: 'sessions-ttl', partitionKey: 'id', index: { by: 'second' } } as const;
    new PreciseTtl(own, 'ttl', { ...props, table: reference(made) });
    const bySecond = synthesized(own);
    expect(settingsIn(bySecond)).toMatchObject([{ indexedBy: 'second', indexName: 'expirySecondIndex' }]);
    expect(statementsOf(bySecond, 'query-expired')[0]?.Resource).toEqual([
      '${aws_dynamodb_table.sessions.arn}/index/expirySecondIndex',
    ]);
  });

  test('is known to the executions by reference, to its roles with its index', () => {
    expect(settingsIn(json)).toMatchObject([{ tableName: '${aws_dynamodb_table.sessions.name}' }]);
    for (const lambda of resources(json, 'aws_lambda_function')) {
      expect(environmentOf(lambda)['DEPLOYMENT_NAME']).toBe('sessions-ttl');
      expect(lambda['description']).toMatch(/^precise-ttl: \w+ of sessions-ttl$/);
    }
    expect(statementsOf(json, 'query-expired')[0]).toEqual({
      Effect: 'Allow',
      Action: ['dynamodb:Query'],
      Resource: ['${aws_dynamodb_table.sessions.arn}/index/expirationWindowIndex'],
    });
    expect(statementsOf(json, 'delete-chunk')[0]?.Resource).toEqual(['${aws_dynamodb_table.sessions.arn}']);
    expect(json.output['out']?.value).toEqual([
      '${aws_dynamodb_table.sessions.name}',
      '${aws_dynamodb_table.sessions.arn}',
      '${aws_dynamodb_table.sessions.arn}/index/expirationWindowIndex',
    ]);
  });

  test('can have a key that the same stack makes', () => {
    const other = ownStack();
    const { arn: tableKmsKeyArn } = new KmsKey(other, 'key', {});
    new PreciseTtl(other, 'ttl', {
      table: { name: 'Sessions', arn: 'arn:aws:dynamodb:eu-central-1:123456789012:table/Sessions' },
      partitionKey: 'id',
      tableKmsKeyArn,
    });
    const [, statement] = statementsOf(synthesized(other), 'query-expired');
    expect(statement).toMatchObject({
      Action: ['kms:Decrypt', 'kms:DescribeKey'],
      Resource: ['${aws_kms_key.key.arn}'],
    });
  });

  test.each([
    [
      'tableName',
      { tableName: table.name },
      /^.*\n {2}tableName: expected .* Pass table: \{ name, arn \} instead/,
    ],
    ['partitionKey', { tableName: 'Sessions', partitionKey: table.hashKey }, /partitionKey: .* and no token/],
    [
      'index.attribute',
      { table, sweep: 'x', index: { attribute: table.hashKey } },
      /index\.attribute: .* and no token/,
    ],
  ])('gives no token as %s, which is needed now', (_name, props, message) => {
    const wrong = { partitionKey: 'id', ...props } as unknown as ConstructProps;
    expect(() => new PreciseTtl(ownStack(), 'ttl', wrong)).toThrow(message);
  });

  test('can be known by its name, which names the sweep then', () => {
    const other = ownStack();
    new PreciseTtl(other, 'ttl', {
      table: { name: 'Sessions', arn: 'arn:aws:dynamodb:eu-central-1:123456789012:table/Sessions' },
      partitionKey: 'id',
    });
    const names = resources(synthesized(other), 'aws_sfn_state_machine').map(({ name }) => name);
    expect(names.sort()).toEqual(['precise-ttl-Sessions', 'precise-ttl-Sessions-replay']);
  });

  const arn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/Sessions';
  test.each([
    [
      'both',
      { tableName: 'Sessions', table: { name: 'Sessions', arn } },
      /tableName: expected nothing beside/,
    ],
    ['neither', {}, /tableName: expected a table name/],
    [
      'what would be done to it',
      { table: { name: 'Sessions', arn }, existingTable: true },
      /existingTable: exp/,
    ],
    [
      'no ARN',
      { table: { name: 'Sessions' } },
      /table\.arn: expected the ARN of a DynamoDB table, got nothing/,
    ],
    [
      'the ARN of an index',
      { table: { name: 'Sessions', arn: `${arn}/index/a` } },
      /table\.arn: expected the/,
    ],
    ['a wrong name', { table: { name: 'a b', arn } }, /table\.name: expected a table name/],
    [
      'a table as a text',
      { table: 'Sessions' },
      /table: expected \{ name, arn \} of a table, and its streamArn, got "Sessions"/,
    ],
    ['no name for the sweep', { table: { name: '${x.y.name}', arn } }, /sweep: expected a name for the dep/],
    ['a misspelt prop', { tableName: 'Sessions', idex: {} }, /idex: expected .*index/],
  ])('%s is refused', (_name, props, message) => {
    const wrong = { partitionKey: 'id', ...props } as unknown as ConstructProps;
    expect(() => new PreciseTtl(ownStack(), 'ttl', wrong)).toThrow(message);
  });
});

test('what it has made refers to the resource of that name', () => {
  const stack = ownStack();
  const ttl = new PreciseTtl(stack, 'ttl', { ...SESSION_DATA, index: { granularityMinutes: 1, shards: 10 } });
  const { functions, tick, replay, journal, schedules, table } = ttl;
  const made = { ...functions, tick, replay, schedule: schedules.tick, queue: schedules.deadLetterQueue };
  const arns = Object.entries(made).map(([name, { arn }]) => [name, arn]);
  const value = { ...Object.fromEntries(arns), journal: journal.tableArn, table: table.tableArn };
  new TerraformOutput(stack, 'out', { value });
  const json = synthesized(stack);
  const nameOf = (reference: string) => {
    const [, type = '', block = ''] = /^\$\{(\w+)\.([\w-]+)\.arn\}$/.exec(reference) ?? [];
    const resource = json.resource[type]?.[block] ?? {};
    return resource['name'] ?? resource['function_name'];
  };
  const prefix = 'precise-ttl-SessionData';
  const exposed = Object.entries<string>(json.output['out']?.value as unknown as Record<string, string>);
  expect(Object.fromEntries(exposed.map(([name, arn]) => [name, nameOf(arn)]))).toEqual({
    ...Object.fromEntries(Object.entries(TASKS).map(([task, file]) => [task, `${prefix}-${file}`])),
    tick: prefix,
    replay: `${prefix}-replay`,
    schedule: `${prefix}-tick`,
    queue: `${prefix}-dead-letters`,
    journal: `${prefix}-journal`,
    table: 'SessionData',
  });
});

describe('what no prop is for', () => {
  test('is overridden on the public resources', () => {
    const stack = ownStack();
    const ttl = new PreciseTtl(stack, 'ttl', SESSION_DATA);
    ttl.functions.DeleteChunk.function.addOverride('reserved_concurrent_executions', 50);
    ttl.tick.stateMachine.addOverride('logging_configuration.level', 'ALL');
    ttl.schedules.deadLetterQueue.addOverride('message_retention_seconds', 60);
    const json = synthesized(stack);
    const deleteChunk = resources(json, 'aws_lambda_function').find(({ function_name }) =>
      String(function_name).endsWith('delete-chunk'),
    );
    expect(deleteChunk).toMatchObject({ reserved_concurrent_executions: 50 });
    const levels = resources(json, 'aws_sfn_state_machine').map(({ name, logging_configuration: log }) => [
      name,
      (log as Record<string, unknown>)['level'],
    ]);
    expect(Object.fromEntries(levels)).toEqual({
      'precise-ttl-SessionData': 'ALL',
      'precise-ttl-SessionData-replay': 'ERROR',
    });
    expect(resources(json, 'aws_sqs_queue')).toMatchObject([{ message_retention_seconds: 60 }]);
  });

  test('has a default child on every construct, and one of every kind is among all', () => {
    const stack = ownStack();
    const ttl = new PreciseTtl(stack, 'ttl', SESSION_DATA);
    expect(ttl.node.defaultChild).toBe(ttl.tick.stateMachine);
    expect(ttl.functions.PlanSweep.node.defaultChild).toBe(ttl.functions.PlanSweep.function);
    expect(ttl.functions.PlanSweep.role.node.defaultChild).toBe(ttl.functions.PlanSweep.role.role);
    expect(ttl.table.node.defaultChild).toBe(ttl.table.table);
    expect(ttl.schedules.node.defaultChild).toBe(ttl.schedules.tick);
    expect(ttl.node.findAll().filter(each => each instanceof LambdaFunction)).toHaveLength(4);
  });
});

/** What AWS tags, of what a table is provisioned with. */
describe('many tables of a stack', () => {
  const kmsKeyArn = 'arn:aws:kms:eu-central-1:123456789012:key/1';
  const stack = ownStack();
  const made = new DynamodbTable(stack, 'sessions', {
    name: 'Sessions',
    hashKey: 'id',
    attribute: [{ name: 'id', type: 'S' }],
  });
  const ttl = new PreciseTtl(stack, 'ttl', {
    sweep: 'identity',
    tables: [
      { ...SESSION_DATA, archive: true },
      { table: made, partitionKey: 'id', kmsKeyArn },
    ].map(table => ({ ...table, kmsKeyArn })) as never,
  });
  const json = synthesized(stack);

  test('are swept by one deployment, which has its name and what stands beside them', () => {
    const lambdas = resources(json, 'aws_lambda_function');
    expect(lambdas.map(({ function_name: name }) => name).sort()).toEqual([
      ...['only-expiries', ...Object.values(TASKS)].map(file => `identity-${file}`).sort(),
    ]);
    for (const { function_name: name, memory_size: memory } of lambdas)
      expect([name, memory]).toEqual([name, FUNCTION_MEMORY_MB]);
    expect(settingsIn(json)).toMatchObject([
      { tableName: expect.stringMatching(/SessionData_table/) },
      { tableName: '${aws_dynamodb_table.sessions.name}' },
    ]);
    expect(ttl.tables.map(({ props }) => props.name)).toEqual(['identity-SessionData', 'identity-sessions']);
    expect(() => ttl.table).toThrow('expected a deployment of one table, got 2');
  });

  test.each<[string, object, RegExp]>([
    ['no tables', { tables: [] }, /tables: expected a list of at least one table/],
    ['a prop that is a table’s', { tables: [SESSION_DATA], shards: 2 }, /shards: expected/],
    [
      'two that disagree',
      { tables: [SESSION_DATA, { tableName: 'Tokens', partitionKey: 'id', dashboard: true }] },
      /tables\[1\]\.dashboard: expected false, as tables\[0\] \(SessionData\) has it/,
    ],
    [
      'the same table twice',
      { tables: [SESSION_DATA, SESSION_DATA] },
      /tables\[1\]\.tableName: expected another/,
    ],
  ])('are refused with %s', (_name, props, message) => {
    expect(() => new PreciseTtl(ownStack(), 'ttl', props as never)).toThrow(message);
  });
});

describe('a key of the customer', () => {
  const stack = ownStack();
  const key = new KmsKey(stack, 'key', {});
  new PreciseTtl(stack, 'ttl', { ...SESSION_DATA, kmsKeyArn: key.arn });
  const json = synthesized(stack);
  const arn = '${aws_kms_key.key.arn}';

  test('encrypts logs, dead letters, environments, executions, the journal and the topic of the alarms', () => {
    expect(resources(json, 'aws_sns_topic')).toMatchObject([{ kms_master_key_id: arn }]);
    expect(
      resources(json, 'aws_dynamodb_table').map(table => table['server_side_encryption']),
    ).toContainEqual({
      enabled: true,
      kms_key_arn: arn,
    });
    const groups = resources(json, 'aws_cloudwatch_log_group');
    expect(groups.map(({ kms_key_id }) => kms_key_id)).toEqual([arn, arn, arn, arn, arn, arn]);
    const functions = resources(json, 'aws_lambda_function');
    expect(functions.map(({ kms_key_arn }) => kms_key_arn)).toEqual([arn, arn, arn, arn]);
    const [queue] = resources(json, 'aws_sqs_queue');
    expect(queue).toMatchObject({ kms_master_key_id: arn });
    // SQS takes one of the two.
    expect(queue).not.toHaveProperty('sqs_managed_sse_enabled');
    const encryption = { type: 'CUSTOMER_MANAGED_KMS_KEY', kms_key_id: arn };
    expect(resources(json, 'aws_sfn_state_machine')[0]).toMatchObject({
      encryption_configuration: encryption,
    });
  });

  test('is used by the roles that need it, each for no more than it does', () => {
    const actionsOn = (role: string) =>
      statementsOf(json, role)
        .filter(({ Resource: on }) => on.includes(arn))
        .flatMap(({ Action }) => Action);
    // The journal has the key, too.
    for (const file of ['plan-sweep', 'query-expired', 'delete-chunk', 'record-metrics']) {
      expect(new Set(actionsOn(file))).toEqual(
        new Set(['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*']),
      );
    }
    expect(actionsOn('-schedule')).toEqual(['kms:Decrypt', 'kms:GenerateDataKey']);
    expect(actionsOn('SessionData-sweep')).toEqual([
      'kms:Decrypt',
      'kms:GenerateDataKey',
      'kms:GenerateDataKey',
    ]);
  });

  // Without the block Terraform would leave the machine with a key that its role may no longer use.
  test('goes from the executions when it goes from the props', () => {
    const without = ownStack();
    new PreciseTtl(without, 'ttl', SESSION_DATA);
    const [machine] = resources(synthesized(without), 'aws_sfn_state_machine');
    expect(machine).toMatchObject({ encryption_configuration: { type: 'AWS_OWNED_KEY' } });
  });
});

test('a whole stack checks its configuration itself', () => {
  const config = { region: 'eu-central-1', tables: [{ ...SESSION_DATA, index: { shards: 0 } }] };
  expect(() => new PreciseTtlStack(Testing.app(), 'ttl', config)).toThrow(
    /tables\[0\]\.index\.shards: expected/,
  );
});

test('the configuration of its output is one that commands take', () => {
  const stack = ownStack();
  const ttl = new PreciseTtl(stack, 'ttl', {
    sweep: 'identity',
    tables: [
      SESSION_DATA,
      { tableName: 'Tokens', partitionKey: { name: 'a${b}', type: 'N' }, index: { by: 'second' } },
    ],
  });
  new TerraformOutput(stack, 'config', { value: ttl.configuration });
  const { output } = synthesized(stack) as unknown as { output: { config: { value: unknown } } };
  const text = JSON.stringify(output.config.value)
    .replaceAll(/\$\{data\.aws_region\.\w+\.region\}/g, 'us-east-1')
    .replaceAll(/\$\{aws_dynamodb_table\.\w+?_(\w+?)_table_\w+\.name\}/g, '$1')
    .replaceAll('$${', '${');
  const { region, tables } = checkConfig(JSON.parse(text));
  expect(region).toBe('us-east-1');
  const existing = { existingTable: true };
  expect(tables.map(table => resolveProps(table))).toEqual(
    ttl.tables.map(({ props }) => ({ ...props, ...existing })),
  );
});
