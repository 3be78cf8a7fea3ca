import { type AttributeMap, itemBytes, writeUnits } from './item-size.ts';

/** The capacity units that one answer of DynamoDB to a function consumed. */
export interface DynamoDbUsage {
  readonly readUnits: number;
  readonly writeUnits: number;
}

export const NO_USAGE: DynamoDbUsage = { readUnits: 0, writeUnits: 0 };

/** The names of DynamoDB's counters in an execution's `billing.usage`. */
export const DYNAMODB_COUNTERS = ['dynamoDbCalls', 'dynamoDbReadUnits', 'dynamoDbWriteUnits'] as const;
export type DynamoDbCounter = (typeof DYNAMODB_COUNTERS)[number];

/** Adds an amount to a counter; `onUsage` of an invocation. */
export type OnUsage = (counter: string, amount: number) => void;

/** Reports one answer of DynamoDB. */
export function reportDynamoDb(onUsage: OnUsage, { readUnits, writeUnits }: DynamoDbUsage): void {
  const amounts: Record<DynamoDbCounter, number> = {
    dynamoDbCalls: 1,
    dynamoDbReadUnits: readUnits,
    dynamoDbWriteUnits: writeUnits,
  };
  for (const counter of DYNAMODB_COUNTERS) onUsage(counter, amounts[counter]);
}

/** The fields of a table's description that determine the units of a delete. */
export interface TableDescription {
  readonly KeySchema?: readonly { readonly AttributeName: string }[];
  readonly GlobalSecondaryIndexes?: readonly Index[];
  readonly LocalSecondaryIndexes?: readonly Index[];
}

interface Index {
  readonly KeySchema: readonly { readonly AttributeName: string }[];
  readonly Projection: { readonly ProjectionType?: string; readonly NonKeyAttributes?: readonly string[] };
}

interface StatementResponse {
  readonly Item?: AttributeMap;
  readonly Error?: { readonly Code?: string };
}

/** The table of a DELETE; undefined for any other statement. */
function tableOfDelete(statement: string): string | undefined {
  return /^\s*delete\s+from\s+"?([\w.-]+)"?/i.exec(statement)?.[1];
}

/**
 * Write units of one DELETE with `RETURNING ALL OLD *`, because DynamoDB Local does not report the units of PartiQL batches. By DynamoDB's
 * rules they are the item's size in kilobytes and the same for its entry in every index that held it. If the item was missing, or its
 * condition failed, one unit; AWS bills the size of the item that failed the condition, which is not known here.
 */
function unitsOfDelete(response: StatementResponse, table: TableDescription): number {
  const { Item: item, Error: error } = response;
  if (error !== undefined) return error.Code === 'ConditionalCheckFailed' ? 1 : 0;
  if (item === undefined) return 1;
  const indexes = [...(table.GlobalSecondaryIndexes ?? []), ...(table.LocalSecondaryIndexes ?? [])];
  return indexes
    .filter(({ KeySchema }) => KeySchema.every(({ AttributeName }) => AttributeName in item))
    .reduce(
      (units, index) => units + writeUnits(itemBytes(entryOf(item, index, table))),
      writeUnits(itemBytes(item)),
    );
}

function entryOf(
  item: AttributeMap,
  { KeySchema, Projection }: Index,
  table: TableDescription,
): AttributeMap {
  if (Projection.ProjectionType === 'ALL') return item;
  const names = new Set([
    ...KeySchema.map(key => key.AttributeName),
    ...(table.KeySchema ?? []).map(key => key.AttributeName),
    ...(Projection.NonKeyAttributes ?? []),
  ]);
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name)));
}

export type Body = Readonly<Record<string, unknown>>;

/** A function's request with the added parameter for consumed units, and what is needed to read its answer. */
export interface CapacityRequest {
  readonly operation: string;
  readonly body: Body;
  /** Whether the function itself requested the units: then they stay in the answer. */
  readonly wanted: boolean;
}

const READS = new Set(['BatchGetItem', 'GetItem', 'Query', 'Scan', 'TransactGetItems']);
const WRITES = new Set(['BatchWriteItem', 'DeleteItem', 'PutItem', 'TransactWriteItems', 'UpdateItem']);
const STATEMENTS = new Set(['BatchExecuteStatement', 'ExecuteStatement', 'ExecuteTransaction']);

/** Makes DynamoDB return the units that a call consumes; undefined for an operation that cannot. */
export function askForCapacity(operation: string, body: Body): CapacityRequest | undefined {
  if (!READS.has(operation) && !WRITES.has(operation) && !STATEMENTS.has(operation)) return undefined;
  const { ReturnConsumedCapacity: setting } = body;
  const wanted = setting !== undefined && setting !== 'NONE';
  return { operation, wanted, body: wanted ? body : { ...body, ReturnConsumedCapacity: 'TOTAL' } };
}

/** Reads the units in an answer, and returns the answer that the function would have got. */
export async function takeCapacity(
  request: CapacityRequest,
  answer: Body,
  describeTable: (name: string) => Promise<TableDescription>,
): Promise<{ readonly answer: Body; readonly usage: DynamoDbUsage }> {
  const { ConsumedCapacity: consumed, ...others } = answer;
  const reported =
    consumed === undefined ? await unitsOfStatements(request, answer, describeTable) : sumOf(consumed);
  const units = Math.max(reported, leastOf(request));
  return {
    answer: request.wanted ? answer : others,
    usage: isRead(request) ? { ...NO_USAGE, readUnits: units } : { ...NO_USAGE, writeUnits: units },
  };
}

/** Read units that are billed at least, even if nothing is found; DynamoDB Local reports 0 then. */
function leastOf({ operation, body }: CapacityRequest): number {
  if (operation !== 'GetItem' && operation !== 'Query' && operation !== 'Scan') return 0;
  return body['ConsistentRead'] === true ? 1 : 0.5;
}

function sumOf(consumed: unknown): number {
  const all = (Array.isArray(consumed) ? consumed : [consumed]) as { CapacityUnits?: number }[];
  return all.reduce((sum, one) => sum + (one.CapacityUnits ?? 0), 0);
}

function statementsOf(body: Body): string[] {
  const list = body['Statements'] ?? body['TransactStatements'] ?? [body];
  return Array.isArray(list) ? list.map((one: { Statement?: unknown }) => String(one.Statement)) : [];
}

function isRead({ operation, body }: CapacityRequest): boolean {
  // DynamoDB does not allow reads and writes in one batch.
  return (
    READS.has(operation) || (STATEMENTS.has(operation) && /^\s*select\b/i.test(statementsOf(body)[0] ?? ''))
  );
}

async function unitsOfStatements(
  { operation, body }: CapacityRequest,
  answer: Body,
  describeTable: (name: string) => Promise<TableDescription>,
): Promise<number> {
  if (operation !== 'BatchExecuteStatement') return 0;
  const responses = (answer['Responses'] ?? []) as StatementResponse[];
  let units = 0;
  for (const [index, statement] of statementsOf(body).entries()) {
    const table = tableOfDelete(statement);
    const response = responses[index];
    if (table !== undefined && response !== undefined) {
      units += unitsOfDelete(response, await describeTable(table));
    }
  }
  return units;
}
