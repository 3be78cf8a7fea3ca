import { once } from 'node:events';
import type { Server } from 'node:http';
import { NotLoopbackError } from './errors.ts';

export { EmulatorError, NotLoopbackError } from './errors.ts';

/**
 * Accepts an endpoint only when the endpoint is on this machine: 127.0.0.0/8, ::1 or localhost. This check alone keeps requests away from a
 * real AWS account, so all other names are refused without a DNS query.
 * @param source where the value comes from, for the message: `AWS_ENDPOINT_URL_DYNAMODB`
 * @param otherwise what a person can do instead, for the message
 * @returns the endpoint without a trailing slash
 * @throws {NotLoopbackError}
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

// The class URL converts every spelling of an IPv4 address (0x7f.1, 2130706433) to four decimals.
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/**
 * Whether the Host of a request names this machine. The host name of a hostile web page can resolve to this machine, but the page's
 * requests carry that host name. SDKs put `sync-` before the host for StartSyncExecution.
 */
export function isLoopbackHost(header = ''): boolean {
  const name = header.toLowerCase().replace(/^sync-|:\d+$/g, '');
  return isLoopback(name) || name.endsWith('.localhost');
}

/** Ends a server and its connections. Safe to call more than once, and for a server that never started. */
export async function stopServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
