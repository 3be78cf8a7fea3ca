// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { ALARM_NAMES } from '../../stacks/config/alarms.ts';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';
import { EXAMPLE_ARNS } from '../../tools/docs/role-statements.ts';
import { configOf } from '../support/configs.ts';
import { policiesOf, resources, type TerraformJson, terraformJson } from '../support/synthesized.ts';

/** Source: IAM User Guide, "IAM and AWS STS quotas". */
const [INLINE_CHARACTERS, MANAGED_CHARACTERS, MANAGED_POLICIES] = [10_240, 6_144, 10];

/** Each with the longest name, and attributes of its own. */
function longTables(count: number): PreciseTtlProps[] {
  return Array.from({ length: count }, (_unused, index) => ({
    tableName: `t${index}-`.padEnd(255, 'x'),
    partitionKey: `id${index}`,
    sortKey: `at${index}`,
    ttlAttribute: `expires${index}`,
    index: { attribute: `window${index}` },
    tableKmsKeyArn: 'arn:aws:kms:us-east-1:123456789012:key/1',
  }));
}

/** A policy as IAM counts it: with everything in it that Terraform knows at an apply, each the longest that AWS has. */
function applied({ resource }: TerraformJson, policy: string): string {
  const here = 'ap-southeast-1:123456789012';
  const arnOf = (service: string) => (_all: string, type: string, id: string) =>
    `arn:aws-us-gov:${service}:${here}:${service === 'logs' ? 'log-group:' : 'table/'}${resource[type]?.[id]?.['name']}`;
  return policy
    .replaceAll(/\$\{data\.aws_partition\.\w+\.partition\}/g, 'aws-us-gov')
    .replaceAll(/\$\{data\.aws_region\.\w+\.region\}/g, 'ap-southeast-1')
    .replaceAll(/\$\{data\.aws_caller_identity\.\w+\.account_id\}/g, '123456789012')
    .replaceAll(/\$\{(aws_dynamodb_table)\.([\w-]+)\.arn\}/g, arnOf('dynamodb'))
    .replaceAll(/\$\{(aws_cloudwatch_log_group)\.([\w-]+)\.arn\}/g, arnOf('logs'));
}

test('100 of them are within the limits of IAM and Step Functions', () => {
  const tables = longTables(100);
  const json = terraformJson(configOf(...tables));
  const onTables: Record<string, string[]> = {};
  for (const id of Object.keys(json.resource['aws_iam_role'] ?? {})) {
    const [inline = '', ...managed] = policiesOf(json, id).map(policy => applied(json, policy));
    expect(inline.length).toBeLessThanOrEqual(INLINE_CHARACTERS);
    expect(managed.length).toBeLessThanOrEqual(MANAGED_POLICIES);
    for (const policy of managed) expect(policy.length).toBeLessThanOrEqual(MANAGED_CHARACTERS);
    const statements = [inline, ...managed].flatMap(policy => JSON.parse(policy).Statement);
    for (const { Action: actions, Resource: on } of statements) {
      expect(new Set(on).size).toBe(on.length);
      const names = on.flatMap((arn: string) => /:table\/(t[^/]+)/.exec(arn)?.[1] ?? []);
      const key = `${/_precise-ttl_([a-z-]+)_role/.exec(id)?.[1]} ${actions}`;
      if (names.length > 0) onTables[key] = [...(onTables[key] ?? []), ...names];
    }
  }
  // Each of them and no other.
  const all = tables.map(({ tableName }) => tableName).sort();
  const actions = [
    'delete-chunk dynamodb:PartiQLDelete',
    'plan-sweep dynamodb:Query',
    'query-expired dynamodb:Query',
  ];
  expect(onTables).toEqual(Object.fromEntries(actions.map(action => [action, expect.anything()])));
  for (const names of Object.values(onTables)) expect(names.sort()).toEqual(all);

  for (const machine of resources(json, 'aws_sfn_state_machine')) {
    // References become names of at most 255 characters.
    const definition = String(machine['definition']).replaceAll(/\$\{[^}]*\}/g, 'x'.repeat(255));
    expect(Buffer.byteLength(definition)).toBeLessThan(1_048_576);
    const { Payload } = JSON.parse(definition).States.PlanSweep.Arguments;
    expect(Payload.tables).toHaveLength(100);
    // What a state takes, with room for what is due. Source: Step Functions quotas.
    expect(Buffer.byteLength(JSON.stringify(Payload))).toBeLessThan(200_000);
  }
});

test.each<[number, RegExp]>([
  [
    200,
    /tables: expected what the role precise-ttl-plan-sweep may do in one inline policy and 10 managed ones, got "\d+ managed ones"\. Put some of the tables into another configuration/,
  ],
  [400, /tables: expected at most 200000 bytes of settings in a deployment, got "\d+ of 400 tables"/],
])('%d of them are refused, and told how to go on', (count, message) => {
  expect(() => terraformJson(configOf(...longTables(count)))).toThrow(message);
});

test('100 tables with an archive and events have two pipes and a stream each, and all else once', () => {
  const tables = Array.from({ length: 100 }, (_, at) => ({
    ...{ tableName: `Table${at}`, partitionKey: 'id', archive: true },
    events: { to: at % 2 === 0 ? EXAMPLE_ARNS.queue : EXAMPLE_ARNS.bus },
  }));
  const json = terraformJson(configOf(...tables));
  const count = (type: string) => resources(json, type).length;
  expect([count('aws_pipes_pipe'), count('aws_kinesis_firehose_delivery_stream')]).toEqual([200, 100]);
  expect(Object.keys(json.resource).reduce((sum, type) => sum + count(type), 0)).toBeLessThanOrEqual(480);
  const once = ['iam_role', 'cloudwatch_metric_alarm', 'lambda_function', 's3_bucket'];
  expect(once.map(type => count(`aws_${type}`))).toEqual([10, ALARM_NAMES.length, 5, 1]);
});
