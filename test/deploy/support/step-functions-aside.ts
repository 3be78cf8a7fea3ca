import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a request says that it is for Step Functions, in AWS JSON 1.0. */
const STEP_FUNCTIONS = /^AWSStepFunctions\./;

/** One endpoint for two emulators: the stub provider takes the same one for all services. */
export async function stepFunctionsAside(
  stepFunctions: string,
  others: string,
): Promise<{ readonly endpoint: string; stop(): Promise<void> }> {
  const server = createServer((incoming, answer) => {
    const target = String(incoming.headers['x-amz-target'] ?? '');
    passOn(STEP_FUNCTIONS.test(target) ? stepFunctions : others, incoming, answer);
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
