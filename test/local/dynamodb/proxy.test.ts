import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { NotLoopbackError } from 'stepfunctions-emulator';
import {
  type CallHandler,
  type DynamoDbProxy,
  type ProxiedCall,
  startDynamoDbProxy,
} from '../../../local/dynamodb/proxy.ts';

/** Bytes that are no text: a body that was decoded on the way would not come through. */
const BYTES = Buffer.from(Array.from({ length: 100_000 }, (_unused, index) => index % 256));

let target: Server;
let proxy: DynamoDbProxy;
let handle: CallHandler;
let asked: { method: string | undefined; url: string | undefined; headers: IncomingMessage['headers'] }[];

beforeEach(async () => {
  asked = [];
  target = createServer(async (incoming, outgoing) => {
    const { method, url, headers } = incoming;
    asked.push({ method, url, headers });
    if (url === '/breaks') {
      incoming.socket.destroy();
      return;
    }
    const body = await buffer(incoming);
    outgoing.writeHead(400, { 'x-amz-crc32': '1', 'content-encoding': 'gzip' });
    outgoing.end(body);
  }).listen(0, '127.0.0.1');
  await once(target, 'listening');
  const { port } = target.address() as AddressInfo;
  handle = ({ forward }) => forward();
  proxy = await startDynamoDbProxy(`http://127.0.0.1:${port}`, { handle: call => handle(call) });
});
afterEach(async () => {
  await proxy.stop();
  target.close();
  target.closeAllConnections();
});

async function ask(path: string, headers: Record<string, string>) {
  const sent = request(`${proxy.endpoint}${path}`, { method: 'POST', headers });
  sent.end(BYTES);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) };
}

test('passes requests and answers on, byte by byte, by its handler', async () => {
  const calls: Partial<ProxiedCall>[] = [];
  handle = ({ method, url, operation, text, forward }) => {
    calls.push({ method, url, operation, text });
    return forward();
  };
  const target = { 'x-amz-target': 'DynamoDB_20120810.PutItem' };
  const { status, headers, body } = await ask('/a?b=c', target);
  expect(status).toBe(400);
  expect(headers).toMatchObject({ 'x-amz-crc32': '1', 'content-encoding': 'gzip' });
  expect(body.equals(BYTES)).toBe(true);
  const request = { method: 'POST', url: '/a?b=c' };
  expect(calls).toEqual([{ ...request, operation: 'PutItem', text: BYTES.toString() }]);
  expect(asked).toMatchObject([{ ...request, headers: target }]);
});

test('refuses the Host of another machine, and asks nothing of the server behind it', async () => {
  const { status, body } = await ask('/', { host: '127.0.0.1.evil.example' });
  expect(status).toBe(403);
  expect(JSON.parse(body.toString())).toEqual({
    __type: 'com.amazon.coral.service#AccessDeniedException',
    message: 'Host: expected this machine (127.0.0.1, [::1] or localhost), got "127.0.0.1.evil.example"',
  });
  expect(asked).toEqual([]);
});

// On other systems 127.0.0.2 is no address of the machine.
(process.platform === 'linux' ? test : test.skip)('listens on 127.0.0.1 only', async () => {
  const socket = connect({ host: '127.0.0.2', port: Number(new URL(proxy.endpoint).port) });
  await expect(once(socket, 'connect')).rejects.toThrow('ECONNREFUSED');
});

test('stops more than once, and for those too who keep their connection', async () => {
  await ask('/', { connection: 'keep-alive' });
  await Promise.all([proxy.stop(), proxy.stop()]);
  await expect(ask('/', {})).rejects.toThrow(/ECONNREFUSED|socket hang up/);
});

test('fails for a server on another machine', async () => {
  await expect(startDynamoDbProxy('http://192.168.0.7:8000')).rejects.toThrow(NotLoopbackError);
});

test.each<[string, CallHandler]>([
  ['its handler gives no answer', async () => undefined],
  ['its handler fails', () => Promise.reject(new Error('of a test'))],
  ['the server behind it breaks it', ({ forward }) => forward()],
])('breaks the connection when %s', async (_case, broken) => {
  handle = broken;
  await expect(ask('/breaks', {})).rejects.toThrow(/socket hang up|ECONNRESET/);
});
