import { isObject } from '../../../expiry/fields.ts';
import { TerraformError } from '../../../local/errors.ts';
import type { SynthesizedCloud } from '../../../local/stack/synthesized.ts';
import type { Grant } from './policy.ts';

/** A synthesized role with everything that its policies grant. */
export interface Role {
  readonly name: string;
  readonly arn: string;
  /** The services that may take it, e.g. `lambda.amazonaws.com`. */
  readonly trusts: readonly string[];
  readonly grants: readonly Grant[];
}

type Block = SynthesizedCloud['blocks'][number];

/** Ways to give permissions that aren't read here; overlooking one would make a proof worthless. */
const OTHER_GRANTS = ['aws_iam_policy', 'aws_iam_role_policy_attachment', 'aws_iam_policy_attachment'];

const ROLE_FIELDS = ['name', 'assume_role_policy', 'tags', 'description', 'path'];
const STATEMENT_FIELDS = ['Sid', 'Effect', 'Action', 'Resource'];

/**
 * The roles of what was synthesized, by name.
 *
 * @throws {TerraformError} for a permission that is given in a way that isn't understood
 */
export function readRoles({ blocks, account, partition }: SynthesizedCloud): ReadonlyMap<string, Role> {
  const problems: string[] = [];
  const roles = new Map<string, Role & { readonly grants: Grant[] }>();
  for (const block of blocks.filter(({ type }) => type === 'aws_iam_role')) {
    const other = Object.keys(block.body).filter(field => !ROLE_FIELDS.includes(field));
    if (other.length > 0) problems.push(`${block.address}: expected ${ROLE_FIELDS.join(', ')}, got ${other}`);
    const name = String(block.body['name']);
    const trusts = statementsOf(block, 'assume_role_policy', problems).flatMap(({ Principal }) =>
      isObject(Principal) ? list(Principal['Service']) : [],
    );
    roles.set(name, {
      name,
      arn: `arn:${partition}:iam::${account}:role${block.body['path'] ?? '/'}${name}`,
      trusts,
      grants: [],
    });
  }
  for (const block of blocks) {
    if (OTHER_GRANTS.includes(block.type)) {
      problems.push(`${block.address}: expected permissions in aws_iam_role_policy only, got ${block.type}`);
    }
    if (block.type !== 'aws_iam_role_policy') continue;
    const role = roles.get(String(block.body['role']));
    if (role === undefined) problems.push(`${block.address}.role: expected a role of the same synthesis`);
    role?.grants.push(...grantsOf(block, problems));
  }
  if (problems.length > 0) throw new TerraformError(problems);
  return roles;
}

function grantsOf(block: Block, problems: string[]): Grant[] {
  return statementsOf(block, 'policy', problems).flatMap(statement => {
    // Deny, NotAction, another Condition…: none is used here, and to read them half would be worse than not at all.
    const other = Object.keys(statement).filter(field => !STATEMENT_FIELDS.includes(field));
    if (other.length > 0 || statement['Effect'] !== 'Allow') {
      const got = JSON.stringify(statement);
      problems.push(
        `${block.address}.policy: expected Allow with ${STATEMENT_FIELDS.join(', ')}, got ${got}`,
      );
    }
    return list(statement['Action']).flatMap(action =>
      list(statement['Resource']).map(resource => ({ action, resource })),
    );
  });
}

function statementsOf(block: Block, field: string, problems: string[]): Record<string, unknown>[] {
  try {
    const { Statement } = JSON.parse(String(block.body[field])) as { Statement: Record<string, unknown>[] };
    return [Statement].flat();
  } catch {
    problems.push(`${block.address}.${field}: expected a policy as JSON, got ${block.body[field]}`);
    return [];
  }
}

const list = (value: unknown): string[] =>
  [value].flat().filter((each): each is string => typeof each === 'string');
