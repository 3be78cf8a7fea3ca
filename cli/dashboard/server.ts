import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PageFile {
  readonly type: string;
  readonly body: string;
}

export interface PageServerOptions {
  /** Files by their names. The page itself has the empty name. */
  readonly files: ReadonlyMap<string, PageFile>;
  /** Makes the parts of the page that change, as HTML. @param query query string of the address */
  readonly view: (query: URLSearchParams) => string;
}

export interface PageServer {
  /** The address with the token, without which nobody can open the page. */
  readonly address: string;
  /** Safe to call more than once. */
  stop(): Promise<void>;
}

interface Answer extends PageFile {
  readonly status: number;
}

const VIEW = 'view.html';

/** The page loads nothing from other servers. No other page can show this page in a frame. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  allow: 'GET',
} as const;

/** Serves a page on 127.0.0.1, to requests that have the token. The requests only read and change nothing. */
export async function servePage(options: PageServerOptions): Promise<PageServer> {
  const token = randomBytes(32).toString('base64url');
  const server = createServer((request, response) => {
    request.resume();
    const { status, type, body } = answerTo(request, { ...options, token, port: portOf(server) });
    response.on('error', () => undefined); // The browser has closed the connection.
    response.writeHead(status, { ...HEADERS, 'content-type': type });
    response.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${portOf(server)}/${token}/`,
    async stop() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

function answerTo(
  { method, url = '/', headers }: IncomingMessage,
  { files, view, token, port }: PageServerOptions & { readonly token: string; readonly port: number },
): Answer {
  // A page of another site can resolve its own host name to this machine (DNS rebinding).
  if (headers.host !== `127.0.0.1:${port}` && headers.host !== `localhost:${port}`) {
    return refusal(403, 'Host: expected this machine, got another name');
  }
  if (method !== 'GET') return refusal(405, 'expected GET: the page changes nothing');
  const [path = '', query = ''] = url.split('?', 2);
  const [, given = '', ...names] = path.split('/');
  if (!isEqual(given, token)) {
    return refusal(403, 'expected the address as the command printed it, with the token in it');
  }
  // Names are keys of a map, and are never used as paths on the disk.
  const name = names.join('/');
  if (name === VIEW) {
    return { status: 200, type: 'text/html; charset=utf-8', body: view(new URLSearchParams(query)) };
  }
  const file = names.length === 0 ? undefined : files.get(name);
  return file === undefined ? refusal(404, 'there is no such file') : { status: 200, ...file };
}

const refusal = (status: number, body: string): Answer => ({ status, type: 'text/plain', body: `${body}\n` });

/** Compares in constant time. */
function isEqual(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map(text => createHash('sha256').update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}
