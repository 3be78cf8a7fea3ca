// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a name that Terraform must not take for a template
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { type ExpiryModelProps, expiryModel } from '../../expiry/model.ts';
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
import type { TerraformRoot } from './support/terraform-root.ts';

const VPC = { subnet_ids: ['subnet-0a1b2c3d', 'subnet-1a1b2c3d'], security_group_ids: ['sg-0a1b2c3d'] };
const KEY = 'arn:aws:kms:us-east-1:123456789012:key/0a1b2c3d-0000-0000-0000-000000000000';

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

  /** With an index of each way. */
  const makeTable = async (TableName: string, hasNativeTtl = true) => {
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
          {
            IndexName: 'expirySecondIndex',
            KeySchema: [{ AttributeName: 'ttl', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'KEYS_ONLY' },
          },
        ],
      }),
    );
    if (!hasNativeTtl) return;
    const TimeToLiveSpecification = { Enabled: true, AttributeName: 'ttl' };
    await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  };

  const TOKENS = { table_name: 'Tokens', partition_key: 'id', deletion_protection: false };

  /** What a plan that would delete or replace the table is refused with. */
  const REFUSED = /REFUSED TO KEEP THE TABLE/;
  type RefusedEdit = readonly [edit: Inputs, reason: RegExp];

  /** Each of the edits is refused, and so is destroying; the table stays when the module that let go of it is destroyed. */
  const keepsItsTable = async (root: TerraformRoot, inputs: Inputs, refused: readonly RefusedEdit[]) => {
    for (const [edit, reason] of refused) {
      useInputs(root, { ...inputs, ...edit });
      expect([edit, await root.plan()]).toEqual([edit, expect.stringMatching(reason)]);
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
    if ('releases_holds_of' in inputs) {
      expect((await root.terraform(['destroy', '-auto-approve', '-input=false'])).output).toContain(
        'REFUSED TO KEEP WHAT IS HELD',
      );
      await root.succeed(['state', 'rm', 'module.created_tables.terraform_data.held']);
    }
    await root.succeed(['destroy', '-auto-approve', '-input=false']);
    expect(await root.succeed(['state', 'list'])).toBe('');
  };

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
        ['delete', 'update'],
        /^aws_cloudwatch_dashboard\.[^,]+,aws_cloudwatch_metric_alarm\.alarms_no_sweep\[0\](,aws_scheduler_schedule\.[^,]+){2}$/,
      ],
      [{ enabled: true }, ['create', 'update'], /schedules_tick\[0\]/],
      [{ precision_seconds: 10, poll_seconds: 20, chunk_concurrency: 5 }, ['update'], /sweep_machine/],
      [{ shards: 100 }, ['create', 'update'], /schedules_reconcile\["reconcile-3"\]/],
      [
        { hold_attribute: 'legalHold' },
        ['create', 'update'],
        /aws_dynamodb_table\.table,.*plan_sweep_role_policy/,
      ],
      // Native TTL stays off.
      [
        { hold_attribute: null, grace_seconds: 60, releases_holds_of: ['legalHold'] },
        ['update'],
        /^(?!.*aws_dynamodb_table).*plan_sweep_role_policy/,
      ],
      [{ grace_seconds: 0 }, ['update'], /aws_dynamodb_table\.table/],
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

    const refused: readonly RefusedEdit[] = [
      [{ table_name: 'Tokens2', name: 'precise-ttl-Tokens' }, /prevent_destroy|REFUSED TO KEEP THE TABLE/],
      [{ ttl_attribute: 'expiresAt' }, REFUSED],
      [{ window_attribute: 'window' }, REFUSED],
      [{ index_name: 'other' }, REFUSED],
      [{ name: 'other' }, /REFUSED TO KEEP QUEUES, LOGS.*README\.md of the module, 'Another name'/],
      [
        { releases_holds_of: [] },
        /REFUSED TO KEEP WHAT IS HELD.*README\.md of the module.*held\["legalHold"\]/,
      ],
      [{ indexed_by: 'second', poll_seconds: null }, REFUSED],
      [{ indexed_by: 'second', poll_seconds: null, index_name: 'expirationWindowIndex' }, REFUSED],
      [{ partition_key_type: 'N' }, REFUSED],
      [{ sort_key: 'version' }, /REFUSED TO KEEP THE TABLE|all indexes must match a defined attribute/],
    ];
    await keepsItsTable(root, inputs, refused);
    expect(await isThere()).toBe(true);
  });

  test.each<[string, Inputs, ExpiryModelProps, number]>([
    ['without a sort key', {}, { partitionKey: 'id' }, 6],
    ['by second', { indexed_by: 'second' }, { partitionKey: 'id', indexedBy: 'second' }, 3],
    [
      'with a sort key',
      { sort_key: 'at', granularity_minutes: 5, shards: 3, window_attribute: 'a${b}' },
      { partitionKey: 'id', sortKey: 'at', granularityMinutes: 5, shards: 3, windowAttribute: 'a${b}' },
      7,
    ],
  ])('%s they say what writers give to expiryModel', async (_name, edit, expected, fields) => {
    const root = await modules.asRoot('new-table', { ...TOKENS, ...edit });
    await root.deploy();
    const { expiry_model } = JSON.parse(await root.succeed(['output', '-json']));
    expect(expiryModel(expiry_model.value)).toEqual(expiryModel(expected));
    expect(Object.keys(expiry_model.value)).toHaveLength(fields);
  });

  test('take over the topic of an earlier version, and guard what it had not', async () => {
    const root = await modules.asRoot('new-table', { ...TOKENS, hold_attribute: 'legalHold' });
    await root.deploy();
    for (const topic of ['aws_sns_topic.alarms_topic', 'aws_sns_topic_policy.alarms_topic_policy']) {
      await root.succeed(['state', 'mv', topic, `${topic}[0]`]);
    }
    const guards = ['held["legalHold"]', 'names["table"]', 'stopped["table"]'].map(
      each => `module.created_tables.terraform_data.${each}`,
    );
    await root.succeed(['state', 'rm', ...guards]);
    const { create, ...others } = await root.deploy();
    expect([create?.toSorted(), others]).toEqual([guards, {}]);
  });

  test('make a table by second, and keep it as it is', async () => {
    const inputs: Inputs = { ...TOKENS, indexed_by: 'second' };
    const root = await modules.asRoot('new-table', inputs);
    await root.deploy();
    const isThere = await itemIn('Tokens');
    const { Table } = await client.send(new DescribeTableCommand({ TableName: 'Tokens' }));
    expect(Table?.GlobalSecondaryIndexes).toEqual([
      expect.objectContaining({
        IndexName: 'expirySecondIndex',
        KeySchema: [{ AttributeName: 'ttl', KeyType: 'HASH' }],
      }),
    ]);
    await keepsItsTable(root, inputs, [
      [{ indexed_by: 'window' }, REFUSED],
      [{ indexed_by: 'window', index_name: 'expirySecondIndex' }, REFUSED],
      [{ index_name: 'other' }, REFUSED],
      [{ ttl_attribute: 'expiresAt' }, REFUSED],
    ]);
    expect(await isThere()).toBe(true);
  });

  test('go from by window to by second of an existing table in place', async () => {
    await makeTable('Carts');
    const inputs: Inputs = { table_name: 'Carts', partition_key: 'id' };
    const root = await modules.asRoot('existing-table', inputs);
    await root.deploy();
    useInputs(root, { ...inputs, indexed_by: 'second' });
    const { update = [], ...others } = await root.deploy();
    expect(update).toEqual(
      expect.arrayContaining([
        'aws_lambda_function.plan_sweep_function',
        'aws_scheduler_schedule.schedules_reconcile["reconcile"]',
      ]),
    );
    // What the guard remembers of a table that it does not keep.
    expect(Object.values(others).flat()).toEqual(['module.created_tables.terraform_data.released["table"]']);
  });

  test('take a VPC and a key, and give them back', async () => {
    await makeTable('Carts');
    const log = join(tmpdir(), `precise-ttl-vpc-calls-${process.pid}.jsonl`);
    const inputs = { table_name: 'Carts', partition_key: 'id' };
    try {
      const root = await modules.asRoot('existing-table', { ...inputs, vpc: VPC, kms_key_arn: KEY });
      await root.deploy({ STUB_AWS_LOG: log });
      expect(callProblems(log)).toBe('');
      const permissions = async () => {
        const policies = (await resourcesOf(root)).filter(({ type }) => type === 'aws_iam_role_policy');
        const statements = policies.flatMap(({ values }) => JSON.parse(String(values['policy'])).Statement);
        return [...new Set(statements.flatMap(actionsOf))];
      };
      expect(await permissions()).toEqual(
        expect.arrayContaining([
          'Allow ec2:CreateNetworkInterface',
          'Deny ec2:CreateNetworkInterface',
          'Allow kms:Decrypt',
          'Allow kms:GenerateDataKey',
        ]),
      );

      useInputs(root, { ...inputs, kms_key_arn: KEY });
      expect(Object.keys(await root.deploy())).toEqual(['update']);
      expect((await permissions()).join()).not.toContain('ec2:');
      useInputs(root, { ...inputs, vpc: null, kms_key_arn: null });
      expect(Object.keys(await root.deploy())).toEqual(['update']);
      expect((await permissions()).join()).not.toMatch(/ec2:|kms:/);
      expect(JSON.stringify(await resourcesOf(root))).not.toMatch(/subnet-|:kms:/);
      await root.succeed(['destroy', '-auto-approve', '-input=false']);
      expect(await root.succeed(['state', 'list'])).toBe('');
    } finally {
      rmSync(log, { force: true });
    }
  });

  test('take a VPC and a key that are made with them', async () => {
    await makeTable('Carts');
    const made = (name: string, input: unknown) => ({ [name]: { input } });
    const vpc = {
      subnet_ids: '${terraform_data.subnets.output}',
      security_group_ids: ['${terraform_data.group.output}'],
    };
    const inputs = {
      table_name: 'Carts',
      partition_key: 'id',
      vpc,
      kms_key_arn: '${terraform_data.key.output}',
    };
    const root = await modules.asChildren({ carts: { module: 'existing-table', inputs } });
    writeFileSync(
      join(root.folder, 'made.tf.json'),
      JSON.stringify({
        resource: {
          terraform_data: {
            ...made('subnets', VPC.subnet_ids),
            ...made('group', VPC.security_group_ids[0]),
            ...made('key', KEY),
          },
        },
      }),
    );
    expect(Object.keys(await root.deploy())).toEqual(['create']);
    await root.succeed(['destroy', '-auto-approve', '-input=false']);
    expect(await root.succeed(['state', 'list'])).toBe('');
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

  test('take count and for_each, and keep a table that is no longer among them', async () => {
    await makeTable('Carts');
    const carts = (count: number) => ({
      module: 'existing-table' as const,
      inputs: { count, table_name: 'Carts', partition_key: 'id' },
    });
    const created = (...tables: readonly string[]) => ({
      module: 'new-table' as const,
      inputs: {
        for_each: Object.fromEntries(tables.map(table => [table, table])),
        table_name: '${each.value}',
        partition_key: 'id',
        deletion_protection: false,
      },
    });
    const root = await modules.asChildren({ carts: carts(1), created: created('Sessions', 'Tokens') });
    const { create } = await root.deploy();
    expect(create).toContain('module.carts[0].aws_sfn_state_machine.sweep_machine');
    expect(create).toContain('module.created["Tokens"].aws_dynamodb_table.table');
    useBlocks(root, { carts: carts(0), created: created('Sessions', 'Tokens') });
    expect(Object.keys(await root.deploy())).toEqual(['delete']);
    useBlocks(root, { carts: carts(0), created: created('Sessions') });
    expect(await root.plan()).toEqual(expect.stringMatching(/REFUSED TO KEEP THE TABLE|prevent_destroy/));

    // As docs/terraform.md has it.
    const tokens = {
      module: 'existing-table' as const,
      inputs: { table_name: 'Tokens', partition_key: 'id' },
    };
    useBlocks(root, { carts: carts(0), created: created('Sessions'), tokens });
    writeFileSync(
      join(root.folder, 'moved.tf'),
      'moved {\n  from = module.created["Tokens"]\n  to   = module.tokens\n}\n',
    );
    await root.succeed(['init', '-input=false']);
    // The archives are read from another folder now.
    expect(await root.deploy()).toEqual({
      forget: ['module.tokens.aws_dynamodb_table.table'],
      update: expect.arrayContaining(['module.tokens.aws_lambda_function.delete_chunk_function']),
    });
    const isThere = await itemIn('Tokens');
    useBlocks(root, { carts: carts(0), created: created('Sessions') });
    expect(Object.keys(await root.deploy())).toEqual(['delete']);
    expect(await isThere()).toBe(true);
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
      [
        { indexed_by: 'second', index_name: 'expirationWindowIndex' },
        /the index expirationWindowIndex has not ttl as its only key\. .* name it in index_name/,
      ],
      [
        { index_name: 'expirySecondIndex' },
        /the keys of the index expirySecondIndex are not expirationWindow and ttl\./,
      ],
      [
        { hold_attribute: 'hold' },
        /native TTL is not DISABLED\. With hold_attribute or grace_seconds it has to be/,
      ],
      [{ grace_seconds: 1 }, /native TTL is not DISABLED\./],
    ];
    for (const [edit, expected] of cases) {
      useInputs(root, { ...inputs, ...edit });
      expect([edit, await root.plan()]).toEqual([edit, expect.stringMatching(expected)]);
    }
    await makeTable('Baskets', false);
    useInputs(root, { ...inputs, table_name: 'Baskets' });
    expect(await root.plan()).toMatch(/native TTL is not on the attribute ttl\. It is the backstop/);
  });

  test('name the variable, what was expected and what was got', async () => {
    const root = await modules.asRoot('new-table', TOKENS);
    const cases: readonly (readonly [Inputs, string])[] = [
      [{ shards: 1001 }, 'shards: expected a whole number from 1 to 1000, got 1001. Correct the value'],
      [{ delete_mode: 'fast' }, 'delete_mode: expected one of "guarded", "batch", got fast.'],
      [
        { lookback_minutes: 1, granularity_minutes: 5 },
        'expected at least one window (granularity_minutes: 5)',
      ],
      [{ indexed_by: 'minute' }, 'indexed_by: expected one of "window", "second", got minute.'],
      [{ indexed_by: 'second', shards: 2 }, 'shards: expected none with indexed_by = second, got 2.'],
      [
        { indexed_by: 'second', poll_seconds: 5 },
        'poll_seconds: expected 0 or precision_seconds (1) with indexed_by = second, got 5.',
      ],
      [
        { hold_attribute: 'legalHold', delete_mode: 'batch' },
        'hold_attribute: expected none with delete_mode = batch, which deletes without looking at the item, got legalHold.',
      ],
      [{ hold_attribute: 'ttl' }, 'hold_attribute: expected an attribute of its own'],
      [
        { grace_seconds: 2_592_001 },
        'grace_seconds: expected a whole number from 0 to 2592000, got 2592001.',
      ],
      [{ tags: { 'aws:team': 'a' } }, 'which do not begin with aws:'],
      [
        { vpc: { ...VPC, subnet_ids: ['10.0.0.0/24'] } },
        `vpc.subnet_ids: expected a list of 1 to 16, each the id of a subnet, e.g. 'subnet-0a1b2c3d', got ["10.0.0.0/24"]. Correct`,
      ],
      [{ vpc: { ...VPC, security_group_ids: null } }, 'vpc.security_group_ids: expected a list of 1 to 5'],
      [
        { kms_key_arn: 'arn:aws:kms:us-east-1:123456789012:alias/main' },
        'kms_key_arn: expected the ARN of a key and not of an alias',
      ],
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
    ['by second', 'new-table', { tableName: 'Tokens', partitionKey: 'id', indexedBy: 'second' }],
    [
      'by second, with a sort key and names of its own',
      'new-table',
      {
        tableName: 'Tokens',
        partitionKey: 'user "name" ${x}',
        sortKey: 'session',
        sortKeyType: 'N',
        indexedBy: 'second',
        ttlAttribute: 'expiry',
        indexName: 'byTtl',
        precisionSeconds: 10,
        pollSeconds: 0,
        lookbackMinutes: 5,
        reconcileHours: 48,
        kmsKeyArn: KEY,
      },
    ],
    [
      'an existing table by second, in the plain mode',
      'existing-table',
      {
        tableName: 'Carts',
        existingTable: true,
        partitionKey: 'id',
        indexedBy: 'second',
        precisionSeconds: 60,
      },
    ],
    [
      'items that are held',
      'new-table',
      {
        tableName: 'Tokens',
        partitionKey: 'id',
        sortKey: 'at',
        holdAttribute: 'a "hold" ${x}',
        graceSeconds: 60,
      },
    ],
    [
      'an existing table whose items are held',
      'existing-table',
      { tableName: 'Carts', existingTable: true, partitionKey: 'id', holdAttribute: 'legalHold' },
    ],
    [
      'every prop',
      'new-table',
      {
        tableName: 'Session.Data',
        deletionProtection: false,
        pointInTimeRecovery: false,
        tracing: true,
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
        graceSeconds: 90,
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
        metrics: 'essential',
        alarms: { deletionLag: { threshold: 5000, periods: 2 }, deadLetters: false },
        alarmTopicArn: 'arn:aws:sns:us-east-1:123456789012:on-call',
        tableKmsKeyArn: KEY,
        tableClass: 'STANDARD_INFREQUENT_ACCESS',
        permissionsBoundary: 'arn:aws:iam::123456789012:policy/boundary',
        rolePath: '/teams/identity/',
        vpc: { subnetIds: VPC.subnet_ids, securityGroupIds: VPC.security_group_ids },
        kmsKeyArn: KEY,
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
    const hasNativeTtl = props.holdAttribute === undefined;
    if (props.existingTable) await makeTable('Carts', hasNativeTtl);
    const deployment = new Deployment(aws);
    try {
      await deployment.deploy(configOf(props));
      const ofStack = made(await resourcesOf(deployment));
      await aws.reset();
      if (props.existingTable) await makeTable('Carts', hasNativeTtl);
      const root = await modules.asRoot(module, inputsOf(props));
      await root.deploy();
      // A module always has its topic, since no variable may take its subscriptions away.
      const others = ['aws_sns_topic', 'aws_sns_topic_policy'].map(type => `["${type}",`);
      const isOfStack = (shown: string) =>
        props.alarmTopicArn === undefined || !others.some(begin => shown.startsWith(begin));
      const ofModule = made(await resourcesOf(root)).filter(isOfStack);
      expect(ofModule.length).toBeGreaterThan(25);
      expect(ofModule).toEqual(ofStack);
    } finally {
      deployment.remove();
    }
  });
});

/** Of a statement: its effect on each of its actions. */
function actionsOf({
  Effect,
  Action,
}: {
  readonly Effect: string;
  readonly Action: readonly string[];
}): string[] {
  return Action.map(action => `${Effect} ${action}`);
}

interface Shown {
  readonly type: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** What differs by purpose, or by when it was made. */
const ELSEWHERE = /^(filename|unique_id|.*_date|last_modified)$/;

/** What is in the state of a root, without its children. */
async function resourcesOf(root: {
  terraform(args: readonly string[]): Promise<{ readonly output: string }>;
}): Promise<readonly Shown[]> {
  const { output } = await root.terraform(['show', '-json']);
  const { values } = JSON.parse(output) as { values: { root_module: { resources: readonly Shown[] } } };
  return values.root_module.resources;
}

/** The same without addresses: a part of the reconcile that skips nothing may say so, and so may no sort key and no hold. */
function made(resources: readonly Shown[]): string[] {
  return resources
    .filter(({ type }) => type.startsWith('aws_'))
    .map(({ type, values: attributes }) => {
      const compared = Object.entries(attributes)
        .filter(([name]) => !ELSEWHERE.test(name))
        .map(([name, value]) => [name, name === 'tags' && JSON.stringify(value) === '{}' ? null : value]);
      return JSON.stringify([type, Object.fromEntries(compared)])
        .replaceAll(',\\"skipMinutes\\":0}', '}')
        .replaceAll(/"(SORT_KEY|HOLD_ATTRIBUTE)":"",/g, '');
    })
    .sort();
}
