// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { AwsProvider } from '@cdktf/provider-aws/lib/provider/index.js';
import { SqsQueue } from '@cdktf/provider-aws/lib/sqs-queue/index.js';
import { TerraformStack, Testing } from 'cdktf';
import { propProblems } from '../../config/prop-problems.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import type { ConstructProps } from '../../stacks/construct-props.ts';
import { PreciseTtl } from '../../stacks/precise-ttl.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import {
  environmentOf,
  resources,
  settingsIn,
  type TerraformJson,
  terraformJson,
} from '../support/synthesized.ts';

const KEY = 'arn:aws:kms:us-east-1:123456789012:key/1234abcd-0000-0000-0000-000000000000';
const TABLE_KEY = KEY.replace('1234abcd', '5678abcd');
const STREAM = 'arn:aws:kinesis:us-east-1:123456789012:stream/expiries';
const QUEUE = 'arn:aws:sqs:us-east-1:123456789012:expiries.fifo';
const FUNCTION = 'arn:aws:lambda:us-east-1:123456789012:function:on-expiry:live';

const synthesized = (props: Partial<PreciseTtlProps>) =>
  terraformJson(configOf({ ...SESSION_DATA, ...props }));

/** `${…}` of Terraform as what it stands for, to be read. */
function inWords(text: string): string {
  return text
    .replaceAll(/\$\{aws_(\w+?)\.SessionData_(?:archive_|events_)?([\w-]+)_[0-9A-F]{8}\.(\w+)\}/g, '<$2 $3>')
    .replaceAll(
      /\$\{aws_dynamodb_table\.sweeps_\S+_journal_table_[0-9A-F]{8}\.(\w+)\}/g,
      '<journal table $1>',
    )
    .replaceAll(/\$\{data\.aws_(\w+)\.\w+_[0-9A-F]{8}\.(\w+)\}/g, '<$2>');
}

/** `actions on resources`, of the role whose name ends so, without the log. */
function mayDo(json: TerraformJson, ending: string): string[] {
  const policy = resources(json, 'aws_iam_role_policy').find(({ name }) => String(name).endsWith(ending));
  const { Statement } = JSON.parse(String(policy?.['policy'])) as {
    Statement: { Action: string[]; Resource: string[]; Condition?: object }[];
  };
  return Statement.filter(({ Action }) => !Action[0]?.startsWith('logs:')).map(
    ({ Action, Resource, Condition }) =>
      `${Action.join(', ')} on ${Resource.map(inWords).join(', ')}${Condition ? ` if ${inWords(JSON.stringify(Condition))}` : ''}`,
  );
}

const READ_STREAM = [
  'dynamodb:DescribeStream, dynamodb:GetRecords, dynamodb:GetShardIterator on <table stream_arn>',
  'dynamodb:ListStreams on *',
  'sqs:SendMessage on <reader_failures arn>',
];
const FOLDER = 'arn:<partition>:s3:::<bucket id>/<table name>';

describe('the archive', () => {
  const json = synthesized({ archive: {} });

  test('may put objects below its table, read the stream, and nothing else', () => {
    expect(mayDo(json, 'archive-expiries')).toEqual([
      `s3:PutObject on ${FOLDER}/expired_date=*`,
      ...READ_STREAM,
    ]);
  });

  test('is called with what was removed, a minute of it at a time, for 23 hours', () => {
    expect(resources(json, 'aws_lambda_event_source_mapping')).toEqual([
      {
        '//': expect.anything(),
        batch_size: 1000,
        bisect_batch_on_function_error: true,
        depends_on: expect.anything(),
        destination_config: { on_failure: { destination_arn: expect.stringMatching(/failures_\w+\.arn/) } },
        event_source_arn: expect.stringMatching(/aws_dynamodb_table\.\w+\.stream_arn/),
        filter_criteria: { filter: [{ pattern: '{"eventName":["REMOVE"]}' }] },
        function_name: expect.stringMatching(/archive-expiries_function_\w+\.arn/),
        function_response_types: ['ReportBatchItemFailures'],
        maximum_batching_window_in_seconds: 60,
        maximum_record_age_in_seconds: 82_800,
        maximum_retry_attempts: -1,
        starting_position: 'TRIM_HORIZON',
      },
    ]);
  });

  test('has a bucket with versions, that is encrypted, closed, and open to TLS only', () => {
    expect(resources(json, 'aws_s3_bucket_versioning')).toMatchObject([
      { versioning_configuration: { status: 'Enabled' } },
    ]);
    expect(resources(json, 'aws_s3_bucket_public_access_block')).toMatchObject([
      {
        block_public_acls: true,
        block_public_policy: true,
        ignore_public_acls: true,
        restrict_public_buckets: true,
      },
    ]);
    expect(resources(json, 'aws_s3_bucket_ownership_controls')).toMatchObject([
      { rule: { object_ownership: 'BucketOwnerEnforced' } },
    ]);
    expect(resources(json, 'aws_s3_bucket_server_side_encryption_configuration')).toMatchObject([
      { rule: [{ apply_server_side_encryption_by_default: { sse_algorithm: 'AES256' } }] },
    ]);
    const [policy] = resources(json, 'aws_s3_bucket_policy').map(block =>
      JSON.parse(String(block['policy'])),
    );
    expect(policy.Statement).toMatchObject([
      { Effect: 'Deny', Principal: '*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
    ]);
  });

  test('is written to only when its bucket is as it should be', () => {
    const [writer] = resources(json, 'aws_lambda_event_source_mapping');
    const types = [writer?.['depends_on']].flat().map(address => String(address).split('.')[0]);
    expect(types.filter(one => one?.startsWith('aws_s3_')).sort()).toEqual([
      'aws_s3_bucket_ownership_controls',
      'aws_s3_bucket_policy',
      'aws_s3_bucket_public_access_block',
      'aws_s3_bucket_server_side_encryption_configuration',
      'aws_s3_bucket_versioning',
    ]);
  });

  test('DeleteChunk waits for no bucket that it does not write to', () => {
    const [writer] = resources(json, 'aws_lambda_function').filter(({ function_name }) =>
      String(function_name).endsWith('delete-chunk'),
    );
    expect(JSON.stringify(writer)).not.toContain('aws_s3_');
  });

  test('deletes nothing: objects become colder, and uploads that nobody ends go', () => {
    const [lifecycle] = resources(
      synthesized({ archive: { coldAfterDays: 7 } }),
      'aws_s3_bucket_lifecycle_configuration',
    );
    expect(lifecycle?.['rule']).toEqual([
      {
        id: 'colder',
        status: 'Enabled',
        filter: [{ prefix: '' }],
        transition: [{ days: 7, storage_class: 'GLACIER_IR' }],
        noncurrent_version_transition: [{ noncurrent_days: 7, storage_class: 'GLACIER_IR' }],
        abort_incomplete_multipart_upload: [{ days_after_initiation: 7 }],
      },
    ]);
  });

  test('knows what the prop says', () => {
    const archive = { prefix: 'kept/', format: 'json', removals: 'all' } as const;
    const of = synthesized({ archive });
    expect(environmentOf(of, 'archive-expiries')).toMatchObject({
      TABLE_NAME: expect.stringContaining('aws_dynamodb_table'),
      ARCHIVE_BUCKET: expect.stringMatching(/^\$\{aws_s3_bucket\.\w+\.id\}$/),
      ARCHIVE_PREFIX: 'kept/',
      ARCHIVE_FORMAT: 'json',
      ARCHIVE_REMOVALS: 'all',
    });
    expect(mayDo(of, 'archive-expiries')[0]).toBe(
      's3:PutObject on arn:<partition>:s3:::<bucket id>/kept/<table name>/expired_date=*, arn:<partition>:s3:::<bucket id>/kept/<table name>/removed_date=*',
    );
  });

  test('with keys of yours, the roles may use them for S3, the queue and the stream', () => {
    const keyed = synthesized({ archive: {}, kmsKeyArn: KEY, tableKmsKeyArn: TABLE_KEY });
    const [encryption] = resources(keyed, 'aws_s3_bucket_server_side_encryption_configuration');
    expect(encryption?.['rule']).toEqual([
      {
        apply_server_side_encryption_by_default: { sse_algorithm: 'aws:kms', kms_master_key_id: KEY },
        bucket_key_enabled: true,
      },
    ]);
    const forS3 = `kms:GenerateDataKey on ${KEY} if {"StringLike":{"kms:ViaService":"s3.<region>.amazonaws.*"}}`;
    expect(mayDo(keyed, 'archive-expiries')).toEqual([
      `s3:PutObject on ${FOLDER}/expired_date=*`,
      forS3,
      ...READ_STREAM,
      `kms:Decrypt, kms:DescribeKey on ${TABLE_KEY} if {"StringLike":{"kms:ViaService":"dynamodb.<region>.amazonaws.*"}}`,
      `kms:Decrypt, kms:GenerateDataKey on ${KEY} if {"StringEquals":{"kms:EncryptionContext:aws:sqs:arn":"<reader_failures arn>"}}`,
      `kms:Decrypt on ${KEY} if {"StringEquals":{"kms:EncryptionContext:aws:lambda:FunctionArn":"arn:<partition>:lambda:<region>:<account_id>:function:precise-ttl-SessionData-archive-expiries"}}`,
    ]);
    for (const queue of resources(keyed, 'aws_sqs_queue'))
      expect(queue).toMatchObject({ kms_master_key_id: KEY });
  });

  test('in a bucket of your own makes none, and may put objects there', () => {
    const own = synthesized({ archive: { bucket: 'my-own', prefix: 'a/' } });
    expect(Object.keys(own.resource).filter(type => type.startsWith('aws_s3_'))).toEqual([]);
    expect(mayDo(own, 'archive-expiries')[0]).toBe(
      's3:PutObject on arn:<partition>:s3:::my-own/a/<table name>/expired_date=*',
    );
    expect(resources(own, 'aws_lambda_event_source_mapping')[0]).not.toHaveProperty('depends_on');
  });
});

/** What the reader of the stream may do besides, in the same statement where the action is the same. */
function grouped(statement: string): string[] {
  const [action, on] = statement.split(' on ');
  const same = READ_STREAM.find(other => other.startsWith(`${action} on `));
  if (same === undefined) return [statement, ...READ_STREAM];
  return [`${action} on ${on}, ${same.split(' on ')[1]}`, ...READ_STREAM.filter(each => each !== same)];
}

describe('the events', () => {
  test.each([
    ['a stream', { streamArn: STREAM }, 'kms:GenerateDataKey', `aws:kinesis:arn":"${STREAM}"`],
    ['a queue', { queueArn: QUEUE }, 'kms:Decrypt, kms:GenerateDataKey', `aws:sqs:arn":"${QUEUE}"`],
  ])('may use the key of the deployment for %s, and for that one alone', (_name, events, may, context) => {
    const condition = `if {"StringEquals":{"kms:EncryptionContext:${context}}}`;
    expect(mayDo(synthesized({ events, kmsKeyArn: KEY }), 'publish-expiries')).toContain(
      `${may} on ${KEY} ${condition}`,
    );
    const keyless = mayDo(synthesized({ events }), 'publish-expiries');
    expect(keyless.join()).not.toContain('kms:');
  });

  test.each([
    [
      'a bus by its name',
      { eventBus: 'expiries' },
      'EVENTS_BUS',
      'expiries',
      'events:PutEvents on arn:<partition>:events:<region>:<account_id>:event-bus/expiries',
    ],
    [
      'a bus by its ARN',
      { eventBus: 'arn:aws:events:us-east-1:210987654321:event-bus/theirs' },
      'EVENTS_BUS',
      'arn:aws:events:us-east-1:210987654321:event-bus/theirs',
      'events:PutEvents on arn:aws:events:us-east-1:210987654321:event-bus/theirs',
    ],
    [
      'a queue',
      { queueArn: QUEUE },
      'EVENTS_QUEUE_URL',
      'https://sqs.us-east-1.<dns_suffix>/123456789012/expiries.fifo',
      `sqs:SendMessage on ${QUEUE}`,
    ],
    [
      'a function',
      { functionArn: FUNCTION },
      'EVENTS_FUNCTION',
      FUNCTION,
      `lambda:InvokeFunction on ${FUNCTION}`,
    ],
    ['a stream', { streamArn: STREAM }, 'EVENTS_STREAM', STREAM, `kinesis:PutRecords on ${STREAM}`],
  ])('go to %s', (_name, events, variable, value, statement) => {
    const json = synthesized({ events });
    const { [variable]: written = '', EVENTS_OLD_IMAGE } = environmentOf(json, 'publish-expiries');
    expect([inWords(written), EVENTS_OLD_IMAGE]).toEqual([value, 'false']);
    expect(mayDo(json, 'publish-expiries')).toEqual(grouped(statement));
    expect(resources(json, 'aws_lambda_event_source_mapping')).toMatchObject([
      { batch_size: 100, maximum_batching_window_in_seconds: 0, maximum_retry_attempts: -1 },
    ]);
  });

  test('wait for a function as long as a function can run', () => {
    const timeoutOf = (events: object) =>
      resources(synthesized({ events }), 'aws_lambda_function').find(({ function_name }) =>
        String(function_name).endsWith('publish-expiries'),
      )?.['timeout'];
    expect([timeoutOf({ functionArn: FUNCTION }), timeoutOf({ queueArn: QUEUE })]).toEqual([900, 60]);
  });

  test('can have the item as it was', () => {
    const json = synthesized({ events: { queueArn: QUEUE, oldImage: true } });
    expect(environmentOf(json, 'publish-expiries')['EVENTS_OLD_IMAGE']).toBe('true');
  });
});

describe('the stream', () => {
  const tableOf = (props: Partial<PreciseTtlProps>) => resources(synthesized(props), 'aws_dynamodb_table')[0];

  test.each([{ archive: {} }, { events: { eventBus: 'default' } }])('is there with %j', props => {
    expect(tableOf(props)).toMatchObject({ stream_enabled: true, stream_view_type: 'NEW_AND_OLD_IMAGES' });
    expect(JSON.stringify(tableOf(props)?.['lifecycle'])).not.toContain('stream');
  });

  test('is not, and is left alone, without', () => {
    expect(tableOf({})).not.toHaveProperty('stream_enabled');
  });
});

test.each<[string, Partial<PreciseTtlProps>, RegExp]>([
  [
    'a bucket in capitals',
    { archive: { bucket: 'My-Own' } },
    /^archive\.bucket: expected the name of a bucket/,
  ],
  ['a prefix with a slash before it', { archive: { prefix: '/a' } }, /^archive\.prefix: /],
  ...['../', 'a/../b/', './', 'a/./'].map((prefix): [string, Partial<PreciseTtlProps>, RegExp] => [
    `the prefix ${prefix}`,
    { archive: { prefix } },
    /^archive\.prefix: expected .* no part that is \. or \.\.$/,
  ]),
  ...[
    'a..b',
    '192.168.0.1',
    'xn--own',
    'sthree-own',
    'amzn-s3-demo-own',
    'own-s3alias',
    'own--ol-s3',
    'own.mrap',
    'own--usw2-az1--x-s3',
    'own--table-s3',
  ].map((bucket): [string, Partial<PreciseTtlProps>, RegExp] => [
    `the bucket ${bucket}`,
    { archive: { bucket } },
    /^archive\.bucket: expected the name of a bucket/,
  ]),
  ...['precise-ttl-SessionData-publish-expiries', 'precise-ttl-delete-chunk'].map(
    (file): [string, Partial<PreciseTtlProps>, RegExp] => [
      `events to its own ${file}`,
      { events: { functionArn: FUNCTION.replace('on-expiry', file) } },
      /^events\.functionArn: expected a function that is not this deployment's own$/,
    ],
  ),
  ...[
    'precise-ttl-SessionData-event-failures',
    'precise-ttl-SessionData-archive-failures',
    'precise-ttl-dead-letters',
  ].map((queue): [string, Partial<PreciseTtlProps>, RegExp] => [
    `events to its own ${queue}`,
    { events: { queueArn: `arn:aws:sqs:us-east-1:123456789012:${queue}` } },
    /^events\.queueArn: expected a queue that is not this deployment's own$/,
  ]),
  [
    'a batch of an hour',
    { archive: { batchSeconds: 3600 } },
    /^archive\.batchSeconds: expected .* from 0 to 300$/,
  ],
  ['cold at once', { archive: { coldAfterDays: 0 } }, /^archive\.coldAfterDays: expected .* from 1 to 3650$/],
  [
    'the lifecycle of an own bucket',
    { archive: { bucket: 'own', coldAfterDays: 9 } },
    /^archive\.coldAfterDays: expected none with bucket$/,
  ],
  [
    'another format',
    { archive: { format: 'parquet' as never } },
    /^archive\.format: expected one of "dynamodb-json", "json"$/,
  ],
  ['a misspelt field', { archive: { buckets: 'a' } as object }, /^archive\.buckets: /],
  ['an archive that is true', { archive: true as never }, /^archive: expected \{\} or/],
  [
    'events to nowhere',
    { events: {} },
    /^events: expected exactly one of eventBus, queueArn, functionArn, streamArn$/,
  ],
  [
    'events to two places',
    { events: { eventBus: 'a', queueArn: QUEUE } },
    /^events: expected exactly one of/,
  ],
  [
    'the URL of a queue',
    { events: { queueArn: 'https://sqs' } },
    /^events\.queueArn: expected the ARN of an SQS queue/,
  ],
])('refuses %s', (_name, props, message) => {
  const problems = propProblems({ ...SESSION_DATA, ...props });
  expect(problems.map(({ field, expected }) => `${field}: expected ${expected}`)).toEqual([
    expect.stringMatching(message),
  ]);
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

  test('is read by its stream, into queues and buckets that the stack makes', () => {
    const stack = ownStack();
    const queue = new SqsQueue(stack, 'expiries', { name: 'expiries' });
    const ttl = new PreciseTtl(stack, 'ttl', props({ archive: {}, events: { queueArn: queue.arn } }));
    const json = JSON.parse(Testing.synth(stack)) as TerraformJson;
    expect(resources(json, 'aws_lambda_event_source_mapping').map(each => each['event_source_arn'])).toEqual([
      streamArn,
      streamArn,
    ]);
    expect(environmentOf(json, 'publish-expiries')['EVENTS_QUEUE_URL']).toMatch(
      /^https:\/\/sqs\.\$\{element\(split\(":", aws_sqs_queue\.expiries\.arn\), 3\)\}\.\$\{data\.aws_partition\.\w+\.dns_suffix\}\/\$\{element\(split\(":", aws_sqs_queue\.expiries\.arn\), 4\)\}\/\$\{element\(split\(":", aws_sqs_queue\.expiries\.arn\), 5\)\}$/,
    );
    expect(ttl.table.streamArn).toBe(streamArn);
  });

  test('without its stream is refused', () => {
    const table = { name: 'Sessions', arn };
    for (const more of [{ archive: {} }, { events: { eventBus: 'a' } }]) {
      expect(() => new PreciseTtl(ownStack(), 'ttl', props({ table, ...more }))).toThrow(
        /table\.streamArn: expected the ARN of the table's stream, with old images, because of (archive|events), got nothing/,
      );
    }
    expect(
      () => new PreciseTtl(ownStack(), 'ttl', props({ table: { ...table, streamArn: arn }, archive: {} })),
    ).toThrow(/table\.streamArn: expected the ARN of the table's stream, got/);
    new PreciseTtl(ownStack(), 'ttl', props({ table }));
  });
});

test.each<[string, Partial<PreciseTtlProps>, number | undefined]>([
  ['an archive', { archive: {} }, 1],
  ['events', { events: { eventBus: 'orders' } }, 1],
  ['neither', {}, undefined],
])('with %s the executions that say what is expired have the right margin', (_what, props, margin) => {
  const json = synthesized(props);
  for (const machine of ['tick', 'replay'] as const)
    expect(settingsIn(json, machine).map(({ marginSeconds }) => marginSeconds)).toEqual([margin]);
});
