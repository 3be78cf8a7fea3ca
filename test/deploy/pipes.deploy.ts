import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import {
  GetBucketVersioningCommand,
  GetObjectLockConfigurationCommand,
  ListBucketsCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';
import { EXAMPLE_ARNS } from '../../tools/docs/role-statements.ts';
import { configOf } from '../support/configs.ts';
import { Deployment } from './support/deployment.ts';
import {
  callProblems,
  describeWithTerraform,
  type EmulatedAws,
  emulatedClient,
  startEmulatedAws,
} from './support/proof.ts';
import type { Actions } from './support/terraform-root.ts';

const { bus, queue } = EXAMPLE_ARNS;
const BOTH = { archive: true, events: { to: queue } } satisfies Partial<PreciseTtlProps>;
const tokens = (changes: Partial<PreciseTtlProps>) =>
  configOf({ tableName: 'Tokens', partitionKey: 'id', ...changes });

const PIPE = 'aws_pipes_pipe';

interface SeenPipe {
  readonly Name: string;
  readonly Source: string;
  readonly Target: string;
  readonly TargetParameters?: { readonly EventBridgeEventBusParameters?: object };
}

describeWithTerraform('the pipes of a table', () => {
  let aws: EmulatedAws;
  let s3: S3Client;
  let deployment: Deployment;
  const log = join(tmpdir(), `precise-ttl-pipes-calls-${process.pid}.jsonl`);

  beforeAll(async () => {
    aws = await startEmulatedAws({ log });
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    s3 = new S3Client({ endpoint: aws.endpoint, region: 'us-east-1', credentials, forcePathStyle: true });
  });
  afterAll(async () => {
    s3?.destroy();
    await aws?.stop();
  });
  beforeEach(async () => {
    rmSync(log, { force: true });
    await aws.reset();
    deployment = new Deployment(aws);
  });
  afterEach(() => {
    deployment.remove();
    expect(callProblems(log)).toBe('');
  });

  /** The second plan is empty: `deploy` asks for it. */
  const deploy = async (changes: Partial<PreciseTtlProps>) =>
    typesOf(await deployment.deploy(tokens(changes)));

  const get = async <Answer>(path: string): Promise<Answer> => {
    const authorization = 'AWS4-HMAC-SHA256 Credential=test/20261128/us-east-1/pipes/aws4_request';
    const response = await fetch(`${aws.endpoint}${path}`, { headers: { authorization } });
    return response.json() as Promise<Answer>;
  };
  const seen = (name: string) => get<SeenPipe>(`/v1/pipes/${name}`);
  const targets = async () => {
    const { Pipes } = await get<{ Pipes: readonly SeenPipe[] }>('/v1/pipes');
    return Object.fromEntries(Pipes.map(({ Name, Target }) => [Name, Target]));
  };
  const buckets = async () =>
    (await s3.send(new ListBucketsCommand({}))).Buckets?.map(({ Name = '' }) => Name) ?? [];

  test('are made with the archive, whose bucket stays without it', async () => {
    const { create } = await deploy({ ...BOTH, archive: { lockDays: 7 } });
    expect(create).toEqual(expect.arrayContaining([PIPE, 'aws_kinesis_firehose_delivery_stream']));
    expect(await targets()).toEqual({
      'precise-ttl-Tokens-archive': expect.stringMatching(/deliverystream\/precise-ttl-Tokens-archive$/),
      'precise-ttl-Tokens-queue': queue,
    });
    const [Bucket] = await buckets();
    const { Status } = await s3.send(new GetBucketVersioningCommand({ Bucket }));
    const { ObjectLockConfiguration } = await s3.send(new GetObjectLockConfigurationCommand({ Bucket }));
    expect([Status, ObjectLockConfiguration?.Rule]).toMatchObject([
      'Enabled',
      { DefaultRetention: { Mode: 'COMPLIANCE', Days: 7 } },
    ]);

    const { delete: deleted, forget } = await deploy({ events: BOTH.events });
    expect(deleted?.filter(type => type.startsWith('aws_s3'))).toEqual([]);
    expect(forget).toContain('aws_s3_bucket');
    expect(await buckets()).toEqual([Bucket]);
    expect(Object.keys(await targets())).toEqual(['precise-ttl-Tokens-queue']);
  });

  test('are edited in place; those of another kind of target are others', async () => {
    const NAME = 'precise-ttl-Tokens-bus';
    const other = `${bus}-other`;
    await deploy({ events: { to: bus } });
    const { TargetParameters: before } = await seen(NAME);
    expect(before?.EventBridgeEventBusParameters).toMatchObject({ Source: 'precise-ttl' });
    // In place, and what the provider does not send stays: the pipe goes on where it was.
    expect(await deploy({ events: { to: other } })).toEqual({ update: ['aws_iam_role_policy', PIPE] });
    expect(await seen(NAME)).toMatchObject({ Target: other, TargetParameters: before });
    expect(await deploy({ events: { to: other, oldImage: true } })).toEqual({ update: [PIPE] });

    // One after the other, so that nothing expires without a pipe.
    const oldImage = true;
    expect(await deploy({ events: { to: [other, queue], oldImage } })).toEqual({
      create: [PIPE],
      update: ['aws_iam_role_policy'],
    });
    expect(await deploy({ events: { to: queue, oldImage } })).toEqual({
      delete: [PIPE],
      update: ['aws_iam_role_policy'],
    });
    expect(await targets()).toEqual({ 'precise-ttl-Tokens-queue': queue });
  });

  test('are made anew for a stream that was turned off and on', async () => {
    await deploy(BOTH);
    const dynamoDb = emulatedClient(aws);
    const view = { StreamEnabled: true, StreamViewType: 'OLD_IMAGE' } as const;
    for (const StreamSpecification of [{ StreamEnabled: false }, view]) {
      await dynamoDb.send(new UpdateTableCommand({ TableName: 'Tokens', StreamSpecification }));
    }
    dynamoDb.destroy();
    const { Source: before } = await seen('precise-ttl-Tokens-queue');
    expect(await deploy(BOTH)).toMatchObject({ replace: [PIPE, PIPE] });
    const { Source: after } = await seen('precise-ttl-Tokens-queue');
    expect([after === before, after.startsWith('arn:aws:dynamodb:')]).toEqual([false, true]);
  });
});

/** Types of what was done, by action. */
function typesOf(actions: Actions): Actions {
  return Object.fromEntries(
    Object.entries(actions).map(([action, addresses]) => [
      action,
      addresses.map(each => each.split('.')[0] ?? '').sort(),
    ]),
  );
}
