import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { NotLoopbackError } from 'stepfunctions-emulator';
import { LoopbackProxy } from '../../../local/dynamodb/loopback-proxy.ts';

/** Bytes that are no text: a body that was decoded on the way would not come through. */
const BYTES = Buffer.from(Array.from({ length: 100_000 }, (_unused, index) => index % 256));

let target: Server;
let proxy: LoopbackProxy;
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
  proxy = await LoopbackProxy.start(`http://127.0.0.1:${(target.address() as AddressInfo).port}`, 0);
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

test('passes requests and answers on, byte by byte', async () => {
  const { status, headers, body } = await ask('/a?b=c', { 'x-amz-target': 'DynamoDB_20120810.PutItem' });
  expect(status).toBe(400);
  expect(headers).toMatchObject({ 'x-amz-crc32': '1', 'content-encoding': 'gzip' });
  expect(body.equals(BYTES)).toBe(true);
  expect(asked).toMatchObject([
    { method: 'POST', url: '/a?b=c', headers: { 'x-amz-target': 'DynamoDB_20120810.PutItem' } },
  ]);
});

test.each(['127.0.0.1:8000', 'localhost', 'LOCALHOST:8000', '[::1]:8000', 'tables.localhost:8000'])(
  'answers for the Host %s',
  async host => {
    expect((await ask('/', { host })).status).toBe(400);
  },
);

test.each([
  'evil.example',
  'evil.example:8000',
  '127.0.0.1.evil.example',
  '192.168.0.7:8000',
  'localhost.evil.example',
])('refuses the Host "%s", and asks nothing of the server behind it', async host => {
  const { status, body } = await ask('/', { host });
  expect(status).toBe(403);
  expect(JSON.parse(body.toString())).toEqual({
    __type: 'com.amazon.coral.service#AccessDeniedException',
    message: `Host: expected this machine (127.0.0.1, [::1] or localhost), got "${host}"`,
  });
  expect(asked).toEqual([]);
});

test('breaks the connection when the server behind it does', async () => {
  await expect(ask('/breaks', {})).rejects.toThrow(/socket hang up|ECONNRESET/);
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
  await expect(LoopbackProxy.start('http://192.168.0.7:8000', 0)).rejects.toThrow(NotLoopbackError);
});
