import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isLoopbackHost, stopServer } from '../loopback.ts';
import { answerPage, isOfPage } from '../page/routes.ts';
import type { ApiContext, HttpAnswer, HttpRequest, Operation } from './context.ts';
import { ApiError, typeOf } from './errors.ts';
import { isObject, Members } from './members.ts';
import {
  describeExecution,
  describeMapRun,
  getExecutionHistory,
  listExecutions,
  listMapRuns,
  startExecution,
  startSyncExecution,
  stopExecution,
} from './operations/executions.ts';
import {
  createStateMachine,
  deleteStateMachine,
  describeStateMachine,
  listStateMachines,
  updateStateMachine,
} from './operations/state-machines.ts';

const OPERATIONS: Readonly<Record<string, Operation>> = {
  CreateStateMachine: createStateMachine,
  DeleteStateMachine: deleteStateMachine,
  DescribeExecution: describeExecution,
  DescribeMapRun: describeMapRun,
  DescribeStateMachine: describeStateMachine,
  GetExecutionHistory: getExecutionHistory,
  ListExecutions: listExecutions,
  ListMapRuns: listMapRuns,
  ListStateMachines: listStateMachines,
  StartExecution: startExecution,
  StartSyncExecution: startSyncExecution,
  StopExecution: stopExecution,
  UpdateStateMachine: updateStateMachine,
};

const TARGET = 'AWSStepFunctions';

/** Default port of the command line: the port of AWS's Step Functions Local, which many projects have in their configuration. */
export const DEFAULT_PORT = 8083;

export interface ServerOptions {
  /** @default a free port */
  readonly port?: number | undefined;
  /** Called with each internal error of this server; the client gets InternalFailure. @default prints the error */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Serves the API over HTTP in AWS JSON, on 127.0.0.1 only. At the same address, a browser shows a page with the executions. */
export class ApiServer {
  readonly endpoint: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Rejects with Node's error, such as EADDRINUSE, when the server can't listen on the port. */
  static async start(
    context: ApiContext,
    { port = 0, onError = error => console.error(error) }: ServerOptions = {},
  ): Promise<ApiServer> {
    const server = createServer((request, response) => void serve(context, request, response, onError));
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return new ApiServer(server);
  }

  async stop(): Promise<void> {
    await stopServer(this.#server);
  }
}

/** AWS's quota for the size of a request. */
const MAX_REQUEST_BYTES = 1_048_576;
/** Maximum bytes above the quota that the server reads and discards: many clients read the answer only after sending all bytes. */
const MAX_DISCARDED_BYTES = 67_108_864;

/** Answers one request. No code awaits the promise, so an error that is not caught here ends the process. */
async function serve(
  context: ApiContext,
  incoming: IncomingMessage,
  response: ServerResponse,
  onError: (error: unknown) => void,
): Promise<void> {
  response.on('error', () => {}); // The client may disconnect. Without a listener, Node would throw the error.
  const requestId = randomUUID();
  let answer: HttpAnswer;
  try {
    const request = await receive(incoming);
    answer = await (isOfPage(request) ? answerPage(context, request) : answerApi(context, request));
  } catch (error) {
    if (incoming.destroyed && !incoming.complete) {
      // The connection has ended in the middle of the request: nobody can receive an answer.
      response.destroy();
      return;
    }
    answer = errorAnswer(error, onError);
  }
  const { status, headers, body } = answer;
  response.writeHead(status, {
    'content-length': Buffer.byteLength(body),
    'x-amzn-requestid': requestId,
    ...headers,
  });
  response.end(body);
}

async function receive(incoming: IncomingMessage): Promise<HttpRequest> {
  const { headers, method = '', url: target = '/' } = incoming;
  if (!isLoopbackHost(headers.host)) {
    const got = JSON.stringify((headers.host ?? '').slice(0, 100));
    const message = `Host: expected this machine (127.0.0.1, [::1] or localhost), got ${got}`;
    throw new ApiError('AccessDeniedException', message, 403);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MAX_REQUEST_BYTES) chunks.push(chunk);
    else if (bytes > MAX_REQUEST_BYTES + MAX_DISCARDED_BYTES) break;
  }
  if (bytes > MAX_REQUEST_BYTES) {
    const message = `a request may have ${MAX_REQUEST_BYTES} bytes`;
    throw new ApiError('RequestEntityTooLargeException', message, 413);
  }
  return { method, target, headers, body: Buffer.concat(chunks).toString() };
}

const HEADERS = { 'content-type': 'application/x-amz-json-1.0' };

async function answerApi(context: ApiContext, { headers, body }: HttpRequest): Promise<HttpAnswer> {
  const operation = findOperation(headers['x-amz-target']?.toString());
  const answer = await operation(context, new Members(parse(body)));
  return { status: 200, headers: HEADERS, body: JSON.stringify(answer) };
}

function findOperation(asked: string | undefined): Operation {
  const name = asked?.startsWith(`${TARGET}.`) ? asked.slice(TARGET.length + 1) : '';
  const operation = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;
  if (operation !== undefined) return operation;
  throw new ApiError(
    'UnknownOperationException',
    `X-Amz-Target: expected ${TARGET}. and one of ${Object.keys(OPERATIONS).join(', ')}, in AWS JSON as an AWS SDK or the AWS CLI ` +
      `sends it, got ${asked === undefined ? 'nothing' : JSON.stringify(asked.slice(0, 100))}; others are not answered on this machine`,
  );
}

function parse(body: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = body === '' ? {} : JSON.parse(body);
  } catch (error) {
    const why = error instanceof RangeError ? 'values nested too deeply' : (error as Error).message;
    throw new ApiError('SerializationException', `expected a JSON object, got ${why}`);
  }
  if (isObject(value)) return value;
  const got = Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`;
  throw new ApiError('SerializationException', `expected a JSON object, got ${got}`);
}

function errorAnswer(error: unknown, onError: (error: unknown) => void): HttpAnswer {
  let known: ApiError;
  if (error instanceof ApiError) known = error;
  else {
    onError(error);
    known = new ApiError('InternalFailure', `The local server itself failed: ${error}`, 500);
  }
  const body = JSON.stringify({ __type: typeOf(known), message: known.message, ...known.members });
  return { status: known.status, headers: HEADERS, body };
}
