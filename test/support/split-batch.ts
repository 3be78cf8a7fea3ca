import type { Body } from '../../local/dynamodb/answer.ts';

/*
 * The two kinds of batches with which the functions delete. DynamoDB Local never leaves a key unprocessed and never throttles a single
 * statement, so a key that shall fail is taken out of what is sent on, and its answer is made here.
 */

interface WriteRequest {
  readonly DeleteRequest?: { readonly Key?: unknown };
}

type RequestItems = Readonly<Record<string, readonly WriteRequest[]>>;

interface Statement {
  readonly Parameters?: unknown;
}

/** The keys of a batch, in its order; empty for any other call. */
export function keysOf(operation: string, body: Body): string[] {
  if (operation === 'BatchExecuteStatement') {
    return statementsOf(body).map(({ Parameters }) => JSON.stringify(Parameters ?? []));
  }
  if (operation !== 'BatchWriteItem') return [];
  return Object.values(itemsOf(body)).flatMap(requests =>
    requests.map(({ DeleteRequest }) => JSON.stringify(DeleteRequest?.Key ?? null)),
  );
}

/** A batch without some of its keys. */
export interface SplitBatch {
  /** The part of the batch that is sent on; undefined when it is empty. */
  readonly rest: Body | undefined;
  /** Completes DynamoDB's answer (empty when nothing was sent) with the answers for the entries that were left out. */
  readonly complete: (answer: Body) => Body;
}

/** @param errors error by index of the key; only statements have errors, in other batches these keys are unprocessed */
export function splitBatch(operation: string, body: Body, errors: ReadonlyMap<number, string>): SplitBatch {
  return operation === 'BatchWriteItem' ? splitWrites(body, errors) : splitStatements(body, errors);
}

function splitStatements(body: Body, errors: ReadonlyMap<number, string>): SplitBatch {
  const statements = statementsOf(body);
  const kept = statements.filter((_statement, index) => !errors.has(index));
  return {
    rest: kept.length > 0 ? { ...body, Statements: kept } : undefined,
    complete: answer => {
      const given = [...((answer['Responses'] as readonly unknown[] | undefined) ?? [])];
      const Responses = statements.map((_statement, index) => {
        const Code = errors.get(index);
        return Code === undefined ? given.shift() : { Error: { Code, Message: `${Code}: injected` } };
      });
      return { ...answer, Responses };
    },
  };
}

function splitWrites(body: Body, errors: ReadonlyMap<number, string>): SplitBatch {
  const kept: Record<string, WriteRequest[]> = {};
  const left: Record<string, WriteRequest[]> = {};
  let index = 0;
  for (const [table, requests] of Object.entries(itemsOf(body))) {
    for (const request of requests) {
      const side = errors.has(index) ? left : kept;
      side[table] = [...(side[table] ?? []), request];
      index += 1;
    }
  }
  return {
    rest: Object.keys(kept).length > 0 ? { ...body, RequestItems: kept } : undefined,
    complete: answer => {
      const unprocessed: Record<string, readonly WriteRequest[]> = { ...left };
      for (const [table, requests] of Object.entries((answer['UnprocessedItems'] ?? {}) as RequestItems)) {
        unprocessed[table] = [...(unprocessed[table] ?? []), ...requests];
      }
      return { ...answer, UnprocessedItems: unprocessed };
    },
  };
}

function statementsOf(body: Body): readonly Statement[] {
  return (body['Statements'] as readonly Statement[] | undefined) ?? [];
}

function itemsOf(body: Body): RequestItems {
  return (body['RequestItems'] as RequestItems | undefined) ?? {};
}
