import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { isLoopbackHost, stopServer } from 'stepfunctions-emulator/loopback';

/** A request to an API of AWS. */
export interface ApiRequest {
  readonly method: string;
  /** The parts between the slashes, decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly body: string;
}

/** A request that is answered with an error, as AWS's REST APIs write it. */
export class ApiRequestError extends Error {
  /** Of the error: `ValidationException`. */
  override readonly name: string;
  readonly status: number;

  constructor(name: string, message: string, status = 400) {
    super(message);
    this.name = name;
    this.status = status;
  }
}

/** @returns the answer, as JSON; throws {@link ApiRequestError} for one that is an error */
export type ApiHandler = (request: ApiRequest) => object | Promise<object>;

export interface ApiServerOptions {
  /** @default a free port */
  readonly port?: number;
  /** Gets what is wrong with the server itself; the client gets an InternalServerException. */
  readonly onError?: (error: unknown) => void;
}

/** Answers a REST API in JSON over HTTP, to this machine only. */
export class LocalApiServer {
  readonly endpoint: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Rejects with the system's error, e.g. EADDRINUSE, when it can't listen. */
  static async start(handle: ApiHandler, options: ApiServerOptions = {}): Promise<LocalApiServer> {
    const onError = options.onError ?? (error => console.error(error));
    const server = createServer((request, response) => void answer(handle, request, response, onError));
    server.listen(options.port ?? 0, '127.0.0.1');
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
  handle: ApiHandler,
  request: IncomingMessage,
  response: ServerResponse,
  onError: (error: unknown) => void,
): Promise<void> {
  response.on('error', () => {}); // the client has gone
  try {
    const { host } = request.headers;
    if (!isLoopbackHost(host)) {
      throw new ApiRequestError('AccessDeniedException', `Host: expected this machine, got "${host}"`, 403);
    }
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const path = url.pathname.split('/').slice(1).map(decodeURIComponent);
    const body = await text(request);
    const answered = await handle({ method: request.method ?? '', path, query: url.searchParams, body });
    send(response, 200, answered);
  } catch (error) {
    if (error instanceof ApiRequestError) {
      send(response, error.status, { Message: error.message }, error.name);
    } else if (request.destroyed && !request.complete) {
      response.destroy(); // it ended in the middle of the request
    } else {
      onError(error);
      const message = `The local server itself failed: ${error}`;
      send(response, 500, { Message: message }, 'InternalServerException');
    }
  }
}

function send(response: ServerResponse, status: number, body: object, error?: string): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'x-amzn-requestid': randomUUID(),
    ...(error !== undefined && { 'x-amzn-errortype': error }),
  });
  response.end(JSON.stringify(body));
}
