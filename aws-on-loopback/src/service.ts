import {
  ApiError,
  awsJson,
  type Fields,
  type HttpProtocol,
  type HttpRequest,
  type JsonApi,
  LoopbackServer,
} from 'stepfunctions-emulator/loopback';
import { ApiInput, type InputErrors, parseObject } from './api-input.ts';

export interface ServiceOptions {
  /** @default a free port */
  readonly port?: number | undefined;
}

/** A service on this machine. */
export type LocalService = Pick<LoopbackServer, 'endpoint' | 'stop'>;

/** Rejects with the system's error, e.g. EADDRINUSE, when it can't listen. */
export function startServer(protocol: HttpProtocol, { port }: ServiceOptions = {}): Promise<LoopbackServer> {
  return LoopbackServer.start(protocol, { port });
}

/** One operation of a service. */
export interface Operation<Context> {
  /** Supported fields; others are refused by their names. */
  readonly fields: readonly string[];
  /** @throws {ApiError} for an answer that is an error */
  readonly answer: (context: Context, input: ApiInput) => object | Promise<object>;
}

/** The description of a service. An operation that is not in its list is refused by its name. */
interface Service<SomeOperation> {
  readonly operations: Readonly<Record<string, SomeOperation>>;
  readonly errors: InputErrors;
}

/** A service with the protocol AWS JSON. */
export type JsonService<Context> = Service<Operation<Context>> & Pick<JsonApi<unknown>, 'target'>;

/** @param context what the operations work on */
export function jsonProtocol<Context>(
  { errors, ...api }: JsonService<Context>,
  context: Context,
): HttpProtocol {
  return awsJson({
    ...api,
    call: ({ fields, answer }, given) => answer(context, new ApiInput(given, errors, fields)),
  });
}

/** An operation of a REST JSON service, and the form of its requests. */
export interface RestOperation<Context> extends Operation<Context> {
  readonly method: string;
  /** `/schedules/{Name}`; a name in braces is a field. */
  readonly path: string;
}

export type RestService<Context> = Service<RestOperation<Context>>;

const HEADERS = { 'content-type': 'application/json' };

/** The protocol REST JSON: the method and the path name the operation; the query and the body have further fields. */
export function restProtocol<Context>(
  { operations, errors }: RestService<Context>,
  context: Context,
): HttpProtocol {
  return {
    maxBytes: 1_048_576,
    errorNames: {
      internal: 'InternalServerException',
      tooLarge: 'RequestEntityTooLargeException',
      otherHost: 'AccessDeniedException',
    },
    async answer(request) {
      const found = find(operations, request);
      if (found === undefined) {
        throw new ApiError(
          'UnknownOperationException',
          `expected one of ${Object.keys(operations).join(', ')}, got ${request.method} ${request.target.slice(0, 200)}; others are ` +
            'not answered on this machine',
          404,
        );
      }
      const { fields, operation } = found;
      const input = new ApiInput({ ...fields, ...bodyOf(request) }, errors, operation.fields);
      return { status: 200, headers: HEADERS, body: JSON.stringify(await operation.answer(context, input)) };
    },
    errorAnswer: ({ name, message, status }) => ({
      status,
      headers: { ...HEADERS, 'x-amzn-errortype': name },
      body: JSON.stringify({ Message: message }),
    }),
  };
}

/** Finds the operation of a request, with the fields of its path and query. */
function find<Context>(operations: RestService<Context>['operations'], { method, target }: HttpRequest) {
  const { pathname, searchParams } = new URL(target, 'http://127.0.0.1');
  const parts = pathname.split('/');
  for (const operation of Object.values(operations)) {
    const wanted = operation.path.split('/');
    const isAsked =
      operation.method === method &&
      wanted.length === parts.length &&
      wanted.every((part, index) => (part.startsWith('{') ? parts[index] !== '' : part === parts[index]));
    if (!isAsked) continue;
    const inPath = wanted.flatMap((part, index) =>
      part.startsWith('{') ? [[part.slice(1, -1), decodeURIComponent(parts[index] ?? '')]] : [],
    );
    return {
      operation,
      fields: { ...Object.fromEntries(searchParams), ...Object.fromEntries(inPath) },
    };
  }
  return undefined;
}

function bodyOf({ body }: HttpRequest): Fields {
  if (body.length === 0) return {};
  const fields = parseObject(body.toString());
  if (fields !== undefined) return fields;
  throw new ApiError('SerializationException', 'The body of the request is no JSON object.');
}
