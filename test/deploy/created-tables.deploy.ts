import {
  DescribeTableCommand,
  GetItemCommand,
  PutItemCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import type { DeploymentConfig } from '../../stacks/config.ts';
import type { PreciseTtlProps } from '../../stacks/props.ts';
import { configOf, SESSION_DATA } from '../support/synthesized.ts';
import { useFreshDeployment } from './support/fresh-deployment.ts';
import { describeWithTerraform } from './support/proof.ts';

/** Nothing protects it but what is tested here. */
const TOKENS: PreciseTtlProps = { tableName: 'Tokens', partitionKey: 'id', deletionProtection: false };
const tagged = (...tables: PreciseTtlProps[]) => ({ ...configOf(...tables), tags: { team: 'identity' } });
const BOTH = tagged(SESSION_DATA, TOKENS);
const tokens = (changes: Partial<PreciseTtlProps>) => tagged(SESSION_DATA, { ...TOKENS, ...changes });
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
      ['another window attribute', tokens({ windowAttribute: 'window' }), /REFUSED TO KEEP THE TABLE/],
      ['another index', tokens({ indexName: 'other' }), /REFUSED TO KEEP THE TABLE/],
      ['by second', tokens({ indexedBy: 'second' }), /REFUSED TO KEEP THE TABLE.*created\["Tokens"\]/],
      [
        'by second, in an index of the same name',
        tokens({ indexedBy: 'second', indexName: 'expirationWindowIndex' }),
        /REFUSED TO KEEP THE TABLE.*created\["Tokens"\]/,
      ],
      ['another type of key', tokens({ partitionKeyType: 'N' }), /REFUSED TO KEEP THE TABLE/],
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
    const bySecond = (changes: Partial<PreciseTtlProps> = {}) => tokens({ indexedBy: 'second', ...changes });
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
      bySecond({ indexName: 'other' }),
      tokens({}),
      tokens({ indexName: 'expirySecondIndex' }),
    ];
    for (const config of edits) {
      await on.deployment.use(config);
      expect(await on.deployment.plan()).toMatch(/REFUSED TO KEEP THE TABLE.*created\["Tokens"\]/);
    }
    await on.deployment.use(bySecond());
    const { status, output } = await on.deployment.terraform(['destroy', '-auto-approve', '-input=false']);
    expect([status, output]).toEqual([1, expect.stringContaining('Instance cannot be destroyed')]);
    // Everything but the table is edited in place.
    expect(Object.keys(await on.deployment.deploy(bySecond({ lookbackMinutes: 5, pollSeconds: 0 })))).toEqual(
      ['update'],
    );
    const { forget } = await on.deployment.deploy(bySecond(), { removed: true });
    expect(forget).toContain(TOKENS_ADDRESS);
    expect(await itemIsThere()).toBe(true);
  });

  test('never deletes or replaces a table in a chain of edits', async () => {
    await deployBoth();
    const existing = { existingTable: true };
    const chain: readonly (readonly [DeploymentConfig, { removed: true }?])[] = [
      [tokens({ enabled: false })],
      [tokens({ deletionProtection: true })],
      [tokens({ deletionProtection: false, precisionSeconds: 10, shards: 2 })],
      [{ ...BOTH, tags: { team: 'sessions' } }],
      [tokens(existing)],
      [tagged(SESSION_DATA)],
      [tokens(existing)],
      [tagged({ ...SESSION_DATA, ...existing }, { ...TOKENS, ...existing })],
      [tagged({ ...SESSION_DATA, ...existing })],
      [tagged({ ...SESSION_DATA, ...existing }), { removed: true }],
    ];
    for (const [config, options] of chain) {
      const actions = await on.deployment.deploy(config, options);
      const touched = Object.entries(actions).filter(([action]) => action.includes('delete'));
      expect(touched.flatMap(([, addresses]) => addresses).join()).not.toContain('aws_dynamodb_table');
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
    expect(others['delete']).toContain('aws_sfn_state_machine.Tokens_sweep_machine_7331ECFB');
    expect(await itemIsThere()).toBe(true);
    const { output } = await on.deployment.terraform(['state', 'list']);
    expect(output).toBe('');
  });

  test('leaves an index of the user alone', async () => {
    await deployBoth();
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
