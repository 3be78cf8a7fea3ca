import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** A server that only keeps its port busy. */
export async function occupyPort(): Promise<{ readonly port: number; readonly server: Server }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return { port, server };
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const { port, server } = await occupyPort();
  server.close();
  await once(server, 'close');
  return port;
}
