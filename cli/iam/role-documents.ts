import type { DeploymentConfig } from '../../config/config.ts';
import type { Deployment } from '../../config/deployments.ts';
import { backfillName, proofName, replayName, sweepRole } from '../../config/names.ts';
import type { RoleKey } from '../../config/props.ts';
import { PROOF_FUNCTIONS, STREAM_FUNCTIONS } from '../../functions/function-list.ts';
import { type Blocks, plainStack } from '../../stacks/plain-stack.ts';
import { BACKFILL_TASKS } from '../../statemachine/backfill-contract.ts';
import { TASKS } from '../../statemachine/contract/machines.ts';
import { type AwsPlace, arnsOf, hasArn } from './arns.ts';
import type { PolicyDocument } from './policy.ts';

/** The documents of a role: who may assume it, and what it may do. */
export interface RoleDocuments {
  /** The name that the deployment would give it. */
  readonly name: string;
  /** ARN of a role that is created elsewhere. @default the deployment creates it */
  readonly arn?: string;
  readonly trust: PolicyDocument;
  /** The first is the inline policy that the deployment would write; the others are managed policies. */
  readonly policies: readonly PolicyDocument[];
}

/** Roles by deployment or table name, and then by their key in `roleArns`. */
export type RolesOf = Readonly<Record<string, { readonly [Key in RoleKey]?: RoleDocuments }>>;

/** The roles of a configuration. Roles that are created elsewhere are synthesized as if the deployment created them. */
export function roleDocuments(
  config: DeploymentConfig,
  deployments: readonly Deployment[],
  place: AwsPlace,
): RolesOf {
  const { roleArns: _given, ...others } = config;
  const tables = config.tables.map(({ roleArns: _ownAndShared, ...table }) => table);
  const { resource, data } = plainStack({ ...others, tables });
  const read = readerOf(resource, data, place);
  return Object.fromEntries([
    ...deployments.map(({ name, roleArns }) => [
      `deployment ${name}`,
      withArns(read, rolesOfDeployment(name), roleArns),
    ]),
    ...deployments.flatMap(deployment =>
      deployment.tables.map(({ tableName, name, tableRoleArns }) => [
        `table ${tableName}`,
        withArns(read, rolesOfTable(name), tableRoleArns),
      ]),
    ),
  ]);
}

type Names = { readonly [Key in RoleKey]?: string };

function rolesOfDeployment(name: string): Names {
  const ofFunctions = Object.entries(TASKS).map(([task, file]) => [task, `${name}-${file}`]);
  return {
    ...Object.fromEntries(ofFunctions),
    sweep: sweepRole(name),
    replay: replayName(name),
    schedule: `${name}-schedule`,
  };
}

function rolesOfTable(name: string): Names {
  const functions = Object.entries({ ...STREAM_FUNCTIONS, ...PROOF_FUNCTIONS, ...BACKFILL_TASKS });
  const ofFunctions = functions.map(([task, file]) => [task, `${name}-${file}`]);
  return { ...Object.fromEntries(ofFunctions), proofSchedule: proofName(name), backfill: backfillName(name) };
}

/** Adds the given ARNs of the roles that the configuration uses. */
function withArns(
  read: (name: string) => RoleDocuments | undefined,
  names: Names,
  given: { readonly [Key in RoleKey]?: string } = {},
): Record<string, RoleDocuments> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([key, name]) => {
      const role = read(name);
      const arn = given[key as RoleKey];
      return role === undefined ? [] : [[key, { ...role, ...(arn !== undefined && { arn }) }]];
    }),
  );
}

function readerOf(resources: Blocks, data: Blocks, place: AwsPlace) {
  const resolve = resolverOf(resources, data, place);
  const document = (text: unknown): PolicyDocument => JSON.parse(resolve(String(text)));
  const blocksOf = (type: string) => Object.values(resources[type] ?? {});
  return (name: string): RoleDocuments | undefined => {
    const role = blocksOf('aws_iam_role').find(block => block['name'] === name);
    if (role === undefined) return undefined;
    const own = blocksOf('aws_iam_role_policy').filter(block => block['name'] === name);
    const managed = blocksOf('aws_iam_policy').filter(block =>
      new RegExp(`^${name}-\\d+$`).test(String(block['name'])),
    );
    return {
      name,
      trust: document(role['assume_role_policy']),
      policies: [...own, ...managed].map(({ policy }) => document(policy)),
    };
  };
}

/**
 * Returns a function that replaces Terraform's references in a text by their values. It throws for a reference whose value is known
 * only after a deployment.
 */
function resolverOf(resources: Blocks, data: Blocks, place: AwsPlace): (text: string) => string {
  const { account, partition, region } = place;
  const known = (reference: string): string => {
    if (/^data\.aws_caller_identity\.[\w-]+\.account_id$/.test(reference)) return account;
    if (/^data\.aws_partition\.[\w-]+\.partition$/.test(reference)) return partition;
    if (/^data\.aws_region\.[\w-]+\.region$/.test(reference)) return region;
    const [, isData, type = '', id = '', attribute = ''] =
      /^(data\.)?(\w+)\.([\w-]+)\.(\w+)$/.exec(reference) ?? [];
    const block = (isData ? data : resources)[type]?.[id];
    const name = block && nameOf(block);
    if (name !== undefined && hasArn(type)) {
      const [arn = ''] = arnsOf(type, name, place);
      if (attribute === 'arn') return arn;
      // The ARN of a stream is known only once the stream exists.
      if (attribute === 'stream_arn') return `${arn}/stream/*`;
      if (attribute === 'name' || attribute === 'id') return name;
    }
    throw new TypeError(`precise-ttl iam: expected a reference that is known beforehand, got ${reference}`);
  };
  return text =>
    text
      .replaceAll(/(?<!\$)\$\{([^}]*)\}/g, (_all, reference) => known(reference))
      // Text that is not a reference is escaped in Terraform's JSON.
      .replaceAll('$${', '${')
      .replaceAll('%%{', '%{');
}

/** The name of a bucket that the deployment creates has a known prefix and a random end. */
function nameOf(block: Readonly<Record<string, unknown>>): string | undefined {
  const { name, function_name: functionName, bucket_prefix: prefix } = block;
  const found = name ?? functionName ?? (prefix === undefined ? undefined : `${prefix}*`);
  return typeof found === 'string' ? found : undefined;
}
