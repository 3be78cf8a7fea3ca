import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An endpoint on loopback that hands each request on to another one. */
export interface PassingOn {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** @param endpointOf where a request goes; undefined: its connection breaks */
export async function startPassingOn(
  endpointOf: (incoming: IncomingMessage) => string | undefined,
): Promise<PassingOn> {
  const server = createServer((incoming, answer) => {
    const endpoint = endpointOf(incoming);
    if (endpoint === undefined) incoming.socket.destroy();
    else passOn(endpoint, incoming, answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function passOn(endpoint: string, incoming: IncomingMessage, answer: ServerResponse): void {
  const { method, headers, url } = incoming;
  const outgoing = request(new URL(url ?? '/', endpoint), { method, headers }, received => {
    answer.writeHead(received.statusCode ?? 502, received.headers);
    received.pipe(answer);
  });
  outgoing.on('error', () => answer.destroy());
  incoming.pipe(outgoing);
}
