import { AwsProvider } from '@cdktf/provider-aws/lib/provider/index.js';
import { App, LocalBackend, S3Backend, TerraformOutput, TerraformStack } from 'cdktf';
import type { Construct } from 'constructs';
import { checkConfig, type DeploymentConfig } from './config.ts';
import { constructId } from './names.ts';
import { PreciseTtl, removeSweep } from './precise-ttl.ts';
import { partitionOf } from './regions.ts';
import { escapedTexts } from './terraform-text.ts';

/** Name of the one stack; `cdktf.out/stacks/<name>` holds what is synthesized. */
export const STACK = 'precise-ttl';

/** `removed` blocks came with 1.7, the lock file in a bucket with 1.10. `cli/deploy/terraform-binary.ts` says it earlier. */
const TERRAFORM_VERSION = '>= 1.10';

/** Everything that a configuration file describes: the provider, the state and a `PreciseTtl` per table. */
export class PreciseTtlStack extends TerraformStack {
  /** @throws InvalidConfigError with everything that is wrong with the configuration, which need not have been type-checked */
  constructor(scope: Construct, id: string, config: DeploymentConfig) {
    super(scope, id);
    checkConfig(config);
    prepare(this, config);
    const sweeps = config.tables.map(table => new PreciseTtl(this, constructId(table.tableName), table));
    // One output for all: Terraform's names cannot hold every table's name. Its own is `tables`: a colon, which no table's
    // name has, is left out of it.
    new TerraformOutput(this, ':tables', {
      description:
        'By table: its ARN, the state machine to start replays of, the queue of starts that did not get through, the topic that its alarms tell, its dashboard, the bucket of its archive, the queues of what was given up, and what its writers give to expiryModel',
      value: Object.fromEntries(
        sweeps.map(
          ({
            sweep,
            tableArn,
            stateMachineArn,
            deadLetterQueueUrl,
            expiryModel,
            backfillStateMachineArn,
            alarmTopicArn,
            dashboardName,
            archiveBucketName,
            archiveFailureQueueUrl,
            eventFailureQueueUrl,
          }) => [
            sweep.tableName,
            {
              tableArn,
              stateMachineArn,
              deadLetterQueueUrl,
              expiryModel: escapedTexts({ ...expiryModel }),
              ...(backfillStateMachineArn !== undefined && { backfillStateMachineArn }),
              ...(alarmTopicArn !== undefined && { alarmTopicArn }),
              ...(archiveBucketName !== undefined && { archiveBucketName, archiveFailureQueueUrl }),
              ...(eventFailureQueueUrl !== undefined && { eventFailureQueueUrl }),
              ...(dashboardName !== undefined && {
                dashboardName,
                ...dashboardUrl(config.region, dashboardName),
              }),
            },
          ],
        ),
      ),
    });
  }
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
 * What is left of a deployment when its sweeps are removed: nothing but the word to keep its tables. Applying it deletes
 * everything else, and leaves an empty state. It reads no table, so that one which is gone is in nobody's way.
 */
export class RemovedStack extends TerraformStack {
  constructor(scope: Construct, id: string, config: DeploymentConfig) {
    super(scope, id);
    prepare(this, config);
    for (const props of config.tables) removeSweep(this, constructId(props.tableName), props);
  }
}

/** The state and the provider. */
function prepare(stack: TerraformStack, config: DeploymentConfig): void {
  const { region, state, tags, allowUnknownRegion } = config;
  // Terraform's own lists of regions are as old as its versions.
  const validation = allowUnknownRegion === true ? { skipRegionValidation: true } : {};
  if (state?.backend === 's3') {
    const { bucket, key = 'precise-ttl/terraform.tfstate' } = state;
    const backend = new S3Backend(stack, {
      bucket,
      key,
      region: state.region ?? region,
      encrypt: true,
      ...validation,
    });
    // Terraform's own lock in the bucket; the CDKTF class is older than it.
    backend.addOverride('use_lockfile', true);
  } else {
    // Relative to the stack's folder in cdktf.out, where Terraform runs: beside cdktf.json.
    new LocalBackend(stack, { path: `../../../terraform.${stack.node.id}.tfstate` });
  }
  stack.addOverride('terraform.required_version', TERRAFORM_VERSION);
  new AwsProvider(stack, 'aws', {
    region,
    ...validation,
    ...(tags && { defaultTags: [{ tags: { ...tags } }] }),
  });
}

export interface SynthesisOptions {
  /** As it came out of the file. */
  readonly config: unknown;
  /** @default cdktf's own */
  readonly outdir?: string;
  /** Write what removes the deployment and keeps its tables, instead of the deployment. @default false */
  readonly removed?: boolean;
}

/**
 * Writes the Terraform JSON of a configuration to `outdir`.
 * @throws InvalidConfigError before anything is written
 */
export function synthesize({ config, outdir, removed = false }: SynthesisOptions): void {
  const checked = checkConfig(config);
  const app = new App(outdir === undefined ? {} : { outdir });
  new (removed ? RemovedStack : PreciseTtlStack)(app, STACK, checked);
  withoutDeprecations(() => app.synth());
}

/** CDKTF 0.21, the last there is, calls util.isArray for every output, and Node warns everybody of that. */
export function withoutDeprecations(work: () => void): void {
  const { noDeprecation = false } = process;
  process.noDeprecation = true;
  try {
    work();
  } finally {
    process.noDeprecation = noDeprecation;
  }
}
