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
import { EmulatorError, NotLoopbackError } from '../errors.ts';

/**
 * Accepts an endpoint only when it is on this machine: 127.0.0.0/8, ::1 or localhost. This is the only check between this machine and a
 * real AWS account, so all other names are refused without resolving them.
 * @param source where the value comes from, for the message: `AWS_ENDPOINT_URL_LAMBDA`
 * @param otherwise what a person can do instead, for the message
 * @returns the endpoint without a trailing slash
 * @throws {NotLoopbackError}
 */
export function requireLoopback(
  endpoint: string,
  source: string,
  otherwise = 'use one on this machine',
): string {
  const refuse = (why: string): never => {
    throw new NotLoopbackError(
      `${source}: expected a URL on this machine such as http://127.0.0.1:8000 (127.0.0.0/8, ::1 or localhost), got ` +
        `"${endpoint}" (${why}); ${otherwise}`,
    );
  };
  let url: URL;
  try {
    url = new URL(endpoint);
  } catch {
    return refuse('not a URL');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return refuse(`the scheme is ${url.protocol.slice(0, -1)}`);
  if (url.username !== '' || url.password !== '') return refuse('it holds a user name or password');
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    return refuse('it holds more than a host and a port');
  if (!isLoopback(url.hostname)) return refuse(`${url.hostname} isn't a loopback address`);
  return url.origin;
}

// URL has brought every spelling of an IPv4 address (0x7f.1, 2130706433) to four decimals.
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/**
 * Whether the Host of a request names this machine. A web page's host name can resolve to this machine; its requests carry that name. SDKs
 * put `sync-` before the host for StartSyncExecution.
 */
export function isLoopbackHost(header = ''): boolean {
  const name = header.toLowerCase().replace(/^sync-|:\d+$/g, '');
  return isLoopback(name) || name.endsWith('.localhost');
}

/** A request that is answered with an error of the API. */
export class ApiError extends EmulatorError {
  /** The error's name in the service's API: `ValidationException`. */
  override readonly name: string;
  /** The status of the HTTP answer. */
  readonly status: number;
  /** Fields of the error besides its message. */
  readonly members: Readonly<Record<string, string>>;

  constructor(name: string, message: string, status = 400, members: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = name;
    this.status = status;
    this.members = members;
  }
}

/** A received request. */
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

/** The protocol of an API: its differences from other APIs. */
export interface HttpProtocol {
  /** Largest size of a request's body, bytes. */
  readonly maxBytes: number;
  /** Error names that every server needs. */
  readonly errorNames: {
    readonly internal: string;
    readonly tooLarge: string;
    readonly otherHost: string;
  };
  /** Answers a request. Throws {@link ApiError} for an error answer. */
  readonly answer: (request: HttpRequest) => Promise<HttpAnswer>;
  readonly errorAnswer: (error: ApiError, requestId: string) => HttpAnswer;
}

export interface ServerOptions {
  /** @default a free port */
  readonly port?: number | undefined;
  /** Called with internal errors of this server; the client gets an error of the API. @default prints the error */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Number of bytes of an oversized request that are read and discarded, so that the client can read the answer. */
const MAX_DISCARDED_BYTES = 67_108_864;

/** Serves an API over HTTP, on this machine only. */
export class LoopbackServer {
  readonly endpoint: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Rejects with the system's error, e.g. EADDRINUSE, when it can't listen. */
  static async start(
    protocol: HttpProtocol,
    { port = 0, onError = error => console.error(error) }: ServerOptions = {},
  ): Promise<LoopbackServer> {
    const server = createServer((request, response) => void serve(protocol, request, response, onError));
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return new LoopbackServer(server);
  }

  /** Safe to call more than once. Callers that wait for an answer lose the connection. */
  async stop(): Promise<void> {
    await stopServer(this.#server);
  }
}

/** Ends a server and its connections. Safe to call more than once, and when it was never started. */
export async function stopServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

/** Never rejects. */
async function serve(
  protocol: HttpProtocol,
  incoming: IncomingMessage,
  response: ServerResponse,
  onError: (error: unknown) => void,
): Promise<void> {
  response.on('error', () => {}); // The client has disconnected.
  const requestId = randomUUID();
  let answer: HttpAnswer | undefined;
  try {
    answer = await protocol.answer(await receive(protocol, incoming));
  } catch (error) {
    // Undefined means that the client disconnected in the middle of its request.
    if (!incoming.destroyed || incoming.complete) {
      answer = protocol.errorAnswer(asApiError(error, protocol, onError), requestId);
    }
  }
  if (answer === undefined) {
    response.destroy();
    return;
  }
  const { status, headers, body } = answer;
  response.writeHead(status, {
    'content-length': Buffer.byteLength(body),
    'x-amzn-requestid': requestId,
    ...headers,
  });
  response.end(body);
}

function asApiError(
  error: unknown,
  { errorNames }: HttpProtocol,
  onError: (error: unknown) => void,
): ApiError {
  if (error instanceof ApiError) return error;
  onError(error);
  return new ApiError(errorNames.internal, `The local server itself failed: ${error}`, 500);
}

async function receive(
  { maxBytes, errorNames }: HttpProtocol,
  incoming: IncomingMessage,
): Promise<HttpRequest> {
  const { headers, method = '', url: target = '/' } = incoming;
  // A web page's host name can resolve to this machine.
  if (!isLoopbackHost(headers.host)) {
    throw new ApiError(
      errorNames.otherHost,
      `Host: expected this machine (127.0.0.1, [::1] or localhost), got ${JSON.stringify((headers.host ?? '').slice(0, 100))}`,
      403,
    );
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
    else if (bytes > maxBytes + MAX_DISCARDED_BYTES) break;
  }
  if (bytes > maxBytes) throw new ApiError(errorNames.tooLarge, `a request may have ${maxBytes} bytes`, 413);
  return { method, target, headers, body: Buffer.concat(chunks) };
}
