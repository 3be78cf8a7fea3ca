// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { readFileSync } from 'node:fs';
import { TARGET_LIMITS } from '../../functions/only-expiries/contract.ts';
import { EVENT_TARGETS, type EventTarget } from '../../stacks/config/pipe-props.ts';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';
import { EXAMPLE_ARNS } from '../../tools/docs/role-statements.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import {
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

const encryption = (json: TerraformJson) =>
  blocks(json, 'aws_s3_bucket_server_side_encryption_configuration').flatMap(({ rule }) => rule);

test('an archive is encrypted with a key of yours, and not locked unless it is asked for', () => {
  const kmsKeyArn = 'arn:aws:kms:us-east-1:123456789012:key/1';
  const json = withProps({ archive: true, kmsKeyArn });
  expect(encryption(json)).toEqual([
    {
      apply_server_side_encryption_by_default: { sse_algorithm: 'aws:kms', kms_master_key_id: kmsKeyArn },
      bucket_key_enabled: true,
    },
  ]);
  expect(json.resource).not.toHaveProperty('aws_s3_bucket_object_lock_configuration');
});

test('an archive in a bucket of yours makes none, and one that goes leaves its bucket with all that protects it', () => {
  const json = withProps({ archive: { lockDays: 365 } });
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
