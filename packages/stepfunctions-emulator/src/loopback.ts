import { once } from 'node:events';
import type { Server } from 'node:http';
import { NotLoopbackError } from './errors.ts';

export { EmulatorError, NotLoopbackError } from './errors.ts';

/**
 * Refuses every URL that does not name this computer, because no other check keeps requests away from a real AWS account.
 * @returns the endpoint without a trailing slash
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

// An IPv4 address is four decimal numbers here: URL objects and browsers have converted other forms (0x7f.1, 2130706433).
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** Whether a Host header names this computer. A hostile web site's host name does not, even if it resolves to this computer. */
export function isLoopbackHost(header = ''): boolean {
  // SDKs put `sync-` before the host for StartSyncExecution.
  const name = header.toLowerCase().replace(/^sync-|:\d+$/g, '');
  return isLoopback(name) || name.endsWith('.localhost');
}

/** Ends a server and its connections. Does nothing for a server that has ended or never started. */
export async function stopServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
