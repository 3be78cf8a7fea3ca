import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { DescribeStateMachineCommand, SFNClient } from '@aws-sdk/client-sfn';
import type { PreciseTtlProps } from '../../config/props.ts';
import { tablesInDefinition } from '../../config/tables-in-definition.ts';
import { tableInput } from '../support/table-input.ts';
import {
  describeWithTerraform,
  type EmulatedAws,
  emulatedClient,
  startEmulatedAws,
} from './support/proof.ts';
import { run } from './support/run.ts';

const PROGRAM = join(process.cwd(), 'bin/precise-ttl.js');

type Tables = readonly (Partial<PreciseTtlProps> & { readonly tableName: string })[];

const existing = (tableName: string, props: Partial<PreciseTtlProps> = {}) => ({
  tableName,
  partitionKey: 'id',
  index: { by: 'second' as const },
  existingTable: true,
  ...props,
});

/** `deploy` and `diff` of some of a configuration's tables, as a script runs them. */
describeWithTerraform('a deployment of many tables', () => {
  let aws: EmulatedAws;
  let client: ReturnType<typeof emulatedClient>;
  let project: string;

  beforeAll(async () => {
    aws = await startEmulatedAws();
    client = emulatedClient(aws);
  });

  afterAll(async () => {
    client?.destroy();
    await aws?.stop();
  });

  beforeEach(async () => {
    await aws.reset();
    project = mkdtempSync(join(tmpdir(), 'precise-ttl-project-'));
    for (const name of ['Carts', 'Sessions', 'Tokens']) await makeTable(name);
  });

  afterEach(() => rmSync(project, { recursive: true, force: true }));

  const makeTable = async (TableName: string) => {
    await client.send(
      new CreateTableCommand({
        ...tableInput({ name: TableName, index: { name: 'expirySecondIndex', keys: ['ttl'] } }),
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      }),
    );
    await setTtl(TableName, true);
  };

  const setTtl = (TableName: string, Enabled: boolean) =>
    client.send(
      new UpdateTimeToLiveCommand({
        TableName,
        TimeToLiveSpecification: { Enabled, AttributeName: 'ttl' },
      }),
    );

  const configure = (tables: Tables, beside: object = {}) =>
    writeFileSync(
      join(project, 'precise-ttl.config.json'),
      JSON.stringify({ region: 'us-east-1', ...beside, tables }),
    );

  const command = (name: string, ...args: string[]) => {
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...aws.environment, CI: 'true' };
    return run(process.execPath, [PROGRAM, name, ...args], { cwd: project, env, maxBuffer: 2 ** 26 }).then(
      ({ stdout, stderr }) => ({ status: 0, all: stripVTControlCharacters(stdout + stderr) }),
      (error: { code: number; stdout: string; stderr: string }) => ({
        status: error.code,
        all: stripVTControlCharacters(error.stdout + error.stderr),
      }),
    );
  };

  const deployAll = async (tables: Tables, beside: object = {}) => {
    configure(tables, beside);
    const { status, all } = await command('deploy', '--yes');
    if (status !== 0) throw new Error(all);
  };

  /** What the ticks know of each table. */
  const swept = async () => {
    const sfn = new SFNClient({
      endpoint: aws.endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    });
    try {
      const stateMachineArn = 'arn:aws:states:us-east-1:123456789012:stateMachine:precise-ttl';
      const { definition = '' } = await sfn.send(new DescribeStateMachineCommand({ stateMachineArn }));
      return Object.fromEntries(
        tablesInDefinition(definition).map(settings => [settings.tableName, settings['maxDeletesPerSecond']]),
      );
    } finally {
      sfn.destroy();
    }
  };

  test.each<[string, () => Promise<unknown>, string]>([
    [
      'that is gone',
      () => client.send(new DeleteTableCommand({ TableName: 'Tokens' })),
      'Table Tokens: expected one that Terraform can read, got: reading Dynamodb Table (Tokens)',
    ],
    [
      'without native TTL',
      () => setTtl('Tokens', false),
      'Table Tokens: native TTL on ttl is not ENABLED yet.',
    ],
  ])('leaves a table as it is %s, and deploys the others', async (_what, breakIt, why) => {
    await deployAll([existing('Sessions'), existing('Tokens')]);
    await breakIt();
    configure(
      [
        existing('Sessions', { maxDeletesPerSecond: 7 }),
        existing('Tokens', { maxDeletesPerSecond: 8 }),
        existing('Carts'),
      ],
      { logRetentionDays: 7 },
    );
    const shown = await command('diff', '--detailed-exitcode');
    expect(shown).toEqual({ status: 1, all: expect.stringContaining(why) });
    const { status, all } = await command('deploy', '--yes');
    expect(all).toContain('Nothing is changed for Tokens, and the other tables are planned without it.');
    expect(all).toContain('Deployed all but Tokens');
    expect(status).toBe(1);
    expect(await swept()).toEqual({ Sessions: 7, Tokens: 0, Carts: 0 });
    // Nothing is left to do but what is said of Tokens.
    expect((await command('diff')).all).toContain('No changes.');
  });

  test('leaves out a table that is broken before its first deployment', async () => {
    await setTtl('Tokens', false);
    configure([existing('Sessions'), existing('Tokens')]);
    expect((await command('deploy', '--yes')).status).toBe(1);
    expect(await swept()).toEqual({ Sessions: 0 });
    await setTtl('Tokens', true);
    expect((await command('deploy', '--yes')).status).toBe(0);
    expect(await swept()).toEqual({ Sessions: 0, Tokens: 0 });
  });

  test('is refused when the only table is broken', async () => {
    await setTtl('Tokens', false);
    configure([existing('Tokens')]);
    const { status, all } = await command('deploy', '--yes');
    expect([status, all]).toEqual([1, expect.not.stringContaining('Apply complete')]);
  });

  test('keeps the archive of a table that is gone', async () => {
    await deployAll([existing('Sessions'), existing('Tokens', { archive: {} })]);
    await client.send(new DeleteTableCommand({ TableName: 'Tokens' }));
    configure([existing('Sessions', { maxDeletesPerSecond: 7 }), existing('Tokens', { archive: {} })]);
    const { status, all } = await command('deploy', '--yes');
    expect([status, all]).toEqual([1, expect.stringMatching(/0 added, [1-9]\d* changed, 0 destroyed/)]);
    expect(await swept()).toEqual({ Sessions: 7, Tokens: 0 });
  });

  test('--table deploys one, while the entries of others are in the middle of a change', async () => {
    const created = { tableName: 'Visits', partitionKey: 'id' };
    await deployAll([existing('Sessions'), existing('Tokens'), created], { logRetentionDays: 7 });
    await setTtl('Tokens', false);
    configure(
      [
        existing('Carts'),
        existing('Tokens', { maxDeletesPerSecond: 8 }),
        existing('Sessions', { maxDeletesPerSecond: 7 }),
        { tableName: 'Visits' },
      ],
      { logRetentionDays: 30 },
    );
    const shown = await command('diff', '--table', 'Sessions', '--detailed-exitcode');
    expect(shown).toEqual({ status: 2, all: expect.not.stringContaining('retention_in_days') });
    const plan = join(project, 'kept.plan');
    expect((await command('diff', '--table', 'Sessions', '--out', plan)).status).toBe(0);
    expect((await command('deploy', plan)).status).toBe(0);
    expect(await swept()).toEqual({ Sessions: 7, Tokens: 0, Visits: 0 });
    const carts = await command('deploy', '--table', 'Carts', '--table', 'Sessions', '--yes');
    expect([carts.status, carts.all]).toEqual([0, expect.stringContaining('Apply complete')]);
    expect(await swept()).toEqual({ Sessions: 7, Tokens: 0, Visits: 0, Carts: 0 });
    expect((await client.send(new DescribeTableCommand({ TableName: 'Visits' }))).Table).toBeDefined();
  });

  test('--table refuses a table that is broken, one that nobody knows, and an entry that is wrong', async () => {
    await deployAll([existing('Sessions'), existing('Tokens')]);
    await setTtl('Tokens', false);
    configure([existing('Sessions'), existing('Tokens', { maxDeletesPerSecond: 8 }), { tableName: 'Carts' }]);
    const broken = await command('deploy', '--table', 'Tokens', '--yes');
    expect([broken.status, broken.all]).toEqual([1, expect.stringContaining('native TTL on ttl is not')]);
    expect(await swept()).toEqual({ Sessions: 0, Tokens: 0 });
    const unknown = await command('deploy', '--table', 'Visits', '--yes');
    const all = '--table: expected one of Sessions, Tokens, Carts, got "Visits"';
    expect([unknown.status, unknown.all]).toEqual([2, expect.stringContaining(all)]);
    const wrong = await command('deploy', '--table', 'Carts', '--yes');
    expect([wrong.status, wrong.all]).toEqual([
      1,
      expect.stringContaining('tables[2].partitionKey: expected'),
    ]);
  });
});
