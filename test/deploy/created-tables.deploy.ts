import {
  DescribeTableCommand,
  GetItemCommand,
  PutItemCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import type { DeploymentConfig } from '../../config/config.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import { useFreshDeployment } from './support/deployment.ts';
import { describeWithTerraform } from './support/proof.ts';

const EXISTING = { tableName: 'Tokens', partitionKey: 'id', existingTable: true };
const TOKENS: PreciseTtlProps = { ...EXISTING, existingTable: false };
/** Nothing protects a table but what is tested here. */
const UNPROTECTED = { aws_dynamodb_table: { deletion_protection_enabled: false } };
const tagged = (...tables: PreciseTtlProps[]) => ({
  ...configOf(...tables),
  tags: { team: 'identity' },
  overrides: UNPROTECTED,
});
const BOTH = tagged(SESSION_DATA, TOKENS);
const tokens = (changes: Partial<PreciseTtlProps>) =>
  tagged(SESSION_DATA, { ...(changes.existingTable ? EXISTING : TOKENS), ...changes });
const TOKENS_ADDRESS = 'aws_dynamodb_table.Tokens_table_7496C31E';

describeWithTerraform('a created table', () => {
  const on = useFreshDeployment();

  const deployBoth = async () => {
    await on.deployment.deploy(BOTH);
    await on.client.send(new PutItemCommand({ TableName: 'Tokens', Item: { id: { S: 'one' } } }));
  };

  const itemIsThere = async () => {
    const { Item } = await on.client.send(
      new GetItemCommand({ TableName: 'Tokens', Key: { id: { S: 'one' } } }),
    );
    return Item !== undefined;
  };

  test('refuses every edit that would delete or replace a table, before anything is changed', async () => {
    await deployBoth();
    const edits: readonly (readonly [string, DeploymentConfig, RegExp, { removed: true }?])[] = [
      ['the entry is gone', tagged(SESSION_DATA), /REFUSED TO KEEP THE TABLE.*created\["Tokens"\]/],
      ['another name', tokens({ tableName: 'Tokens2' }), /REFUSED TO KEEP THE TABLE.*created\["Tokens"\]/],
      ['another TTL attribute', tokens({ ttlAttribute: 'expiresAt' }), /REFUSED TO KEEP THE TABLE/],
      ['another window attribute', tokens({ index: { attribute: 'window' } }), /REFUSED TO KEEP THE TABLE/],
      ['another index', tokens({ index: { name: 'other' } }), /REFUSED TO KEEP THE TABLE/],
      ['by second', tokens({ index: { by: 'second' } }), /REFUSED TO KEEP THE TABLE.*created\["Tokens"\]/],
      [
        'by second, in an index of the same name',
        tokens({ index: { by: 'second', name: 'expirationWindowIndex' } }),
        /REFUSED TO KEEP THE TABLE.*created\["Tokens"\]/,
      ],
      [
        'another type of key',
        tokens({ partitionKey: { name: 'id', type: 'N' } }),
        /REFUSED TO KEEP THE TABLE/,
      ],
      [
        'another region',
        { ...BOTH, region: 'eu-central-1' },
        /aws_dynamodb_table\.Tokens_\w+ has lifecycle\.prevent_destroy/,
      ],
      // The provider itself finds these wrong, before anything else is looked at.
      ['another partition key', tokens({ partitionKey: 'token' }), /all attributes must be indexed/],
      ['a sort key', tokens({ sortKey: 'version' }), /all indexes must match a defined attribute/],
      [
        'removed, after the entry is gone',
        tagged(SESSION_DATA),
        /REFUSED TO KEEP THE TABLE/,
        { removed: true },
      ],
    ];
    for (const [name, config, expected, options] of edits) {
      await on.deployment.use(config, options);
      expect([name, await on.deployment.plan()]).toEqual([name, expect.stringMatching(expected)]);
    }
    const { status, output } = await on.deployment.terraform(['destroy', '-auto-approve', '-input=false']);
    expect([status, output]).toEqual([1, expect.stringContaining('Instance cannot be destroyed')]);
    expect(await itemIsThere()).toBe(true);
    // Nothing was half done either.
    await on.deployment.use(BOTH);
    expect(await on.deployment.plan()).toEqual({});
  });

  test('by second is made, kept as it is, and left behind', async () => {
    const bySecond = (changes: Partial<PreciseTtlProps> = {}) =>
      tokens({ index: { by: 'second' }, ...changes });
    await on.deployment.deploy(bySecond());
    await on.client.send(new PutItemCommand({ TableName: 'Tokens', Item: { id: { S: 'one' } } }));
    const { Table } = await on.client.send(new DescribeTableCommand({ TableName: 'Tokens' }));
    expect(Table?.GlobalSecondaryIndexes).toEqual([
      expect.objectContaining({
        IndexName: 'expirySecondIndex',
        KeySchema: [{ AttributeName: 'ttl', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      }),
    ]);
    const edits = [
      bySecond({ ttlAttribute: 'expiresAt' }),
      bySecond({ index: { name: 'other' } }),
      tokens({}),
      tokens({ index: { name: 'expirySecondIndex' } }),
    ];
    for (const config of edits) {
      await on.deployment.use(config);
      expect(await on.deployment.plan()).toMatch(/REFUSED TO KEEP THE TABLE.*created\["Tokens"\]/);
    }
    await on.deployment.use(bySecond());
    const { status, output } = await on.deployment.terraform(['destroy', '-auto-approve', '-input=false']);
    expect([status, output]).toEqual([1, expect.stringContaining('Instance cannot be destroyed')]);
    // Everything but the table is edited in place.
    expect(Object.keys(await on.deployment.deploy(bySecond({ pollSeconds: 5 })))).toEqual(['update']);
    const { forget } = await on.deployment.deploy(bySecond(), { removed: true });
    expect(forget).toContain(TOKENS_ADDRESS);
    expect(await itemIsThere()).toBe(true);
  });

  describe('takes a setting on and gives it back in place:', () => {
    const KEY = 'arn:aws:kms:us-east-1:123456789012:key/1234abcd-0000-0000-0000-000000000000';
    const OTHER_KEY = KEY.replace('1234abcd', '5678abcd');

    /** Each edit is an update, or nothing at all, and the item is there after it. */
    const edit = async (changes: Partial<PreciseTtlProps>, argument: object = {}) => {
      const overrides = { ...UNPROTECTED, 'aws_dynamodb_table.Tokens': { ...argument } };
      const config = tokens(changes);
      const actions = await on.deployment.deploy(changes.existingTable ? config : { ...config, overrides });
      // The guard remembers what holds items.
      const { update: _updated, ...others } = actions;
      const notOfGuard = Object.values(others)
        .flat()
        .filter(address => !address.startsWith('module.'));
      expect([changes, notOfGuard]).toEqual([changes, []]);
      expect(await itemIsThere()).toBe(true);
      const { Table } = await on.client.send(new DescribeTableCommand({ TableName: 'Tokens' }));
      return { touched: actions['update'] ?? [], table: Table };
    };

    /** With the setting, too, the table comes through whatever would delete it. */
    const isKept = async () => {
      const { status } = await on.deployment.terraform(['destroy', '-auto-approve', '-input=false']);
      expect(status).toBe(1);
      await on.deployment.use(tagged(SESSION_DATA));
      expect(await on.deployment.plan()).toMatch(/REFUSED TO KEEP THE TABLE/);
      const { forget } = await on.deployment.deploy(tokens({}), { removed: true });
      expect(forget).toContain(TOKENS_ADDRESS);
      expect(await itemIsThere()).toBe(true);
    };

    test('the key, which is left to the table when it is left out', async () => {
      await deployBoth();
      for (const tableKmsKeyArn of [KEY, OTHER_KEY]) {
        const { touched } = await edit({ tableKmsKeyArn });
        expect(touched).toEqual(expect.arrayContaining([TOKENS_ADDRESS]));
        // The roles that read and delete.
        expect(touched.filter(address => address.startsWith('aws_iam_role_policy.'))).toHaveLength(3);
      }
      expect((await edit({})).touched).not.toContain(TOKENS_ADDRESS);
      await edit({ tableKmsKeyArn: KEY });
      await isKept();
    });

    test('the class, and recovery', async () => {
      await deployBoth();
      for (const argument of [
        { table_class: 'STANDARD_INFREQUENT_ACCESS' },
        { point_in_time_recovery: { enabled: false } },
        {},
      ]) {
        expect((await edit({}, argument)).touched).toEqual([TOKENS_ADDRESS]);
      }
    });

    test('of an existing table nothing but what its roles may do', async () => {
      await deployBoth();
      const existing = { existingTable: true };
      await on.deployment.deploy(tokens(existing));
      const { touched } = await edit({ ...existing, tableKmsKeyArn: KEY });
      expect(touched.map(address => address.split('.')[0])).toEqual(Array(3).fill('aws_iam_role_policy'));
    });
  });

  test('never deletes or replaces a table in a chain of edits', async () => {
    await deployBoth();
    const existing = { existingTable: true };
    const chain: readonly (readonly [DeploymentConfig, { removed: true }?])[] = [
      [tokens({ enabled: false })],
      [{ ...BOTH, overrides: {} }],
      [tokens({ precision: 'minute', index: { shards: 2 } })],
      [{ ...BOTH, tags: { team: 'sessions' } }],
      [tokens(existing)],
      [tokens({ ...existing, enabled: false })],
      [tagged(SESSION_DATA)],
      [tokens(existing)],
      [tagged({ ...SESSION_DATA, ...existing }, { ...EXISTING, enabled: false })],
      [tagged({ ...SESSION_DATA, ...existing })],
      [tagged({ ...SESSION_DATA, ...existing }), { removed: true }],
    ];
    for (const [config, options] of chain) {
      const actions = await on.deployment.deploy(config, options);
      const touched = Object.entries(actions).filter(
        ([action]) => action === 'delete' || action === 'replace',
      );
      // The journal goes with its deployment.
      const others = touched.flatMap(([, addresses]) => addresses).filter(one => !one.includes('_journal_'));
      expect(others.join()).not.toContain('aws_dynamodb_table');
      expect(await itemIsThere()).toBe(true);
    }
    const { output } = await on.deployment.terraform(['state', 'list']);
    expect(output).toBe('');
  });

  test('forgets a table that becomes an existing one, and manages it again after an import', async () => {
    await deployBoth();
    expect(await on.deployment.deploy(tokens({ existingTable: true }))).toEqual({ forget: [TOKENS_ADDRESS] });
    await on.deployment.use(BOTH);
    const imported = await on.deployment.terraform(['import', '-input=false', TOKENS_ADDRESS, 'Tokens']);
    expect(imported).toMatchObject({ status: 0 });
    const actions = await on.deployment.deploy(BOTH);
    expect(Object.keys(actions).sort()).toEqual(['update']);
    expect(await itemIsThere()).toBe(true);
    await on.deployment.use(tagged(SESSION_DATA));
    expect(await on.deployment.plan()).toMatch(/REFUSED TO KEEP THE TABLE/);
  });

  test('removes everything but the tables, also when an existing table is gone', async () => {
    await deployBoth();
    const { forget, ...others } = await on.deployment.deploy(BOTH, { removed: true });
    expect(forget).toHaveLength(2);
    expect(Object.keys(others)).toEqual(['delete']);
    expect(others['delete']).toContainEqual(
      expect.stringMatching(/^aws_sfn_state_machine\.sweeps_precise-ttl_replay_machine_/),
    );
    expect(await itemIsThere()).toBe(true);
    const { output } = await on.deployment.terraform(['state', 'list']);
    expect(output).toBe('');
  });

  /** An index that no configuration knows, with an attribute of its own. */
  const addIndexByOwner = async () => {
    await on.client.send(
      new UpdateTableCommand({
        TableName: 'Tokens',
        // All of them: the emulator takes these for the whole list, which DynamoDB does not.
        AttributeDefinitions: Object.entries({
          id: 'S',
          expirationWindow: 'S',
          ttl: 'N',
          owner: 'S',
        } as const).map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
        GlobalSecondaryIndexUpdates: [
          {
            Create: {
              IndexName: 'byOwner',
              KeySchema: [{ AttributeName: 'owner', KeyType: 'HASH' }],
              Projection: { ProjectionType: 'KEYS_ONLY' },
            },
          },
        ],
      }),
    );
  };

  test('leaves an index of the user alone', async () => {
    await deployBoth();
    await addIndexByOwner();
    await on.deployment.use(BOTH);
    expect(await on.deployment.plan()).toEqual({});
  });

  test('refuses to replace a table that a first deployment left half made, until it is said to be whole', async () => {
    await on.deployment.use(BOTH);
    await on.deployment.plan();
    expect(await on.deployment.apply({ STUB_AWS_FAIL: 'UpdateTimeToLive' })).toMatchObject({ status: 1 });
    expect(await on.deployment.plan()).toMatch(/Tokens_\w+ has lifecycle\.prevent_destroy set/);
    for (const address of [TOKENS_ADDRESS, 'aws_dynamodb_table.SessionData_table_0F12F0FA']) {
      expect(await on.deployment.terraform(['untaint', address])).toMatchObject({ status: 0 });
    }
    const { update } = await on.deployment.deploy(BOTH);
    expect(update).toEqual(expect.arrayContaining([TOKENS_ADDRESS]));
  });
});
