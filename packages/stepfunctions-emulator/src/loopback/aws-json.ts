import { ApiError, type HttpProtocol, type HttpRequest } from './http-server.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** An API of AWS in its protocol AWS JSON. */
export interface JsonApi<Operation> {
  /** The service's name in `X-Amz-Target`. */
  readonly target: string;
  /** Supported operations by name. */
  readonly operations: Readonly<Record<string, Operation>>;
  /** Answers an operation. @param fields the fields of the request */
  readonly call: (operation: Operation, fields: Fields) => object | Promise<object>;
  /** The `__type` of an error. @default its name */
  readonly typeOf?: ((error: ApiError) => string) | undefined;
}

/** AWS's quota. */
const MAX_REQUEST_BYTES = 1_048_576;

const HEADERS = { 'content-type': 'application/x-amz-json-1.0' };

/** The protocol AWS JSON 1.0 (1.1 is accepted, too): a header names the operation. */
export function awsJson<Operation>(api: JsonApi<Operation>): HttpProtocol {
  return {
    maxBytes: MAX_REQUEST_BYTES,
    errorNames: {
      internal: 'InternalFailure',
      tooLarge: 'RequestEntityTooLargeException',
      otherHost: 'AccessDeniedException',
    },
    async answer(request) {
      const answer = await api.call(find(api, request), parse(request.body.toString()));
      return { status: 200, headers: HEADERS, body: JSON.stringify(answer) };
    },
    errorAnswer: error => ({
      status: error.status,
      headers: HEADERS,
      body: JSON.stringify({
        __type: api.typeOf?.(error) ?? error.name,
        message: error.message,
        ...error.members,
      }),
    }),
  };
}

function find<Operation>({ target, operations }: JsonApi<Operation>, { headers }: HttpRequest): Operation {
  const asked = headers['x-amz-target']?.toString();
  const name = asked?.startsWith(`${target}.`) ? asked.slice(target.length + 1) : '';
  const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (operation !== undefined) return operation;
  throw new ApiError(
    'UnknownOperationException',
    `X-Amz-Target: expected ${target}. and one of ${Object.keys(operations).join(', ')}, in AWS JSON as an AWS SDK or the AWS CLI ` +
      `sends it, got ${asked === undefined ? 'nothing' : JSON.stringify(asked.slice(0, 100))}; others are not answered on this machine`,
  );
}

function parse(body: string): Fields {
  let value: unknown;
  try {
    value = body === '' ? {} : JSON.parse(body);
  } catch (error) {
    const why = error instanceof RangeError ? 'values nested too deeply' : (error as Error).message;
    throw new ApiError('SerializationException', `expected a JSON object, got ${why}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  const got = Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`;
  throw new ApiError('SerializationException', `expected a JSON object, got ${got}`);
}
