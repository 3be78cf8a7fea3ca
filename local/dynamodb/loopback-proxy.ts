import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { isLoopbackHost, requireLoopback, stopServer } from 'stepfunctions-emulator/loopback';

/** Of one connection, not of what is sent over it. Source: RFC 9110, 7.6.1. */
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade'];

/**
 * Stands before a server that listens on every interface and answers any Host, as DynamoDB Local does: reachable from this
 * machine only, and not for a web page whose own name resolves to this machine. Everything else goes through unchanged.
 */
export class LoopbackProxy {
  /** `http://127.0.0.1:<port>` */
  readonly endpoint: string;
  readonly #server: Server;
  readonly #agent: Agent;

  private constructor(server: Server, agent: Agent) {
    this.#server = server;
    this.#agent = agent;
    this.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /**
   * Rejects with the system's error, e.g. EADDRINUSE, when it can't listen.
   *
   * @param target the endpoint of the server behind it
   * @param port 0: a free one
   * @throws {NotLoopbackError} when the target isn't on this machine
   */
  static async start(target: string, port: number): Promise<LoopbackProxy> {
    const url = new URL(requireLoopback(target, 'target'));
    const agent = new Agent({ keepAlive: true });
    const server = createServer((incoming, outgoing) => {
      if (isLoopbackHost(incoming.headers.host)) pass(url, agent, incoming, outgoing);
      else refuse(incoming, outgoing);
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return new LoopbackProxy(server, agent);
  }

  /** Safe to call more than once. */
  async stop(): Promise<void> {
    this.#agent.destroy();
    await stopServer(this.#server);
  }
}

function pass(target: URL, agent: Agent, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, url, headers } = incoming;
  const sent = request(target, { method, path: url, agent, headers: endToEnd(headers) }, answer => {
    outgoing.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
    pipeline(answer, outgoing, () => {});
  });
  // Whoever asked sees what would be seen without a proxy: a connection that breaks.
  sent.on('error', () => outgoing.destroy());
  outgoing.on('close', () => sent.destroy());
  pipeline(incoming, sent, () => {});
}

function refuse(incoming: IncomingMessage, outgoing: ServerResponse): void {
  incoming.resume();
  const host = JSON.stringify((incoming.headers.host ?? '').slice(0, 100));
  const body = JSON.stringify({
    __type: 'com.amazon.coral.service#AccessDeniedException',
    message: `Host: expected this machine (127.0.0.1, [::1] or localhost), got ${host}`,
  });
  outgoing.writeHead(403, { 'content-type': 'application/x-amz-json-1.0' });
  outgoing.end(body);
}

function endToEnd<H extends IncomingMessage['headers']>(headers: H): IncomingMessage['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name)));
}
