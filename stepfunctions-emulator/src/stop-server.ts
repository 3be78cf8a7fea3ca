import { once } from 'node:events';
import type { Server } from 'node:http';

/** Ends a server and its connections. Safe to call more than once, and when it was never started. */
export async function stopServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
