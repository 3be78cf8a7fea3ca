import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import promises, { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type PutObjectCommandInput,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { ChooseCallFault } from '../../src/call-fault.ts';
import type { WrittenObject } from '../../src/s3/s3-api.ts';
import { type LocalS3, startS3 } from '../../src/s3/start-s3.ts';
import { s3Client } from '../support/endpoint-clients.ts';

const Bucket = 'archive';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'local-s3-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

let s3: LocalS3;
let client: S3Client;
let folder: string | undefined;
let written: WrittenObject[];
let full: string[];
let fault: ChooseCallFault | undefined;
let count = 0;

const start = async (onDisk: boolean) => {
  count += 1;
  folder = onDisk ? join(root, `${count}`) : undefined;
  written = [];
  full = [];
  fault = undefined;
  s3 = await startS3({
    buckets: [Bucket, 'other'],
    folder,
    onObject: object => written.push(object),
    onFull: message => full.push(message),
    choose: call => fault?.(call),
  });
  client = s3Client(s3.endpoint);
};
afterEach(async () => {
  client?.destroy();
  await s3?.stop();
});

const put = (
  Key: string,
  Body: NonNullable<PutObjectCommandInput['Body']>,
  more: Partial<PutObjectCommandInput> = {},
) => client.send(new PutObjectCommand({ Bucket, Key, Body, ...more }));
const get = async (Key: string, from = client) => {
  const { Body, ...rest } = await from.send(new GetObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }));
  return { body: Buffer.from((await Body?.transformToByteArray()) ?? []), ...rest };
};
const streamOf = (body: Buffer) => Readable.from([body.subarray(0, 70_000), body.subarray(70_000)]);

/** A request as no SDK sends it. */
const raw = async (method: string, path: string, headers: Record<string, string>, body?: string | Buffer) => {
  const outgoing = request(s3.endpoint + path, { method, headers: { 'content-length': '0', ...headers } });
  outgoing.end(body);
  const [incoming] = await once(outgoing, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return { status: incoming.statusCode as number, text: Buffer.concat(chunks).toString() };
};

describe.each([
  ['in a folder', true],
  ['in memory', false],
])('%s', (_where, onDisk) => {
  beforeEach(() => start(onDisk));

  test.each([0, 1, 65_535, 65_536, 200_000])('%i bytes come back as they were', async size => {
    const body = randomBytes(size);
    const answer = await put('a', body);
    const got = await get('a');
    expect(got.body.equals(body)).toBe(true);
    expect(got.ETag).toBe(answer.ETag);
    // The SDK computes it by itself, of old clients' uploads it is not there.
    expect(got.ChecksumCRC32).toBe(answer.ChecksumCRC32);
    expect(got.ChecksumCRC32).toEqual(expect.any(String));
  });

  test.each(['CRC32', 'SHA1', 'SHA256'] as const)(
    'a stream comes without its framing, with %s as a trailer',
    async ChecksumAlgorithm => {
      const body = randomBytes(150_000);
      await put('a', streamOf(body), { ContentLength: body.length, ChecksumAlgorithm });
      const got = await get('a');
      expect(got.body.equals(body)).toBe(true);
      expect(got.ContentEncoding).toBeUndefined();
      expect(got[`Checksum${ChecksumAlgorithm}`]).toEqual(expect.any(String));
    },
  );

  test('five megabytes, as a whole and as a stream', async () => {
    const body = randomBytes(5_000_000);
    await put('whole', body);
    await put('stream', streamOf(body), { ContentLength: body.length });
    expect((await get('whole')).body.equals(body)).toBe(true);
    expect((await get('stream')).body.equals(body)).toBe(true);
  });

  test('a client that sends no checksum is answered none', async () => {
    const quiet = s3Client(s3.endpoint, { requestChecksumCalculation: 'WHEN_REQUIRED' });
    try {
      await quiet.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'text' }));
      const got = await get('a', quiet);
      expect(got.body.toString()).toBe('text');
      expect(got.ChecksumCRC32).toBeUndefined();
    } finally {
      quiet.destroy();
    }
  });

  test.each([
    'Sessions/expired_date=2026-11-22/shardId-00000001-49671-49672.jsonl.gz',
    'a b+c&d<e>"f\'g%2Fh',
    '../../outside',
    'a/../b',
    './a',
    'a//b',
    'a/',
    '/a',
    '/',
    '...',
    'ä/日本/😀',
    'tab\tand\nline',
    'back\\slash:and*more?|',
    '.DS_Store',
    'ends with a dot./ends with a blank ',
    '%',
    '%2E%2E/x',
    'k'.repeat(255),
  ])('the key %j', async Key => {
    const { ETag } = await put(Key, Key);
    expect((await get(Key)).body.toString()).toBe(Key);
    const list = await client.send(new ListObjectsV2Command({ Bucket }));
    expect(list.Contents).toEqual([
      {
        Key,
        ETag,
        Size: Buffer.byteLength(Key),
        LastModified: expect.any(Date),
        StorageClass: 'STANDARD',
      },
    ]);
    await client.send(new DeleteObjectCommand({ Bucket, Key }));
    expect(await s3.keys(Bucket)).toEqual([]);
    if (onDisk) expect((await readdir(root)).every(name => /^\d+$/.test(name))).toBe(true);
  });

  test('a name that is a folder of another one is free again when that is deleted', async () => {
    await put('a/b/c', 'x');
    await client.send(new DeleteObjectCommand({ Bucket, Key: 'a/b/c' }));
    await put('a', 'y');
    expect(await s3.keys(Bucket)).toEqual(['a']);
  });

  test('an object is replaced as a whole', async () => {
    await put('a', 'long long text', { ContentType: 'text/plain', Metadata: { writer: 'one' } });
    await put('a', 'short');
    expect(await get('a')).toMatchObject({
      body: Buffer.from('short'),
      ContentType: 'application/octet-stream',
      Metadata: {},
    });
  });

  test('tells of each object once it is there', async () => {
    await put('a/b', 'text');
    expect(written).toEqual([
      { bucket: Bucket, key: 'a/b', bytes: 4, file: folder && join(folder, Bucket, 'a', 'b') },
    ]);
  });

  test('what an upload says of its object comes back with it, also without the body', async () => {
    const said = {
      ContentType: 'application/x-ndjson',
      ContentEncoding: 'gzip',
      CacheControl: 'no-store',
      StorageClass: 'STANDARD_IA',
      Metadata: { expiries: '3' },
    } as const;
    const body = randomBytes(100);
    const { ETag } = await put('a', body, said);
    expect(await get('a')).toMatchObject({
      ...said,
      ETag,
      ContentLength: 100,
      LastModified: expect.any(Date),
    });
    // A stream's own encoding is no part of it.
    await put('b', streamOf(body), { ...said, ContentLength: 100 });
    expect(await get('b')).toMatchObject(said);
  });

  test('lists by the bytes of the keys, in pages, from the prefix on', async () => {
    const keys = ['a', 'b/1', 'b/2', 'b/c/3', 'b-', 'B', '\u{1f600}', '\uffee'];
    for (const key of keys) await put(key, key);
    const all = ['B', 'a', 'b-', 'b/1', 'b/2', 'b/c/3', '\uffee', '\u{1f600}'];
    for (const pageSize of [1, 3, 8]) {
      const listed: unknown[] = [];
      for await (const page of paginateListObjectsV2({ client, pageSize }, { Bucket })) {
        expect(page.KeyCount).toBeLessThanOrEqual(pageSize);
        listed.push(...(page.Contents ?? []).map(({ Key }) => Key));
      }
      expect(listed).toEqual(all);
    }
    const list = (more: object) => client.send(new ListObjectsV2Command({ Bucket, ...more }));
    const keysOf = async (more: object) => (await list(more)).Contents?.map(({ Key }) => Key);
    expect(await keysOf({ Prefix: 'b/' })).toEqual(['b/1', 'b/2', 'b/c/3']);
    expect(await keysOf({ Prefix: 'b/c' })).toEqual(['b/c/3']);
    expect(await keysOf({ Prefix: 'none/' })).toBeUndefined();
    expect(await keysOf({ StartAfter: 'b/1' })).toEqual(all.slice(4));
    expect(await list({ Delimiter: '/' })).toMatchObject({
      KeyCount: 6,
      CommonPrefixes: [{ Prefix: 'b/' }],
    });
    const [first, second] = [
      await list({ Delimiter: '/', MaxKeys: 4 }),
      await list({
        Delimiter: '/',
        ContinuationToken: (await list({ Delimiter: '/', MaxKeys: 4 })).NextContinuationToken,
      }),
    ];
    expect(first.CommonPrefixes).toEqual([{ Prefix: 'b/' }]);
    expect(second.CommonPrefixes).toBeUndefined();
    expect(second.Contents?.map(({ Key }) => Key)).toEqual(['\uffee', '\u{1f600}']);
    expect(await keysOf({ EncodingType: 'url', Prefix: '\uffee' })).toEqual(['%EF%BF%AE']);
  });

  test('says what is not there', async () => {
    await expect(get('none')).rejects.toMatchObject({ name: 'NoSuchKey' });
    await client.send(new DeleteObjectCommand({ Bucket, Key: 'none' }));
    await expect(client.send(new ListObjectsV2Command({ Bucket: 'none' }))).rejects.toMatchObject({
      name: 'NoSuchBucket',
      message: expect.stringContaining('here are archive, other'),
    });
  });

  test('a client that leaves in the middle of its upload leaves no object', async () => {
    await put('there', 'before');
    const { hostname, port } = new URL(s3.endpoint);
    for (const [key, framing] of [
      ['there', 'Content-Length: 100\r\n\r\n'],
      ['new', 'Content-Length: 100\r\n\r\n'],
      ['stream', 'Transfer-Encoding: chunked\r\n\r\n4\r\n'],
    ]) {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      socket.write(`PUT /${Bucket}/${key} HTTP/1.1\r\nHost: localhost\r\n${framing}half`);
      await new Promise(resolve => setTimeout(resolve, 20));
      socket.destroy();
      await once(socket, 'close');
    }
    expect((await get('there')).body.toString()).toBe('before');
    expect(await s3.keys(Bucket)).toEqual(['there']);
    expect(written).toHaveLength(1);
    if (folder !== undefined) expect(await readdir(join(folder, '.precise-ttl-uploads'))).toEqual([]);
  });

  test.each<[string, string, Record<string, string>, string]>([
    ['BadDigest', 'another CRC32', { 'x-amz-checksum-crc32': 'AAAAAA==' }, 'text'],
    ['BadDigest', 'another MD5', { 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' }, 'text'],
    ['XAmzContentSHA256Mismatch', 'another SHA-256', { 'x-amz-content-sha256': '0'.repeat(64) }, 'text'],
    [
      'InvalidRequest',
      'no checksum where one is announced',
      { 'x-amz-sdk-checksum-algorithm': 'CRC32' },
      'text',
    ],
    [
      'NotImplemented',
      'a checksum that is not computed here',
      { 'x-amz-checksum-crc64nvme': 'AAAAAAAAAAA=' },
      'text',
    ],
    ['InvalidRequest', 'aws-chunked and a plain body', { 'content-encoding': 'aws-chunked' }, 'text'],
    ['IncompleteBody', 'no chunks', streaming(4), 'text'],
    ['IncompleteBody', 'half a chunk', streaming(4), '4\r\nte'],
    ['IncompleteBody', 'no last chunk', streaming(4), '4\r\ntext\r\n'],
    ['IncompleteBody', 'a chunk longer than it says', streaming(4), '3\r\ntext\r\n0\r\n\r\n'],
    ['IncompleteBody', 'fewer bytes than announced', streaming(5), '4\r\ntext\r\n0\r\n\r\n'],
    [
      'IncompleteBody',
      'trailers that do not end',
      streaming(4),
      '4\r\ntext\r\n0\r\nx-amz-checksum-crc32:AAAA',
    ],
    [
      'MissingContentLength',
      'no length',
      { 'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' },
      '4\r\ntext\r\n0\r\n\r\n',
    ],
    [
      'MalformedTrailerError',
      'no trailer where one is announced',
      { ...streaming(4), 'x-amz-trailer': 'x-amz-checksum-crc32' },
      '4\r\ntext\r\n0\r\n\r\n',
    ],
    [
      'BadDigest',
      'another checksum as a trailer',
      { ...streaming(4), 'x-amz-trailer': 'x-amz-checksum-crc32' },
      '4\r\ntext\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n',
    ],
    [
      'InvalidStorageClass',
      'a storage class that cannot be read at once',
      { 'x-amz-storage-class': 'DEEP_ARCHIVE' },
      'text',
    ],
    ['MetadataTooLarge', 'more metadata than there may be', { 'x-amz-meta-a': 'm'.repeat(2_048) }, 'text'],
    ['AccessDenied', "another account's bucket", { 'x-amz-expected-bucket-owner': '999999999999' }, 'text'],
  ])('refuses with %s: %s', async (code, _what, headers, body) => {
    const { status, text } = await raw(
      'PUT',
      `/${Bucket}/a`,
      { 'content-length': `${body.length}`, ...headers },
      body,
    );
    expect(text).toContain(`<Code>${code}</Code>`);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(await s3.keys(Bucket)).toEqual([]);
  });

  test('takes chunks with signatures, which it does not look at', async () => {
    const body = '4;chunk-signature=0\r\ntext\r\n0;chunk-signature=0\r\n\r\n';
    const headers = {
      ...streaming(4, 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD'),
      'content-length': `${body.length}`,
    };
    expect((await raw('PUT', `/${Bucket}/a`, headers, body)).status).toBe(200);
    expect((await s3.read(Bucket, 'a'))?.toString()).toBe('text');
  });
});

function streaming(length: number, kind = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'): Record<string, string> {
  return {
    'x-amz-content-sha256': kind,
    'content-encoding': 'aws-chunked',
    'x-amz-decoded-content-length': `${length}`,
  };
}

describe('whatever it is', () => {
  beforeEach(() => start(false));

  test.each<[string, string, Record<string, string>]>([
    ['GET', '/', {}],
    ['GET', `/${Bucket}`, {}],
    ['PUT', `/${Bucket}`, {}],
    ['DELETE', `/${Bucket}`, {}],
    ['POST', `/${Bucket}?delete`, {}],
    ['POST', `/${Bucket}/a?uploads`, {}],
    ['PUT', `/${Bucket}/a?acl`, {}],
    ['PUT', `/${Bucket}/a?partNumber=1&uploadId=x`, {}],
    ['GET', `/${Bucket}/a?versionId=1`, {}],
    ['GET', `/${Bucket}/a`, { range: 'bytes=0-1' }],
    ['GET', `/${Bucket}/a`, { 'if-modified-since': 'x' }],
    ['GET', `/${Bucket}?list-type=2&fetch-owner=true`, {}],
    ['PUT', `/${Bucket}/a`, { 'x-amz-acl': 'public-read' }],
    ['PUT', `/${Bucket}/a`, { 'x-amz-tagging': 'a=b' }],
    ['PUT', `/${Bucket}/a`, { 'x-amz-server-side-encryption': 'AES256' }],
    ['PUT', `/${Bucket}/a`, { 'x-amz-object-lock-mode': 'COMPLIANCE' }],
    ['PUT', `/${Bucket}/a`, { host: `${Bucket}.localhost` }],
  ])('refuses %s %s %j, which it does not have', async (method, path, headers) => {
    const { status, text } = await raw(method, path, headers);
    expect(text).toContain('<Code>NotImplemented</Code>');
    expect(status).toBe(501);
    expect(await s3.keys(Bucket)).toEqual([]);
  });

  test('names what it does not have to an SDK', async () => {
    await put('a', 'text');
    await expect(
      client.send(new CopyObjectCommand({ Bucket, Key: 'b', CopySource: `${Bucket}/a` })),
    ).rejects.toMatchObject({
      name: 'NotImplemented',
      message: expect.stringContaining('x-amz-copy-source'),
    });
  });

  test('refuses another host, and a path that cannot be read', async () => {
    const { status, text } = await raw('GET', `/${Bucket}/a`, { host: 'example.org' });
    expect([status, text]).toEqual([403, expect.stringContaining('<Code>AccessDenied</Code>')]);
    expect((await raw('GET', `/${Bucket}/%FF`, {})).text).toContain('<Code>InvalidURI</Code>');
    expect((await raw('PUT', `/${Bucket}/${'k'.repeat(1025)}`, {})).text).toContain(
      '<Code>KeyTooLongError</Code>',
    );
  });

  test('does to a call what it is told', async () => {
    const asked: string[] = [];
    fault = ({ operation }) => {
      asked.push(operation);
      return { kind: 'refuse', error: 'SlowDown', status: 503 };
    };
    await expect(put('a', 'x')).rejects.toMatchObject({
      name: 'SlowDown',
      $metadata: { httpStatusCode: 503 },
    });
    expect(await s3.keys(Bucket)).toEqual([]);
    fault = () => ({ kind: 'cut', done: false });
    await expect(put('a', 'x')).rejects.toThrow();
    expect(await s3.keys(Bucket)).toEqual([]);
    fault = () => ({ kind: 'cut', done: true });
    await expect(put('b', 'x')).rejects.toThrow();
    expect(await s3.keys(Bucket)).toEqual(['b']);
    for (const done of [false, true]) {
      fault = () => ({ kind: 'hang', done });
      const abortSignal = AbortSignal.timeout(100);
      await expect(
        client.send(new PutObjectCommand({ Bucket, Key: `hang-${done}`, Body: 'x' }), { abortSignal }),
      ).rejects.toMatchObject({ name: 'AbortError' });
    }
    expect(await s3.keys(Bucket)).toEqual(['b', 'hang-true']);
    expect(asked).toEqual(['PutObject']);
  });

  test('ends though a call hangs', async () => {
    fault = () => ({ kind: 'hang', done: false });
    const hanging = put('a', 'x').catch(error => error);
    await new Promise(resolve => setTimeout(resolve, 50));
    await s3.stop();
    expect(await hanging).toBeInstanceOf(Error);
  });
});

test.each(['', 'a', 'Archive', 'a_b', '.uploads', '../x', 'a..b', 'a/b'])(
  'refuses the bucket %j',
  async bucket => {
    await expect(startS3({ buckets: [bucket] })).rejects.toThrow(/^buckets: expected different names/);
  },
);

describe('as files', () => {
  beforeEach(() => start(true));

  test('objects are plain files, and files of an earlier run are objects', async () => {
    const base = folder ?? '';
    await put('t/expired_date=2026-11-22/x.jsonl.gz', 'text');
    expect(await readFile(join(base, Bucket, 't', 'expired_date=2026-11-22', 'x.jsonl.gz'), 'utf8')).toBe(
      'text',
    );
    await s3.stop();
    await writeFile(join(base, Bucket, '.DS_Store'), 'x');
    await mkdir(join(base, '.precise-ttl-uploads'), { recursive: true });
    await writeFile(join(base, '.precise-ttl-uploads', 'begun'), 'x');
    s3 = await startS3({ buckets: [Bucket], folder: base });
    expect(await s3.keys(Bucket)).toEqual(['t/expired_date=2026-11-22/x.jsonl.gz']);
    expect(await readdir(join(base, '.precise-ttl-uploads'))).toEqual([]);
  });

  test.each([
    [['a', 'a/b'], 'InvalidArgument'],
    [['a/b', 'a'], 'InvalidArgument'],
    [['k'.repeat(256)], 'KeyTooLongError'],
  ])('of %j the last cannot be a file', async (keys, name) => {
    const last = keys.at(-1) ?? '';
    for (const key of keys.slice(0, -1)) await put(key, 'first');
    await expect(put(last, 'second')).rejects.toMatchObject({ name });
    expect(await s3.keys(Bucket)).toEqual(keys.slice(0, -1));
    await expect(get(last)).rejects.toMatchObject({ name: 'NoSuchKey' });
    await client.send(new DeleteObjectCommand({ Bucket, Key: last }));
    expect(await s3.keys(Bucket)).toEqual(keys.slice(0, -1));
    expect(await readdir(join(folder ?? '', '.precise-ttl-uploads'))).toEqual([]);
  });

  test('uploads and deletes in one folder at the same time', async () => {
    for (let round = 0; round < 20; round += 1) {
      await Promise.all([
        put(`f/${round}`, 'x'),
        client.send(new DeleteObjectCommand({ Bucket, Key: `f/${round - 1}` })),
      ]);
    }
    expect(await s3.keys(Bucket)).toEqual(['f/19']);
  });
});

test('a full disk is told once each time, without a stack, and leaves nothing behind', async () => {
  await start(true);
  await put('before', 'there');
  const stacks = jest.spyOn(console, 'error').mockImplementation(() => {});
  const disk = jest.spyOn(promises, 'writeFile').mockImplementation(async () => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  });
  try {
    const failures = await Promise.allSettled(
      Array.from({ length: 5 }, (_, each) => put(`key-${each}`, 'text')),
    );
    expect(failures.map(failure => failure.status === 'rejected' && failure.reason.name)).toEqual(
      Array(5).fill('ServiceUnavailable'),
    );
    expect(full).toEqual([expect.stringMatching(/^There is no room left for "key-\d" \(ENOSPC\)/)]);
    disk.mockRestore();
    expect((await get('before')).body.toString()).toBe('there');
    await put('after', 'room');
    jest.spyOn(promises, 'writeFile').mockRejectedValueOnce(Object.assign(new Error(), { code: 'EDQUOT' }));
    await put('once more', 'text').catch(() => undefined);
    expect(full).toHaveLength(2);
    expect(await readdir(join(folder ?? '', '.precise-ttl-uploads'))).toEqual([]);
    expect(stacks).not.toHaveBeenCalled();
  } finally {
    jest.restoreAllMocks();
  }
});
