import { DescribeTableCommand, PutItemCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { seededRandom } from 'stepfunctions-emulator';
import type { DeploymentConfig } from '../../stacks/config/config.ts';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';
import { EXAMPLE_ARNS } from '../../tools/docs/role-statements.ts';
import { configOf } from '../support/configs.ts';
import { useFreshDeployment } from './support/deployment.ts';
import { describeWithTerraform } from './support/proof.ts';
import { type Edit, Walk } from './support/walk.ts';

/** Draws which applies are broken off half-way and made again; another number, other ones. */
const SEED = Number(process.env['EDITS_SEED'] ?? 1);

const KEY = 'arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const TOKENS: PreciseTtlProps = { tableName: 'Tokens', partitionKey: 'id' };
const ORDERS: PreciseTtlProps = { tableName: 'Orders', partitionKey: 'id', index: { by: 'second' } };
/** Nothing but Terraform protects a table here. */
const UNPROTECTED = { aws_dynamodb_table: { deletion_protection_enabled: false } };
const both = (tokens: object = {}, more: object = {}): DeploymentConfig => ({
  ...configOf({ ...TOKENS, ...tokens }, ORDERS),
  overrides: UNPROTECTED,
  ...more,
});
const RARELY_READ = {
  ...UNPROTECTED,
  'aws_dynamodb_table.Tokens': { table_class: 'STANDARD_INFREQUENT_ACCESS' },
};
const OF_A_TEAM = {
  ...UNPROTECTED,
  aws_lambda_function: {
    ...{ runtime: 'nodejs22.x', tracing_config: { mode: 'Active' } },
    vpc_config: { subnet_ids: ['subnet-0a1b2c3d'], security_group_ids: ['sg-0a1b2c3d'] },
  },
  aws_iam_role: { permissions_boundary: 'arn:aws:iam::123456789012:policy/boundary' },
  aws_sfn_state_machine: { tracing_configuration: { enabled: true } },
};
const ORDERS_ALONE = { ...configOf(ORDERS), overrides: UNPROTECTED };
const given = { existingTable: true };
const TOKENS_ADDRESS = 'aws_dynamodb_table.Tokens_table_7496C31E';

describeWithTerraform('edits', () => {
  const on = useFreshDeployment();
  let walk: Walk;

  beforeEach(() => {
    walk = new Walk(on, seededRandom(SEED));
  });

  const make = async (...edits: readonly Edit[]) => {
    for (const edit of edits) await walk.make(edit);
  };

  test('change no table in any way but in place, and leave no minute without a sweep', async () => {
    await on.deployment.deploy(both());
    const tuned = { precision: 'minute', index: { shards: 4 }, maxDeletesPerSecond: 100, logKeys: 'none' };
    await make(
      { name: 'tuned', to: both(tuned) },
      {
        name: 'polled, in another order',
        to: { ...configOf({ ...ORDERS, pollSeconds: 5 }, TOKENS), overrides: UNPROTECTED },
      },
      { name: 'keys', to: both({ tableKmsKeyArn: KEY }, { kmsKeyArn: KEY }) },
      { name: 'no alarms, a dashboard', to: both({}, { alarms: false, dashboard: true }) },
      { name: 'alarms of a topic', to: both({}, { alarms: EXAMPLE_ARNS.topic, dashboard: true }) },
      {
        name: 'another class, tags',
        to: both({}, { overrides: RARELY_READ, tags: { team: 'identity' }, alarms: false }),
      },
      { name: 'the rules of a team', to: both({}, { overrides: OF_A_TEAM }) },
      { name: 'as it was', to: both() },
    );
    expect(walk.brokenOff).toBeGreaterThan(0);
  });

  const KEPT =
    /first-deploy-with-existingTable-true-then-take-out-the-entry\w*\["Tokens"\] has lifecycle\.prevent_destroy/;

  test('that would take a table or its index away are refused at plan, and say what to do', async () => {
    await on.deployment.deploy(both());
    await make(
      { name: 'the entry is out', to: ORDERS_ALONE, refused: KEPT },
      { name: 'another table name', to: both({ tableName: 'Tokens2' }), refused: KEPT },
      {
        name: 'by second',
        to: both({ index: { by: 'second' } }),
        refused: /it has no index expirySecondIndex with the keys ttl\. An index's keys cannot be changed/,
      },
      {
        name: 'another TTL attribute',
        to: both({ ttlAttribute: 'expiresAt' }),
        refused: /it has no index \w+ with the keys expirationWindow and expiresAt/,
      },
      {
        name: 'another type of key',
        to: both({ partitionKey: { name: 'id', type: 'N' } }),
        refused:
          /Table Tokens: partition key id \(S\), no sort key, not partition key id \(N\), no sort key: a table's keys cannot/,
      },
      // The provider itself finds it wrong, before anything else is looked at.
      {
        name: 'another partition key',
        to: both({ partitionKey: 'token' }),
        refused: /all attributes must be indexed/,
      },
      {
        name: 'another name',
        to: both({}, { deployment: 'other' }),
        refused: /The deployment is precise-ttl in us-east-1, not other in us-east-1/,
      },
      {
        name: 'another region',
        to: { ...both(), region: 'eu-central-1' },
        refused: /journal_table_\w+ has lifecycle\.prevent_destroy set/,
      },
    );
    const { status, output } = await on.deployment.terraform(['destroy', '-auto-approve', '-input=false']);
    expect([status, output]).toEqual([1, expect.stringContaining('Instance cannot be destroyed')]);
    await on.deployment.use(both());
    expect(await on.deployment.plan()).toEqual({});
  });

  test('take a table out in two steps, and make it again after an import, with the index that others made', async () => {
    await on.deployment.deploy(both());
    await make(
      { name: 'given', to: both(given) },
      { name: 'out', to: ORDERS_ALONE, sweeps: ['Orders'] },
      { name: 'in again', to: both(given), sweeps: ['Orders', 'Tokens'] },
      { name: 'without an import', to: both(), fails: /Table already exists: Tokens/ },
    );
    const KeySchema = [{ AttributeName: 'owner', KeyType: 'HASH' }] as const;
    const Create = {
      IndexName: 'byOwner',
      KeySchema: [...KeySchema],
      Projection: { ProjectionType: 'ALL' } as const,
    };
    await on.client.send(
      new UpdateTableCommand({
        TableName: 'Tokens',
        // The emulator takes these for all that there are.
        AttributeDefinitions: ['id', 'expirationWindow', 'ttl', 'owner'].map(AttributeName => ({
          AttributeName,
          AttributeType: AttributeName === 'ttl' ? 'N' : 'S',
        })),
        GlobalSecondaryIndexUpdates: [{ Create }],
      }),
    );
    await on.deployment.use(both());
    await on.deployment.succeed(['import', '-input=false', TOKENS_ADDRESS, 'Tokens']);
    await make({ name: 'made', to: both() }, { name: 'out at once', to: ORDERS_ALONE, refused: KEPT });
    const { Table } = await on.client.send(new DescribeTableCommand({ TableName: 'Tokens' }));
    const indexes = Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName);
    expect(indexes?.sort()).toEqual(['byOwner', 'expirationWindowIndex']);
  });

  test('go on after a first apply that broke off at a table, and remove everything but what holds data', async () => {
    await on.deployment.use(both());
    await on.deployment.plan();
    expect(await on.deployment.apply({ STUB_AWS_FAIL: 'UpdateTimeToLive' })).toMatchObject({ status: 1 });
    await on.client.send(new PutItemCommand({ TableName: 'Tokens', Item: { id: { S: 'kept' } } }));
    expect(await on.deployment.plan()).toMatch(/Tokens_\w+ has lifecycle\.prevent_destroy set/);
    const { resources } = JSON.parse(await on.deployment.succeed(['show', '-json'])).values.root_module;
    const tainted = resources.filter((each: { tainted?: boolean }) => each.tainted);
    for (const { address } of tainted) await on.deployment.succeed(['untaint', address]);
    await make(
      { name: 'goes on', to: both(), sweeps: ['Orders', 'Tokens'] },
      { name: 'removed, with a table that is given', to: both(given), removed: true, sweeps: [] },
    );
    expect(await on.deployment.succeed(['state', 'list'])).toBe('');
  });
});
