import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AwsProvider } from '@cdktf/provider-aws/lib/provider/index.js';
import { App, LocalBackend, TerraformStack } from 'cdktf';
import { seededRandom } from 'stepfunctions-emulator';
import type { DeploymentConfig } from '../../config/config.ts';
import { HOLDINGS } from '../../config/holdings.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { STACK, withoutDeprecations } from '../../stacks/app.ts';
import { PreciseTtl } from '../../stacks/precise-ttl.ts';
import { configOf } from '../support/configs.ts';
import { Deployment } from './support/deployment.ts';
import type { HeldThing } from './support/held-things.ts';
import { describeWithTerraform, type EmulatedAws, startEmulatedAws } from './support/proof.ts';
import { type Edit, Walk } from './support/walk.ts';

/** Draws which half of the applies goes in one go, and which is broken off half-way and made again; another number, another half. */
const SEED = Number(process.env['SHAPES_SEED'] ?? 1);

/** As versions deployed a configuration in which each table had a state machine of its own: a construct for each, under its name. */
function synthesizedEach({ tables }: DeploymentConfig): string {
  const outdir = mkdtempSync(join(tmpdir(), 'precise-ttl-each-'));
  const app = new App({ outdir });
  const stack = new TerraformStack(app, STACK);
  new LocalBackend(stack, { path: `../../../terraform.${STACK}.tfstate` });
  new AwsProvider(stack, 'aws', { region: 'us-east-1' });
  for (const table of tables) new PreciseTtl(stack, table.tableName, table);
  withoutDeprecations(() => app.synth());
  return outdir;
}

/** As the document has it, which people copy. */
const TICK =
  /terraform apply -target=([^\s`]+)/.exec(readFileSync('CHANGELOG.md', 'utf8'))?.[1] ??
  'not in CHANGELOG.md';

/** What goes with the deployments and tables whose names begin so, when they are removed. */
const destroyed =
  (begin: RegExp) =>
  ({ kind, name }: HeldThing): boolean =>
    HOLDINGS[kind].destroyed === 'goes' && begin.test(name.replace(/^\/aws\/\w+(\/states)?\//, ''));

describeWithTerraform('from shape to shape', () => {
  let aws: EmulatedAws;
  let walk: Walk;
  let first: Deployment;
  let second: Deployment;

  beforeAll(async () => {
    aws = await startEmulatedAws();
  });
  afterAll(() => aws?.stop());
  beforeEach(async () => {
    await aws.reset();
    walk = new Walk(aws, { breaks: seededRandom(SEED) });
    first = new Deployment(aws);
    second = new Deployment(aws);
  });
  afterEach(() => {
    for (const deployment of [first, second]) deployment.remove();
    walk.destroy();
  });

  const use =
    (deployment: () => Deployment, config: DeploymentConfig, options: { readonly removed?: boolean } = {}) =>
    async () => {
      await deployment().use(config, options);
      return deployment().root;
    };
  const make = async (edits: readonly Edit[]) => {
    for (const edit of edits) await walk.make(edit);
    expect(walk.brokenOff).toBeGreaterThan(0);
  };

  test('a deployment of each table, one of all, given tables, another name of the sweep', async () => {
    const tokens: PreciseTtlProps = { tableName: 'Tokens', partitionKey: 'id' };
    const orders: PreciseTtlProps = {
      tableName: 'Orders',
      partitionKey: 'id',
      archive: {},
      events: { eventBus: 'default' },
    };
    const given = { existingTable: true } as const;
    const inFirst = (more: Partial<PreciseTtlProps> = {}) =>
      use(() => first, configOf({ ...tokens, ...given, ...more }, { ...orders, ...given, ...more }));
    const { archive: _archive, events, ...plain } = orders;
    const other = (table: PreciseTtlProps) => ({
      ...table,
      ...given,
      sweep: 'other',
    });

    await first.useFolder(synthesizedEach(configOf(tokens, orders)));
    await first.deployUsed();
    await make([
      {
        name: 'one deployment beside those of each table',
        make: use(() => first, configOf(tokens, orders)),
        target: TICK,
      },
      {
        name: 'one deployment',
        make: use(() => first, configOf(tokens, orders)),
        // Those versions had neither a journal nor a state machine of replays.
        takes: ({ name }) => /^\S*precise-ttl-\w+-(journal|replay)$/.test(name),
      },
      {
        name: 'without the entry of a table',
        make: use(() => first, configOf(orders)),
        refused: /REFUSED TO KEEP/,
      },
      { name: 'given tables', make: inFirst() },
      {
        name: 'the entries in another order',
        make: use(() => first, configOf({ ...orders, ...given }, { ...tokens, ...given })),
      },
      {
        name: 'another name of the sweep',
        make: inFirst({ sweep: 'other' }),
        refused: /REFUSED TO KEEP QUEUES/,
      },
      {
        name: 'another sweep beside it, of a configuration of its own',
        make: use(() => second, configOf(other(tokens), other(plain))),
      },
      {
        name: 'the first sweep goes',
        make: use(() => first, configOf({ ...tokens, ...given }, { ...orders, ...given }), { removed: true }),
        takes: destroyed(/^precise-ttl/),
      },
      {
        name: 'the second one reads the stream',
        make: async () => {
          const [bucket = ''] = await walk.namesOf('bucket');
          const reading = { ...orders, archive: { bucket }, events: { ...events, includePast: true } };
          return use(() => second, configOf(other(tokens), other(reading)))();
        },
      },
    ]);
  });

  test('created tables, given tables, and back', async () => {
    const created: DeploymentConfig = configOf(
      { tableName: 'Sessions', partitionKey: 'id' },
      { tableName: 'Tokens', partitionKey: 'id', ttlAttribute: 'expiresAt', index: { by: 'second' } },
    );
    const given = { ...created, tables: created.tables.map(table => ({ ...table, existingTable: true })) };
    const kmsKeyArn = 'arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
    const keyed = { ...created, tables: created.tables.map(table => ({ ...table, kmsKeyArn })) };
    const imported = async () => {
      await first.use(created);
      const plan = await first.plan();
      for (const [table, name] of [
        ['Sessions', 'Sessions'],
        ['Tokens', 'Tokens'],
      ] as const) {
        const address = Object.values(plan)
          .flat()
          .find(each => each.startsWith(`aws_dynamodb_table.${table}_table_`));
        await first.root.succeed(['import', '-input=false', address ?? '', name]);
      }
      return first.root;
    };

    await first.deploy(created);
    await make([
      { name: 'a key', make: use(() => first, keyed) },
      { name: 'no key', make: use(() => first, created) },
      { name: 'given tables', make: use(() => first, given) },
      {
        name: 'the deployment of the configuration goes',
        make: use(() => first, given, { removed: true }),
        takes: destroyed(/^precise-ttl/),
        sweeps: [],
      },
      {
        name: 'back, as created tables without an import',
        make: use(() => first, created),
        fails: /Table already exists/,
      },
      { name: 'back, as given tables', make: use(() => first, given), sweeps: ['Sessions', 'Tokens'] },
      { name: 'created tables, after an import', make: imported },
    ]);
  });
});
