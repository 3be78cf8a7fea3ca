// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a name that Terraform must not take for a template
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateTableCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import type { PreciseTtlProps } from '../../stacks/props.ts';
import type { ModuleName } from '../../stacks/terraform-module/main-json.ts';
import { configOf } from '../support/synthesized.ts';
import { Deployment } from './support/deployment.ts';
import { type Inputs, inputsOf, useBlocks, useInputs, WrittenModules } from './support/modules.ts';
import {
  callProblems,
  describeWithTerraform,
  type EmulatedAws,
  emulatedClient,
  startEmulatedAws,
} from './support/proof.ts';

describeWithTerraform('the Terraform modules', () => {
  let aws: EmulatedAws;
  let client: DynamoDBClient;
  let modules: WrittenModules;

  beforeAll(async () => {
    aws = await startEmulatedAws();
    client = emulatedClient(aws);
    modules = new WrittenModules(aws);
  });

  afterAll(async () => {
    modules?.remove();
    client?.destroy();
    await aws?.stop();
  });

  beforeEach(() => aws.reset());

  const itemIn = async (TableName: string) => {
    const Key = { id: { S: 'one' } };
    await client.send(new PutItemCommand({ TableName, Item: Key }));
    return async () => (await client.send(new GetItemCommand({ TableName, Key }))).Item !== undefined;
  };

  const makeTable = async (TableName: string) => {
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        AttributeDefinitions: [
          { AttributeName: 'id', AttributeType: 'S' },
          { AttributeName: 'expirationWindow', AttributeType: 'S' },
          { AttributeName: 'ttl', AttributeType: 'N' },
        ],
        GlobalSecondaryIndexes: [
          {
            IndexName: 'expirationWindowIndex',
            KeySchema: [
              { AttributeName: 'expirationWindow', KeyType: 'HASH' },
              { AttributeName: 'ttl', KeyType: 'RANGE' },
            ],
            Projection: { ProjectionType: 'KEYS_ONLY' },
          },
        ],
      }),
    );
    const TimeToLiveSpecification = { Enabled: true, AttributeName: 'ttl' };
    await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  };

  const TOKENS = { table_name: 'Tokens', partition_key: 'id', deletion_protection: false };

  test('are what terraform fmt writes, and valid', async () => {
    for (const name of ['existing-table', 'new-table'] as const) {
      const root = await modules.asRoot(name, TOKENS);
      expect(await root.terraform(['fmt', '-check', '-diff', '-recursive'])).toEqual({
        status: 0,
        output: '',
      });
      expect(JSON.parse(await root.succeed(['validate', '-json']))).toMatchObject({
        valid: true,
        diagnostics: [],
      });
    }
  });

  test('are roots: planned, applied, edited, and destroyed once the table is let go', async () => {
    const root = await modules.asRoot('new-table', TOKENS);
    const { create } = await root.deploy();
    expect(create?.length).toBeGreaterThan(25);
    const isThere = await itemIn('Tokens');

    const edits: readonly (readonly [Inputs, readonly string[], RegExp])[] = [
      [
        { enabled: false },
        ['update'],
        /schedules_tick,aws_scheduler_schedule.schedules_reconcile|schedules_/,
      ],
      [{ precision_seconds: 10, poll_seconds: 20, chunk_concurrency: 5 }, ['update'], /sweep_machine/],
      [{ shards: 100 }, ['create', 'update'], /schedules_reconcile\["reconcile-3"\]/],
      [{ delete_mode: 'batch' }, ['update'], /delete_chunk_role_policy/],
      [{ log_retention_days: 7, tags: { team: 'identity' } }, ['update'], /sweep_logs/],
      [{ deletion_protection: true }, ['update'], /aws_dynamodb_table\.table/],
      [
        { deletion_protection: false, shards: 1 },
        ['delete', 'update'],
        /schedules_reconcile\["reconcile-2"\]/,
      ],
    ];
    let inputs: Inputs = TOKENS;
    for (const [edit, expected, touched] of edits) {
      inputs = { ...inputs, ...edit };
      useInputs(root, inputs);
      const actions = await root.deploy();
      expect([edit, Object.keys(actions).sort()]).toEqual([edit, expected]);
      expect(Object.values(actions).flat().join()).toMatch(touched);
    }

    const refused: readonly (readonly [Inputs, RegExp])[] = [
      [{ table_name: 'Tokens2', name: 'precise-ttl-Tokens' }, /prevent_destroy|REFUSED TO KEEP THE TABLE/],
      [{ ttl_attribute: 'expiresAt' }, /REFUSED TO KEEP THE TABLE/],
      [{ window_attribute: 'window' }, /REFUSED TO KEEP THE TABLE/],
      [{ index_name: 'other' }, /REFUSED TO KEEP THE TABLE/],
      [{ partition_key_type: 'N' }, /REFUSED TO KEEP THE TABLE/],
      [{ sort_key: 'version' }, /REFUSED TO KEEP THE TABLE|all indexes must match a defined attribute/],
    ];
    for (const [edit, expected] of refused) {
      useInputs(root, { ...inputs, ...edit });
      expect([edit, await root.plan()]).toEqual([edit, expect.stringMatching(expected)]);
    }
    useInputs(root, inputs);
    expect(await root.terraform(['destroy', '-auto-approve', '-input=false'])).toMatchObject({
      status: 1,
      output: expect.stringContaining('Instance cannot be destroyed'),
    });

    const { deletion_protection: _protection, ...ofExisting } = inputs;
    modules.useModule(root, 'existing-table', ofExisting);
    await root.succeed(['init', '-input=false']);
    expect(await root.deploy()).toEqual({ forget: ['aws_dynamodb_table.table'] });
    await root.succeed(['destroy', '-auto-approve', '-input=false']);
    expect(await root.succeed(['state', 'list'])).toBe('');
    expect(await isThere()).toBe(true);
  });

  test('are children: three in one root, with calls as AWS publishes them', async () => {
    await makeTable('Carts');
    const log = join(tmpdir(), `precise-ttl-calls-${process.pid}.jsonl`);
    try {
      const blocks = {
        sessions: {
          module: 'new-table' as const,
          inputs: { table_name: 'Sessions', partition_key: 'user', sort_key: 'session', sort_key_type: 'N' },
        },
        tokens: { module: 'new-table' as const, inputs: TOKENS },
        carts: {
          module: 'existing-table' as const,
          inputs: { table_name: 'Carts', partition_key: 'id', tags: { team: 'shop' }, shards: 100 },
        },
      };
      const root = await modules.asChildren(blocks);
      const { create } = await root.deploy({ STUB_AWS_LOG: log });
      for (const name of Object.keys(blocks)) {
        expect(create).toContain(`module.${name}.aws_sfn_state_machine.sweep_machine`);
      }
      expect(callProblems(log)).toBe('');
      expect(JSON.parse(await root.succeed(['output', '-json']))).toMatchObject({
        carts: { value: expect.stringMatching(/:stateMachine:precise-ttl-Carts$/) },
      });
      // An existing table's module goes with its block.
      const { carts: _carts, ...rest } = blocks;
      useBlocks(root, rest);
      const actions = await root.deploy();
      expect(Object.keys(actions)).toEqual(['delete']);
      expect(actions['delete']?.every(address => address.startsWith('module.carts.'))).toBe(true);
      await itemIn('Carts');
    } finally {
      rmSync(log, { force: true });
    }
  });

  test('refuse a table that is not as the inputs say, before anything is made', async () => {
    await makeTable('Carts');
    const inputs = { table_name: 'Carts', partition_key: 'id' };
    const root = await modules.asRoot('existing-table', inputs);
    const cases: readonly (readonly [Inputs, RegExp])[] = [
      [
        { partition_key: 'cart' },
        /Table Carts: the partition key is id, not cart\. Correct it in the module block/,
      ],
      [{ sort_key: 'at' }, /the sort key is missing, not at\./],
      [{ partition_key_type: 'B' }, /the key attribute id is not of type B\. Correct partition_key_type/],
      [{ index_name: 'other' }, /it has no index other\./],
      [{ window_attribute: 'window' }, /the keys of the index expirationWindowIndex are not window and ttl/],
      [{ ttl_attribute: 'expiresAt' }, /are not expirationWindow and expiresAt/],
    ];
    for (const [edit, expected] of cases) {
      useInputs(root, { ...inputs, ...edit });
      expect([edit, await root.plan()]).toEqual([edit, expect.stringMatching(expected)]);
    }
  });

  test('name the variable, what was expected and what was got', async () => {
    const root = await modules.asRoot('new-table', TOKENS);
    const cases: readonly (readonly [Inputs, string])[] = [
      [{ shards: 101 }, 'shards: expected a whole number from 1 to 100, got 101. Correct the value'],
      [{ delete_mode: 'fast' }, 'delete_mode: expected one of "guarded", "batch", got fast.'],
      [
        { lookback_minutes: 1, granularity_minutes: 5 },
        'expected at least one window (granularity_minutes: 5)',
      ],
      [{ tags: { 'aws:team': 'a' } }, 'which do not begin with aws:'],
    ];
    for (const [edit, expected] of cases) {
      useInputs(root, { ...TOKENS, ...edit });
      expect([edit, await root.plan()]).toEqual([edit, expect.stringContaining(expected)]);
    }
  });

  test.each(['new-table', 'existing-table'] as const)('have an example that applies: %s', async name => {
    const root = await modules.example(name);
    const { create } = await root.deploy();
    expect(create).toContain('module.sessions_ttl.aws_sfn_state_machine.sweep_machine');
  });

  test.each<[string, ModuleName, PreciseTtlProps]>([
    ['as little as possible', 'new-table', { tableName: 'Tokens', partitionKey: 'id' }],
    [
      'every prop',
      'new-table',
      {
        tableName: 'Session.Data',
        deletionProtection: false,
        pointInTimeRecovery: false,
        partitionKey: 'user "name" ${x}',
        partitionKeyType: 'B',
        sortKey: 'session',
        sortKeyType: 'N',
        ttlAttribute: 'expiry',
        windowAttribute: 'window',
        indexName: 'byWindow',
        granularityMinutes: 1,
        shards: 100,
        deleteMode: 'batch',
        precisionSeconds: 10,
        pollSeconds: 20,
        lookbackMinutes: 15,
        reconcileHours: 30,
        enabled: false,
        shardConcurrency: 30,
        chunkConcurrency: 5,
        deleteAttempts: 7,
        backoffBaseSeconds: 2,
        backoffCapSeconds: 9,
        logRetentionDays: 14,
        functionMemoryMb: 256,
        metricsNamespace: 'Team/Ttl',
        permissionsBoundary: 'arn:aws:iam::123456789012:policy/boundary',
        rolePath: '/teams/identity/',
        tags: { team: 'identity' },
        name: 'sessions',
      },
    ],
    [
      'the plain mode, in long windows',
      'existing-table',
      {
        tableName: 'Carts',
        existingTable: true,
        partitionKey: 'id',
        precisionSeconds: 60,
        granularityMinutes: 60,
        shardConcurrency: 0,
      },
    ],
  ])('make what the constructs make: %s', async (_name, module, props) => {
    if (props.existingTable) await makeTable('Carts');
    const deployment = new Deployment(aws);
    try {
      await deployment.deploy(configOf(props));
      const ofStack = await made(await deployment.terraform(['show', '-json']));
      await aws.reset();
      if (props.existingTable) await makeTable('Carts');
      const root = await modules.asRoot(module, inputsOf(props));
      await root.deploy();
      const ofModule = await made(await root.terraform(['show', '-json']));
      expect(ofModule.length).toBeGreaterThan(25);
      expect(ofModule).toEqual(ofStack);
    } finally {
      deployment.remove();
    }
  });
});

interface Shown {
  readonly type: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** What differs by purpose, or by when it was made. */
const ELSEWHERE = /^(filename|unique_id|.*_date|last_modified)$/;

/** What is in a state, without addresses: a part of the reconcile that skips nothing may say so, and so may no sort key. */
function made({ output }: { readonly output: string }): string[] {
  const { values } = JSON.parse(output) as { values: { root_module: { resources: readonly Shown[] } } };
  return values.root_module.resources
    .filter(({ type }) => type.startsWith('aws_'))
    .map(({ type, values: attributes }) => {
      const compared = Object.entries(attributes)
        .filter(([name]) => !ELSEWHERE.test(name))
        .map(([name, value]) => [name, name === 'tags' && JSON.stringify(value) === '{}' ? null : value]);
      return JSON.stringify([type, Object.fromEntries(compared)])
        .replaceAll(',\\"skipMinutes\\":0}', '}')
        .replaceAll('"SORT_KEY":"",', '');
    })
    .sort();
}
