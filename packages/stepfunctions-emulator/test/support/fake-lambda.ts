import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** The answer of a function of the fake; `undefined` keeps the caller waiting until the fake stops. */
export type LambdaAnswer =
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string;
    }
  | undefined;

export interface LambdaRequest {
  readonly functionName: string;
  readonly qualifier: string | null;
  readonly method: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface FakeLambda {
  readonly endpoint: string;
  readonly requests: readonly LambdaRequest[];
}

/** The Lambda Invoke API with functions of the test's own, from before the tests of the calling file to after them. */
export function useFakeLambda(functionOf: (request: LambdaRequest) => LambdaAnswer): FakeLambda {
  const requests: LambdaRequest[] = [];
  let server: Server | undefined;
  beforeAll(async () => {
    server = createServer(async (incoming, outgoing) => {
      const url = new URL(incoming.url ?? '/', 'http://fake');
      const name = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(url.pathname)?.[1];
      const request = {
        functionName: decodeURIComponent(name ?? ''),
        qualifier: url.searchParams.get('Qualifier'),
        method: incoming.method,
        headers: incoming.headers,
        body: await text(incoming),
      };
      requests.push(request);
      const answer = functionOf(request);
      if (answer === undefined) return;
      outgoing.writeHead(answer.status ?? 200, { 'x-amz-executed-version': '$LATEST', ...answer.headers });
      outgoing.end(answer.body);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(async () => {
    server?.closeAllConnections();
    server?.close();
  });
  return {
    requests,
    get endpoint() {
      if (server === undefined) throw new Error('the fake is there inside tests and hooks only');
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
  };
}

/** As the runtime reports what a handler threw. */
export const functionError = (errorType: string | undefined, errorMessage: string): LambdaAnswer => ({
  headers: { 'x-amz-function-error': 'Unhandled' },
  body: JSON.stringify({ errorMessage, ...(errorType !== undefined && { errorType }), stackTrace: [] }),
});
