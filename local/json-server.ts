import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isLoopbackHost, stopServer } from 'stepfunctions-emulator/loopback';
import { LocalCloudError } from './errors.ts';

/** Answers one operation of an API. */
export type JsonOperation = (input: Readonly<Record<string, unknown>>) => object;

/** What a client is told when its request cannot be answered. */
export class JsonApiError extends LocalCloudError {
  override readonly name = 'JsonApiError';
  readonly type: string;
  readonly status: number;

  /** @param type the error's name in the service's API */
  constructor(type: string, message: string, status = 400) {
    super(message);
    this.type = type;
    this.status = status;
  }
}

export interface JsonServerOptions {
  /** @default a free port */
  readonly port?: number | undefined;
  /** What stands before the operation's name in `X-Amz-Target`. */
  readonly target: string;
  readonly operations: Readonly<Record<string, JsonOperation>>;
}

const MAX_REQUEST_BYTES = 1_048_576;

/** Answers a service's API in the protocol AWS JSON 1.0, to this machine only. */
export class JsonServer {
  readonly endpoint: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Rejects with the system's error, e.g. EADDRINUSE, when it can't listen. */
  static async start(options: JsonServerOptions): Promise<JsonServer> {
    const server = createServer((request, response) => void answer(request, response, options));
    server.listen(options.port ?? 0, '127.0.0.1');
    await once(server, 'listening');
    return new JsonServer(server);
  }

  /** Safe to call more than once. */
  async stop(): Promise<void> {
    await stopServer(this.#server);
  }
}

/** Never rejects. */
async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: JsonServerOptions,
): Promise<void> {
  response.on('error', () => {}); // the client has gone
  try {
    send(response, 200, route(request, await read(request), options));
  } catch (error) {
    if (request.destroyed && !request.complete) {
      response.destroy();
      return;
    }
    const failure =
      error instanceof JsonApiError
        ? error
        : new JsonApiError('InternalFailure', `The local server itself failed: ${error}`, 500);
    if (failure !== error) console.error(error);
    send(response, failure.status, { __type: failure.type, message: failure.message });
  }
}

function route(
  { headers }: IncomingMessage,
  body: string,
  { target: prefix, operations }: JsonServerOptions,
): object {
  // A page in a browser can have its own host name resolve to this machine.
  if (!isLoopbackHost(headers.host)) {
    throw new JsonApiError(
      'AccessDeniedException',
      `Host: expected this machine, got ${JSON.stringify((headers.host ?? '').slice(0, 100))}`,
      403,
    );
  }
  const type = headers['content-type'] ?? '';
  const target = String(headers['x-amz-target'] ?? '');
  if (!type.startsWith('application/x-amz-json-1.') || !target.startsWith(`${prefix}.`)) {
    throw new JsonApiError(
      'UnknownOperationException',
      `expected a request in AWS JSON 1.0 with X-Amz-Target ${prefix}.…, got ${JSON.stringify(type.slice(0, 100))} with ` +
        `${JSON.stringify(target.slice(0, 100))}; use a client that speaks it, such as the AWS SDK for JavaScript`,
    );
  }
  const name = target.slice(prefix.length + 1);
  const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (operation === undefined) {
    throw new JsonApiError(
      'UnknownOperationException',
      `expected one of ${Object.keys(operations).join(', ')}, got ${name}; others are not answered locally`,
    );
  }
  return operation(parse(body));
}

function parse(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = body === '' ? {} : JSON.parse(body);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {}
  throw new JsonApiError('SerializationException', 'expected a JSON object');
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MAX_REQUEST_BYTES) chunks.push(chunk);
  }
  if (bytes > MAX_REQUEST_BYTES) {
    throw new JsonApiError(
      'RequestEntityTooLargeException',
      `a request may have ${MAX_REQUEST_BYTES} bytes`,
      413,
    );
  }
  return Buffer.concat(chunks).toString();
}

function send(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': Buffer.byteLength(text),
    'x-amzn-requestid': randomUUID(),
  });
  response.end(text);
}
