import { CreateTableCommand, PutItemCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { seededRandom } from 'stepfunctions-emulator';
import type { DeploymentConfig } from '../../stacks/config/config.ts';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';
import { configOf } from '../support/configs.ts';
import { tableInput } from '../support/table-input.ts';
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
const given = { existingTable: true };
const TOKENS_ADDRESS = 'aws_dynamodb_table.Tokens_table_7496C31E';

describeWithTerraform('edits', () => {
  const on = useFreshDeployment();
  let walk: Walk;

  beforeEach(() => {
    walk = new Walk(on.aws, seededRandom(SEED));
  });
  afterEach(() => walk.destroy());

  /** Walks from configuration to configuration. */
  const make = async (
    edits: readonly (Omit<Edit, 'make'> & { readonly to: DeploymentConfig; readonly removed?: true })[],
  ) => {
    for (const { to, removed, ...edit } of edits) {
      const use = async () => {
        await on.deployment.use(to, removed ? { removed } : {});
        return on.deployment.root;
      };
      await walk.make({ ...edit, make: use });
    }
  };

  const made: readonly (readonly [string, DeploymentConfig])[] = [
    ['tuned', both({ precision: 'minute', index: { shards: 4 }, maxDeletesPerSecond: 100 })],
    ['hashed', both({ logKeys: 'none' })],
    ['polled', { ...configOf(TOKENS, { ...ORDERS, pollSeconds: 5 }), overrides: UNPROTECTED }],
    ['the entries in another order', { ...configOf(ORDERS, TOKENS), overrides: UNPROTECTED }],
    ['a key', both({}, { kmsKeyArn: KEY })],
    ['a key of a table', both({ tableKmsKeyArn: KEY })],
    ['no alarms', both({}, { alarms: false })],
    ['a dashboard', both({}, { dashboard: true })],
    [
      'provisioned',
      both({}, { overrides: { 'aws_dynamodb_table.Tokens': { table_class: 'STANDARD_INFREQUENT_ACCESS' } } }),
    ],
    // The emulator keeps the tags of an alarm that is deleted.
    ['tags', both({}, { tags: { team: 'identity' } })],
    ['as it was', both()],
  ];

  test('change no table in any way but in place, and leave no minute without a sweep', async () => {
    await on.deployment.deploy(both());
    await make(made.map(([name, to]) => ({ name, to })));
    expect(walk.brokenOff).toBeGreaterThan(0);
  });

  const KEPT =
    /first-deploy-with-existingTable-true-then-take-out-the-entry\w*\["Tokens"\] has lifecycle\.prevent_destroy/;

  test('that would take a table or its index away are refused at plan, and say what to do', async () => {
    await on.deployment.deploy(both());
    const refused: readonly (readonly [string, DeploymentConfig, RegExp])[] = [
      ['the entry is out', { ...configOf(ORDERS), overrides: UNPROTECTED }, KEPT],
      ['another table name', both({ tableName: 'Tokens2' }), KEPT],
      [
        'by second',
        both({ index: { by: 'second' } }),
        /it has no index expirySecondIndex with the keys ttl\. An index's keys cannot be changed/,
      ],
      [
        'by second, in the same index',
        both({ index: { by: 'second', name: 'expirationWindowIndex' } }),
        /it has no index expirationWindowIndex with the keys ttl\./,
      ],
      [
        'another window attribute',
        both({ index: { attribute: 'window' } }),
        /it has no index \w+ with the keys window and ttl/,
      ],
      [
        'another TTL attribute',
        both({ ttlAttribute: 'expiresAt' }),
        /it has no index \w+ with the keys expirationWindow and expiresAt/,
      ],
      [
        'another type of key',
        both({ partitionKey: { name: 'id', type: 'N' } }),
        /Table Tokens: partition key id \(S\), no sort key, not partition key id \(N\), no sort key: a table's keys cannot/,
      ],
      // The provider itself finds it wrong, before anything else is looked at.
      ['another partition key', both({ partitionKey: 'token' }), /all attributes must be indexed/],
      [
        'another name',
        both({}, { deployment: 'other' }),
        /The deployment is precise-ttl in us-east-1, not other in us-east-1/,
      ],
      [
        'another region',
        { ...both(), region: 'eu-central-1' },
        /journal_table_\w+ has lifecycle\.prevent_destroy set/,
      ],
    ];
    await make(refused.map(([name, to, reason]) => ({ name, to, refused: reason })));
    const { status, output } = await on.deployment.terraform(['destroy', '-auto-approve', '-input=false']);
    expect([status, output]).toEqual([1, expect.stringContaining('Instance cannot be destroyed')]);
    await on.deployment.use(both());
    expect(await on.deployment.plan()).toEqual({});
  });

  test('take a table out in two steps, and make it again after an import', async () => {
    await on.deployment.deploy(both());
    await make([
      { name: 'given', to: both(given) },
      { name: 'out', to: { ...configOf(ORDERS), overrides: UNPROTECTED }, sweeps: ['Orders'] },
      { name: 'in again', to: both(given), sweeps: ['Orders', 'Tokens'] },
      { name: 'without an import', to: both(), fails: /Table already exists: Tokens/ },
    ]);
    await on.deployment.use(both());
    await on.deployment.root.succeed(['import', '-input=false', TOKENS_ADDRESS, 'Tokens']);
    await make([
      { name: 'made', to: both() },
      { name: 'out at once', to: { ...configOf(ORDERS), overrides: UNPROTECTED }, refused: KEPT },
    ]);
  });

  test('remove everything but what holds data, also with a table that is gone', async () => {
    await on.deployment.deploy(both());
    await make([{ name: 'removed', to: both(given), removed: true, sweeps: [] }]);
    const { output } = await on.deployment.terraform(['state', 'list']);
    expect(output).toBe('');
  });

  test('go on after a first apply that broke off at a table, once it is said to be whole', async () => {
    await on.deployment.use(both());
    await on.deployment.plan();
    expect(await on.deployment.apply({ STUB_AWS_FAIL: 'UpdateTimeToLive' })).toMatchObject({ status: 1 });
    await on.client.send(new PutItemCommand({ TableName: 'Tokens', Item: { id: { S: 'kept' } } }));
    expect(await on.deployment.plan()).toMatch(/Tokens_\w+ has lifecycle\.prevent_destroy set/);
    const { output } = await on.deployment.terraform(['show', '-json']);
    const tainted = JSON.parse(output).values.root_module.resources.filter(
      (each: { tainted?: boolean }) => each.tainted,
    );
    for (const { address } of tainted) await on.deployment.root.succeed(['untaint', address]);
    await make([{ name: 'goes on', to: both(), sweeps: ['Orders', 'Tokens'] }]);
  });

  test('leave what others made at a table alone', async () => {
    const index = { name: 'expirationWindowIndex' };
    await on.client.send(
      new CreateTableCommand(tableInput({ index, other: { name: 'byOwner', keys: ['owner'] } })),
    );
    const TimeToLiveSpecification = { Enabled: true, AttributeName: 'ttl' };
    await on.client.send(new UpdateTimeToLiveCommand({ TableName: 'Tokens', TimeToLiveSpecification }));
    await on.deployment.deploy(both(given));
    await on.deployment.use(both());
    await on.deployment.root.succeed(['import', '-input=false', TOKENS_ADDRESS, 'Tokens']);
    const actions = await on.deployment.deploy(both());
    expect(Object.keys(actions).filter(action => action === 'delete' || action === 'replace')).toEqual([
      'delete',
    ]);
  });
});
