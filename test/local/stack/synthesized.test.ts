// biome-ignore-all lint/suspicious/noTemplateCurlyInString: names that look like Terraform's templates

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { loadDefinition } from 'stepfunctions-emulator';
import { TerraformError } from '../../../local/errors.ts';
import { partitionOf } from '../../../local/stack/resolve.ts';
import { RUN_TYPES, type SynthesizedCloud, synthesizedCloud } from '../../../local/stack/synthesized.ts';
import { plainStack } from '../../../stacks/app.ts';
import { type DeploymentConfig, type Overrides, REGION } from '../../../stacks/config/config.ts';
import { EVENT_TARGETS } from '../../../stacks/config/pipe-props.ts';
import type { PreciseTtlProps } from '../../../stacks/config/props.ts';
import { escaped } from '../../../stacks/config/terraform-text.ts';
import { mapValues } from '../../../stacks/parts/deployed-sweep.ts';
import { EXAMPLE_ARNS } from '../../../tools/docs/role-statements.ts';
import { configOf, SESSION_DATA } from '../../support/configs.ts';

const synthesis = (...tables: PreciseTtlProps[]) => synthesisOf(configOf(...tables));

const synthesisOf = (config: DeploymentConfig): SynthesizedCloud => synthesizedCloud(plainStack(config));

/** Types of what our stacks have and nothing here depends on. */
const NOT_RUN = [
  'aws_cloudwatch_dashboard',
  'aws_cloudwatch_query_definition',
  'aws_cloudwatch_log_group',
  'aws_cloudwatch_log_stream',
  'aws_cloudwatch_metric_alarm',
  'aws_iam_policy',
  'aws_iam_role',
  'aws_iam_role_policy',
  'aws_iam_role_policy_attachment',
  'aws_kinesis_firehose_delivery_stream',
  'aws_s3_bucket',
  'aws_s3_bucket_lifecycle_configuration',
  'aws_s3_bucket_object_lock_configuration',
  'aws_s3_bucket_policy',
  'aws_s3_bucket_public_access_block',
  'aws_s3_bucket_server_side_encryption_configuration',
  'aws_s3_bucket_versioning',
  'aws_scheduler_schedule_group',
  'aws_sns_topic',
  'aws_sns_topic_policy',
  'aws_sqs_queue',
  'data.aws_caller_identity',
  'data.aws_cloudwatch_log_groups',
  'data.aws_partition',
  'data.aws_region',
];

const KEY = 'arn:aws:kms:us-east-1:123456789012:key/1234abcd';
const EVERYTHING: PreciseTtlProps = {
  ...SESSION_DATA,
  archive: true,
  events: { to: EXAMPLE_ARNS.bus },
  kmsKeyArn: KEY,
};

test('no argument and no type of resource of our stacks is passed over in silence', () => {
  // An argument that is neither read nor said to be without effect is thrown.
  const typesOf = (config: DeploymentConfig) =>
    synthesisOf(config).blocks.map(({ kind, type }) => (kind === 'data' ? `data.${type}` : type));
  const targets = EVENT_TARGETS.map(kind => ({
    ...{ ...SESSION_DATA, tableName: `to-${kind}`, sortKey: { name: 'at', type: 'N' } as const },
    events: { to: EXAMPLE_ARNS[kind], oldImage: true },
  }));
  const others = [
    configOf({ ...EVERYTHING, archive: { lockDays: 1 }, dashboard: true, logKeys: 'full' }),
    configOf({ ...EVERYTHING, archive: { bucket: 'own' }, index: { by: 'second' }, alarms: false }),
    configOf({ ...SESSION_DATA, tableKmsKeyArn: KEY, alarms: EXAMPLE_ARNS.topic, precision: 'minute' }),
  ];
  const types = new Set([configOf(EVERYTHING), configOf(...targets), ...others].flatMap(typesOf));
  expect([...types].filter(type => !RUN_TYPES.includes(type) && !NOT_RUN.includes(type))).toEqual([]);
  expect(RUN_TYPES.filter(type => !types.has(type))).toEqual([]);
});

test.each([
  ['us-gov-west-1', 'aws-us-gov'],
  ['cn-northwest-1', 'aws-cn'],
  ['eusc-de-east-1', 'aws-eusc'],
])('every ARN of %s is of the partition %s', (region, partition) => {
  const cloud = synthesisOf({ ...configOf(SESSION_DATA), region });
  const arns = JSON.stringify(cloud.blocks).match(/arn:[^:"]*:[^"\\]*/g) ?? [];
  expect(arns.length).toBeGreaterThan(30);
  expect(arns.filter(arn => !arn.startsWith(`arn:${partition}:`))).toEqual([]);
  expect(arns).toContain(`arn:${partition}:states:::lambda:invoke`);
  for (const { definition, type } of cloud.stateMachines)
    expect(() => loadDefinition(definition, type)).not.toThrow();
});

test.each([
  [{ partitionKey: '#pk' }, 'partitionKey', '#pk'],
  [{ partitionKey: 'id', sortKey: ':sk' }, 'sortKey', ':sk'],
])('%j is refused, since DynamoDB Local would refuse each delete', (names, setting, got) => {
  const of = (more: object) => () => synthesis({ tableName: 'Odd', ...names, ...more });
  expect(of({})).toThrow(
    `table Odd: ${setting}: expected a name that does not begin with # or :, got "${got}". DynamoDB Local, not DynamoDB,`,
  );
  if (setting === 'partitionKey') expect(of({ deleteMode: 'batch' })).not.toThrow();
});

test('escapes are read as what was escaped', () => {
  const text = fc.string({ unit: fc.constantFrom('$', '%', '{', '}', '"', '\\', 'a', '\n') });
  fc.assert(
    fc.property(text, written => {
      const resource = { aws_sns_topic: { t: { display_name: escaped(written) } } };
      const others = { region: 'us-east-1', data: {}, output: {}, archives: {} };
      const { blocks } = synthesizedCloud({ ...others, resource });
      expect(blocks.map(({ body }) => body)).toEqual([{ display_name: written }]);
    }),
  );
});

test('an override has its effect here, too', () => {
  const overrides: Overrides = {
    aws_lambda_function: {
      reserved_concurrent_executions: 7,
      environment: [{ variables: { A: 1, B: true } }],
    },
    aws_dynamodb_table: {
      stream_enabled: true,
      local_secondary_index: [{ name: 'ByTime', range_key: 'ExpirationTime', projection_type: 'ALL' }],
    },
    aws_scheduler_schedule: {
      state: 'DISABLED',
      schedule_expression_timezone: 'Asia/Tokyo',
      description: 'mine',
      action_after_completion: 'NONE',
    },
  };
  const cloud = synthesisOf({ ...configOf(SESSION_DATA), overrides });
  expect(cloud.functions[0]).toMatchObject({ reservedConcurrency: 7, environment: { A: '1', B: 'true' } });
  expect(cloud.tables[0]).toMatchObject({
    stream: 'NEW_AND_OLD_IMAGES',
    localIndexes: [{ name: 'ByTime', hashKey: 'UserName', rangeKey: 'ExpirationTime', projection: 'ALL' }],
  });
  expect(cloud.schedules.map(({ enabled }) => enabled)).toEqual([false]);
});

const TICK_ARN = 'arn:aws:states:us-east-1:123456789012:stateMachine:precise-ttl';

/** By type: an override, the path that is told, and how the message goes on. */
const REFUSED: Readonly<Record<string, readonly [object, string, string][]>> = {
  aws_lambda_function: [
    [
      { layers: ['x'] },
      'layers',
      'no argument that does something on AWS and nothing on this machine, got ["x"]',
    ],
    [
      { logging_config: { log_format: 'JSON', colour: 1 } },
      'logging_config.colour',
      'no argument that does something on AWS',
    ],
    [{ runtime: 'python3.13' }, 'runtime', 'a Node.js runtime such as "nodejs24.x"'],
    [
      { timeout: 901 },
      'timeout',
      'a whole number of seconds from 1 to 900, got 901. Correct it in overrides',
    ],
    [{ environment: { variables: { A: ['x'] } } }, 'environment.variables', 'texts by their names'],
    [{ environment: 'x' }, 'environment', 'a block, or a list of them, got "x"'],
    [{ description: '${max(1, 2)}' }, 'description', 'a value, or a reference such as'],
    [{ description: '${aws_sns_topic.no.arn}' }, 'description', 'a value, or a reference such as'],
  ],
  aws_pipes_pipe: [
    [
      { source_parameters: { filter_criteria: { filter: [{ pattern: '{}' }] } } },
      'source_parameters.filter_criteria.filter.pattern',
      '{"eventName":["REMOVE"]}',
    ],
    [
      { enrichment_parameters: { input_template: '{"a":<$.eventID>}' } },
      'enrichment_parameters.input_template',
      'JSON with <aws.pipes.event.json>',
    ],
    [{ source: 'arn:aws:sqs:us-east-1:123456789012:q' }, 'source', 'the ARN of a DynamoDB stream'],
    [{ kms_key_identifier: 'k' }, 'kms_key_identifier', 'no argument that does something on AWS'],
  ],
  aws_dynamodb_table: [
    [{ attribute: { name: 'a', type: 'X' } }, 'attribute.type', 'one of "S", "N", "B", got "X"'],
  ],
  aws_scheduler_schedule: [
    [{ flexible_time_window: { mode: 'FLEXIBLE' } }, 'flexible_time_window.mode', 'one of "OFF"'],
    [{ start_date: '2027-01-01T00:00:00Z' }, 'start_date', 'no argument that does something on AWS'],
    [
      { schedule_expression: 'rate(1 minute)' },
      'schedule_expression',
      'cron(* * * * ? *), the only expression',
    ],
    [
      { target: { arn: 'arn:aws:lambda:us-east-1:123456789012:function:other', role_arn: 'r' } },
      'target.arn',
      'a state machine of the stack',
    ],
    ...['<aws.scheduler.execution-id>', '\\u003caws.scheduler.scheduled-time\\u003e'].map(
      (given): [object, string, string] => [
        { target: { arn: TICK_ARN, role_arn: 'r', input: `{"t":"${given}"}` } },
        'target.input',
        'JSON with <aws.scheduler.scheduled-time> as written',
      ],
    ),
  ],
};

const everything = plainStack(configOf(EVERYTHING));

const cases = Object.entries(REFUSED).flatMap(([type, those]) => those.map(each => [type, ...each] as const));
test.each(cases)(
  'of an override that is not run here it is said where it stands and what to do, %s: %j',
  (type, over, path, expected) => {
    // As overrides would bring it, but in the place of what is there.
    const all = mapValues(everything.resource[type] ?? {}, args => ({ ...args, ...over }));
    const overridden = { ...everything, resource: { ...everything.resource, [type]: all } };
    expect(() => synthesizedCloud(overridden)).toThrow(TerraformError);
    expect(() => synthesizedCloud(overridden)).toThrow(`.${path}: expected ${expected}`);
    expect(() => synthesizedCloud(overridden)).toThrow(/^aws_\w+\..+ (Correct|Leave|Give) .+\.$/);
  },
);

interface SdkPartitions {
  readonly partitions: readonly {
    readonly id: string;
    readonly regions: Readonly<Record<string, unknown>>;
  }[];
}

/** The SDK's list. It exports a function over it, not the list. */
function sdkPartitions(): SdkPartitions['partitions'] {
  const file = 'node_modules/@aws-sdk/core/dist-es/submodules/client/util-endpoints/lib/aws/partitions.js';
  const json = /^export const partitionsInfo = (.*);\s*$/s.exec(readFileSync(file, 'utf8'))?.[1];
  return (JSON.parse(String(json)) as SdkPartitions).partitions;
}

const partitions = sdkPartitions().map(({ id, regions }) => ({
  id,
  regions: Object.keys(regions).filter(region => !region.endsWith('-global')),
}));

test.each(partitions)('the partition of $regions is $id', ({ id, regions }) => {
  for (const region of regions) {
    expect(region).toMatch(REGION);
    expect(partitionOf(region)).toBe(id);
  }
});
