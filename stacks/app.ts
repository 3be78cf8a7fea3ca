import { AwsProvider } from '@cdktf/provider-aws/lib/provider/index.js';
import { App, LocalBackend, TerraformOutput, TerraformStack } from 'cdktf';
import { Construct } from 'constructs';
import {
  checkConfig,
  DEFAULT_STATE_KEY,
  type DeploymentConfig,
  type ProviderConfig,
  type S3State,
} from '../config/config.ts';
import { deploymentsOf } from '../config/deployments.ts';
import { DEPLOYMENT_PLACES } from '../config/holdings.ts';
import { constructId } from '../config/names.ts';
import { resolveProps } from '../config/props.ts';
import { partitionOf } from '../config/regions.ts';
import { escaped, escapedTexts } from '../config/terraform-text.ts';
import { AnyBackend } from './any-backend.ts';
import { applyOverrides } from './overrides.ts';
import { DeployedSweep } from './parts/deployed-sweep.ts';
import { Guard } from './parts/guard.ts';
import { Place } from './parts/place.ts';
import { SweptTable } from './parts/swept-table.ts';
import { guardDeployment, guardTable, removeTable } from './precise-ttl.ts';

/** Name of the one stack; `cdktf.out/stacks/<name>` holds what is synthesized. */
export const STACK = 'precise-ttl';

/** `removed` blocks came with 1.7, the lock file in a bucket with 1.10. `cli/deploy/terraform-binary.ts` says it earlier. */
export const TERRAFORM_VERSION = '>= 1.10';

/**
 * The provider's versions. The classes that write the resources are made for one of them, and would pin it; what they write has been there
 * since the first of these.
 */
export const AWS_PROVIDER = { source: 'hashicorp/aws', version: '>= 6.25, < 7' };

/**
 * Existing tables that a deployment leaves as they are, and does not look at: by their names the ARNs of their streams, as far as something
 * reads them.
 */
export type LeftTables = ReadonlyMap<string, { readonly streamArn?: string }>;

/** Everything that a configuration file describes: the provider, the state, the tables and the deployments that sweep them. */
export class PreciseTtlStack extends TerraformStack {
  /** @throws InvalidConfigError with everything that is wrong with the configuration, which need not have been type-checked */
  constructor(scope: Construct, id: string, given: DeploymentConfig, left: LeftTables = new Map()) {
    super(scope, id);
    const config = checkConfig(given);
    prepare(this, config);
    const place = new Place(this, ':place');
    const tables = config.tables.map(props => {
      const scope = new Construct(this, constructId(props.tableName));
      const known = left.get(props.tableName);
      return new SweptTable(scope, {
        place,
        props: resolveProps(props),
        given: known && {
          name: props.tableName,
          arn: place.arn('dynamodb', `table/${props.tableName}`),
          ...known,
        },
      });
    });
    for (const table of tables) guardTable(table, place);
    const deployments = deploymentsOf(tables.map(({ props }) => props)).map(deployment => {
      const own = tables.filter(({ props }) => deployment.tables.includes(props));
      const at = new Construct(scopeOfSweeps(this), deployment.name);
      const sweep = new DeployedSweep(at, { place, deployment, tables: own });
      guardDeployment(at, { place, sweep, places: DEPLOYMENT_PLACES });
      return { sweep, tables: own };
    });
    if (config.overrides) applyOverrides(this, config.overrides);
    // One output for all: Terraform's names cannot hold every table's name. Its own is `tables`: a colon, which no table's
    // name has, is left out of it.
    new TerraformOutput(this, ':tables', {
      description:
        'By table: its ARN, that of its stream where something reads it, its deployment, the state machine to start replays of, the queue of starts that did not get through, the topic that the alarms tell, the dashboard, the bucket of its archive, the queues of what was given up, and what its writers give to expiryModel',
      value: Object.fromEntries(
        deployments.flatMap(({ sweep, tables: own }) =>
          own.map(table => [table.props.tableName, outputOf(table, sweep, config.region)]),
        ),
      ),
    });
    // The deployed configuration, for a later deployment of some tables that leaves the others unchanged.
    const { tables: entries, tags, overrides } = config;
    new TerraformOutput(this, ':configuration', {
      description: 'The tables as the configuration had them, with its tags and overrides',
      value: escaped(JSON.stringify({ tables: entries, tags, overrides })),
      // Each plan would show all of it.
      sensitive: true,
    });
  }
}

/** Where the deployments stand. A table has no colon in its name. */
function scopeOfSweeps(stack: TerraformStack): Construct {
  const id = ':sweeps';
  return (stack.node.tryFindChild(id) as Construct | undefined) ?? new Construct(stack, id);
}

function outputOf(table: SweptTable, sweep: DeployedSweep, region: string): object {
  const { archive, loneProof, events, backfill } = table;
  const { alarms, dashboard, deployment, replay, schedules, tick } = sweep;
  return {
    tableArn: table.tableArn,
    deployment: deployment.name,
    stateMachineArn: tick.arn,
    replayStateMachineArn: replay.arn,
    deadLetterQueueUrl: schedules.deadLetterQueue.url,
    expiryModel: escapedTexts({ ...table.expiryModel }),
    ...((archive ?? events) && { streamArn: table.streamArn }),
    ...(backfill && { backfillStateMachineArn: backfill.stateMachineArn }),
    ...(alarms.topicArn !== undefined && { alarmTopicArn: alarms.topicArn }),
    ...(archive && {
      archiveBucketName: archive.bucketName,
      archiveFailureQueueUrl: archive.reader.failures.url,
    }),
    ...(loneProof && { archiveBucketName: loneProof.bucketName }),
    ...(events && { eventFailureQueueUrl: events.reader.failures.url }),
    ...(dashboard && {
      dashboardName: dashboard.dashboardName,
      ...dashboardUrl(region, dashboard.dashboardName),
    }),
  };
}

/** Where a dashboard is seen; of a partition whose console this version does not know, nothing. */
function dashboardUrl(region: string, name: string): { dashboardUrl?: string } {
  const { console } = partitionOf(region);
  if (console === undefined) return {};
  return {
    dashboardUrl: `https://${region}.${console}/cloudwatch/home?region=${region}#dashboards/dashboard/${name}`,
  };
}

/**
 * A deployment whose sweeps are removed: it has nothing but the order to keep its tables. Applying it deletes everything else, and leaves
 * an empty state. It reads no table, so that a missing table is no obstacle.
 */
export class RemovedStack extends TerraformStack {
  constructor(scope: Construct, id: string, config: DeploymentConfig) {
    super(scope, id);
    prepare(this, config);
    for (const props of config.tables) removeTable(new Construct(this, constructId(props.tableName)), props);
    for (const { name } of deploymentsOf(config.tables.map(resolveProps))) {
      Guard.of(this).removeSweep(new Construct(scopeOfSweeps(this), name));
    }
  }
}

/** The state and the provider. */
function prepare(stack: TerraformStack, config: DeploymentConfig): void {
  const { region, state = { backend: 'local' }, provider = {}, tags, allowUnknownRegion } = config;
  // Terraform's own lists of regions are as old as its versions.
  const validation = allowUnknownRegion === true ? { skipRegionValidation: true } : {};
  const { backend, ...settings } = state;
  if (backend === 'local') {
    // Relative to the stack's folder in cdktf.out, where Terraform runs: beside cdktf.json.
    new LocalBackend(stack, { path: `../../../terraform.${stack.node.id}.tfstate` });
  } else {
    new AnyBackend(
      stack,
      backend,
      backend === 's3' ? s3Settings(state as S3State, region, allowUnknownRegion) : settings,
    );
  }
  stack.addOverride('terraform.required_version', TERRAFORM_VERSION);
  new AwsProvider(stack, 'aws', {
    region,
    ...validation,
    ...providerSettings(provider),
    ...(tags && { defaultTags: [{ tags: { ...tags } }] }),
  });
  stack.addOverride('terraform.required_providers.aws', AWS_PROVIDER);
}

/** With Terraform's own lock in the bucket, and encrypted, unless the configuration says otherwise. */
function s3Settings(
  { backend: _backend, ...state }: S3State,
  region: string,
  allowUnknownRegion: boolean | undefined,
): object {
  return {
    key: DEFAULT_STATE_KEY,
    region,
    encrypt: true,
    ...(allowUnknownRegion === true && { skip_region_validation: true }),
    use_lockfile: true,
    ...state,
  };
}

function providerSettings({ assumeRole, allowedAccountIds, profile }: ProviderConfig) {
  return {
    ...(assumeRole && { assumeRole: [{ ...assumeRole }] }),
    ...(allowedAccountIds && { allowedAccountIds: [...allowedAccountIds] }),
    ...(profile !== undefined && { profile }),
  };
}

export interface SynthesisOptions {
  /** As it came out of the file. */
  readonly config: unknown;
  /** @default cdktf's own */
  readonly outdir?: string;
  /** Write what removes the deployment and keeps its tables, instead of the deployment. @default false */
  readonly removed?: boolean;
  /** @default none */
  readonly left?: LeftTables;
}

/**
 * Writes the Terraform JSON of a configuration to `outdir`.
 * @throws InvalidConfigError before anything is written
 */
export function synthesize({ config, outdir, removed = false, left }: SynthesisOptions): void {
  const checked = checkConfig(config);
  const app = new App(outdir === undefined ? {} : { outdir });
  if (removed) new RemovedStack(app, STACK, checked);
  else new PreciseTtlStack(app, STACK, checked, left);
  withoutDeprecations(() => app.synth());
}

/** CDKTF 0.21, the last there is, calls util.isArray for every output, and Node warns everybody of that. */
export function withoutDeprecations<Result>(work: () => Result): Result {
  const { noDeprecation = false } = process;
  process.noDeprecation = true;
  try {
    return work();
  } finally {
    process.noDeprecation = noDeprecation;
  }
}
