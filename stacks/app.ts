import { AwsProvider } from '@cdktf/provider-aws/lib/provider/index.js';
import { App, LocalBackend, S3Backend, TerraformOutput, TerraformStack } from 'cdktf';
import type { Construct } from 'constructs';
import { checkConfig, type DeploymentConfig } from './config.ts';
import { constructId } from './names.ts';
import { PreciseTtl } from './precise-ttl.ts';

/** Name of the one stack; `cdktf.out/stacks/<name>` holds what is synthesized. */
export const STACK = 'precise-ttl';

/** Everything that a configuration file describes: the provider, the state and a `PreciseTtl` per table. */
export class PreciseTtlStack extends TerraformStack {
  constructor(scope: Construct, id: string, config: DeploymentConfig) {
    super(scope, id);
    const { region, state, tags, tables, allowUnknownRegion } = config;
    // Terraform's own lists of regions are as old as its versions.
    const skipRegionValidation = allowUnknownRegion === true ? { skipRegionValidation: true } : {};
    if (state?.backend === 's3') {
      const { bucket, key = 'precise-ttl/terraform.tfstate' } = state;
      const backend = new S3Backend(this, {
        bucket,
        key,
        region: state.region ?? region,
        encrypt: true,
        ...skipRegionValidation,
      });
      // Terraform's own lock in the bucket; the CDKTF class is older than it.
      backend.addOverride('use_lockfile', true);
    } else {
      // Relative to the stack's folder in cdktf.out, where Terraform runs: beside cdktf.json.
      new LocalBackend(this, { path: `../../../terraform.${id}.tfstate` });
    }
    new AwsProvider(this, 'aws', {
      region,
      ...skipRegionValidation,
      ...(tags && { defaultTags: [{ tags: { ...tags } }] }),
    });

    for (const table of tables) {
      const sweep = new PreciseTtl(this, constructId(table.tableName), table);
      const output = (name: string, description: string, value: string) =>
        new TerraformOutput(sweep, name, { description, value });
      output(
        'state-machine-arn',
        `Start executions of this one to replay ${table.tableName}`,
        sweep.stateMachineArn,
      );
      output('table-arn', `The table ${table.tableName}`, sweep.tableArn);
      output(
        'dead-letter-queue-url',
        'Starts that did not get through end up here',
        sweep.deadLetterQueueUrl,
      );
    }
  }
}

/**
 * Writes the Terraform JSON of a configuration to `outdir` (cdktf's own default when it is left out).
 * @throws InvalidConfigError before anything is written
 */
export function synthesize({ config, outdir }: { config: unknown; outdir?: string }): void {
  const checked = checkConfig(config);
  const app = new App(outdir === undefined ? {} : { outdir });
  new PreciseTtlStack(app, STACK, checked);
  app.synth();
}
