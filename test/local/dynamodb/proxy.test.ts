import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { NotLoopbackError } from 'stepfunctions-emulator';
import { type CallHandler, DynamoDbProxy, type ProxiedCall } from '../../../local/dynamodb/proxy.ts';

/** Bytes that are no text: a body that was decoded on the way would not come through. */
const BYTES = Buffer.from(Array.from({ length: 100_000 }, (_unused, index) => index % 256));

const endpointOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

let target: Server;
let proxy: DynamoDbProxy;
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
  proxy = await DynamoDbProxy.start(endpointOf(target));
});
afterEach(async () => {
  await proxy.stop();
  target.close();
  target.closeAllConnections();
});

async function ask(
  path: string,
  headers: Record<string, string>,
  { endpoint } = proxy,
  sentBody: string | Buffer = BYTES,
) {
  const sent = request(`${endpoint}${path}`, { method: 'POST', headers });
  sent.end(sentBody);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) };
}

test('dates answers by another clock where it is told one, and leaves their date alone else', async () => {
  const { headers } = await ask('/', {});
  expect(Math.abs(Date.parse(headers.date ?? '') - Date.now())).toBeLessThan(60_000);
  const dated = await DynamoDbProxy.start(endpointOf(target), {
    now: () => Date.UTC(2024, 1, 29, 12, 0, 7, 999),
  });
  expect((await ask('/', {}, dated)).headers.date).toBe('Thu, 29 Feb 2024 12:00:07 GMT');
  await dated.stop();
});

test('passes requests and answers on, byte by byte', async () => {
  const { status, headers, body } = await ask('/a?b=c', { 'x-amz-target': 'DynamoDB_20120810.PutItem' });
  expect(status).toBe(400);
  expect(headers).toMatchObject({ 'x-amz-crc32': '1', 'content-encoding': 'gzip' });
  expect(body.equals(BYTES)).toBe(true);
  expect(asked).toMatchObject([
    { method: 'POST', url: '/a?b=c', headers: { 'x-amz-target': 'DynamoDB_20120810.PutItem' } },
  ]);
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
  await expect(DynamoDbProxy.start('http://192.168.0.7:8000')).rejects.toThrow(NotLoopbackError);
});

describe('with a handler', () => {
  const NAMED = { 'x-amz-target': 'DynamoDB_20120810.PutItem' };
  let handled: DynamoDbProxy;
  let handle: CallHandler;
  const askHandled = (path: string, headers: Record<string, string> = NAMED) =>
    ask(path, headers, handled, '{"a":1}');

  beforeEach(async () => {
    handled = await DynamoDbProxy.start(endpointOf(target), { handle: call => handle(call) });
  });
  afterEach(() => handled.stop());

  test('gives it the call, and the answer goes back as it came', async () => {
    const calls: Partial<ProxiedCall>[] = [];
    handle = ({ method, url, operation, text, forward }) => {
      calls.push({ method, url, operation, text });
      return forward();
    };
    const { status, headers, body } = await askHandled('/a?b=c');
    expect(calls).toEqual([{ method: 'POST', url: '/a?b=c', operation: 'PutItem', text: '{"a":1}' }]);
    expect({ status, body: body.toString() }).toEqual({ status: 400, body: '{"a":1}' });
    expect(headers).toMatchObject({ 'x-amz-crc32': '1', 'content-length': '7' });
    expect(asked).toMatchObject([{ method: 'POST', url: '/a?b=c', headers: NAMED }]);
  });

  test.each<[string, CallHandler]>([
    ['when it gives no answer', async () => undefined],
    ['when it fails', () => Promise.reject(new Error('of a test'))],
    ['when the server behind it breaks it', ({ forward }) => forward()],
  ])('breaks the connection %s', async (_case, broken) => {
    handle = broken;
    await expect(askHandled('/breaks')).rejects.toThrow(/socket hang up|ECONNRESET/);
  });
});
