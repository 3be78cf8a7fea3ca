import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:net';

/** A server on loopback that does not answer as a service should. */
export interface SilentServer {
  readonly endpoint: string;
  /** Requests that it has got, or connections of one that takes no request. */
  readonly asked: () => number;
  stop(): void;
}

type Handler = (incoming: IncomingMessage, response: ServerResponse) => void;

async function serveHttp(handle: Handler): Promise<SilentServer> {
  let asked = 0;
  const server = createHttpServer((incoming, response) => {
    asked += 1;
    handle(incoming, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    asked: () => asked,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Takes each request and never says anything. */
export const hanging = (): Promise<SilentServer> => serveHttp(incoming => void incoming.resume());

/** Begins an answer and never ends it. */
export const stalling = (): Promise<SilentServer> =>
  serveHttp((incoming, response) => {
    incoming.resume();
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0', 'content-length': '1000' });
    response.write('{"Items":[');
  });

/** A port where nobody listens. */
export async function refusing(): Promise<SilentServer> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return { endpoint: `http://127.0.0.1:${port}`, asked: () => 0, stop: () => undefined };
}
