import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AwsProvider } from '@cdktf/provider-aws/lib/provider/index.js';
import { App, LocalBackend, TerraformStack } from 'cdktf';
import { STACK, withoutDeprecations } from '../../stacks/app.ts';
import { PreciseTtl } from '../../stacks/precise-ttl.ts';
import type { PreciseTtlProps } from '../../stacks/props.ts';
import { configOf } from '../support/synthesized.ts';
import { Deployment } from './support/deployment.ts';
import { HeldThings, lost } from './support/held-things.ts';
import { describeWithTerraform, type EmulatedAws, startEmulatedAws } from './support/proof.ts';

const TABLES: readonly PreciseTtlProps[] = [
  { tableName: 'Tokens', partitionKey: 'id' },
  {
    tableName: 'Orders',
    partitionKey: 'id',
    holdAttribute: 'legalHold',
    archive: {},
    archiveFirst: true,
    events: { eventBus: 'default' },
    backfill: true,
  },
];

/** As versions deployed a configuration in which each table had a state machine of its own: a construct for each, under its name. */
function synthesizedEach(): string {
  const outdir = mkdtempSync(join(tmpdir(), 'precise-ttl-each-'));
  const app = new App({ outdir });
  const stack = new TerraformStack(app, STACK);
  new LocalBackend(stack, { path: `../../../terraform.${STACK}.tfstate` });
  new AwsProvider(stack, 'aws', { region: 'us-east-1' });
  for (const table of TABLES) new PreciseTtl(stack, table.tableName, table);
  withoutDeprecations(() => app.synth());
  return outdir;
}

describeWithTerraform('tables that each had a deployment', () => {
  let aws: EmulatedAws;
  let things: HeldThings;
  let deployment: Deployment;

  beforeAll(async () => {
    aws = await startEmulatedAws();
    things = new HeldThings(aws);
    deployment = new Deployment(aws);
  });

  afterAll(async () => {
    deployment?.remove();
    things?.destroy();
    await aws?.stop();
  });

  test('share one after an upgrade, and nothing that holds something is lost', async () => {
    await deployment.useFolder(synthesizedEach());
    await deployment.deployUsed();
    const before = await things.fill();
    expect(new Set(before.map(({ kind }) => kind)).size).toBe(8);

    const { forget = [], delete: gone = [], ...others } = await deployment.deploy(configOf(...TABLES));
    // Nothing is replaced.
    expect(Object.keys(others).sort()).toEqual(['create', 'update']);
    const holding = /^aws_(dynamodb_table|s3_|sqs_|sns_|cloudwatch_log_group|lambda_event_source_mapping)/;
    // Those versions had neither a journal nor a state machine of replays.
    const isNew = (address: string) => /_(journal_table|replay_logs)_/.test(address);
    expect(gone.filter(address => holding.test(address) && !isNew(address))).toEqual([]);
    // The queues, topics and logs of each: what is the table's own stays where it was.
    const forgotten = forget.map(address => address.replace(/^.*\.(Tokens|Orders)_/, ''));
    expect(forgotten.length).toBeGreaterThan(10);
    for (const name of forgotten) expect(name).not.toMatch(/^(table|archive|events|backfill)_/);
    const missing = lost(before, await things.inventory());
    expect(missing.filter(({ name }) => !/-(journal|replay)$/.test(name))).toEqual([]);
    expect((await deployment.terraform(['state', 'list'])).output).toMatch(
      /^aws_dynamodb_table\.Orders_table_\w+$/m,
    );
  });

  test('and can be taken apart again, each in two steps', async () => {
    const [tokens, orders] = TABLES as [PreciseTtlProps, PreciseTtlProps];
    await deployment.use(configOf(orders));
    expect(await deployment.plan()).toMatch(/REFUSED TO KEEP/);
    await deployment.deploy(configOf({ ...tokens, existingTable: true, enabled: false }, orders));
    const before = await things.inventory();
    await deployment.deploy(configOf(orders));
    expect(lost(before, await things.inventory())).toEqual([]);
    // The last table of a deployment takes its queue, topic, logs and journal with it.
    await deployment.use(configOf({ ...orders, sweep: 'own' }));
    expect(await deployment.plan()).toMatch(/REFUSED TO KEEP QUEUES, LOGS/);
  });

  test('of which there are a hundred, with roles of several policies', async () => {
    const many = new Deployment(aws);
    await aws.reset();
    const tables = (count: number) =>
      configOf(
        ...Array.from({ length: count }, (_unused, index) => ({
          tableName: `table-${index}-`.padEnd(255, 'x'),
          name: `t${index}`,
          partitionKey: 'id',
          deletionProtection: false,
        })),
      );
    const attached = (addresses: readonly string[] = []) =>
      addresses.filter(address => address.startsWith('aws_iam_role_policy_attachment.')).length;
    try {
      const { create, ...others } = await many.deploy(tables(100));
      expect(others).toEqual({});
      expect(attached(create)).toBeGreaterThan(10);
      // With fewer tables what is needless goes, and the roles keep what they need.
      const stopped = tables(100).tables.map((table, index) =>
        index < 30 ? table : { ...table, deletionProtection: undefined, existingTable: true, enabled: false },
      );
      await many.deploy({ ...tables(100), tables: stopped as PreciseTtlProps[] });
      const { delete: gone = [] } = await many.deploy(tables(30));
      expect(attached(gone)).toBeGreaterThan(5);
    } finally {
      many.remove();
    }
  });
});
