// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FUNCTION_MEMORY_MB } from '../../cost/assumptions.ts';
import { STACK } from '../../stacks/app.ts';
import { mapValues } from '../../stacks/parts/deployed-sweep.ts';
import { TASKS } from '../../statemachine/contract/machines.ts';
import { EXAMPLE_ARNS } from '../../tools/docs/role-statements.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import {
  inWords,
  type Resource,
  settingsIn,
  synthesizeToFolder,
  type TerraformJson,
} from '../support/synthesized.ts';

const TIMEOUTS: Readonly<Record<string, number>> = {
  ...{ PlanSweep: 120, QueryExpired: 10, DeleteChunk: 15, RecordMetrics: 15, OnlyExpiries: 60 },
};

/** With a resource of each kind. */
const PIPED = { ...SESSION_DATA, archive: { lockDays: 365 }, events: { to: EXAMPLE_ARNS.queue } };
const folder = join(synthesizeToFolder(configOf(PIPED)), 'stacks', STACK);
const json: TerraformJson = JSON.parse(readFileSync(join(folder, 'cdk.tf.json'), 'utf8'));

/** Those of a type, in words, by their names. */
const named = (type: string): Readonly<Record<string, Resource>> =>
  Object.fromEntries(
    Object.values(json.resource[type] ?? {}).map(block => {
      const { name, function_name, bucket_prefix, bucket } = block;
      return [name ?? function_name ?? bucket_prefix ?? bucket, JSON.parse(inWords(JSON.stringify(block)))];
    }),
  );

const given = (to: string, oldImage: boolean) => ({
  input_template: `{"table":"<SessionData_table name>","ttlAttribute":"ExpirationTime","to":"${to}","oldImage":${oldImage},"record":<aws.pipes.event.json>}`,
});

/** By type what each resource has. */
const OF_EACH: Readonly<Record<string, Resource>> = {
  aws_dynamodb_table: {
    ...{ billing_mode: 'PAY_PER_REQUEST', deletion_protection_enabled: true },
    ...{ point_in_time_recovery: { enabled: true }, lifecycle: { prevent_destroy: true } },
  },
  aws_lambda_function: {
    ...{ runtime: 'nodejs24.x', architectures: ['arm64'], handler: 'index.handler' },
    ...{ memory_size: FUNCTION_MEMORY_MB, tracing_config: { mode: 'PassThrough' } },
    // No line of a call that ends well.
    logging_config: { log_format: 'JSON', system_log_level: 'WARN' },
    source_code_hash: expect.stringMatching(/^[0-9A-F]{32}$/),
  },
  aws_sfn_state_machine: {
    ...{ role_arn: '<sweep_role arn>', tracing_configuration: { enabled: false } },
    // Without the keys of items.
    logging_configuration: { level: 'ERROR', include_execution_data: false },
    // Without the block Terraform would leave the machine with a key that its role may no longer use.
    encryption_configuration: { type: 'AWS_OWNED_KEY' },
  },
  aws_scheduler_schedule: {
    ...{ group_name: '<schedules_group name>', state: 'ENABLED', flexible_time_window: { mode: 'OFF' } },
    ...{ schedule_expression: 'cron(* * * * ? *)', schedule_expression_timezone: 'UTC' },
    target: {
      ...{ arn: '<sweep_machine arn>', role_arn: '<schedules_role arn>' },
      // It must reach Scheduler with its brackets.
      input: '{"scheduledTime":"<aws.scheduler.scheduled-time>"}',
      // What comes later than that is worth nothing: the next ticks have looked back by then.
      retry_policy: { maximum_retry_attempts: 5, maximum_event_age_in_seconds: 300 },
      dead_letter_config: { arn: '<schedules_dead-letters arn>' },
    },
    // It is left as somebody sets it in the console.
    lifecycle: { ignore_changes: ['state', 'start_date'] },
  },
  aws_sqs_queue: { message_retention_seconds: 14 * 86_400, sqs_managed_sse_enabled: true },
  aws_cloudwatch_log_group: { retention_in_days: 30 },
  aws_pipes_pipe: {
    ...{ source: '<SessionData_table stream_arn>', enrichment: '<pipes_only-expiries_function arn>' },
    source_parameters: {
      filter_criteria: { filter: [{ pattern: '{"eventName":["REMOVE"]}' }] },
      // What fails for 23 hours goes to the failure queue.
      dynamodb_stream_parameters: {
        ...{ maximum_record_age_in_seconds: 82_800, maximum_retry_attempts: 10_000 },
        on_partial_batch_item_failure: 'AUTOMATIC_BISECT',
        dead_letter_config: { arn: '<schedules_dead-letters arn>' },
      },
    },
  },
  aws_kinesis_firehose_delivery_stream: {
    server_side_encryption: { enabled: true },
    extended_s3_configuration: {
      ...{ bucket_arn: 'arn:<partition>:s3:::<pipes_archive_bucket id>', buffering_interval: 300 },
      prefix: '<SessionData_table name>/day=!{timestamp:yyyy-MM-dd}/',
      error_output_prefix:
        'failed/<SessionData_table name>/!{firehose:error-output-type}/!{timestamp:yyyy-MM-dd}/',
      ...{ compression_format: 'GZIP', file_extension: '.jsonl.gz' },
      processing_configuration: { enabled: true, processors: [{ type: 'AppendDelimiterToRecord' }] },
    },
  },
  aws_s3_bucket: { lifecycle: { ignore_changes: ['bucket_prefix'], prevent_destroy: true } },
  aws_s3_bucket_versioning: { versioning_configuration: { status: 'Enabled' } },
  aws_s3_bucket_public_access_block: {
    ...{ block_public_acls: true, block_public_policy: true },
    ...{ ignore_public_acls: true, restrict_public_buckets: true },
  },
  aws_s3_bucket_object_lock_configuration: {
    rule: { default_retention: { mode: 'COMPLIANCE', days: 365 } },
  },
  aws_s3_bucket_server_side_encryption_configuration: {
    rule: [{ apply_server_side_encryption_by_default: { sse_algorithm: 'AES256' } }],
  },
  aws_s3_bucket_policy: {
    policy: expect.stringMatching(
      /"Effect":"Deny","Principal":"\*",.*"Condition":\{"Bool":\{"aws:SecureTransport":"false"\}\}/,
    ),
  },
  aws_s3_bucket_lifecycle_configuration: {
    rule: [{ id: 'incomplete-uploads', abort_incomplete_multipart_upload: [{ days_after_initiation: 7 }] }],
  },
};

/** What else some have for themselves, by their names. */
const OWN: Readonly<Record<string, Readonly<Record<string, Resource>>>> = {
  aws_dynamodb_table: {
    SessionData: {
      ...{ billing_mode: 'PAY_PER_REQUEST', table_class: 'STANDARD' },
      ...{ hash_key: 'UserName', range_key: 'SessionId' },
      attribute: [
        ...['UserName', 'SessionId', 'expirationWindow'].map(name => ({ name, type: 'S' })),
        { name: 'ExpirationTime', type: 'N' },
      ],
      global_secondary_index: [
        {
          ...{ name: 'expirationWindowIndex', projection_type: 'KEYS_ONLY' },
          ...{ hash_key: 'expirationWindow', range_key: 'ExpirationTime' },
        },
      ],
      ttl: { attribute_name: 'ExpirationTime', enabled: true },
      // What others add to it stays.
      lifecycle: { ignore_changes: ['attribute', 'global_secondary_index', 'replica'] },
    },
    'precise-ttl-journal': {
      ...{ hash_key: 'id', range_key: 'at', attribute: ['id', 'at'].map(name => ({ name, type: 'S' })) },
      ttl: { attribute_name: 'expires', enabled: true },
    },
  },
  aws_lambda_function: Object.fromEntries(
    Object.entries({ ...TASKS, OnlyExpiries: 'only-expiries' }).map(([task, file]) => {
      const part = task === 'OnlyExpiries' ? 'pipes_' : '';
      const own = {
        ...{ description: `precise-ttl: ${task} of precise-ttl`, role: `<${part}${file}_role arn>` },
        ...{ timeout: TIMEOUTS[task], logging_config: { log_group: `<${part}${file}_logs name>` } },
        filename: expect.stringContaining(`/${file}.zip`),
      };
      return [`precise-ttl-${file}`, own];
    }),
  ),
  aws_sfn_state_machine: {
    'precise-ttl': { type: 'EXPRESS', logging_configuration: { log_destination: '<sweep_logs arn>:*' } },
    'precise-ttl-replay': {
      ...{ type: 'STANDARD', logging_configuration: { log_destination: '<replay_logs arn>:*' } },
    },
  },
  aws_cloudwatch_log_group: Object.fromEntries([
    ...[...Object.values(TASKS), 'only-expiries'].map(file => [`/aws/lambda/precise-ttl-${file}`, {}]),
    // With this begin of the name a group needs no place in the account's policy of logs.
    ...['states/precise-ttl', 'states/precise-ttl-replay', 'pipes/precise-ttl'].map(end => [
      `/aws/vendedlogs/${end}`,
      {},
    ]),
  ]),
  aws_pipes_pipe: {
    'precise-ttl-SessionData-archive': {
      ...{ target: '<pipes_archive_precise-ttl-SessionData arn>', role_arn: '<pipes_archive-role arn>' },
      enrichment_parameters: given('archive', true),
      // It begins as far back as the stream goes, and collects items for half a minute.
      source_parameters: {
        dynamodb_stream_parameters: {
          ...{ starting_position: 'TRIM_HORIZON', batch_size: 100, parallelization_factor: 1 },
          maximum_batching_window_in_seconds: 30,
        },
      },
    },
    'precise-ttl-SessionData-queue': {
      ...{ target: EXAMPLE_ARNS.queue, role_arn: '<pipes_events-role arn>' },
      enrichment_parameters: given('queue', false),
      source_parameters: {
        dynamodb_stream_parameters: {
          ...{ starting_position: 'LATEST', batch_size: 10, parallelization_factor: 10 },
          maximum_batching_window_in_seconds: 0,
        },
      },
    },
  },
};

test.each(Object.entries(OF_EACH))('%s: all have this, and each its own', (type, ofEach) => {
  const found = named(type);
  const own = OWN[type] ?? mapValues(found, () => ({}));
  expect(Object.keys(found).sort()).toEqual(Object.keys(own).sort());
  expect(found).not.toEqual({});
  for (const [name, more] of Object.entries(own)) {
    expect(found[name]).toMatchObject(ofEach);
    expect(found[name]).toMatchObject(more);
  }
});

test('what takes a role waits for its policies, and the archive for all that its bucket is', () => {
  const blocks = Object.entries(json.resource).flatMap(([type, all]) =>
    Object.values(all).map(block => ({
      type,
      on: [block['depends_on'] ?? []].flat(),
      text: JSON.stringify(block),
    })),
  );
  const takers = blocks.filter(({ text }) => /aws_iam_role\.[\w-]+\.arn/.test(text));
  expect(takers).toHaveLength(5 + 2 + 1 + 2 + 1);
  for (const { on } of takers) expect(on).toContainEqual(expect.stringMatching(/^aws_iam_role_policy\./));
  const firehose = blocks.find(({ type }) => type === 'aws_kinesis_firehose_delivery_stream');
  const before = firehose?.on.map(address => String(address).split('.')[0]);
  const ofBucket = Object.keys(OF_EACH).filter(type => /^aws_s3_bucket_(?!lifecycle)/.test(type));
  expect(before?.sort()).toEqual(['aws_iam_role_policy', ...ofBucket].sort());
});

test('no object of an archive expires', () => {
  const rules = JSON.stringify(named('aws_s3_bucket_lifecycle_configuration'));
  expect(rules).toContain('incomplete-uploads');
  expect(rules).not.toMatch(/expiration|transition/);
});

test('functions know of no table, pipes log no items, and each archive is there', () => {
  for (const [name, { environment, filename }] of Object.entries(named('aws_lambda_function'))) {
    expect(environment).toEqual({
      variables: {
        ...{ DEPLOYMENT_NAME: 'precise-ttl', POWERTOOLS_METRICS_NAMESPACE: 'PreciseTtl' },
        POWERTOOLS_SERVICE_NAME: name.replace('precise-ttl-', ''),
        ...(!name.endsWith('only-expiries') && { JOURNAL_TABLE: '<journal_table name>' }),
      },
    });
    expect(existsSync(join(folder, String(filename)))).toBe(true);
  }
  for (const { log_configuration: log } of Object.values(named('aws_pipes_pipe')))
    expect(log).toEqual({
      ...{ level: 'ERROR', cloudwatch_logs_log_destination: { log_group_arn: '<pipes_logs arn>' } },
    });
});

test.each(['tick', 'replay'] as const)(
  'the definition of the %s has what its functions need of a table',
  of => {
    expect(settingsIn(json, of)).toEqual([
      {
        tableName: expect.stringMatching(/^\$\{aws_dynamodb_table\.SessionData_\w+\.name\}$/),
        ...{ partitionKey: 'UserName', sortKey: 'SessionId', ttlAttribute: 'ExpirationTime' },
        ...{ indexedBy: 'window', indexName: 'expirationWindowIndex', windowAttribute: 'expirationWindow' },
        ...{
          granularityMinutes: 1440,
          shards: 2,
          deleteMode: 'guarded',
          precision: 'second',
          pollSeconds: 0,
        },
        ...{ maxDeletesPerSecond: 0, logKeys: 'hash', marginSeconds: 1 },
      },
    ]);
  },
);
