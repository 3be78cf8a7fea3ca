import { type DynamoDbUsage, NO_USAGE } from './dynamodb-usage.ts';
import {
  type StatementResponse,
  type TableDescription,
  tableOfDelete,
  unitsOfDelete,
} from './partiql-deletes.ts';

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
