// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Terraform references are what is tested
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TerraformError } from '../../../local/errors.ts';
import { readSynthesized } from '../../../local/terraform/synthesized.ts';
import {
  type HandmadeStack,
  handmadeStacks,
  lambdaFunction,
  type StackParts,
  sessionTable,
} from '../../support/handmade-stack.ts';

let made: HandmadeStack | undefined;
afterEach(() => made?.remove());

function read(...stacks: StackParts[]) {
  made = handmadeStacks(Object.fromEntries(stacks.map((stack, i) => [`stack${i || ''}`, stack])));
  return readSynthesized(made.directory);
}

function problemsOf(...stacks: StackParts[]): string {
  try {
    read(...stacks);
  } catch (error) {
    if (error instanceof TerraformError) return error.problems.join('\n');
    throw error;
  }
  return '';
}

const machine = (over: Record<string, unknown> = {}) => ({
  name: 'sweep',
  role_arn: '${aws_iam_role.machine.arn}',
  definition: '{}',
  ...over,
});
const role = { machine: { name: 'machine-role', assume_role_policy: '{}' } };

describe('a synthesized stack', () => {
  test('is read with every reference resolved', () => {
    const cloud = read({
      provider: { aws: [{ region: 'eu-central-1' }] },
      data: {
        aws_caller_identity: { me: {} },
        aws_partition: { current: {} },
        aws_region: { current: {} },
        aws_iam_policy_document: {
          trust: {
            statement: [
              {
                actions: ['sts:AssumeRole'],
                principals: [{ type: 'Service', identifiers: ['states.amazonaws.com'] }],
              },
            ],
          },
        },
      },
      resource: {
        aws_dynamodb_table: { sessions: sessionTable() },
        aws_lambda_function: {
          plan: lambdaFunction('plan-sweep', 'export const handler = () => 1', {
            memory_size: 256,
            timeout: '30',
            environment: { variables: { TABLE: '${aws_dynamodb_table.sessions.name}', SHARDS: 4 } },
          }),
        },
        aws_iam_role: {
          machine: {
            name: 'machine-role',
            assume_role_policy: '${data.aws_iam_policy_document.trust.json}',
          },
        },
        aws_sqs_queue: { dead: { name: 'dead' } },
        aws_sfn_state_machine: {
          sweep: machine({
            type: 'STANDARD',
            definition:
              '{"Arn":"${aws_lambda_function.plan.arn}","Literal":"$${x} %%{y}","Cost":"100%","Dollar":"$5"}',
          }),
        },
        aws_scheduler_schedule: {
          tick: {
            name: 'tick',
            schedule_expression: 'cron(* * * * ? *)',
            flexible_time_window: { mode: 'OFF' },
            target: [
              {
                arn: '${aws_sfn_state_machine.sweep.arn}',
                role_arn:
                  'arn:${data.aws_partition.current.partition}:iam::${data.aws_caller_identity.me.account_id}:role/x',
                input: '{"scheduledTime":"<aws.scheduler.scheduled-time>"}',
                retry_policy: { maximum_retry_attempts: 3 },
                dead_letter_config: { arn: '${aws_sqs_queue.dead.arn}' },
              },
            ],
          },
        },
      },
      output: {
        region: { value: '${data.aws_region.current.name}' },
        url: { value: '${aws_sqs_queue.dead.url}' },
      },
    });
    expect(cloud.tables).toEqual([
      {
        address: 'aws_dynamodb_table.sessions',
        name: 'SessionData',
        arn: 'arn:aws:dynamodb:eu-central-1:123456789012:table/SessionData',
        region: 'eu-central-1',
        hashKey: 'UserName',
        rangeKey: 'SessionId',
        attributes: { UserName: 'S', SessionId: 'S', expirationWindow: 'S', ExpirationTime: 'N' },
        globalIndexes: [
          {
            name: 'expirationWindowIndex',
            hashKey: 'expirationWindow',
            rangeKey: 'ExpirationTime',
            projection: 'KEYS_ONLY',
            nonKeyAttributes: [],
          },
        ],
        localIndexes: [],
        nativeTtlAttribute: 'ExpirationTime',
      },
    ]);
    expect(cloud.functions).toMatchObject([
      {
        name: 'plan-sweep',
        arn: 'arn:aws:lambda:eu-central-1:123456789012:function:plan-sweep',
        handler: 'index.handler',
        memoryMb: 256,
        timeoutSeconds: 30,
        environment: { TABLE: 'SessionData', SHARDS: '4' },
      },
    ]);
    expect(cloud.functions[0]?.archive).toMatch(/stacks\/stack\/assets\/plan\/archive\.zip$/);
    expect(cloud.stateMachines).toMatchObject([
      { name: 'sweep', type: 'STANDARD', roleArn: 'arn:aws:iam::123456789012:role/machine-role' },
    ]);
    expect(JSON.parse(cloud.stateMachines[0]?.definition ?? '')).toEqual({
      Arn: 'arn:aws:lambda:eu-central-1:123456789012:function:plan-sweep',
      Literal: '${x} %{y}',
      Cost: '100%',
      Dollar: '$5',
    });
    expect(cloud.schedules).toEqual([
      {
        address: 'aws_scheduler_schedule.tick',
        name: 'tick',
        arn: 'arn:aws:scheduler:eu-central-1:123456789012:schedule/default/tick',
        expression: 'cron(* * * * ? *)',
        timezone: 'UTC',
        enabled: true,
        targetArn: 'arn:aws:states:eu-central-1:123456789012:stateMachine:sweep',
        roleArn: 'arn:aws:iam::123456789012:role/x',
        input: '{"scheduledTime":"<aws.scheduler.scheduled-time>"}',
        asGiven: {
          DeadLetterConfig: { Arn: 'arn:aws:sqs:eu-central-1:123456789012:dead' },
          RetryPolicy: { MaximumRetryAttempts: 3 },
        },
      },
    ]);
    expect(cloud.notRunLocally).toEqual(['aws_iam_role.machine', 'aws_sqs_queue.dead']);
    expect(cloud.outputs).toEqual({
      'stack.region': 'eu-central-1',
      'stack.url': 'https://sqs.eu-central-1.amazonaws.com/123456789012/dead',
    });
    const trust = cloud.blocks.find(b => b.address === 'aws_iam_role.machine')?.body['assume_role_policy'];
    expect(JSON.parse(String(trust))).toEqual({
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Action: ['sts:AssumeRole'],
          Principal: { Service: ['states.amazonaws.com'] },
        },
      ],
    });
  });

  test('may refer to a table that exists already', () => {
    const cloud = read({
      data: { aws_dynamodb_table: { mine: { name: 'Mine' } } },
      output: { arn: { value: '${data.aws_dynamodb_table.mine.arn}' } },
    });
    expect(cloud.existingTables).toEqual([
      { address: 'data.aws_dynamodb_table.mine', name: 'Mine', region: 'us-east-1' },
    ]);
    expect(cloud.outputs['stack.arn']).toBe('arn:aws:dynamodb:us-east-1:123456789012:table/Mine');
  });

  test('keeps the type of a value that is one reference', () => {
    const cloud = read({
      resource: {
        aws_lambda_function: {
          a: lambdaFunction('a', '', { timeout: 7 }),
          b: lambdaFunction('b', '', { timeout: '${aws_lambda_function.a.timeout}' }),
        },
      },
    });
    expect(cloud.functions.map(f => f.timeoutSeconds)).toEqual([7, 7]);
  });
});

test('conditions are left to Terraform, and listed as not run', () => {
  const lifecycle = {
    postcondition: [{ condition: '${contains(self.x[*].name, "i")}', error_message: 'no' }],
  };
  const cloud = read({ data: { aws_dynamodb_table: { mine: { name: 'Mine', lifecycle } } } });
  expect(cloud.existingTables).toHaveLength(1);
  expect(cloud.notRunLocally).toEqual(['data.aws_dynamodb_table.mine.lifecycle.postcondition']);
});

describe('fails for an expression that is not a plain reference', () => {
  test.each([
    ['a function', '${jsonencode({})}', 'expected a plain reference'],
    ['an index', '${aws_iam_role.machine[0].arn}', 'expected a plain reference'],
    ['a splat', '${aws_iam_role.machine.*.arn}', 'expected a plain reference'],
    ['a conditional', '${true ? "a" : "b"}', 'expected a plain reference'],
    ['arithmetic', '${1 + 1}', 'expected a plain reference'],
    ['a nested template', '${"x-${aws_iam_role.machine.arn}"}', 'expected a plain reference'],
    ['a variable', '${var.name.x}', 'expected a plain reference'],
    ['a local', '${local.name.x}', 'expected a plain reference'],
    ['a module', '${module.name.output}', 'expected a plain reference'],
    ['a deeper attribute', '${aws_iam_role.machine.arn.x}', 'expected a plain reference'],
    ['a directive', '%{ if true }x%{ endif }', 'template directive "%{ if true }"'],
    ['JSONata glued to a brace', '{"a":"{%{ $x }%}"}', 'template directive'],
    ['no closing brace', 'a ${aws_iam_role', 'without a closing brace'],
    ['an unknown resource', '${aws_iam_role.other.arn}', 'there is no resource aws_iam_role.other'],
    [
      'an unknown data source',
      '${data.aws_region.other.name}',
      'there is no data source aws_region.other in this stack',
    ],
    [
      'an unknown attribute',
      '${aws_iam_role.machine.max_session_duration}',
      "isn't written on that resource",
    ],
    [
      'itself',
      '${aws_sfn_state_machine.sweep.definition}',
      'refers to itself: aws_sfn_state_machine.sweep.definition',
    ],
    [
      'an object inside a string',
      'x${aws_lambda_function.f.environment}',
      'expected a string, number or boolean',
    ],
  ])('%s', (_, definition, expected) => {
    const problems = problemsOf({
      resource: {
        aws_iam_role: role,
        aws_sfn_state_machine: { sweep: machine({ definition }) },
        aws_lambda_function: { f: lambdaFunction('f', '', { environment: { variables: {} } }) },
      },
    });
    expect(problems).toContain(expected);
    expect(problems).toContain('stack: aws_sfn_state_machine.sweep.definition ');
    expect(problems.split('\n')).toHaveLength(1);
  });

  test('also in resources that are not run, inside lists, and as keys', () => {
    const problems = problemsOf({
      resource: {
        aws_iam_role_policy: {
          p: {
            policy: [{ x: '${file("x")}' }],
            tags: { '${aws_x.y.z}': 'v' },
          },
        },
      },
    });
    expect(problems).toMatch(/aws_iam_role_policy\.p\.policy\[0\]\.x holds the expression/);
    expect(problems).toMatch(/aws_iam_role_policy\.p\.tags has the expression "\$\{aws_x\.y\.z\}" as a key/);
  });
});

/** A mapping from a table to a function. */
const reading = (over: Record<string, unknown>, table: Record<string, unknown> = {}): StackParts => ({
  resource: {
    aws_dynamodb_table: {
      t: sessionTable({ stream_enabled: true, stream_view_type: 'NEW_AND_OLD_IMAGES', ...table }),
    },
    aws_lambda_function: { f: lambdaFunction('f', '') },
    aws_lambda_event_source_mapping: {
      m: {
        event_source_arn: '${aws_dynamodb_table.t.stream_arn}',
        function_name: '${aws_lambda_function.f.arn}',
        starting_position: 'TRIM_HORIZON',
        ...over,
      },
    },
  },
});

describe('fails, naming the resource, for', () => {
  test.each<[string, StackParts, RegExp]>([
    [
      'an unknown resource type',
      { resource: { aws_efs_file_system: { b: {} } } },
      /aws_efs_file_system\.b: the local runner doesn't know/,
    ],
    [
      'an unknown data source',
      { data: { aws_vpc: { v: {} } } },
      /data\.aws_vpc: this data source isn't known/,
    ],
    [
      'a module from elsewhere',
      { module: { m: { source: 'hashicorp/x' } } },
      /module\.m: expected a module of this stack/,
    ],
    ['a module that is not there', { module: { m: { source: './m' } } }, /got no main\.tf\.json in \.\/m/],
    ['variables', { variable: { v: { default: 1 } } }, /"variable" at the top/],
    [
      'count',
      { resource: { aws_sqs_queue: { q: { name: 'q', count: 2 } } } },
      /aws_sqs_queue\.q\.count: expected none/,
    ],
    [
      'for_each',
      { resource: { aws_sqs_queue: { q: { name: 'q', for_each: { a: 1 } } } } },
      /q\.for_each: expected none/,
    ],
    [
      'a provider alias',
      { resource: { aws_sqs_queue: { q: { name: 'q', provider: 'aws.eu' } } } },
      /the alias "aws\.eu"/,
    ],
    [
      'a field that changes how a function runs',
      { resource: { aws_lambda_function: { f: lambdaFunction('f', '', { layers: ['x'] }) } } },
      /aws_lambda_function\.f\.layers: the local runner doesn't implement this field/,
    ],
    [
      'an archive that is not there',
      {
        resource: {
          aws_lambda_function: {
            f: { ...lambdaFunction('f', ''), code: undefined, filename: 'assets/no.zip' },
          },
        },
      },
      /f\.filename: expected a zip file in the stack folder, got "assets\/no\.zip"/,
    ],
    [
      'a runtime other than Node',
      { resource: { aws_lambda_function: { f: lambdaFunction('f', '', { runtime: 'python3.13' }) } } },
      /f\.runtime: expected a Node\.js runtime/,
    ],
    [
      'a timeout Lambda does not allow',
      { resource: { aws_lambda_function: { f: lambdaFunction('f', '', { timeout: 901 }) } } },
      /f\.timeout: expected 1 to 900 seconds, got 901/,
    ],
    [
      'a key without a type',
      { resource: { aws_dynamodb_table: { t: sessionTable({ hash_key: 'Other' }) } } },
      /t\.attribute: expected an attribute block for the key "Other"/,
    ],
    [
      'a key of another type',
      { resource: { aws_dynamodb_table: { t: sessionTable({ attribute: [{ name: 'a', type: 'X' }] }) } } },
      /t\.attribute\.type: expected "S" or "N" or "B", got "X"/,
    ],
    [
      'a flexible time window',
      {
        resource: {
          aws_scheduler_schedule: {
            s: {
              name: 's',
              schedule_expression: 'rate(1 minute)',
              flexible_time_window: { mode: 'FLEXIBLE', maximum_window_in_minutes: 5 },
              target: { arn: 'a', role_arn: 'r' },
            },
          },
        },
      },
      /s\.flexible_time_window\.mode: expected "OFF", got "FLEXIBLE"/,
    ],
    [
      'a mapping of another source than a table',
      reading({ event_source_arn: 'arn:aws:kinesis:us-east-1:123456789012:stream/s' }),
      /m\.event_source_arn: expected the ARN of a DynamoDB stream, the only source that is read locally, got "arn:aws:kinesis/,
    ],
    [
      'a mapping of a table that is not here',
      reading({ event_source_arn: 'arn:aws:dynamodb:us-east-1:123456789012:table/Other/stream/x' }),
      /m\.event_source_arn: expected the stream of a table of the same synthesis \(SessionData\), got that of "Other"/,
    ],
    [
      'a mapping of a table without a stream',
      reading({}, { stream_enabled: false }),
      /m\.event_source_arn: expected a table with a stream, got aws_dynamodb_table\.t/,
    ],
    [
      'a mapping to a function that is not here',
      reading({ function_name: 'other' }),
      /m\.function_name: expected a function of the same synthesis \(f\), got "other"/,
    ],
    [
      'a mapping with several batches of a shard at a time',
      reading({ parallelization_factor: 2 }),
      /m\.parallelization_factor: expected 1 /,
    ],
    [
      'a mapping with tumbling windows',
      reading({ tumbling_window_in_seconds: 30 }),
      /m\.tumbling_window_in_seconds: expected 0 or none/,
    ],
    [
      'a mapping with an operator in its filter',
      reading({ filter_criteria: { filter: [{ pattern: '{"eventName":[{"prefix":"R"}]}' }] } }),
      /m\.filter_criteria\.filter\.pattern: expected a filter that is run locally \(eventName: expected values/,
    ],
    [
      'a mapping whose destination is a topic',
      reading({
        destination_config: { on_failure: { destination_arn: 'arn:aws:sns:us-east-1:123456789012:t' } },
      }),
      /m\.destination_config\.on_failure\.destination_arn: expected the ARN of a standard SQS queue/,
    ],
    [
      'a mapping with a batch that is too large',
      reading({ batch_size: 10_001 }),
      /m\.batch_size: expected a whole number from 1 to 10000, got 10001/,
    ],
    [
      'a mapping with a record age that Lambda does not allow',
      reading({ maximum_record_age_in_seconds: 59 }),
      /m\.maximum_record_age_in_seconds: expected -1 or a whole number from 60 to 604800, got 59/,
    ],
    [
      'a mapping with a field that nobody knows',
      reading({ scaling_config: { maximum_concurrency: 2 } }),
      /m\.scaling_config: the local runner doesn't implement this field/,
    ],
    ['a region that is none', { provider: { aws: [{ region: 'Frankfurt' }] } }, /provider\.aws\.region/],
  ])('%s', (_, stack, expected) => {
    expect(problemsOf(stack)).toMatch(expected);
  });

  test('a name used twice in different stacks', () => {
    const stack = { resource: { aws_dynamodb_table: { t: sessionTable() } } };
    const other = { resource: { aws_dynamodb_table: { u: sessionTable() } } };
    expect(problemsOf(stack, other)).toMatch(
      /expected a table name of its own, got "SessionData", which aws_dynamodb_table\.t has too/,
    );
  });

  test('several problems at once, all of them', () => {
    const problems = problemsOf({ resource: { aws_efs_file_system: { b: {} }, aws_vpc: { v: {} } } });
    expect(problems.split('\n')).toHaveLength(2);
  });
});

describe('fails when the folder', () => {
  test('is not there', () => {
    expect(() => readSynthesized('/no/such/folder')).toThrow(
      '/no/such/folder/manifest.json: no such file; synthesize first',
    );
  });

  test('holds broken JSON', () => {
    made = handmadeStacks({ stack: {} });
    writeFileSync(join(made.directory, 'stacks/stack/cdk.tf.json'), '{');
    const { directory } = made;
    expect(() => readSynthesized(directory)).toThrow(/cdk\.tf\.json: isn't JSON/);
  });
});

describe('an alarm', () => {
  const alarm = (over: Record<string, unknown> = {}) => ({
    resource: {
      aws_cloudwatch_metric_alarm: {
        late: {
          alarm_name: 'sweep-late',
          namespace: 'PreciseTtl',
          metric_name: 'DeletionLag',
          dimensions: { TableName: 'Sessions' },
          extended_statistic: 'p99',
          period: 300,
          evaluation_periods: 3,
          threshold: '11000',
          comparison_operator: 'GreaterThanOrEqualToThreshold',
          treat_missing_data: 'notBreaching',
          alarm_description: 'late',
          alarm_actions: ['arn:aws:sns:us-east-1:123456789012:topic'],
          tags: { a: 'b' },
          ...over,
        },
      },
    },
  });

  const queries = (expression: string, stat = 'Sum', return_data = false) => [
    { id: 'e1', expression, return_data: true },
    {
      id: 'm1',
      return_data,
      metric: { namespace: 'PreciseTtl', metric_name: 'M', dimensions: {}, period: 300, stat },
    },
  ];

  test('on an expression is read with its metric', () => {
    const plain = ['namespace', 'metric_name', 'dimensions', 'extended_statistic', 'period'];
    const without = Object.fromEntries(plain.map(field => [field, null]));
    const seen = read(alarm({ ...without, metric_query: queries('FILL(m1, 0)') })).alarms[0];
    expect(seen).toMatchObject({
      ...{ namespace: 'PreciseTtl', metricName: 'M', statistic: 'Sum', period: 300 },
      expression: { text: 'FILL(m1, 0)', metrics: { m1: { metricName: 'M' } } },
    });
    expect(seen?.expression?.math({ m1: [undefined, 2] })).toEqual([0, 2]);
  });

  test('is read; all its periods have to breach unless it says less', () => {
    expect(read(alarm()).alarms).toEqual([
      {
        address: 'aws_cloudwatch_metric_alarm.late',
        name: 'sweep-late',
        arn: 'arn:aws:cloudwatch:us-east-1:123456789012:alarm:sweep-late',
        region: 'us-east-1',
        description: 'late',
        namespace: 'PreciseTtl',
        metricName: 'DeletionLag',
        dimensions: { TableName: 'Sessions' },
        statistic: 'p99',
        period: 300,
        evaluationPeriods: 3,
        datapointsToAlarm: 3,
        threshold: 11_000,
        comparison: 'GreaterThanOrEqualToThreshold',
        treatMissingData: 'notBreaching',
        alarmActions: ['arn:aws:sns:us-east-1:123456789012:topic'],
        okActions: [],
      },
    ]);
  });

  test.each([
    [{ period: 10 }, 'period: expected a multiple of 60 seconds'],
    [{ statistic: 'Sum' }, 'statistic: expected either statistic or extended_statistic'],
    [{ extended_statistic: 'tm99' }, 'extended_statistic: expected a percentile such as p99, got "tm99"'],
    [{ extended_statistic: null, statistic: 'p99' }, 'statistic: expected SampleCount or Average'],
    [{ evaluation_periods: 0 }, 'evaluation_periods: expected a whole number above 0'],
    [
      { datapoints_to_alarm: 4 },
      'datapoints_to_alarm: expected a whole number from 1 to evaluation_periods, got 4',
    ],
    [{ threshold: null }, 'threshold: expected a number, got nothing'],
    [
      { metric_query: { id: 'e1' } },
      'metric_query: expected one expression and its metrics, got "1 queries"',
    ],
    [{ metric_query: queries('RATE(m1)') }, 'metric_query.expression: expected m1, a number, FILL or IF as'],
    [{ metric_query: queries('m1', 'p999') }, 'metric_query[1].metric.stat: expected SampleCount or'],
    [
      { metric_query: queries('m1', 'Sum', true) },
      'metric_query[1].return_data: expected true for the expression, and for nothing else, got true',
    ],
  ])('fails with %j', (over, problem) => {
    expect(problemsOf(alarm(over))).toContain(`stack: aws_cloudwatch_metric_alarm.late.${problem}`);
  });
});
