import type { Access } from './policy.ts';

/** Where tables stand that a call names without their ARN. */
export interface Region {
  readonly partition: string;
  readonly region: string;
  readonly account: string;
}

type Body = Readonly<Record<string, unknown>>;

/** Calls on one table that IAM knows by their own name. */
const ON_A_TABLE = [
  'CreateTable',
  'DeleteItem',
  'DeleteTable',
  'DescribeTable',
  'DescribeTimeToLive',
  'GetItem',
  'PutItem',
  'UpdateItem',
  'UpdateTable',
  'UpdateTimeToLive',
];
/** The same, and a call that names an index is a call on the index alone. */
const ON_AN_INDEX = ['Query', 'Scan'];

/** PartiQL has actions of its own, by the statement's first word. Source: DynamoDB Developer Guide, "IAM for PartiQL". */
const PARTIQL = {
  DELETE: { action: 'PartiQLDelete', table: /^DELETE\s+FROM\s+(\S+)/i },
  INSERT: { action: 'PartiQLInsert', table: /^INSERT\s+INTO\s+(\S+)/i },
  SELECT: { action: 'PartiQLSelect', table: /\sFROM\s+(\S+)/i },
  UPDATE: { action: 'PartiQLUpdate', table: /^UPDATE\s+(\S+)/i },
} as const;

/**
 * What IAM is asked for a call of DynamoDB.
 *
 * @param operation as in X-Amz-Target: `Query`
 * @throws for a call that isn't known here
 */
export function dynamoDbAccess(operation: string, body: Body, region: Region): Access[] {
  if (ON_A_TABLE.includes(operation)) return [access(operation, tableArn(body['TableName'], region))];
  if (ON_AN_INDEX.includes(operation)) {
    const index = body['IndexName'];
    const table = tableArn(body['TableName'], region);
    return [access(operation, index === undefined ? table : `${table}/index/${index}`)];
  }
  // One call for several tables, each asked for by the call's own name.
  if (operation === 'BatchWriteItem') {
    return Object.keys(body['RequestItems'] as Body).map(table => access(operation, tableArn(table, region)));
  }
  if (operation === 'ExecuteStatement') return [partiQlAccess(body['Statement'], region)];
  if (operation === 'BatchExecuteStatement') {
    return (body['Statements'] as Body[]).map(({ Statement }) => partiQlAccess(Statement, region));
  }
  throw new Error(
    `test/support/permissions/dynamodb-access.ts: expected a call it knows, got ${operation}; teach it this one`,
  );
}

const access = (name: string, resource: string): Access => ({ action: `dynamodb:${name}`, resource });

function partiQlAccess(statement: unknown, region: Region): Access {
  const text = String(statement).trim();
  const found = Object.entries(PARTIQL).find(([word]) => text.toUpperCase().startsWith(`${word} `));
  const target = found?.[1].table.exec(text)?.[1];
  if (found === undefined || target === undefined) {
    throw new Error(`expected a PartiQL statement on a table, got ${text.slice(0, 200)}`);
  }
  const [table, index] = target.split('.').map(name => name.replaceAll('"', ''));
  const arn = tableArn(table, region);
  return access(found[1].action, index === undefined ? arn : `${arn}/index/${index}`);
}

/** A table can be named by its ARN too. */
function tableArn(name: unknown, { partition, region, account }: Region): string {
  const text = String(name);
  return text.startsWith('arn:') ? text : `arn:${partition}:dynamodb:${region}:${account}:table/${text}`;
}
