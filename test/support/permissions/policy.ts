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
