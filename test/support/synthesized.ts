import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeploymentConfig } from '../../config/config.ts';
import { STACK, type SynthesisOptions, synthesize } from '../../stacks/app.ts';

/** Synthesizes a configuration into a folder of its own, as `cdktf synth` does, and returns the folder. */
export function synthesizeToFolder(
  config: DeploymentConfig,
  options: Pick<SynthesisOptions, 'removed'> = {},
): string {
  const outdir = mkdtempSync(join(tmpdir(), 'precise-ttl-synth-'));
  synthesize({ config, outdir, ...options });
  return outdir;
}

/** A resource's arguments, by Terraform's names. */
export type Resource = Readonly<Record<string, unknown>>;

export interface TerraformJson {
  readonly resource: Readonly<Record<string, Readonly<Record<string, Resource>>>>;
  readonly data: Readonly<Record<string, Readonly<Record<string, Resource>>>>;
  readonly output: Readonly<Record<string, { readonly value: string }>>;
  readonly terraform: { readonly backend: Readonly<Record<string, Resource>> };
  readonly provider: Readonly<Record<string, readonly Resource[]>>;
}

export function terraformJson(config: DeploymentConfig): TerraformJson {
  const file = join(synthesizeToFolder(config), 'stacks', STACK, 'cdk.tf.json');
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** All resources of a type, in the order of the file. */
export function resources(json: TerraformJson, type: string): Resource[] {
  return Object.values(json.resource[type] ?? {});
}

/** The tables that are created to be swept: all but the journal of a deployment. */
export function sweptTables(json: TerraformJson): Resource[] {
  return resources(json, 'aws_dynamodb_table').filter(({ name }) => !String(name).endsWith('-journal'));
}

/** What the ticks know of the tables that they sweep, in the order of the configuration. */
export function settingsIn(
  json: TerraformJson,
  of: 'tick' | 'replay' = 'tick',
): Readonly<Record<string, unknown>>[] {
  const { asl } = definitionOf(json, { of });
  const { PlanSweep } = asl['States'] as Record<
    string,
    { Arguments: { Payload: { tables: Record<string, unknown>[] } } }
  >;
  return PlanSweep?.Arguments.Payload.tables ?? [];
}

/** The environment of the function whose name ends so. */
export function environmentOf(json: TerraformJson, ending: string): Readonly<Record<string, string>> {
  const lambda = resources(json, 'aws_lambda_function').find(({ function_name }) =>
    String(function_name).endsWith(ending),
  );
  return (lambda?.['environment'] as { variables?: Record<string, string> } | undefined)?.variables ?? {};
}

/** The definition with every reference replaced: to a function by an ARN of the right shape, to the partition by `aws`. */
export function definitionOf(
  json: TerraformJson,
  { of = 'tick' }: { of?: 'tick' | 'replay' } = {},
): { definition: string; asl: Record<string, unknown> } {
  const machine = resources(json, 'aws_sfn_state_machine').find(
    ({ name }) => (String(name).endsWith('-replay') ? 'replay' : 'tick') === of,
  );
  const definition = String(machine?.['definition'])
    .replaceAll(/\$\{data\.aws_partition\.\w+\.partition\}/g, 'aws')
    .replaceAll(
      /\$\{aws_lambda_function\.\w+_([a-z-]+)_function_[0-9A-F]+\.arn\}/g,
      (_reference, name) => `arn:aws:lambda:us-east-1:123456789012:function:${name}`,
    )
    .replaceAll(
      /\$\{aws_sfn_state_machine\.[\w-]+\.arn\}/g,
      'arn:aws:states:us-east-1:123456789012:stateMachine:replay',
    );
  return { definition, asl: JSON.parse(definition) };
}
