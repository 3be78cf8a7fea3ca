import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createS3, putInto } from '../../../functions/archive/s3.ts';

interface Put {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What the server does with the puts, in their order; it stores what follows. */
let answers: ('store' | 'fail' | 'refuse' | 'hang')[] = [];
let puts: Put[] = [];

const server = createServer(async (request, response) => {
  const answer = answers.shift() ?? 'store';
  const body = Buffer.concat(await request.toArray());
  puts.push({ method: request.method, url: request.url, headers: request.headers, body });
  if (answer === 'hang') return;
  response.writeHead({ store: 200, fail: 503, refuse: 403 }[answer]).end();
});
let endpoint = '';

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  answers = [];
  puts = [];
});
afterAll(async () => {
  server.closeAllConnections();
  await once(server.close(), 'close');
});

const object = { key: 'p/T/expired_date=2026-11-20/1-2.jsonl.gz', body: new Uint8Array([31, 139, 0, 255]) };
const connection = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
};

/** Long enough for a busy machine, where nothing waits for it. */
const PATIENT_MS = 10_000;

function put(given: object = { endpoint }, requestTimeoutMs = PATIENT_MS) {
  const s3 = createS3({ maxAttempts: 3, requestTimeoutMs }, { ...connection, ...given });
  return putInto('bucket', s3)(object).finally(() => s3.destroy());
}

test('puts the bytes with a checksum', async () => {
  await put();
  expect(puts).toHaveLength(1);
  expect(puts[0]).toMatchObject({ method: 'PUT', body: Buffer.from(object.body) });
  expect(puts[0]?.url).toBe('/bucket/p/T/expired_date%3D2026-11-20/1-2.jsonl.gz?x-id=PutObject');
  expect(puts[0]?.headers).toMatchObject({ 'content-type': 'application/gzip' });
  expect(puts[0]?.headers).toHaveProperty('x-amz-checksum-crc32');
});

test('tries again after a busy S3', async () => {
  answers = ['fail', 'fail', 'store'];
  await put();
  expect(puts).toHaveLength(3);
});

test('tries again after a call that hangs', async () => {
  answers = ['hang', 'store'];
  await put({ endpoint }, 500);
  expect(puts.length).toBeGreaterThan(1);
});

test.each<[string, typeof answers, number, number]>([
  ['S3 stays busy', ['fail', 'fail', 'fail'], PATIENT_MS, 3],
  ['every call hangs', ['hang', 'hang', 'hang'], 100, 3],
  ['it may not put', ['refuse'], PATIENT_MS, 1],
])('rejects when %s', async (_what, given, timeoutMs, calls) => {
  answers = [...given];
  await expect(put({ endpoint }, timeoutMs)).rejects.toThrow(Error);
  expect(puts).toHaveLength(calls);
});

test('takes the endpoint of the environment, as Lambda and developers give it', async () => {
  process.env['AWS_ENDPOINT_URL_S3'] = endpoint;
  try {
    await put({});
  } finally {
    delete process.env['AWS_ENDPOINT_URL_S3'];
  }
  expect(puts[0]?.url).toMatch(/^\/bucket\//);
});
