import { type ApiProtocol, ApiRequestError, type ReceivedRequest } from './api-server.ts';

/** Answers one operation of an API. */
export type JsonOperation = (input: Readonly<Record<string, unknown>>) => object | Promise<object>;

export interface JsonApi {
  /** What stands before the operation's name in `X-Amz-Target`. */
  readonly target: string;
  readonly operations: Readonly<Record<string, JsonOperation>>;
  /** What further headers an error has. */
  readonly errorHeaders?: (error: ApiRequestError) => Readonly<Record<string, string>>;
}

/** The protocol AWS JSON 1.0 (1.1 is read as well): a header says which operation is asked for. */
export function awsJson(api: JsonApi): ApiProtocol {
  return {
    contentType: 'application/x-amz-json-1.0',
    internalError: 'InternalFailure',
    operationOf: ({ headers }) => String(headers['x-amz-target'] ?? '').slice(api.target.length + 1),
    answer: request => operationOf(api, request)(parse(request.body)),
    errorAnswer: error => ({
      headers: api.errorHeaders?.(error) ?? {},
      body: { __type: error.name, message: error.message },
    }),
  };
}

function operationOf({ target: prefix, operations }: JsonApi, { headers }: ReceivedRequest): JsonOperation {
  const type = headers['content-type'] ?? '';
  const target = String(headers['x-amz-target'] ?? '');
  if (!type.startsWith('application/x-amz-json-1.') || !target.startsWith(`${prefix}.`)) {
    throw new ApiRequestError(
      'UnknownOperationException',
      `expected a request in AWS JSON 1.0 with X-Amz-Target ${prefix}.…, got ${JSON.stringify(type.slice(0, 100))} with ` +
        `${JSON.stringify(target.slice(0, 100))}; use a client that speaks it, such as the AWS SDK for JavaScript`,
    );
  }
  const name = target.slice(prefix.length + 1);
  const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (operation === undefined) {
    throw new ApiRequestError(
      'UnknownOperationException',
      `expected one of ${Object.keys(operations).join(', ')}, got ${name}; others are not answered locally`,
    );
  }
  return operation;
}

function parse(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = body === '' ? {} : JSON.parse(body);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {}
  throw new ApiRequestError('SerializationException', 'expected a JSON object');
}
