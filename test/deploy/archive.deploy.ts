import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand, UpdateTableCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { GetBucketLifecycleConfigurationCommand, ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import type { DeploymentConfig } from '../../config/config.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { configOf } from '../support/configs.ts';
import { tableInput } from '../support/table-input.ts';
import { Deployment } from './support/deployment.ts';
import {
  callProblems,
  describeWithTerraform,
  type EmulatedAws,
  emulatedClient,
  startEmulatedAws,
} from './support/proof.ts';
import type { Actions } from './support/terraform-root.ts';

const TOKENS = { tableName: 'Tokens', partitionKey: 'id' };
const tokens = (changes: Partial<PreciseTtlProps>) =>
  configOf({
    ...TOKENS,
    ...changes,
  });

const STREAM = 'arn:aws:kinesis:us-east-1:123456789012:stream/expiries';
const QUEUE = 'arn:aws:sqs:us-east-1:123456789012:expiries';
const FUNCTION = 'arn:aws:lambda:us-east-1:123456789012:function:on-expiry';
const BUCKET_PARTS = [
  'aws_s3_bucket',
  'aws_s3_bucket_lifecycle_configuration',
  'aws_s3_bucket_ownership_controls',
  'aws_s3_bucket_policy',
  'aws_s3_bucket_public_access_block',
  'aws_s3_bucket_server_side_encryption_configuration',
  'aws_s3_bucket_versioning',
];
const MAPPING = 'aws_lambda_event_source_mapping';
/** Types of what was done, by action; without what the guard remembers. */
function typesOf(actions: Actions): Actions {
  return Object.fromEntries(
    Object.entries(actions).flatMap(([action, addresses]) => {
      const types = addresses
        .filter(each => !each.startsWith('module.'))
        .map(each => each.split('.')[0] ?? '');
      return types.length === 0 ? [] : [[action, types.sort()]];
    }),
  );
}

describeWithTerraform('the archive and the events of a table', () => {
  let aws: EmulatedAws;
  let s3: S3Client;
  let deployment: Deployment;
  const log = join(tmpdir(), `precise-ttl-archive-calls-${process.pid}.json`);
  const deploy = (config: DeploymentConfig, removed = false) => deployment.deploy(config, { removed });

  beforeAll(async () => {
    aws = await startEmulatedAws({ log });
    s3 = new S3Client({
      endpoint: aws.endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    });
  });

  afterAll(async () => {
    rmSync(log, { force: true });
    s3?.destroy();
    await aws?.stop();
  });

  beforeEach(async () => {
    rmSync(log, { force: true });
    await aws.reset();
    deployment = new Deployment(aws);
  });

  afterEach(() => deployment.remove());

  const buckets = async () =>
    (await s3.send(new ListBucketsCommand({}))).Buckets?.map(({ Name }) => Name) ?? [];

  test('are made with a created table, and edited in place', async () => {
    const made = typesOf(await deploy(tokens({ archive: {}, events: { eventBus: 'default' } })));
    expect(Object.keys(made)).toEqual(['create']);
    expect(made['create']).toEqual(expect.arrayContaining([...BUCKET_PARTS, MAPPING]));
    const [bucket] = await buckets();
    expect(bucket).toMatch(/^precise-ttl-tokens-archive-[0-9a-f]{26}$/);

    const LAMBDA = 'aws_lambda_function';
    const LIFECYCLE = 'aws_s3_bucket_lifecycle_configuration';
    // One edit after the other: what the one before has changed goes back.
    const edits: readonly (readonly [Partial<PreciseTtlProps>, Actions])[] = [
      [{ archive: { batchSeconds: 5 } }, { update: [MAPPING] }],
      [{ archive: { format: 'json' } }, { update: [MAPPING, LAMBDA] }],
      [{ archive: { coldAfterDays: 30 } }, { update: [LAMBDA, LIFECYCLE] }],
      [{ archive: { prefix: 'a/' } }, { update: ['aws_iam_role_policy', LAMBDA, LIFECYCLE] }],
    ];
    for (const [changes, expected] of edits) {
      const does = typesOf(await deploy(tokens({ events: { eventBus: 'default' }, ...changes })));
      expect([changes, does]).toEqual([changes, expected]);
    }
    const archive = { prefix: 'a/' };
    for (const events of [{ queueArn: QUEUE }, { functionArn: FUNCTION }, { streamArn: STREAM }]) {
      const does = typesOf(await deploy(tokens({ archive, events })));
      expect([events, does]).toEqual([events, { update: ['aws_iam_role_policy', 'aws_lambda_function'] }]);
    }
    expect(await buckets()).toEqual([bucket]);
    const { Rules: rules } = await s3.send(new GetBucketLifecycleConfigurationCommand({ Bucket: bucket }));
    expect(rules).toMatchObject([{ Transitions: [{ Days: 90, StorageClass: 'GLACIER_IR' }] }]);
    expect(callProblems(log)).toBe('');
  });

  describe('of an existing table', () => {
    const EXISTING = { existingTable: true } as const;
    const streamed = (StreamViewType: 'KEYS_ONLY' | 'NEW_IMAGE' | 'OLD_IMAGE' | 'NEW_AND_OLD_IMAGES') => ({
      StreamSpecification: { StreamEnabled: true, StreamViewType },
    });

    const makeTable = async (stream: object) => {
      const client = emulatedClient(aws);
      const { TableName } = { TableName: 'Tokens' };
      await client.send(new CreateTableCommand({ ...tableInput({ name: TableName }), ...stream }));
      const TimeToLiveSpecification = { Enabled: true, AttributeName: 'ttl' };
      await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
      return client;
    };

    test.each(['OLD_IMAGE', 'NEW_AND_OLD_IMAGES'] as const)('read its stream of the view %s', async view => {
      await makeTable(streamed(view));
      for (const events of [{ eventBus: 'expiries' }, { queueArn: QUEUE }, { functionArn: FUNCTION }]) {
        await deploy(tokens({ ...EXISTING, archive: { bucket: 'my-own' }, events }));
      }
      // A bucket that is there is not touched, nor read.
      expect(await buckets()).toEqual([]);
      expect(callProblems(log)).toBe('');
    });

    test.each([
      ['without a stream', {}, /Table Tokens: it has no stream\..*aws dynamodb update-table/],
      ['with keys only', streamed('KEYS_ONLY'), /its stream has no old images, but KEYS_ONLY\./],
      ['with new images', streamed('NEW_IMAGE'), /its stream has no old images, but NEW_IMAGE\./],
    ])('are refused %s, before anything is made', async (_name, stream, expected) => {
      await makeTable(stream);
      await deployment.use(tokens({ ...EXISTING, events: { queueArn: QUEUE } }));
      expect(await deployment.plan()).toMatch(expected);
    });

    test('are refused when the stream was turned off, although its ARN is still there', async () => {
      const client = await makeTable(streamed('OLD_IMAGE'));
      const StreamSpecification = { StreamEnabled: false };
      await client.send(new UpdateTableCommand({ TableName: 'Tokens', StreamSpecification }));
      await deployment.use(tokens({ ...EXISTING, archive: {} }));
      expect(await deployment.plan()).toMatch(/it has no stream\./);
    });
  });
});
