import { AwsProvider } from '@cdktf/provider-aws/lib/provider/index.js';
import {
  App,
  Lazy,
  TerraformAsset,
  TerraformBackend,
  TerraformOutput,
  type TerraformRemoteState,
  TerraformResource,
  TerraformStack,
} from 'cdktf';
import { Construct, RootConstruct } from 'constructs';
import type { FieldProblem } from '../expiry/errors.ts';
import { isObject } from '../expiry/fields.ts';
import { ALL_FUNCTIONS, fileOf } from '../functions/function-list.ts';
import { bundleFunctions } from './bundle.ts';
import {
  checkConfig,
  DEFAULT_STATE_KEY,
  type DeploymentConfig,
  NAME_ARGUMENT,
  type Overrides,
  refuse,
} from './config/config.ts';
import { bundleId, constructId } from './config/names.ts';
import { DEFAULT_DEPLOYMENT, readsStream, resolveProps } from './config/props.ts';
import { DeployedSweep, literals, mapValues } from './parts/deployed-sweep.ts';
import { Place } from './parts/place.ts';
import { SweptTable } from './parts/swept-table.ts';

/** A Terraform backend of any type, with Terraform's names of settings, because CDKTF's classes lack newer backends and settings. */
class AnyBackend extends TerraformBackend {
  readonly #settings: Record<string, unknown>;

  constructor(stack: TerraformStack, name: string, settings: Record<string, unknown>) {
    super(stack, 'backend', name);
    this.#settings = settings;
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return this.#settings;
  }

  override getRemoteStateDataSource(): TerraformRemoteState {
    throw new TypeError('AnyBackend: expected nobody to read its outputs');
  }
}

/**
 * Sets the arguments of `overrides` on resources. An object is merged; a list replaces the resource's list.
 * @throws InvalidConfigError for a key that names no resource
 */
function applyOverrides(stack: TerraformStack, overrides: Overrides): void {
  const all = stack.node.findAll().filter(TerraformResource.isTerraformResource);
  const problems = Object.entries(overrides).flatMap(([resources, given]): FieldProblem[] => {
    const [type = ''] = resources.split('.');
    const ofType = all.filter(({ terraformResourceType }) => terraformResourceType === type);
    const chosen = ofType.filter(resource =>
      [type, `${type}.${resource.friendlyUniqueId}`, `${type}.${nameOf(resource)}`].includes(resources),
    );
    for (const resource of chosen)
      for (const [argument, value] of Object.entries(given)) resource.addOverride(argument, replacing(value));
    if (chosen.length > 0) return [];
    const types = [...new Set(all.map(({ terraformResourceType }) => terraformResourceType))].sort();
    const named = ofType.map(resource => `${type}.${nameOf(resource) ?? resource.friendlyUniqueId}`);
    const expected = `one of ${(ofType.length > 0 ? named : types).join(', ')}, or the address of a resource`;
    const remedy =
      'Correct it, or leave it out. Addresses are in what precise-ttl synth writes, and in each plan.';
    return [{ field: `overrides.${resources}`, expected, got: 'a name of none of them', remedy }];
  });
  refuse(problems);
}

/** Returns the value with lazy values for its lists: `addOverride` would append a plain list to the resource's list, not replace it. */
function replacing(value: unknown): unknown {
  if (Array.isArray(value)) return Lazy.anyValue({ produce: () => value });
  return isObject(value) ? mapValues(value, replacing) : value;
}

function nameOf(resource: TerraformResource): unknown {
  const { resource: types } = resource.toTerraform();
  const given = types[resource.terraformResourceType][resource.friendlyUniqueId];
  // `name` is first, because a schedule also has `group_name`, which is the name of its group.
  return given['name'] ?? Object.entries(given).find(([argument]) => NAME_ARGUMENT.test(argument))?.[1];
}

export const STACK = 'precise-ttl';

/** Versions that support what the stack uses: `removed` blocks (since 1.7) and the lock file of the S3 backend (since 1.10). */
export const TERRAFORM_VERSION = '>= 1.10';

/** Allowed provider versions: 6.25 has all arguments that the stack uses. CDKTF would allow only the version of its generated classes. */
export const AWS_PROVIDER = { source: 'hashicorp/aws', version: '>= 6.25, < 7' };

export class PreciseTtlStack extends TerraformStack {
  /** @throws InvalidConfigError naming the wrong fields of `given`, which may come from a file without type checks */
  constructor(scope: Construct, id: string, given: DeploymentConfig) {
    super(scope, id);
    const config = checkConfig(given);
    prepare(this, config);
    const place = new Place(this, ':place');
    const tables = config.tables.map(props => {
      const scope = new Construct(this, constructId(props.tableName, 'stack'));
      return new SweptTable(scope, place, resolveProps(props));
    });
    // This id does not contain the deployment's name: a new name would change the id, and Terraform would replace all these resources.
    // The colon keeps the id different from tables' names.
    const sweeps = new Construct(this, ':sweeps');
    const sweep = new DeployedSweep(sweeps, DEFAULT_DEPLOYMENT, () => ({ place, tables }));
    if (config.overrides) applyOverrides(this, config.overrides);
    new TerraformOutput(this, ':config', {
      description:
        'The configuration for status, pause, replay and other commands, as JSON for precise-ttl.config.json',
      value: sweep.configuration,
    });
    // One output has all tables: a table's name may have dots, which Terraform forbids in an output's name. CDKTF names it `tables`.
    new TerraformOutput(this, ':tables', {
      description:
        'By table: its ARN, that of its stream where something reads it, its deployment, the state machine to start replays of, the queue of starts and expiries that did not get through, the topic that the alarms tell, the dashboard, the bucket of its archive, and what its writers give to expiryModel',
      value: Object.fromEntries(sweep.tables.map(table => [table.props.tableName, outputOf(table, sweep)])),
    });
  }
}

function outputOf(table: SweptTable, sweep: DeployedSweep): object {
  const { name } = table.props;
  const { alarms, dashboard, deployment, pipes, replay, schedules, tick } = sweep;
  return {
    tableArn: table.tableArn,
    deployment: deployment.name,
    stateMachineArn: tick.arn,
    replayStateMachineArn: replay.arn,
    deadLetterQueueUrl: schedules.deadLetterQueue.url,
    expiryModel: literals(table.expiryModel),
    ...(readsStream(table.props) && { streamArn: table.streamArn }),
    ...(alarms.topicArn !== undefined && { alarmTopicArn: alarms.topicArn }),
    ...(pipes?.archive?.bucketNames[name] && { archiveBucketName: pipes.archive.bucketNames[name] }),
    ...(dashboard && { dashboardName: dashboard.dashboardName }),
  };
}

/** Takes all resources out of a stack, so that `terraform apply` deletes them. Those with `prevent_destroy` and buckets stay in AWS. */
function removeAll(stack: PreciseTtlStack): void {
  const { resource, removed = [] } = stack.toTerraform() as { resource: Blocks; removed?: object[] };
  const held = Object.entries(resource).flatMap(([type, named]) =>
    Object.entries(named)
      // A bucket's settings are separate resources. They stay in AWS with the bucket.
      .filter(([, { lifecycle }]) => preventsDestroy(lifecycle) || type.startsWith('aws_s3_bucket'))
      .map(([name]) => ({ from: `${type}.${name}`, lifecycle: [{ destroy: false }] })),
  );
  const { node } = stack;
  for (const { id } of node.children.map(child => child.node))
    if (id !== 'backend' && id !== 'aws') node.tryRemoveChild(id);
  stack.addOverride('removed', [...removed, ...held]);
}

const preventsDestroy = (lifecycle: unknown) => isObject(lifecycle) && lifecycle['prevent_destroy'] === true;

function prepare(stack: TerraformStack, { region, state, provider = {}, tags }: DeploymentConfig): void {
  const { backend, ...settings } = state ?? { backend: 'local' };
  const defaults: Readonly<Record<string, object>> = {
    // Terraform runs in cdktf.out/stacks/precise-ttl. From there this path leads to the folder of cdktf.json.
    local: { path: `../../../terraform.${stack.node.id}.tfstate` },
    s3: { key: DEFAULT_STATE_KEY, region, encrypt: true, use_lockfile: true },
  };
  new AnyBackend(stack, backend, { ...defaults[backend], ...settings });
  stack.addOverride('terraform.required_version', TERRAFORM_VERSION);
  const aws = new AwsProvider(stack, 'aws', {
    region,
    ...(tags && { defaultTags: [{ tags: { ...tags } }] }),
  });
  for (const [argument, value] of Object.entries(provider)) aws.addOverride(argument, value);
  stack.addOverride('terraform.required_providers.aws', AWS_PROVIDER);
}

export interface SynthesisOptions {
  readonly config: unknown;
  readonly outdir?: string;
  readonly removed?: boolean;
}

export function synthesize({ config, outdir, removed = false }: SynthesisOptions): void {
  const checked = checkConfig(config);
  const app = new App(outdir === undefined ? {} : { outdir });
  const stack = new PreciseTtlStack(app, STACK, checked);
  if (removed) removeAll(stack);
  withoutDeprecations(() => app.synth());
}

/** Turns Node's deprecation warnings off during `work`: CDKTF 0.21, the last version, calls `util.isArray`, which is deprecated. */
function withoutDeprecations<Result>(work: () => Result): Result {
  const { noDeprecation = false } = process;
  process.noDeprecation = true;
  try {
    return work();
  } finally {
    process.noDeprecation = noDeprecation;
  }
}

export type Blocks = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;

export interface PlainStack {
  readonly region: string;
  /** Terraform's resources, with the configuration's `overrides`. A reference has the form `${type.id.attribute}`. */
  readonly resource: Blocks;
  readonly data: Blocks;
  readonly output: Readonly<Record<string, { readonly value: unknown }>>;
  /** Absolute path of each function's zip file, by the `filename` of the function in `resource`. */
  readonly archives: Readonly<Record<string, string>>;
}

export function plainStack(config: unknown): PlainStack {
  const checked = checkConfig(config);
  const stack = new PreciseTtlStack(new RootConstruct(), STACK, checked);
  const { resource, data, output } = withoutDeprecations(() => stack.toTerraform());
  const archives = ALL_FUNCTIONS.flatMap(name => {
    const asset = stack.node.tryFindChild(bundleId(fileOf(name)));
    return asset instanceof TerraformAsset ? [[asset.path, bundleFunctions()[name].archive]] : [];
  });
  return { region: checked.region, resource, data, output, archives: Object.fromEntries(archives) };
}
