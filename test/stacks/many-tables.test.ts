// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { InvalidConfigError } from '../../config/config.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { grouped } from '../../stacks/parts/role.ts';
import { configOf } from '../support/configs.ts';
import { type Resource, resources, type TerraformJson, terraformJson } from '../support/synthesized.ts';

/** Source: IAM User Guide, "IAM and AWS STS quotas". */
const [INLINE_CHARACTERS, MANAGED_CHARACTERS, MANAGED_POLICIES] = [10_240, 6_144, 10];

/** The longest that AWS has. */
const [PARTITION, REGION, ACCOUNT] = ['aws-us-gov', 'ap-southeast-1', '123456789012'];

/** Each with a name of so many characters, and attributes of its own. */
function tablesOf(count: number, length: number, props: Partial<PreciseTtlProps> = {}): PreciseTtlProps[] {
  return Array.from({ length: count }, (_unused, index) => {
    const tableName = `t${index}-`.padEnd(length, 'x');
    return {
      tableName,
      partitionKey: `id${index}`,
      sortKey: `at${index}`,
      ttlAttribute: `expires${index}`,
      index: { attribute: `window${index}` },
      ...props,
    };
  });
}

/** A policy as IAM counts it: with everything in it that Terraform knows at an apply. */
function applied(json: TerraformJson, policy: unknown): string {
  const nameOf = (reference: string) => {
    const [type = '', name = ''] = reference.split('.');
    return json.resource[type]?.[name]?.['name'];
  };
  return String(policy)
    .replaceAll(/\$\{data\.aws_partition\.\w+\.partition\}/g, PARTITION)
    .replaceAll(/\$\{data\.aws_region\.\w+\.region\}/g, REGION)
    .replaceAll(/\$\{data\.aws_caller_identity\.\w+\.account_id\}/g, ACCOUNT)
    .replaceAll(
      /\$\{(aws_dynamodb_table\.[\w-]+)\.arn\}/g,
      (_all, reference) => `arn:${PARTITION}:dynamodb:${REGION}:${ACCOUNT}:table/${nameOf(reference)}`,
    )
    .replaceAll(
      /\$\{(aws_cloudwatch_log_group\.[\w-]+)\.arn\}/g,
      (_all, reference) => `arn:${PARTITION}:logs:${REGION}:${ACCOUNT}:log-group:${nameOf(reference)}`,
    );
}

interface Statement {
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition?: object;
}

/** What a role of a function has: its inline policy, and those that are attached. */
function policiesOf(json: TerraformJson, role: string): { inline: string; managed: string[] } {
  const [inline] = resources(json, 'aws_iam_role_policy').filter(({ name }) => name === role);
  const attached = resources(json, 'aws_iam_role_policy_attachment').filter(each =>
    String(each['role']).includes(`_${role.replace('precise-ttl-', '')}_role_`),
  );
  const managed = attached.map(({ policy_arn: arn }) => {
    const [, id = ''] = /aws_iam_policy\.([\w-]+)\.arn/.exec(String(arn)) ?? [];
    return json.resource['aws_iam_policy']?.[id] as Resource;
  });
  return {
    inline: applied(json, inline?.['policy']),
    managed: managed.map(({ policy }) => applied(json, policy)),
  };
}

const FUNCTIONS = ['plan-sweep', 'query-expired', 'delete-chunk', 'record-metrics'].map(
  file => `precise-ttl-${file}`,
);

const statementsOf = ({ inline, managed }: ReturnType<typeof policiesOf>) =>
  [inline, ...managed].flatMap(policy => (JSON.parse(policy) as { Statement: Statement[] }).Statement);

describe.each<[string, PreciseTtlProps[]]>([
  ['100 tables with the longest names and attributes of their own', tablesOf(100, 255)],
  ['the same, deleted in batches', tablesOf(100, 255, { deleteMode: 'batch' })],
])('%s', (_name, tables) => {
  const json = terraformJson(configOf(...tables));

  test('have one deployment, with roles that are within the limits of IAM', () => {
    expect(resources(json, 'aws_lambda_function')).toHaveLength(4);
    for (const role of FUNCTIONS) {
      const { inline, managed } = policiesOf(json, role);
      expect(inline.length).toBeLessThanOrEqual(INLINE_CHARACTERS);
      expect(managed.length).toBeLessThanOrEqual(MANAGED_POLICIES);
      for (const policy of managed) expect(policy.length).toBeLessThanOrEqual(MANAGED_CHARACTERS);
    }
  });

  test('may be read and deleted from, each of them and no other', () => {
    const names = tables.map(({ tableName }) => tableName);
    const on = (role: string, pattern: RegExp) =>
      statementsOf(policiesOf(json, role))
        .filter(({ Action }) => Action.some(action => pattern.test(action)))
        .flatMap(({ Resource: each }) => each)
        .map(arn => arn.split('table/')[1]?.split('/')[0] ?? '')
        .filter(name => !name.endsWith('-journal'))
        .sort();
    expect(on('precise-ttl-query-expired', /^dynamodb:Query$/)).toEqual([...names].sort());
    expect(on('precise-ttl-plan-sweep', /^dynamodb:Query$/)).toEqual([...names].sort());
    const [batch, guarded] = [true, false].map(isBatch =>
      tables.flatMap(({ tableName, deleteMode }) =>
        (deleteMode === 'batch') === isBatch ? [tableName] : [],
      ),
    );
    expect(on('precise-ttl-delete-chunk', /PartiQLDelete/)).toEqual(guarded?.sort());
    expect(on('precise-ttl-delete-chunk', /BatchWriteItem/)).toEqual(batch?.sort());
  });

  test('stand in definitions that Step Functions takes', () => {
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

  test('have no more alarms, dashboards and schedules than one', () => {
    const one = terraformJson(configOf(tables[0] as PreciseTtlProps));
    for (const type of [
      'aws_cloudwatch_metric_alarm',
      'aws_cloudwatch_dashboard',
      'aws_scheduler_schedule',
    ]) {
      expect([type, resources(json, type).length]).toEqual([type, resources(one, type).length]);
    }
  });
});

test('one table needs no managed policy', () => {
  const json = terraformJson(configOf(...tablesOf(1, 255)));
  expect(resources(json, 'aws_iam_policy')).toEqual([]);
});

test.each<[string, PreciseTtlProps[], RegExp]>([
  [
    'whose roles cannot be',
    tablesOf(200, 255),
    /tables: expected what the role precise-ttl-plan-sweep may do in one inline policy and 10 managed ones, got "\d+ managed ones"\. Put some of the tables into another configuration/,
  ],
  [
    'whose settings are too many for a state',
    tablesOf(400, 255),
    /tables: expected at most 200000 bytes of settings in a deployment, got "\d+ of 400 tables"/,
  ],
])('tables %s are refused, and told how to go on', (_name, tables, message) => {
  expect(() => terraformJson(configOf(...tables))).toThrow(InvalidConfigError);
  expect(() => terraformJson(configOf(...tables))).toThrow(message);
});

test('statements become one only when they differ by nothing but their resources', () => {
  const condition = { StringEquals: { a: 'b' } };
  expect(
    grouped([
      { actions: ['a:B'], resources: ['1'] },
      { actions: ['a:B'], resources: ['2'], condition },
      { actions: ['a:B'], resources: ['3', '1'] },
      { actions: ['a:C'], resources: ['5'] },
    ]),
  ).toEqual([
    { actions: ['a:B'], resources: ['1', '3'] },
    { actions: ['a:B'], resources: ['2'], condition },
    { actions: ['a:C'], resources: ['5'] },
  ]);
});
