import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Looks, type LooksOptions } from './looks.ts';
import { type PageFile, pageFiles } from './page-files.ts';
import { type ViewOptions, view } from './view.ts';

type DashboardOptions = Pick<LooksOptions, 'look'> & Omit<ViewOptions, 'table'>;

/** Serves the page of the sweep to browsers on this machine. While no browser has the page open, no table is read. */
export async function startDashboard({ look, region, links }: DashboardOptions): Promise<PageServer> {
  const ended = new AbortController();
  const looks = new Looks({ look, signal: ended.signal });
  // A requested name is only a key of this map, never a path on the disk, so that a request cannot read other files.
  const files = await pageFiles();
  const { address, stop } = await servePage((name, query) => {
    if (name !== 'view.html') return files.get(name);
    looks.ask();
    const body = view(looks, { region, links, table: query.get('table') });
    return { type: 'text/html; charset=utf-8', body };
  });
  return {
    address,
    async stop() {
      ended.abort();
      await stop();
    },
  };
}

export interface PageServer {
  /** The address with the token, without which nobody can open the page. */
  readonly address: string;
  /** Safe to call more than once. */
  stop(): Promise<void>;
}

/** Headers of every response. The page loads nothing from other servers, and no other page can show this page in a frame. */
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

/**
 * Serves a page on 127.0.0.1, only to requests that have the token.
 * @param fileOf finds a file by its name; the page's name is empty
 */
export async function servePage(
  fileOf: (name: string, query: URLSearchParams) => PageFile | undefined,
): Promise<PageServer> {
  const token = randomBytes(32).toString('base64url');
  const server = createServer((request, response) => {
    request.resume();
    const { status, type, body } = answerTo(request, token, fileOf);
    response.on('error', () => undefined); // An error means that the browser has closed the connection.
    response.writeHead(status, { ...HEADERS, 'content-type': type });
    response.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${token}/`,
    async stop() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function answerTo(
  { method, url = '/', headers, socket }: IncomingMessage,
  token: string,
  fileOf: Parameters<typeof servePage>[0],
): PageFile & { readonly status: number } {
  const refusal = (status: number, body: string) => ({ status, type: 'text/plain', body: `${body}\n` });
  // The Host header is checked, because a page of another site can resolve its host name to this machine (DNS rebinding).
  if (![`127.0.0.1:${socket.localPort}`, `localhost:${socket.localPort}`].includes(`${headers.host}`)) {
    return refusal(403, 'Host: expected this machine, got another name');
  }
  if (method !== 'GET') return refusal(405, 'expected GET: the page changes nothing');
  const [path = '', query = ''] = url.split('?', 2);
  const [, given = '', ...names] = path.split('/');
  // The comparison takes the same time for every token, so that nobody can guess the token character by character.
  if (!timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', token, 'buffer'))) {
    return refusal(403, 'expected the address as the command printed it, with the token in it');
  }
  const file = names.length === 0 ? undefined : fileOf(names.join('/'), new URLSearchParams(query));
  return file === undefined ? refusal(404, 'there is no such file') : { status: 200, ...file };
}
