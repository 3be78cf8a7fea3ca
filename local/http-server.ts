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
import type { CallFault, ChooseCallFault } from './call-fault.ts';
import { LocalCloudError } from './errors.ts';

/** A request as it came. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query, as the client wrote them. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string | Buffer;
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

/** What differs between the APIs. */
export interface HttpProtocol {
  /** What a request's body may have. */
  readonly maxBytes: number;
  /** The names of the errors that every server has. */
  readonly errorNames: {
    readonly internal: string;
    readonly tooLarge: string;
    readonly otherHost: string;
  };
  /** The operation that a request asks for, for {@link HttpServerOptions.choose}. */
  readonly operationOf: (request: HttpRequest) => string;
  /** Throws {@link ApiRequestError} for an answer that is an error. */
  readonly answer: (request: HttpRequest) => Promise<HttpAnswer>;
  readonly errorAnswer: (error: ApiRequestError, requestId: string) => HttpAnswer;
}

export interface HttpServerOptions {
  /** @default a free port */
  readonly port?: number | undefined;
  /** Asked at every call, for tests and the lab. @default no faults */
  readonly choose?: ChooseCallFault | undefined;
}

/** Answers over HTTP, to this machine only. */
export class LocalHttpServer {
  readonly endpoint: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Rejects with the system's error, e.g. EADDRINUSE, when it can't listen. */
  static async start(
    protocol: HttpProtocol,
    { port = 0, choose }: HttpServerOptions = {},
  ): Promise<LocalHttpServer> {
    const server = createServer((request, response) => void serve({ protocol, choose }, request, response));
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return new LocalHttpServer(server);
  }

  /** Safe to call more than once. */
  async stop(): Promise<void> {
    await stopServer(this.#server);
  }
}

interface Served {
  readonly protocol: HttpProtocol;
  readonly choose: ChooseCallFault | undefined;
}

/** Never rejects. */
async function serve(
  { protocol, choose }: Served,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.on('error', () => {}); // the client has gone
  const requestId = randomUUID();
  let fault: CallFault | undefined;
  let answer: HttpAnswer;
  try {
    const request = await receive(protocol, incoming);
    const { method, target } = request;
    fault = choose?.({ operation: protocol.operationOf(request), method, target });
    if (fault?.kind === 'hang' && !fault.done) return;
    if (fault?.kind === 'cut' && !fault.done) {
      response.destroy();
      return;
    }
    if (fault?.kind === 'refuse') throw new ApiRequestError(fault.error, 'injected', fault.status);
    answer = await protocol.answer(request);
  } catch (error) {
    if (incoming.destroyed && !incoming.complete) {
      response.destroy(); // it ended in the middle of the request
      return;
    }
    const isTold = error instanceof ApiRequestError;
    if (!isTold) console.error(error);
    const told = isTold
      ? error
      : new ApiRequestError(protocol.errorNames.internal, `The local server itself failed: ${error}`, 500);
    answer = protocol.errorAnswer(told, requestId);
  }
  if (fault?.kind === 'hang') return;
  if (fault?.kind === 'cut') response.destroy();
  else send(response, requestId, answer);
}

async function receive(protocol: HttpProtocol, incoming: IncomingMessage): Promise<HttpRequest> {
  const { headers, method = '', url: target = '/' } = incoming;
  // A page in a browser can have its own host name resolve to this machine.
  if (!isLoopbackHost(headers.host)) {
    throw new ApiRequestError(
      protocol.errorNames.otherHost,
      `Host: expected this machine, got ${JSON.stringify((headers.host ?? '').slice(0, 100))}`,
      403,
    );
  }
  return { method, target, headers, body: await read(protocol, incoming) };
}

async function read({ maxBytes, errorNames }: HttpProtocol, incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
  }
  if (bytes > maxBytes) {
    throw new ApiRequestError(errorNames.tooLarge, `a request may have ${maxBytes} bytes`, 413);
  }
  return Buffer.concat(chunks);
}

function send(response: ServerResponse, requestId: string, { status, headers, body }: HttpAnswer): void {
  response.writeHead(status, {
    'content-length': Buffer.byteLength(body),
    'x-amzn-requestid': requestId,
    ...headers,
  });
  response.end(body);
}
