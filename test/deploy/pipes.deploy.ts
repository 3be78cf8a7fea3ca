import { UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectLockConfigurationCommand, ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';
import { EXAMPLE_ARNS } from '../../tools/docs/role-statements.ts';
import { configOf } from '../support/configs.ts';
import { useFreshDeployment } from './support/deployment.ts';
import { describeWithTerraform } from './support/proof.ts';
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
  const on = useFreshDeployment();

  /** The second plan is empty: `deploy` asks for it. */
  const deploy = async (changes: Partial<PreciseTtlProps>) =>
    typesOf(await on.deployment.deploy(tokens(changes)));

  const get = async <Answer>(path: string): Promise<Answer> => {
    const authorization = 'AWS4-HMAC-SHA256 Credential=test/20261128/us-east-1/pipes/aws4_request';
    const response = await fetch(`${on.aws.endpoint}${path}`, { headers: { authorization } });
    return response.json() as Promise<Answer>;
  };
  const seen = (name: string) => get<SeenPipe>(`/v1/pipes/${name}`);
  const targets = async () => {
    const { Pipes } = await get<{ Pipes: readonly SeenPipe[] }>('/v1/pipes');
    return Object.fromEntries(Pipes.map(({ Name, Target }) => [Name, Target]));
  };
  const inS3 = async <Answer>(ask: (s3: S3Client) => Promise<Answer>) => {
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    const { endpoint } = on.aws;
    const s3 = new S3Client({ endpoint, region: 'us-east-1', credentials, forcePathStyle: true });
    return ask(s3).finally(() => s3.destroy());
  };
  const buckets = () =>
    inS3(async s3 => (await s3.send(new ListBucketsCommand({}))).Buckets?.map(({ Name = '' }) => Name) ?? []);

  test('are made with the archive, whose bucket stays without it', async () => {
    const { create } = await deploy({ ...BOTH, archive: { lockDays: 7 } });
    expect(create).toEqual(expect.arrayContaining([PIPE, 'aws_kinesis_firehose_delivery_stream']));
    expect(await targets()).toEqual({
      'precise-ttl-Tokens-archive': expect.stringMatching(/deliverystream\/precise-ttl-Tokens-archive$/),
      'precise-ttl-Tokens-queue': queue,
    });
    const [Bucket] = await buckets();
    const { ObjectLockConfiguration: lock } = await inS3(s3 =>
      s3.send(new GetObjectLockConfigurationCommand({ Bucket })),
    );
    expect(lock?.Rule).toMatchObject({ DefaultRetention: { Mode: 'COMPLIANCE', Days: 7 } });

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
    const view = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } as const;
    for (const StreamSpecification of [{ StreamEnabled: false }, view]) {
      await on.client.send(new UpdateTableCommand({ TableName: 'Tokens', StreamSpecification }));
    }
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
