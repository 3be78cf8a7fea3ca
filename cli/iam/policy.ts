/** A statement of an IAM policy, as in JSON. */
export interface PolicyStatement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface PolicyDocument {
  readonly Version: '2012-10-17';
  readonly Statement: readonly PolicyStatement[];
}

/** Characters that a managed policy may have, without white space. Source: IAM User Guide, "IAM and AWS STS quotas". */
export const MANAGED_CHARACTERS = 6_144;

export function allow(
  actions: readonly string[],
  resources: readonly string[],
  condition?: PolicyStatement['Condition'],
): PolicyStatement[] {
  if (actions.length === 0 || resources.length === 0) return [];
  return [
    { Effect: 'Allow', Action: actions, Resource: resources, ...(condition && { Condition: condition }) },
  ];
}

/** Merges statements about the same resources: each action is listed once, in order. */
export function merged(statements: readonly PolicyStatement[]): PolicyStatement[] {
  const byResources = new Map<string, PolicyStatement>();
  for (const statement of statements) {
    const Resource = [...new Set(statement.Resource)].sort();
    const key = JSON.stringify([statement.Effect, Resource, statement.Condition]);
    const before = byResources.get(key)?.Action ?? [];
    byResources.set(key, {
      ...statement,
      Action: [...new Set([...before, ...statement.Action])].sort(),
      Resource,
    });
  }
  return [...byResources.values()];
}

/** Splits statements into documents that each fit into a managed policy. */
export function documentsOf(statements: readonly PolicyStatement[]): PolicyDocument[] {
  const documents: PolicyDocument[] = [];
  for (const statement of statements) {
    const last = documents.at(-1);
    const both = documentOf([...(last?.Statement ?? []), statement]);
    if (last === undefined || charactersOf(both) > MANAGED_CHARACTERS)
      documents.push(documentOf([statement]));
    else documents[documents.length - 1] = both;
  }
  return documents;
}

export function documentOf(Statement: readonly PolicyStatement[]): PolicyDocument {
  return { Version: '2012-10-17', Statement };
}

export function charactersOf(document: PolicyDocument): number {
  return JSON.stringify(document).replaceAll(/\s/g, '').length;
}
