import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { isLoopbackHost, stopServer } from 'stepfunctions-emulator/loopback';
import { LocalCloudError } from './errors.ts';

/** A request as it came, whatever protocol it speaks. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What a client is told when its request cannot be answered. */
export class ApiRequestError extends LocalCloudError {
  /** Of the error in the service's API: `ValidationException`. */
  override readonly name: string;
  /** Of the answer, as HTTP has it. */
  readonly status: number;

  constructor(name: string, message: string, status = 400) {
    super(message);
    this.name = name;
    this.status = status;
  }
}

/** What differs between the protocols of AWS's APIs. */
export interface ApiProtocol {
  readonly contentType: string;
  /** The name of the error of a server that itself failed. */
  readonly internalError: string;
  /** @returns the answer, as JSON; throws {@link ApiRequestError} for one that is an error */
  readonly answer: (request: ReceivedRequest) => object | Promise<object>;
  /** How an error is written. */
  readonly errorAnswer: (error: ApiRequestError) => {
    readonly headers?: Readonly<Record<string, string>>;
    readonly body: object;
  };
}

export interface ApiServerOptions {
  /** @default a free port */
  readonly port?: number | undefined;
}

const MAX_REQUEST_BYTES = 1_048_576;

/** Answers an API of AWS over HTTP, to this machine only. */
export class LocalApiServer {
  readonly endpoint: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Rejects with the system's error, e.g. EADDRINUSE, when it can't listen. */
  static async start(protocol: ApiProtocol, { port = 0 }: ApiServerOptions = {}): Promise<LocalApiServer> {
    const server = createServer((request, response) => void answer(protocol, request, response));
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return new LocalApiServer(server);
  }

  /** Safe to call more than once. */
  async stop(): Promise<void> {
    await stopServer(this.#server);
  }
}

/** Never rejects. */
async function answer(
  protocol: ApiProtocol,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.on('error', () => {}); // the client has gone
  const { contentType, internalError } = protocol;
  try {
    const answered = await protocol.answer(await receive(request));
    send(response, 200, { contentType, body: answered });
  } catch (error) {
    if (request.destroyed && !request.complete) {
      response.destroy(); // it ended in the middle of the request
      return;
    }
    const isTold = error instanceof ApiRequestError;
    if (!isTold) console.error(error);
    const told = isTold
      ? error
      : new ApiRequestError(internalError, `The local server itself failed: ${error}`, 500);
    send(response, told.status, { contentType, ...protocol.errorAnswer(told) });
  }
}

async function receive(request: IncomingMessage): Promise<ReceivedRequest> {
  const { headers, method = '', url = '/' } = request;
  // A page in a browser can have its own host name resolve to this machine.
  if (!isLoopbackHost(headers.host)) {
    throw new ApiRequestError(
      'AccessDeniedException',
      `Host: expected this machine, got ${JSON.stringify((headers.host ?? '').slice(0, 100))}`,
      403,
    );
  }
  return { method, url: new URL(url, 'http://127.0.0.1'), headers, body: await read(request) };
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MAX_REQUEST_BYTES) chunks.push(chunk);
  }
  if (bytes > MAX_REQUEST_BYTES) {
    throw new ApiRequestError(
      'RequestEntityTooLargeException',
      `a request may have ${MAX_REQUEST_BYTES} bytes`,
      413,
    );
  }
  return Buffer.concat(chunks).toString();
}

interface Answer {
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
}

function send(response: ServerResponse, status: number, { contentType, headers, body }: Answer): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(text),
    'x-amzn-requestid': randomUUID(),
    ...headers,
  });
  response.end(text);
}
