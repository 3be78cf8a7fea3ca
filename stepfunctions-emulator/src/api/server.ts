import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isLoopbackHost } from '../loopback.ts';
import { stopServer } from '../stop-server.ts';
import type { ApiContext } from './context.ts';
import { dispatch } from './dispatch.ts';
import { ApiError } from './errors.ts';

/** The port of Step Functions Local, which people have in their configurations. */
export const DEFAULT_PORT = 8083;

/** AWS's quota for a whole request is 1 MB. */
const MAX_REQUEST_BYTES = 1_048_576;
/** Of a request that is too long so much is read and thrown away, so that its sender gets to read the answer. */
const MAX_DISCARDED_BYTES = 64 * MAX_REQUEST_BYTES;

export interface ServerOptions {
  /** @default a free port */
  readonly port?: number | undefined;
  /** Gets what is wrong with this server itself; the client gets an InternalFailure. @default it is printed */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Answers the API over HTTP, to this machine only. */
export class ApiServer {
  readonly endpoint: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Rejects with the system's error, e.g. EADDRINUSE, when it can't listen. */
  static async start(context: ApiContext, options: ServerOptions = {}): Promise<ApiServer> {
    const onError = options.onError ?? (error => console.error(error));
    const server = createServer((request, response) => {
      void answer(context, request, response, onError);
    });
    server.listen(options.port ?? 0, '127.0.0.1');
    await once(server, 'listening');
    return new ApiServer(server);
  }

  /** Safe to call more than once. Whoever still waits for an answer loses the connection. */
  async stop(): Promise<void> {
    await stopServer(this.#server);
  }
}

/** Never rejects. */
async function answer(
  context: ApiContext,
  request: IncomingMessage,
  response: ServerResponse,
  onError: (error: unknown) => void,
): Promise<void> {
  response.on('error', () => {}); // the client has gone
  try {
    checkHost(request.headers.host);
    const body = await read(request);
    const target = request.headers['x-amz-target'];
    send(response, 200, await dispatch(context, Array.isArray(target) ? target[0] : target, body));
  } catch (error) {
    if (error instanceof ApiError) {
      send(response, error.status, error.body);
    } else if (request.destroyed && !request.complete) {
      response.destroy(); // it ended in the middle of the request
    } else {
      onError(error);
      const failure = new ApiError('InternalFailure', `The local server itself failed: ${error}`, 500);
      send(response, failure.status, failure.body);
    }
  }
}

/** The SDKs put `sync-` before the host for StartSyncExecution. */
function checkHost(host = ''): void {
  if (isLoopbackHost(host.replace(/^sync-/i, ''))) return;
  throw new ApiError(
    'AccessDeniedException',
    `Host: expected this machine (127.0.0.1, [::1] or localhost), got ${JSON.stringify(host.slice(0, 100))}`,
    403,
  );
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MAX_REQUEST_BYTES) chunks.push(chunk);
    else if (bytes > MAX_DISCARDED_BYTES) break;
  }
  if (bytes > MAX_REQUEST_BYTES) {
    throw new ApiError(
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
