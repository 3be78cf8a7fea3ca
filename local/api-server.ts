import type { IncomingHttpHeaders } from 'node:http';
import {
  type ApiRequestError,
  type HttpProtocol,
  type HttpRequest,
  type HttpServerOptions,
  LocalHttpServer,
} from './http-server.ts';

export { ApiRequestError } from './http-server.ts';

/** A request as it came, whatever protocol it speaks. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What differs between the protocols of AWS's APIs. */
export interface ApiProtocol {
  readonly contentType: string;
  /** The name of the error of a server that itself failed. */
  readonly internalError: string;
  /** The operation that a request asks for. @default the method and the path */
  readonly operationOf?: (request: ReceivedRequest) => string;
  /** @returns the answer, as JSON; throws {@link ApiRequestError} for one that is an error */
  readonly answer: (request: ReceivedRequest) => object | Promise<object>;
  /** How an error is written. */
  readonly errorAnswer: (error: ApiRequestError) => {
    readonly headers?: Readonly<Record<string, string>>;
    readonly body: object;
  };
}

export interface ApiServerOptions extends HttpServerOptions {
  /** What a request's body may have. @default 1 MiB */
  readonly maxBytes?: number;
}

const MAX_REQUEST_BYTES = 1_048_576;

/** Answers an API of AWS that speaks JSON over HTTP, to this machine only. */
export class LocalApiServer {
  readonly endpoint: string;
  readonly #server: LocalHttpServer;

  private constructor(server: LocalHttpServer) {
    this.#server = server;
    this.endpoint = server.endpoint;
  }

  /** Rejects with the system's error, e.g. EADDRINUSE, when it can't listen. */
  static async start(protocol: ApiProtocol, options: ApiServerOptions = {}): Promise<LocalApiServer> {
    const { maxBytes = MAX_REQUEST_BYTES, ...rest } = options;
    return new LocalApiServer(await LocalHttpServer.start(inJson(protocol, maxBytes), rest));
  }

  /** Safe to call more than once. */
  async stop(): Promise<void> {
    await this.#server.stop();
  }
}

function inJson(protocol: ApiProtocol, maxBytes: number): HttpProtocol {
  const headers = { 'content-type': protocol.contentType };
  return {
    maxBytes,
    errorNames: {
      internal: protocol.internalError,
      tooLarge: 'RequestEntityTooLargeException',
      otherHost: 'AccessDeniedException',
    },
    operationOf: request => {
      const received = asReceived(request);
      return protocol.operationOf?.(received) ?? `${received.method} ${received.url.pathname}`;
    },
    answer: async request => {
      const body = await protocol.answer(asReceived(request));
      return { status: 200, headers, body: JSON.stringify(body) };
    },
    errorAnswer: error => {
      const { headers: further, body } = protocol.errorAnswer(error);
      return { status: error.status, headers: { ...headers, ...further }, body: JSON.stringify(body) };
    },
  };
}

function asReceived({ method, target, headers, body }: HttpRequest): ReceivedRequest {
  return { method, url: new URL(target, 'http://127.0.0.1'), headers, body: body.toString() };
}
