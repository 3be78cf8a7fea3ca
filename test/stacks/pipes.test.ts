// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { readFileSync } from 'node:fs';
import { TARGET_LIMITS } from '../../functions/only-expiries/contract.ts';
import { EVENT_TARGETS, type EventTarget } from '../../stacks/config/pipe-props.ts';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';
import { EXAMPLE_ARNS } from '../../tools/docs/role-statements.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import {
  environmentOf,
  inWords,
  type Resource,
  resources,
  synthesizeToFolder,
  type TerraformJson,
  terraformJson,
} from '../support/synthesized.ts';

const { queue: QUEUE } = EXAMPLE_ARNS;
const withProps = (props: Partial<PreciseTtlProps>) => terraformJson(configOf({ ...SESSION_DATA, ...props }));

/** The resources of a type, in words. */
const blocks = (json: TerraformJson, type: string): Resource[] =>
  resources(json, type).map(each => {
    const { '//': _comment, ...block } = JSON.parse(inWords(JSON.stringify(each)));
    return block;
  });

const FROM_ROLE = [expect.stringMatching(/^aws_iam_role_policy\./)];

test('events are sent at once, of removals only, and what fails for 23 hours goes to the failure queue', () => {
  const json = withProps({ events: { to: QUEUE } });
  // It knows of no table.
  expect(environmentOf(json, 'only-expiries')).toEqual({
    ...{ DEPLOYMENT_NAME: 'precise-ttl', POWERTOOLS_METRICS_NAMESPACE: 'PreciseTtl' },
    POWERTOOLS_SERVICE_NAME: 'only-expiries',
  });
  expect(blocks(json, 'aws_cloudwatch_log_group')).toContainEqual(
    expect.objectContaining({ name: '/aws/vendedlogs/pipes/precise-ttl', retention_in_days: 30 }),
  );
  expect(blocks(json, 'aws_pipes_pipe')).toEqual([
    {
      name: 'precise-ttl-SessionData-queue',
      role_arn: '<pipes_events-role arn>',
      source: '<SessionData_table stream_arn>',
      source_parameters: {
        filter_criteria: { filter: [{ pattern: '{"eventName":["REMOVE"]}' }] },
        dynamodb_stream_parameters: {
          starting_position: 'LATEST',
          batch_size: 10,
          maximum_batching_window_in_seconds: 0,
          parallelization_factor: 10,
          maximum_record_age_in_seconds: 82_800,
          maximum_retry_attempts: 10_000,
          on_partial_batch_item_failure: 'AUTOMATIC_BISECT',
          dead_letter_config: { arn: '<schedules_dead-letters arn>' },
        },
      },
      enrichment: '<pipes_only-expiries_function arn>',
      enrichment_parameters: {
        input_template:
          '{"table":"<SessionData_table name>","ttlAttribute":"ExpirationTime","to":"queue","oldImage":false,"record":<aws.pipes.event.json>}',
      },
      target: QUEUE,
      // Without items.
      log_configuration: {
        level: 'ERROR',
        cloudwatch_logs_log_destination: { log_group_arn: '<pipes_logs arn>' },
      },
      depends_on: FROM_ROLE,
    },
  ]);
});

test('each kind of target gets what its service wants, and no larger batch than OnlyExpiries answers', () => {
  const tables = EVENT_TARGETS.map(kind => ({
    ...{ tableName: `to-${kind}`, partitionKey: 'id' },
    events: { to: EXAMPLE_ARNS[kind] },
  }));
  const json = terraformJson(configOf(...tables));
  const deliveries = blocks(json, 'aws_pipes_pipe').map(
    ({ name, source_parameters: source, target_parameters: target, enrichment_parameters: given }) => {
      const kind = String(name).replace(/.*-/, '');
      expect(given).toMatchObject({ input_template: expect.stringContaining(`"to":"${kind}"`) });
      const { batch_size: size } =
        (source as Record<string, Record<string, number>>)['dynamodb_stream_parameters'] ?? {};
      return [kind, [size, target]];
    },
  );
  const expected: Readonly<Record<EventTarget, [number, object | undefined]>> = {
    bus: [
      10,
      {
        eventbridge_event_bus_parameters: {
          source: 'precise-ttl',
          detail_type: 'DynamoDB Item Expired',
          time: '$.deletedAt',
        },
      },
    ],
    queue: [10, undefined],
    fifoQueue: [
      10,
      { sqs_queue_parameters: { message_group_id: '$.group', message_deduplication_id: '$.id' } },
    ],
    topic: [10, undefined],
    stream: [100, { kinesis_stream_parameters: { partition_key: '$.group' } }],
    firehose: [100, undefined],
    function: [10, { lambda_function_parameters: { invocation_type: 'REQUEST_RESPONSE' } }],
    stateMachine: [10, { step_function_state_machine_parameters: { invocation_type: 'FIRE_AND_FORGET' } }],
  };
  expect(Object.fromEntries(deliveries)).toEqual(expected);
  for (const { event, call } of Object.values(TARGET_LIMITS)) expect(call).toBeGreaterThanOrEqual(event);
});

test('a list of two is two pipes, and a name of an attribute is taken as it is', () => {
  const to = [QUEUE, EXAMPLE_ARNS.bus];
  const pipes = blocks(
    withProps({ ttlAttribute: 'Ende${"%{x', events: { to, oldImage: true } }),
    'aws_pipes_pipe',
  );
  expect(pipes.map(({ target }) => target).sort()).toEqual([...to].sort());
  for (const { enrichment_parameters: given } of pipes)
    expect(given).toEqual({ input_template: expect.stringContaining('"ttlAttribute":"Ende$${\\"%%{x"') });
});

describe('an archive', () => {
  const json = withProps({ archive: { lockDays: 365 } });

  test('begins as far back as the stream goes, and collects items for half a minute', () => {
    expect(blocks(json, 'aws_pipes_pipe')).toMatchObject([
      {
        name: 'precise-ttl-SessionData-archive',
        target: '<pipes_archive_precise-ttl-SessionData arn>',
        role_arn: '<pipes_archive-role arn>',
        source_parameters: {
          dynamodb_stream_parameters: {
            starting_position: 'TRIM_HORIZON',
            batch_size: 100,
            maximum_batching_window_in_seconds: 30,
            parallelization_factor: 1,
          },
        },
        enrichment_parameters: { input_template: expect.stringContaining('"to":"archive","oldImage":true') },
      },
    ]);
  });

  test('is written as lines, by table and day, and only when its bucket is as it should be', () => {
    const [stream] = blocks(json, 'aws_kinesis_firehose_delivery_stream');
    const before = [stream?.['depends_on']].flat().map(address => String(address).split('.')[0]);
    expect(before.sort()).toEqual([
      'aws_iam_role_policy',
      'aws_s3_bucket_object_lock_configuration',
      'aws_s3_bucket_policy',
      'aws_s3_bucket_public_access_block',
      'aws_s3_bucket_server_side_encryption_configuration',
      'aws_s3_bucket_versioning',
    ]);
    expect(stream).toMatchObject({
      name: 'precise-ttl-SessionData-archive',
      server_side_encryption: { enabled: true },
      extended_s3_configuration: {
        bucket_arn: 'arn:<partition>:s3:::<pipes_archive_bucket id>',
        prefix: '<SessionData_table name>/day=!{timestamp:yyyy-MM-dd}/',
        error_output_prefix:
          'failed/<SessionData_table name>/!{firehose:error-output-type}/!{timestamp:yyyy-MM-dd}/',
        buffering_interval: 300,
        compression_format: 'GZIP',
        file_extension: '.jsonl.gz',
        processing_configuration: { enabled: true, processors: [{ type: 'AppendDelimiterToRecord' }] },
      },
    });
  });

  const encryption = (keyed: TerraformJson) =>
    blocks(keyed, 'aws_s3_bucket_server_side_encryption_configuration').flatMap(({ rule }) => rule);

  // That it has versions and is closed to the public, test/deploy has checked.
  test('is in a bucket with locks, that is encrypted, open to TLS only, and that no plan deletes', () => {
    const bucketOf = (type: string) => blocks(json, `aws_s3_bucket${type}`);
    expect(bucketOf('')).toEqual([
      {
        bucket_prefix: 'precise-ttl-archive-',
        lifecycle: { ignore_changes: ['bucket_prefix'], prevent_destroy: true },
      },
    ]);
    expect(bucketOf('_object_lock_configuration')).toMatchObject([
      { rule: { default_retention: { mode: 'COMPLIANCE', days: 365 } } },
    ]);
    expect(encryption(json)).toEqual([
      { apply_server_side_encryption_by_default: { sse_algorithm: 'AES256' }, bucket_key_enabled: false },
    ]);
    expect(bucketOf('_policy').map(({ policy }) => JSON.parse(String(policy)).Statement)).toMatchObject([
      [{ Effect: 'Deny', Principal: '*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }],
    ]);
    expect(JSON.stringify(bucketOf('_lifecycle_configuration'))).not.toMatch(/expiration|transition/);
  });

  test('is encrypted with a key of yours', () => {
    const kmsKeyArn = 'arn:aws:kms:us-east-1:123456789012:key/1';
    expect(encryption(withProps({ archive: true, kmsKeyArn }))).toEqual([
      {
        apply_server_side_encryption_by_default: { sse_algorithm: 'aws:kms', kms_master_key_id: kmsKeyArn },
        bucket_key_enabled: true,
      },
    ]);
  });

  test('in a bucket of yours makes none, and one that goes leaves its bucket with all that protects it', () => {
    const addresses = Object.entries(json.resource)
      .filter(([type]) => type.startsWith('aws_s3_'))
      .flatMap(([type, named]) => Object.keys(named).map(name => `${type}.${name}`));
    expect(addresses).toHaveLength(7);
    const leftIn = (other: object) =>
      ((other as { removed?: { from: string; lifecycle: object[] }[] }).removed ?? []).filter(({ from }) =>
        from.startsWith('aws_s3_'),
      );
    const folder = synthesizeToFolder(configOf({ ...SESSION_DATA, archive: { lockDays: 365 } }), {
      removed: true,
    });
    const removed = JSON.parse(readFileSync(`${folder}/stacks/precise-ttl/cdk.tf.json`, 'utf8'));
    const others = [{}, { archive: { bucket: 'my-own' } }, { events: { to: QUEUE } }].map(withProps);
    for (const other of [removed, ...others]) {
      expect(Object.keys(other.resource ?? {}).filter(type => type.startsWith('aws_s3_'))).toEqual([]);
      expect(
        leftIn(other)
          .map(({ from }) => from)
          .sort(),
      ).toEqual([...addresses].sort());
      for (const { lifecycle } of leftIn(other)) expect(lifecycle).toEqual([{ destroy: false }]);
    }
    expect(leftIn(json)).toEqual([]);
  });
});

test('an archive is not locked unless it is asked for', () => {
  expect(withProps({ archive: true }).resource).not.toHaveProperty('aws_s3_bucket_object_lock_configuration');
});
