import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { isLoopbackHost, requireLoopback, stopServer } from 'stepfunctions-emulator/loopback';

export interface ProxiedCall {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Operation in X-Amz-Target, such as `Query`; undefined when the header is absent. */
  readonly operation: string | undefined;
  readonly text: string;
  /** Sends the call to DynamoDB. Rejects when the connection breaks. */
  readonly forward: () => Promise<Answer>;
}

/** Returns the answer to a call. If the handler returns undefined or rejects, the caller sees a broken connection. */
export type CallHandler = (call: ProxiedCall) => Promise<Answer | undefined>;

export interface ProxyOptions {
  readonly port?: number;
  readonly handle?: CallHandler;
}

interface Destination {
  readonly target: URL;
  readonly agent: Agent;
}

const TARGET_HEADER = 'x-amz-target';
/** Headers that the proxy does not pass on: headers of one connection, and headers about the body's transfer. Source: RFC 9110, 7.6.1. */
const OF_ONE_CONNECTION = [
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade'],
  ...['content-length', 'transfer-encoding'],
];

export interface DynamoDbProxy {
  readonly endpoint: string;
  readonly stop: () => Promise<void>;
}

/**
 * Starts a proxy for DynamoDB Local. Unlike DynamoDB Local, the proxy accepts no requests of other computers, and none of web pages whose
 * host name resolves to this computer.
 */
export async function startDynamoDbProxy(
  server: string,
  { port = 0, handle = call => call.forward() }: ProxyOptions = {},
): Promise<DynamoDbProxy> {
  const target = new URL(requireLoopback(server, 'target'));
  const agent = new Agent({ keepAlive: true });
  const proxy = createServer((incoming, outgoing) => {
    if (!isLoopbackHost(incoming.headers.host)) refuse(incoming, outgoing);
    else answer(handle, { target, agent }, incoming, outgoing).catch(() => outgoing.destroy());
  });
  proxy.listen(port, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    stop: () => {
      agent.destroy();
      return stopServer(proxy);
    },
  };
}

async function answer(
  handle: CallHandler,
  destination: Destination,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const body = await buffer(incoming);
  const { method = 'POST', url = '/', headers } = incoming;
  const target = headers[TARGET_HEADER];
  const given = await handle({
    method,
    url,
    headers,
    operation: typeof target === 'string' ? (target.split('.').at(-1) ?? '') : undefined,
    text: body.toString(),
    forward: () => forward(destination, { method, url, headers }, body),
  });
  if (given === undefined) outgoing.destroy();
  else send(outgoing, given);
}

function forward(
  { target, agent }: Destination,
  { method, url, headers }: Pick<ProxiedCall, 'method' | 'url' | 'headers'>,
  body: Buffer,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(target, { method, path: url, agent, headers: framed(headers, body) });
    sent.on('error', reject);
    sent.on('response', answered => {
      const { statusCode: status = 502, headers } = answered;
      buffer(answered).then(received => resolve({ status, headers, body: received }), reject);
    });
    sent.end(body);
  });
}

function send(outgoing: ServerResponse, { status, headers, body }: Answer): void {
  outgoing.writeHead(status, framed(headers, body));
  outgoing.end(body);
}

function refuse(incoming: IncomingMessage, outgoing: ServerResponse): void {
  incoming.resume();
  const host = JSON.stringify((incoming.headers.host ?? '').slice(0, 100));
  const message = `Host: expected this machine (127.0.0.1, [::1] or localhost), got ${host}`;
  send(outgoing, jsonAnswer({ __type: 'com.amazon.coral.service#AccessDeniedException', message }, 403));
}

function framed(headers: IncomingHttpHeaders, body: Buffer): IncomingHttpHeaders {
  const passedOn = Object.entries(headers).filter(([name]) => !OF_ONE_CONNECTION.includes(name));
  return { ...Object.fromEntries(passedOn), 'content-length': String(body.length) };
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export function jsonAnswer(body: object, status = 200): Answer {
  return {
    status,
    headers: { 'content-type': 'application/x-amz-json-1.0' },
    body: Buffer.from(JSON.stringify(body)),
  };
}
