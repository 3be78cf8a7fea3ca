import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A file that the server has: it reads none while it runs. */
export interface PageFile {
  readonly type: string;
  readonly body: string;
}

export interface PageServerOptions {
  /** By their names. The empty name is that of the page itself. */
  readonly files: ReadonlyMap<string, PageFile>;
  /** The answer to `data.json`. @param query of the address */
  readonly data: (query: URLSearchParams) => object;
  /** @default a free port */
  readonly port?: number;
}

export interface PageServer {
  /** It has the token: whoever knows it sees the page. */
  readonly address: string;
  /** Safe to call more than once. */
  stop(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const DATA = 'data.json';

/** The page loads what is served here, and nothing else; nobody else shows it in a frame. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
} as const;

/**
 * Serves a page and its data to this machine only, to whoever knows its address. It only reads: there is nothing that a request can change.
 */
export async function servePage(options: PageServerOptions): Promise<PageServer> {
  const token = randomBytes(32).toString('base64url');
  const server = createServer((request, response) => {
    request.resume();
    const { status, type, body, headers } = answerTo(request, { ...options, token, port: portOf(server) });
    response.on('error', () => undefined); // the browser has gone
    response.writeHead(status, {
      ...HEADERS,
      ...headers,
      'content-type': type,
      'content-length': Buffer.byteLength(body),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  });
  server.listen(options.port ?? 0, '127.0.0.1');
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

type Serving = PageServerOptions & { readonly token: string; readonly port: number };

function answerTo(
  { method = '', url = '/', headers }: IncomingMessage,
  { files, data, token, port }: Serving,
): Answer {
  // A page in a browser can have its own host name resolve to this machine.
  if (headers.host !== `127.0.0.1:${port}` && headers.host !== `localhost:${port}`) {
    return refusal(403, 'Host: expected this machine, got another name');
  }
  if (method !== 'GET' && method !== 'HEAD') {
    return { ...refusal(405, 'expected GET or HEAD'), headers: { allow: 'GET, HEAD' } };
  }
  const [path = '', query = ''] = url.split('?', 2);
  const [, given = '', ...names] = path.split('/');
  if (!isEqual(given, token)) {
    return refusal(403, 'expected the address as the command printed it, with the token in it');
  }
  // The name is looked up as it was sent, and never on a disk.
  const name = names.join('/');
  if (name === DATA) {
    return { status: 200, type: 'application/json', body: JSON.stringify(data(new URLSearchParams(query))) };
  }
  const file = names.length === 0 ? undefined : files.get(name);
  return file === undefined ? refusal(404, 'there is no such file') : { status: 200, ...file };
}

const refusal = (status: number, body: string): Answer => ({ status, type: 'text/plain', body: `${body}\n` });

/** Takes the same time wherever they differ. */
function isEqual(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map(text => createHash('sha256').update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}
