import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { STACK, type SynthesisOptions, synthesize } from '../../stacks/app.ts';
import type { DeploymentConfig } from '../../stacks/config/config.ts';
import { tablesInDefinition } from '../../stacks/config/deployments.ts';

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
export function settingsIn(json: TerraformJson, of: 'tick' | 'replay' = 'tick') {
  const machine = resources(json, 'aws_sfn_state_machine').find(
    ({ name }) => (String(name).endsWith('-replay') ? 'replay' : 'tick') === of,
  );
  return tablesInDefinition(String(machine?.['definition']));
}

/** The text with each reference of Terraform as the end of what it refers to: `<journal_table arn>`, `<region>`. */
export function inWords(text: string): string {
  return text
    .replaceAll(
      /\$\{aws_\w+?\.(?:sweeps_precise-ttl_|ttl_)?([\w-]+?)_[0-9A-F]{8}\.(\w+)\}/g,
      (_reference, name, attribute) => `<${name} ${attribute}>`,
    )
    .replaceAll(/\$\{data\.aws_\w+\.\w+_[0-9A-F]{8}\.(\w+)\}/g, (_reference, attribute) => `<${attribute}>`);
}

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource?: readonly string[];
  readonly Principal?: { readonly Service: string };
  readonly Condition?: object;
}

const statementsOf = (policy: unknown): Statement[] => JSON.parse(String(policy)).Statement;

const conditionOf = ({ Condition }: Statement): string =>
  Condition === undefined ? '' : ` if ${inWords(JSON.stringify(Condition)).replaceAll('"', '')}`;

/** Each role in words, by its name: who takes it, and what it may do, a line for each statement of all its policies. */
export function rolesIn(json: TerraformJson): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    Object.entries(json.resource['aws_iam_role'] ?? {}).map(([id, { name, assume_role_policy: trust }]) => {
      const taken = statementsOf(trust).map(each => `${each.Principal?.Service}${conditionOf(each)}`);
      const may = policiesOf(json, id).flatMap(statementsOf);
      const inLines = may.map(
        each =>
          `${each.Effect === 'Allow' ? '' : `${each.Effect} `}${[each.Action].flat().join(', ')} on ${each.Resource?.map(inWords).join(', ')}${conditionOf(each)}`,
      );
      return [String(name), [...taken, ...inLines]];
    }),
  );
}

/** The policies of a role, by its id: first the inline one, then those that are attached. */
export function policiesOf(json: TerraformJson, role: string): string[] {
  const ofRole = (type: string) =>
    resources(json, type).filter(each => each['role'] === `\${aws_iam_role.${role}.id}`);
  const attached = ofRole('aws_iam_role_policy_attachment').map(({ policy_arn: arn }) => {
    const [, id = ''] = /aws_iam_policy\.([\w-]+)\.arn/.exec(String(arn)) ?? [];
    return json.resource['aws_iam_policy']?.[id];
  });
  return [...ofRole('aws_iam_role_policy'), ...attached].map(each => String(each?.['policy']));
}
