/** `precise-ttl iam`: prints policies for those who deploy, operate or plan, and for roles that are created elsewhere. See `--help`. */

import { deploymentsOf } from '../config/deployments.ts';
import { loadConfig } from '../config/load-config.ts';
import { resolveProps } from '../config/props.ts';
import { partitionOf } from '../config/regions.ts';
import { CONFIG, FlagError, switchFlag, textFlag } from './flags.ts';
import { type Deployed, deployPolicy, operatePolicy, pipelinePolicy, verifyPolicy } from './iam/policies.ts';
import {
  charactersOf,
  documentsOf,
  merged,
  type PolicyDocument,
  type PolicyStatement,
} from './iam/policy.ts';
import { print, printData } from './print.ts';
import { defineCommand } from './run-command.ts';

const ACCOUNT = /^\d{12}$/;

export const command = defineCommand({
  words: ['deploy', 'operate', 'pipeline', 'verify', 'roles'],
  flags: {
    config: CONFIG,
    account: textFlag('ID', 'the account, 12 digits (default: the only one of allowedAccountIds, or *)'),
    json: switchFlag('print JSON'),
  },
  help: flags => `npx precise-ttl iam deploy|operate|pipeline|verify|roles [flags]

Prints what IAM has to allow, for the names of the configuration. It calls nothing.

  deploy    what Terraform needs to deploy, to plan and to destroy, on everything whose name begins with that of a deployment
            or of a table, turned on or not
  pipeline  what a plan needs: only what reads, and the lock of the state
  operate   what the commands need that look and act: status, dashboard, history, audit, doctor, pause, resume, limit, replay,
            backfill, restore
  verify    what verify needs, in the region of the configuration, with what Terraform needs for it
  roles     who may take the roles of the deployment and what they may do, to make them elsewhere and name them in roleArns

With --json it is a list of policy documents, each of a size that IAM takes as a managed policy. For roles it is an object by deployment
or table, and by their names there: { name, arn, trust, policies }.

${flags}

Exit status: 0 printed, 1 not (no configuration, or a wrong one), 2 wrong flags.`,
  async run({ config: file, account: given, json }, { word }) {
    if (given !== undefined && !ACCOUNT.test(given)) {
      throw new FlagError(`--account: expected 12 digits, got "${given}"`);
    }
    const config = await loadConfig(file);
    const [only, another] = config.provider?.allowedAccountIds ?? [];
    const known = given ?? (another === undefined ? only : undefined);
    const place = {
      partition: partitionOf(config.region).name,
      region: config.region,
      account: known ?? '*',
    };
    const deployments = deploymentsOf(config.tables.map(resolveProps));
    if (word === 'roles') {
      // The trust policies contain the account.
      if (known === undefined) throw new FlagError('--account: expected the account of the roles, got none');
      // Imported late, because CDKTF is large.
      const { roleDocuments } = await import('./iam/role-documents.ts');
      const roles = roleDocuments(config, deployments, place);
      if (json) printData(JSON.stringify(roles, null, 2));
      else for (const [of, each] of Object.entries(roles)) printRoles(of, each);
      return 0;
    }
    const deployed = { config, deployments, place };
    const statements = await statementsOf(word, deployed);
    const documents = documentsOf(statements);
    if (json) {
      printData(JSON.stringify(documents, null, 2));
      return 0;
    }
    for (const statement of statements) printStatement(statement);
    const sizes = documents.map(charactersOf).join(' and ');
    print(
      `\n${documents.length === 1 ? 'One policy' : `${documents.length} policies`} of ${sizes} characters, with --json.`,
    );
    return 0;
  },
});

async function statementsOf(word: string, deployed: Deployed): Promise<PolicyStatement[]> {
  if (word === 'operate') return operatePolicy(deployed);
  if (word === 'deploy') return deployPolicy(deployed);
  if (word === 'pipeline') return pipelinePolicy(deployed);
  const { verifyConfig, verifiedProps } = await import('./verify/configuration.ts');
  const { region, account } = deployed.place;
  const config = verifyConfig(region, `arn:aws:sqs:${region}:${account}:events`);
  const verified = { ...deployed, config, deployments: deploymentsOf([verifiedProps(config)]) };
  return merged([...deployPolicy(verified), ...verifyPolicy(verified)]);
}

function printRoles(
  of: string,
  roles: Readonly<Record<string, { name: string; arn?: string; policies: readonly PolicyDocument[] }>>,
): void {
  for (const [key, { name, arn, policies }] of Object.entries(roles)) {
    print(`${of}, ${key}: ${arn ?? `${name}, made by the deployment`}`);
    for (const statement of policies.flatMap(({ Statement }) => Statement)) printStatement(statement, '  ');
  }
}

function printStatement({ Effect, Action, Resource, Condition }: PolicyStatement, indent = ''): void {
  const only = Condition === undefined ? '' : ` only if ${JSON.stringify(Condition)}`;
  print(`${indent}${Effect} ${Action.join(', ')}\n${indent}  on ${Resource.join(', ')}${only}`);
}
