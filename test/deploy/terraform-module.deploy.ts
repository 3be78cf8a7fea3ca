import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AwsProvider } from '@cdktf/provider-aws/lib/provider/index.js';
import { App, LocalBackend, TerraformStack } from 'cdktf';
import fc from 'fast-check';
import { anyConfig } from '../../bench/synthesis/any-config.ts';
import { ALARM_NAMES, subjectOf } from '../../stacks/alarms.ts';
import { withoutDeprecations } from '../../stacks/app.ts';
import { constructProblems, type TablesProps } from '../../stacks/construct-props.ts';
import { PreciseTtl } from '../../stacks/precise-ttl.ts';
import { DEPLOYMENT_PROPS, OF_CREATED_TABLES } from '../../stacks/props.ts';
import { writeTerraformModule } from '../../stacks/terraform-module/write.ts';
import { inputsOf } from './support/module-inputs.ts';
import { describeWithTerraform, type EmulatedAws, startEmulatedAws } from './support/proof.ts';
import { TerraformRoot } from './support/terraform-root.ts';

/** Not of the module, or of its tables' resources. */
const LEFT_OUT = [
  ...OF_CREATED_TABLES,
  'existingTable',
  'partitionKeyType',
  'sortKeyType',
  'releasesHoldsOf',
  'backfill',
  'archive',
  'archiveFirst',
  'events',
  'sweep',
  'name',
  'tags',
  'roleArns',
  'tableRoleArns',
];

function without(values: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));
}

/** Deployments of given tables, drawn from the props' own rules. */
const ofStreams = ALARM_NAMES.filter(alarm => subjectOf(alarm) !== undefined);
const anyDeployment = anyConfig
  .map(({ tables }) => {
    const [{ alarms, ...first } = { alarms: {} }] = tables;
    const shared = Object.fromEntries(
      Object.entries(without(first, LEFT_OUT)).filter(([name]) =>
        (DEPLOYMENT_PROPS as readonly string[]).includes(name),
      ),
    );
    const names = [...new Set([...tables.map(table => table.tableName), 'Other'])];
    return {
      ...shared,
      ...(alarms !== undefined && { alarms: alarms && without(alarms, ofStreams) }),
      tables: names.map((name, index) => {
        const { tableName, ...table } = without(tables[index % tables.length] ?? {}, [
          ...LEFT_OUT,
          ...DEPLOYMENT_PROPS,
        ]);
        return { ...table, table: { name, arn: `arn:aws:dynamodb:us-east-1:123456789012:table/${name}` } };
      }),
    } as unknown as TablesProps;
  })
  .filter(props => constructProblems(props).length === 0);

interface Shown {
  readonly resources?: readonly { type: string; values: Record<string, unknown> }[];
  readonly child_modules?: readonly Shown[];
}

/** What was deployed, by type and name, as far as the two ways have to agree. */
async function deployed(root: TerraformRoot): Promise<Record<string, unknown>> {
  const { values } = JSON.parse(await root.succeed(['show', '-json'])) as { values: { root_module: Shown } };
  const all = (module: Shown): NonNullable<Shown['resources']>[number][] => [
    ...(module.resources ?? []),
    ...(module.child_modules ?? []).flatMap(all),
  ];
  return Object.fromEntries(
    all(values.root_module)
      // The module always has its topic.
      .filter(
        ({ type }) => !['aws_sns_topic', 'aws_sns_topic_policy'].includes(type) && type.startsWith('aws_'),
      )
      .map(({ type, values: own }) => [`${type} ${nameOf(type, own)}`, comparable(own)]),
  );
}

function nameOf(type: string, own: Record<string, unknown>): string {
  const name = own['name'] ?? own['function_name'] ?? own['alarm_name'] ?? own['dashboard_name'] ?? '';
  const { input } = (own['target'] as [{ input: string }] | undefined)?.[0] ?? { input: '' };
  // Reconciles are counted in another order.
  return type === 'aws_scheduler_schedule'
    ? `${own['group_name']} ${own['schedule_expression']} ${sorted(JSON.parse(input))}`
    : String(name);
}

/** Where the archives lie, what the dashboard's text is, and which table the only one is, differ. */
const DIFFERENT = [
  'filename',
  'source_code_hash',
  'dashboard_body',
  'id',
  'revision_id',
  'state_machine_version_arn',
  'creation_date',
  'last_modified',
  'last_modification_date',
  'code_sha256',
  'create_date',
  'unique_id',
  'stream_arn',
  'stream_label',
];

function comparable(own: Record<string, unknown>): unknown {
  const {
    policy,
    definition,
    target,
    name,
    tags_all: _tags,
    assume_role_policy: trust,
    ...rest
  } = without(own, DIFFERENT);
  return JSON.parse(
    sorted({
      ...rest,
      ...(typeof target !== 'object' && { name }),
      tags: own['tags'] ?? {},
      ...(typeof trust === 'string' && { trust: JSON.parse(trust) }),
      ...(typeof policy === 'string' && policy !== '' && { policy: statements(policy) }),
      ...(typeof definition === 'string' && { definition: JSON.parse(definition) }),
    }),
  );
}

interface InIam {
  readonly Resource: readonly string[];
}

/** Statements that differ by their resources only are one. */
function statements(policy: string): Record<string, readonly string[]> {
  const groups: Record<string, readonly string[]> = {};
  for (const { Resource, ...rest } of JSON.parse(policy).Statement as InIam[]) {
    groups[sorted(rest)] = [...new Set([...(groups[sorted(rest)] ?? []), ...Resource])].sort();
  }
  return groups;
}

/** JSON with its keys in order, and the lists of tables by their names. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (key, each) => {
    if (key === 'tables' && Array.isArray(each))
      return [...each].sort((one, other) =>
        JSON.stringify(one.tableName ?? one) < JSON.stringify(other.tableName ?? other) ? -1 : 1,
      );
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

const PROVIDER = 'provider "aws" {\n  region = "us-east-1"\n}\n';

describeWithTerraform('the Terraform module', () => {
  let aws: EmulatedAws;
  const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-module-'));

  beforeAll(async () => {
    aws = await startEmulatedAws();
    writeTerraformModule(folder);
  });

  afterAll(async () => {
    await aws?.stop();
    rmSync(folder, { recursive: true });
  });

  test('is formatted and valid, and its example is deployed, with an empty second plan', async () => {
    const root = new TerraformRoot(join(folder, 'examples/two-tables'), aws);
    expect((await new TerraformRoot(folder, aws).terraform(['fmt', '-check', '-recursive'])).output).toBe('');
    await root.succeed(['init', '-input=false']);
    await root.succeed(['validate']);
    expect(await root.succeed(['test'])).toContain('1 passed, 0 failed');
    const { create = [], ...others } = await root.deploy();
    expect(others).toEqual({});
    expect(create).toContain('module.precise_ttl.aws_sfn_state_machine.sweep_machine');

    // A tag of one table is no update of anything else.
    expect(await root.plan({ TF_VAR_team: 'sessions' })).toEqual({
      update: ['aws_dynamodb_table.sessions'],
    });
  });

  test('deploys what the construct does with the same props', async () => {
    await aws.reset();
    const count = Number(process.env['MODULE_SETS'] ?? 6);
    const deployments = fc
      .sample(anyDeployment, { numRuns: count, seed: 1 })
      .map((props, index) => ({ ...props, name: `d${index}` }));

    const outdir = mkdtempSync(join(tmpdir(), 'precise-ttl-constructs-'));
    const app = new App({ outdir });
    const stack = new TerraformStack(app, 'own');
    new AwsProvider(stack, 'aws', { region: 'us-east-1' });
    // By default it is in the working directory, where the next run would find it.
    new LocalBackend(stack, { path: join(outdir, 'own.tfstate') });
    for (const props of deployments) new PreciseTtl(stack, props.name, props);
    withoutDeprecations(() => app.synth());
    const constructs = new TerraformRoot(join(outdir, 'stacks/own'), aws);
    await constructs.succeed(['init', '-input=false']);
    await constructs.deploy();
    const expected = await deployed(constructs);
    await aws.reset();

    const modules = new TerraformRoot(mkdtempSync(join(tmpdir(), 'precise-ttl-blocks-')), aws);
    writeFileSync(join(modules.folder, 'provider.tf'), PROVIDER);
    const blocks = deployments.map(props => [props.name, { source: folder, ...inputsOf(props) }]);
    writeFileSync(
      join(modules.folder, 'main.tf.json'),
      JSON.stringify({ module: Object.fromEntries(blocks) }),
    );
    await modules.succeed(['init', '-input=false']);
    await modules.deploy();
    const actual = await deployed(modules);
    rmSync(outdir, { recursive: true });
    rmSync(modules.folder, { recursive: true });

    expect(Object.keys(actual).sort()).toEqual(Object.keys(expected).sort());
    expect(actual).toEqual(expected);
    expect(Object.keys(actual).length).toBeGreaterThan(20 * count);
  }, 1_200_000);
});
