// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { readFileSync } from 'node:fs';
import { AwsProvider } from '@cdktf/provider-aws/lib/provider/index.js';
import { SqsQueue } from '@cdktf/provider-aws/lib/sqs-queue/index.js';
import { TerraformStack, Testing } from 'cdktf';
import { bucketPrefixOf } from '../../config/names.ts';
import type { EventTarget } from '../../config/pipe-props.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { TARGET_LIMITS } from '../../functions/only-expiries/contract.ts';
import type { ConstructProps } from '../../stacks/construct-props.ts';
import { PreciseTtl } from '../../stacks/precise-ttl.ts';
import { EXAMPLE_ARNS } from '../../tools/docs/role-statements.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import {
  environmentOf,
  resources,
  settingsIn,
  synthesizeToFolder,
  type TerraformJson,
  terraformJson,
} from '../support/synthesized.ts';

const KEY = 'arn:aws:kms:us-east-1:123456789012:key/1234abcd-0000-0000-0000-000000000000';
const TABLE_KEY = KEY.replace('1234abcd', '5678abcd');
const { queue: QUEUE } = EXAMPLE_ARNS;

const synthesized = (props: Partial<PreciseTtlProps>) =>
  terraformJson(configOf({ ...SESSION_DATA, ...props }));

/** `${…}` of Terraform as what it stands for, to be read. */
function inWords(text: string): string {
  return text
    .replaceAll(
      /\$\{aws_(\w+?)\.(?:SessionData|sweeps_precise-ttl|ttl)_([\w-]+)_[0-9A-F]{8}\.(\w+)\}/g,
      '<$2 $3>',
    )
    .replaceAll(/\$\{data\.aws_(\w+)\.\w+_[0-9A-F]{8}\.(\w+)\}/g, '<$2>');
}

interface Policy {
  readonly Statement: readonly {
    readonly Action: readonly string[];
    readonly Resource: readonly string[];
    readonly Condition?: object;
  }[];
}

/** `actions on resources`, of the role of this name. */
function mayDo(json: TerraformJson, role: string): string[] {
  const policy = resources(json, 'aws_iam_role_policy').find(({ name }) => name === role);
  const { Statement } = JSON.parse(String(policy?.['policy'])) as Policy;
  return Statement.map(
    ({ Action, Resource, Condition }) =>
      `${Action.join(', ')} on ${Resource.map(inWords).join(', ')}${Condition ? ` if ${inWords(JSON.stringify(Condition))}` : ''}`,
  );
}

const trustOf = (json: TerraformJson, role: string) => {
  const found = resources(json, 'aws_iam_role').find(({ name }) => name === role);
  const { Statement } = JSON.parse(inWords(String(found?.['assume_role_policy'])));
  return Statement[0];
};

const pipesIn = (json: TerraformJson) => resources(json, 'aws_pipes_pipe') as unknown as Pipe[];
interface Pipe {
  readonly name: string;
  readonly source: string;
  readonly target: string;
  readonly enrichment: string;
  readonly enrichment_parameters: { readonly input_template: string };
  readonly target_parameters?: object;
  readonly source_parameters: {
    readonly filter_criteria: object;
    readonly dynamodb_stream_parameters: Readonly<Record<string, unknown>>;
  };
  readonly depends_on: readonly string[];
}

const READ_STREAM = [
  'dynamodb:DescribeStream, dynamodb:GetRecords, dynamodb:GetShardIterator on <table stream_arn>',
  'dynamodb:ListStreams on *',
];
const FAILURES = 'sqs:SendMessage on <schedules_dead-letters arn>';
const CALL = 'lambda:InvokeFunction on <pipes_only-expiries_function arn>';

describe('a pipe of events', () => {
  const json = synthesized({ events: { to: QUEUE } });
  const [pipe] = pipesIn(json);

  test('reads removals of the stream, for 23 hours, and gives what fails to the failure queue', () => {
    expect(pipe?.name).toBe('precise-ttl-SessionData-queue');
    expect(inWords(`${pipe?.source} ${pipe?.enrichment}`)).toBe(
      '<table stream_arn> <pipes_only-expiries_function arn>',
    );
    expect(pipe?.source_parameters).toEqual({
      filter_criteria: { filter: [{ pattern: '{"eventName":["REMOVE"]}' }] },
      dynamodb_stream_parameters: {
        starting_position: 'LATEST',
        batch_size: 10,
        maximum_batching_window_in_seconds: 0,
        parallelization_factor: 10,
        maximum_record_age_in_seconds: 82_800,
        maximum_retry_attempts: 10_000,
        on_partial_batch_item_failure: 'AUTOMATIC_BISECT',
        dead_letter_config: { arn: expect.stringMatching(/dead-letters_\w+\.arn/) },
      },
    });
  });

  test('is made when its role may do all that it needs', () => {
    expect(pipe?.depends_on).toEqual([expect.stringMatching(/^aws_iam_role_policy\./)]);
    expect(mayDo(json, 'precise-ttl-pipes-events')).toEqual([
      ...READ_STREAM,
      CALL,
      `sqs:SendMessage on ${QUEUE}, <schedules_dead-letters arn>`,
    ]);
    expect(trustOf(json, 'precise-ttl-pipes-events')).toEqual({
      Effect: 'Allow',
      Principal: { Service: 'pipes.amazonaws.com' },
      Action: 'sts:AssumeRole',
      Condition: {
        StringEquals: { 'aws:SourceAccount': '<account_id>' },
        ArnLike: { 'aws:SourceArn': 'arn:<partition>:pipes:<region>:<account_id>:pipe/precise-ttl-*' },
      },
    });
  });

  test('says why it failed, without items', () => {
    expect(resources(json, 'aws_pipes_pipe')[0]?.['log_configuration']).toEqual({
      level: 'ERROR',
      cloudwatch_logs_log_destination: { log_group_arn: expect.stringMatching(/pipes_logs_\w+\.arn/) },
    });
    expect(resources(json, 'aws_cloudwatch_log_group')).toContainEqual(
      expect.objectContaining({ name: '/aws/vendedlogs/pipes/precise-ttl', retention_in_days: 30 }),
    );
  });
});

test('OnlyExpiries has no permission but its log, and knows of no table', () => {
  const json = synthesized({ archive: true, events: { to: QUEUE } });
  expect(mayDo(json, 'precise-ttl-only-expiries')).toEqual([
    'logs:CreateLogStream, logs:PutLogEvents on <pipes_only-expiries_logs arn>:*',
  ]);
  expect(environmentOf(json, 'only-expiries')).toEqual({
    DEPLOYMENT_NAME: 'precise-ttl',
    POWERTOOLS_METRICS_NAMESPACE: 'PreciseTtl',
    POWERTOOLS_SERVICE_NAME: 'only-expiries',
  });
});

test.each<[EventTarget, string, number, object | undefined]>([
  [
    'bus',
    'events:PutEvents',
    10,
    {
      eventbridge_event_bus_parameters: {
        source: 'precise-ttl',
        detail_type: 'DynamoDB Item Expired',
        time: '$.deletedAt',
      },
    },
  ],
  ['queue', 'sqs:SendMessage', 10, undefined],
  [
    'fifoQueue',
    'sqs:SendMessage',
    10,
    { sqs_queue_parameters: { message_group_id: '$.group', message_deduplication_id: '$.id' } },
  ],
  ['topic', 'sns:Publish', 10, undefined],
  ['stream', 'kinesis:PutRecords', 100, { kinesis_stream_parameters: { partition_key: '$.group' } }],
  ['firehose', 'firehose:PutRecordBatch', 100, undefined],
  [
    'function',
    'lambda:InvokeFunction',
    10,
    { lambda_function_parameters: { invocation_type: 'REQUEST_RESPONSE' } },
  ],
  [
    'stateMachine',
    'states:StartExecution',
    10,
    { step_function_state_machine_parameters: { invocation_type: 'FIRE_AND_FORGET' } },
  ],
])('a pipe to a %s may %s and no more, %i events at a time', (kind, action, batch, parameters) => {
  const to = EXAMPLE_ARNS[kind];
  const json = synthesized({ events: { to } });
  const [pipe] = pipesIn(json);
  expect([pipe?.target, pipe?.target_parameters]).toEqual([to, parameters]);
  expect(pipe?.source_parameters.dynamodb_stream_parameters['batch_size']).toBe(batch);
  expect(templateOf(pipe)).toMatchObject({ to: kind });
  const others = [...READ_STREAM, CALL, FAILURES];
  const rights = mayDo(json, 'precise-ttl-pipes-events').flatMap(right =>
    // An action on two resources is one statement.
    right.includes(to)
      ? [`${action} on ${to}`, right.replace(`${to}, `, '').replace(`, ${to}`, '')]
      : [right],
  );
  expect([...new Set(rights)].filter(right => !others.includes(right))).toEqual([`${action} on ${to}`]);
});

/** What OnlyExpiries gets of a record. */
function templateOf(pipe: Pipe | undefined): Record<string, unknown> {
  const template = pipe?.enrichment_parameters.input_template ?? '';
  return JSON.parse(inWords(template.replace('<aws.pipes.event.json>', '{"eventID":"e"}')));
}

test('a record comes with what its pipe knows of the table', () => {
  const props = { ttlAttribute: 'Ende${"%{x', events: { to: QUEUE, oldImage: true } };
  expect(templateOf(pipesIn(synthesized(props))[0])).toEqual({
    table: '<table name>',
    ttlAttribute: 'Ende$${"%%{x',
    to: 'queue',
    oldImage: true,
    record: { eventID: 'e' },
  });
});

test('a list of two is two pipes with one role', () => {
  const json = synthesized({ events: { to: [QUEUE, EXAMPLE_ARNS.bus] } });
  expect(pipesIn(json).map(({ name, target }) => [name, target])).toEqual([
    ['precise-ttl-SessionData-bus', EXAMPLE_ARNS.bus],
    ['precise-ttl-SessionData-queue', QUEUE],
  ]);
  const roles = resources(json, 'aws_iam_role').map(({ name }) => String(name));
  expect(roles.filter(name => name.includes('pipes'))).toEqual(['precise-ttl-pipes-events']);
});

const FOLDER = 'arn:<partition>:s3:::<pipes_archive_bucket id>';

describe('an archive', () => {
  const json = synthesized({ archive: true });

  test('is a pipe to Firehose, which begins as far back as the stream goes', () => {
    const [pipe] = pipesIn(json);
    expect(inWords(pipe?.target ?? '')).toBe('<pipes_archive_precise-ttl-SessionData arn>');
    expect(pipe?.source_parameters.dynamodb_stream_parameters).toMatchObject({
      starting_position: 'TRIM_HORIZON',
      batch_size: 100,
      maximum_batching_window_in_seconds: 30,
      parallelization_factor: 1,
    });
    expect(templateOf(pipe)).toMatchObject({ to: 'archive', oldImage: true });
    expect(mayDo(json, 'precise-ttl-pipes-archive')).toEqual([
      ...READ_STREAM,
      CALL,
      'firehose:PutRecordBatch on <pipes_archive_precise-ttl-SessionData arn>',
      FAILURES,
    ]);
  });

  test('is written as lines, by table and day', () => {
    const [stream] = resources(json, 'aws_kinesis_firehose_delivery_stream');
    expect(JSON.parse(inWords(JSON.stringify(stream)))).toMatchObject({
      name: 'precise-ttl-SessionData-archive',
      server_side_encryption: { enabled: true },
      extended_s3_configuration: {
        bucket_arn: FOLDER,
        prefix: '<table name>/day=!{timestamp:yyyy-MM-dd}/',
        error_output_prefix: 'failed/<table name>/!{firehose:error-output-type}/!{timestamp:yyyy-MM-dd}/',
        buffering_interval: 300,
        compression_format: 'GZIP',
        file_extension: '.jsonl.gz',
        processing_configuration: { enabled: true, processors: [{ type: 'AppendDelimiterToRecord' }] },
      },
    });
    expect(mayDo(json, 'precise-ttl-archive')).toEqual([
      `s3:AbortMultipartUpload, s3:PutObject on ${FOLDER}/*`,
      `s3:GetBucketLocation, s3:ListBucket, s3:ListBucketMultipartUploads on ${FOLDER}`,
      'logs:PutLogEvents on <pipes_archive_logs arn>',
    ]);
  });

  test('is in a bucket with versions, that is encrypted, closed, open to TLS only, and that no plan deletes', () => {
    const [bucket] = resources(json, 'aws_s3_bucket');
    expect(bucket?.['lifecycle']).toEqual({ ignore_changes: ['bucket_prefix'], prevent_destroy: true });
    expect(resources(json, 'aws_s3_bucket_versioning')).toMatchObject([
      { versioning_configuration: { status: 'Enabled' } },
    ]);
    const [access] = resources(json, 'aws_s3_bucket_public_access_block');
    const closed = [
      'block_public_acls',
      'block_public_policy',
      'ignore_public_acls',
      'restrict_public_buckets',
    ];
    expect(closed.map(name => access?.[name])).toEqual([true, true, true, true]);
    expect(resources(json, 'aws_s3_bucket_server_side_encryption_configuration')).toMatchObject([
      { rule: [{ apply_server_side_encryption_by_default: { sse_algorithm: 'AES256' } }] },
    ]);
    const [policy] = resources(json, 'aws_s3_bucket_policy').map(block =>
      JSON.parse(String(block['policy'])),
    );
    expect(policy.Statement).toMatchObject([
      { Effect: 'Deny', Principal: '*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
    ]);
    expect(JSON.stringify(resources(json, 'aws_s3_bucket_lifecycle_configuration'))).not.toMatch(
      /expiration|transition/,
    );
  });

  test('is written to only when its bucket is as it should be', () => {
    const locked = synthesized({ archive: { lockDays: 365 } });
    const [stream] = resources(locked, 'aws_kinesis_firehose_delivery_stream');
    const types = [stream?.['depends_on']].flat().map(address => String(address).split('.')[0]);
    expect(types.filter(one => one?.startsWith('aws_s3_')).sort()).toEqual([
      'aws_s3_bucket_object_lock_configuration',
      'aws_s3_bucket_policy',
      'aws_s3_bucket_public_access_block',
      'aws_s3_bucket_server_side_encryption_configuration',
      'aws_s3_bucket_versioning',
    ]);
    expect(resources(locked, 'aws_s3_bucket_object_lock_configuration')).toMatchObject([
      { rule: { default_retention: { mode: 'COMPLIANCE', days: 365 } } },
    ]);
    expect(resources(json, 'aws_s3_bucket_object_lock_configuration')).toEqual([]);
  });

  test('that is turned off, moves to a bucket of yours or is in a removed deployment leaves the bucket, with all that protects it', () => {
    const locked = synthesized({ archive: { lockDays: 1 } });
    const addresses = Object.entries(locked.resource)
      .filter(([type]) => type.startsWith('aws_s3_bucket'))
      .flatMap(([type, blocks]) => Object.keys(blocks).map(name => `${type}.${name}`));
    const leftIn = (other: object) =>
      (other as { removed?: { from: string; lifecycle: object[] }[] }).removed
        ?.filter(({ from }) => from.startsWith('aws_s3_'))
        .map(({ from, lifecycle }) => `${from} ${JSON.stringify(lifecycle)}`)
        .sort();
    const left = addresses.map(address => `${address} [{"destroy":false}]`).sort();
    expect(left).toHaveLength(7);
    for (const archive of [false, { bucket: 'my-own' }])
      expect(leftIn(synthesized({ archive }))).toEqual(left);
    expect(leftIn(synthesized({ events: { to: QUEUE } }))).toEqual(left);
    const folder = synthesizeToFolder(configOf({ ...SESSION_DATA, archive: { lockDays: 1 } }), {
      removed: true,
    });
    expect(leftIn(JSON.parse(readFileSync(`${folder}/stacks/precise-ttl/cdk.tf.json`, 'utf8')))).toEqual(
      left,
    );
    expect(leftIn(locked)).toEqual([]);
  });

  test.each([
    ['precise-ttl-Session_Data', 'precise-ttl-session-data-archive-'],
    ['-A-', 'a-archive-'],
    ['___', 'archive-'],
    ['x'.repeat(45), `${'x'.repeat(28)}-archive-`],
    [`${'x'.repeat(27)}-y`, `${'x'.repeat(27)}-archive-`],
  ])('of the deployment %s has a bucket that begins with %s', (name, prefix) => {
    expect(bucketPrefixOf(name)).toBe(prefix);
    // Source: S3 User Guide, "Bucket naming rules"; Terraform adds 26 characters.
    expect(`${prefix}${'0'.repeat(26)}`).toMatch(/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/);
  });

  test('in a bucket of yours makes none', () => {
    const own = synthesized({ archive: { bucket: 'my-own' } });
    expect(Object.keys(own.resource).filter(type => type.startsWith('aws_s3_'))).toEqual([]);
    expect(mayDo(own, 'precise-ttl-archive')[0]).toContain(
      ' on arn:<partition>:s3:::my-own/<table name>/*, ',
    );
  });
});

test('with keys of yours, the roles may use them for the stream, the queue, the target and the bucket, each in its context', () => {
  const keyed = synthesized({
    archive: true,
    events: { to: QUEUE },
    kmsKeyArn: KEY,
    tableKmsKeyArn: TABLE_KEY,
  });
  const keysOf = (role: string) => mayDo(keyed, role).filter(right => right.startsWith('kms:'));
  const ofTable = `kms:Decrypt, kms:DescribeKey on ${TABLE_KEY} if {"StringLike":{"kms:ViaService":"dynamodb.<region>.amazonaws.*"}}`;
  const ofQueue = (arn: string) =>
    `kms:Decrypt, kms:GenerateDataKey on ${KEY} if {"StringEquals":{"kms:EncryptionContext:aws:sqs:arn":"${arn}"}}`;
  expect(keysOf('precise-ttl-pipes-events')).toEqual([
    ofTable,
    ofQueue(QUEUE),
    ofQueue('<schedules_dead-letters arn>'),
  ]);
  expect(keysOf('precise-ttl-pipes-archive')).toEqual([ofTable, ofQueue('<schedules_dead-letters arn>')]);
  expect(keysOf('precise-ttl-archive')).toEqual([
    `kms:Decrypt, kms:GenerateDataKey on ${KEY} if {"StringLike":{"kms:ViaService":"s3.<region>.amazonaws.*"}}`,
  ]);
  expect(resources(keyed, 'aws_s3_bucket_server_side_encryption_configuration')[0]?.['rule']).toEqual([
    {
      apply_server_side_encryption_by_default: { sse_algorithm: 'aws:kms', kms_master_key_id: KEY },
      bucket_key_enabled: true,
    },
  ]);
});

describe('the stream', () => {
  const tableOf = (props: Partial<PreciseTtlProps>) => resources(synthesized(props), 'aws_dynamodb_table')[0];

  test.each([{ archive: true }, { events: { to: QUEUE } }])('is there with %j', props => {
    expect(tableOf(props)).toMatchObject({ stream_enabled: true, stream_view_type: 'NEW_AND_OLD_IMAGES' });
    expect(JSON.stringify(tableOf(props)?.['lifecycle'])).not.toContain('stream');
  });

  test('is not, and is left alone, without', () => {
    expect(tableOf({ archive: false })).not.toHaveProperty('stream_enabled');
  });
});

describe('a table of the same stack', () => {
  const ownStack = () => {
    const stack = new TerraformStack(Testing.app(), 'own');
    new AwsProvider(stack, 'aws', { region: 'eu-central-1' });
    return stack;
  };
  const arn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/Sessions';
  const streamArn = `${arn}/stream/2026-11-22T02:38:23.123`;
  const props = (more: object): ConstructProps =>
    ({ table: { name: 'Sessions', arn, streamArn }, partitionKey: 'id', ...more }) as ConstructProps;

  test('is read by its stream, into a queue that the stack makes', () => {
    const stack = ownStack();
    const queue = new SqsQueue(stack, 'expiries', { name: 'expiries' });
    const ttl = new PreciseTtl(
      stack,
      'ttl',
      props({ archive: true, events: { to: queue.arn, as: 'queue' } }),
    );
    const json = JSON.parse(Testing.synth(stack)) as TerraformJson;
    expect(pipesIn(json).map(({ source, target }) => [source, inWords(target)])).toEqual([
      [streamArn, '<pipes_archive_precise-ttl-Sessions arn>'],
      [streamArn, '${aws_sqs_queue.expiries.arn}'],
    ]);
    expect(Object.keys(ttl.pipes?.pipes ?? {})).toEqual([
      'precise-ttl-Sessions-archive',
      'precise-ttl-Sessions-queue',
    ]);
  });

  test('without its stream is refused', () => {
    const table = { name: 'Sessions', arn };
    for (const more of [{ archive: true }, { events: { to: QUEUE } }]) {
      expect(() => new PreciseTtl(ownStack(), 'ttl', props({ table, ...more }))).toThrow(
        /table\.streamArn: expected the ARN of the table's stream, with old images, because of (archive|events), got nothing/,
      );
    }
    expect(
      () => new PreciseTtl(ownStack(), 'ttl', props({ table: { ...table, streamArn: arn }, archive: true })),
    ).toThrow(/table\.streamArn: expected the ARN of the table's stream, got/);
    new PreciseTtl(ownStack(), 'ttl', props({ table, archive: false }));
  });
});

test.each<[string, Partial<PreciseTtlProps>, number | undefined]>([
  ['an archive', { archive: true }, 1],
  ['events', { events: { to: QUEUE } }, 1],
  ['neither', { archive: false }, undefined],
])('with %s the executions that say what is expired have the right margin', (_what, props, margin) => {
  const json = synthesized(props);
  for (const machine of ['tick', 'replay'] as const)
    expect(settingsIn(json, machine).map(({ marginSeconds }) => marginSeconds)).toEqual([margin]);
});

describe('a hundred tables with archive and events', () => {
  const tables = Array.from({ length: 100 }, (_, at) => ({
    ...{ tableName: `Table${at}`, partitionKey: 'id', archive: true },
    events: { to: at % 2 === 0 ? QUEUE : EXAMPLE_ARNS.bus },
  }));
  const json = terraformJson(configOf(...tables));
  const count = (type: string) => resources(json, type).length;

  test('have two pipes and a stream each, and all else once', () => {
    const all = Object.keys(json.resource).reduce((sum, type) => sum + count(type), 0);
    expect([count('aws_pipes_pipe'), count('aws_kinesis_firehose_delivery_stream')]).toEqual([200, 100]);
    expect(all).toBeLessThanOrEqual(480);
    expect(count('aws_iam_role')).toBeLessThanOrEqual(12);
    expect(count('aws_cloudwatch_metric_alarm')).toBeLessThanOrEqual(7);
    expect(count('aws_lambda_function')).toBe(5);
    expect(count('aws_s3_bucket')).toBe(1);
  });

  test('whose archives are locked for different times are refused', () => {
    const [one, two] = [{ lockDays: 1 }, { lockDays: 2 }].map((archive, at) => ({ ...tables[at], archive }));
    expect(() => terraformJson(configOf(one as PreciseTtlProps, two as PreciseTtlProps))).toThrow(
      'tables[1].archive.lockDays: expected 1, as tables[0] (Table0) has it: a deployment has one bucket, got 2.',
    );
  });
});

test('a pipe gets no larger batch than OnlyExpiries answers within the limits of a call', () => {
  for (const { event, call } of Object.values(TARGET_LIMITS)) expect(call).toBeGreaterThanOrEqual(event);
});
