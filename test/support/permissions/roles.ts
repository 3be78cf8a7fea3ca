import { isObject } from '../../../expiry/fields.ts';
import { TerraformError } from '../../../local/errors.ts';
import type { SynthesizedCloud } from '../../../local/stack/synthesized.ts';

/** An action on a resource, as IAM sees one call: `dynamodb:Query` on the ARN of an index. */
export interface Access {
  readonly action: string;
  readonly resource: string;
}

/** One action of a policy on one of its resources; both may hold `*` and `?`. */
export interface Grant {
  readonly action: string;
  readonly resource: string;
}

/**
 * Whether a grant covers a call. Actions are compared without regard to case, resources with it. Source: IAM User
 * Guide, "IAM JSON policy elements: Action" and "… Resource".
 */
export function covers(grant: Grant, { action, resource }: Access): boolean {
  return (
    matches(grant.action.toLowerCase(), action.toLowerCase()) && matchesResource(grant.resource, resource)
  );
}

/**
 * A wildcard doesn't reach over the parts of an ARN that stand before the resource: `arn:aws:s3:::*` isn't an ARN of
 * every service. Calls that know no resource are made on `*`, which only `*` covers.
 */
function matchesResource(pattern: string, resource: string): boolean {
  if (pattern === '*' || resource === '*') return pattern === '*';
  const [patterns, parts] = [splitArn(pattern), splitArn(resource)];
  return (
    patterns.length === parts.length && patterns.every((part, index) => matches(part, parts[index] ?? ''))
  );
}

/** arn, partition, service, region, account, and the resource with whatever colons it has. */
function splitArn(arn: string): string[] {
  const parts = arn.split(':');
  return [...parts.slice(0, 5), parts.slice(5).join(':')];
}

function matches(pattern: string, text: string): boolean {
  const source = pattern
    .replaceAll(/[\\^$.|()[\]{}+]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(text);
}

export interface Held {
  /** Calls that no grant covers: they are refused on AWS. */
  readonly missing: readonly Access[];
  /** Grants that no call needed: more than the least privilege. */
  readonly unused: readonly Grant[];
  /** Grants that cover more than the calls that need them, by a wildcard where the name is known beforehand. */
  readonly wide: readonly Grant[];
}

/** Holds what was used against what is granted. */
export function hold(used: readonly Access[], granted: readonly Grant[]): Held {
  const usedBy = (grant: Grant) => used.filter(access => covers(grant, access));
  return {
    missing: used.filter(access => !granted.some(grant => covers(grant, access))),
    unused: granted.filter(grant => usedBy(grant).length === 0),
    wide: granted.filter(grant => usedBy(grant).length > 0 && isWide(grant, usedBy(grant))),
  };
}

/** Names that AWS makes up later: the streams of one log group, the children of one state machine. */
const OPEN_ENDS = [/^[^*?]+:log-group:[^*?]+:\*$/, /^[^*?]+:execution:[^*?]+[/:]\*$/];

function isWide({ action, resource }: Grant, used: readonly Access[]): boolean {
  if (/[*?]/.test(action)) return true;
  if (resource === '*') return used.some(access => access.resource !== '*');
  return /[*?]/.test(resource) && !OPEN_ENDS.some(open => open.test(resource));
}

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
