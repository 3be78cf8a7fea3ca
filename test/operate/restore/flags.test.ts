import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FlagError } from '../../../cli/flags.ts';
import { readExpirySpan, readKeys } from '../../../cli/restore/keys.ts';
import { readLocation } from '../../../operate/archive/location.ts';
import { InputError } from '../../../operate/errors.ts';
import { keyId } from '../../../operate/restore/wanted-keys.ts';

const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-restore-flags-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  ['s3://my-bucket', { kind: 's3', bucket: 'my-bucket', prefix: '' }],
  ['s3://my-bucket/', { kind: 's3', bucket: 'my-bucket', prefix: '' }],
  ['s3://my.bucket/a/b', { kind: 's3', bucket: 'my.bucket', prefix: 'a/b/' }],
  ['s3://my-bucket/a/', { kind: 's3', bucket: 'my-bucket', prefix: 'a/' }],
  [folder, { kind: 'folder', folder }],
])('%s is a place', (given, expected) => {
  expect(readLocation(given)).toEqual(expected);
});

test.each([
  [undefined, 'expected the place of an archive, got none'],
  ['s3://B', 'expected s3://BUCKET or a folder, got "s3://B"'],
  ['https://my-bucket.example/a', 'expected s3://BUCKET or a folder'],
  [join(folder, 'missing'), 'expected a folder that is there'],
])('%p is no place', (given, message) => {
  expect(() => readLocation(given)).toThrow(InputError);
  expect(() => readLocation(given)).toThrow(`fromArchive: ${message}`);
});

test('a date is one in UTC, and both ends may be open', () => {
  expect(readExpirySpan('2026-11-20', '2026-11-20T02:00:00+01:00')).toEqual({
    fromMs: Date.parse('2026-11-20T00:00:00Z'),
    beforeMs: Date.parse('2026-11-20T01:00:00Z'),
  });
  expect(readExpirySpan(undefined, undefined)).toEqual({ fromMs: -Infinity, beforeMs: Infinity });
});

test.each([
  ['20.11.2026', undefined, '--expired-from'],
  ['2026-11-20T09:00:00', undefined, '--expired-from'],
  ['2026-13-20', undefined, '--expired-from'],
  [undefined, 'yesterday', '--expired-to'],
  ['2026-11-20', '2026-11-20', '--expired-to: expected a time after --expired-from'],
])('refuses the span %p to %p', (from, to, message) => {
  expect(() => readExpirySpan(from, to)).toThrow(FlagError);
  expect(() => readExpirySpan(from, to)).toThrow(message);
});

const names = { partitionKey: 'id', sortKey: 'n' };
const read = (keys: unknown) => readKeys({ keys: JSON.stringify(keys), 'keys-file': undefined }, names);

test.each([
  [
    { id: { S: 'a' }, n: { N: '1' } },
    { n: { N: '1.0' }, id: { S: 'a' } },
  ],
  [
    { id: { N: '100' }, n: { S: 'a' } },
    { id: { N: '1e2' }, n: { S: 'a' } },
  ],
  [
    { id: { B: 'AA==' }, n: { S: 'a' } },
    { id: { B: 'AA' }, n: { S: 'a' } },
  ],
])('%j and %j are the same key', (one, other) => {
  expect(keyId(one, names)).toBe(keyId(other, names));
  expect(read([one, other]).length).toBe(1);
});

test.each([
  [
    { id: { S: '1' }, n: { N: '1' } },
    { id: { N: '1' }, n: { N: '1' } },
  ],
  [
    { id: { S: 'a' }, n: { S: 'b' } },
    { id: { S: 'b' }, n: { S: 'a' } },
  ],
])('%j and %j are different keys', (one, other) => {
  expect(read([one, other]).length).toBe(2);
});

test.each<[string, unknown]>([
  ['plain', { id: 'a', n: 1 }],
  ['incomplete', { id: { S: 'a' } }],
  ['a whole item', { id: { S: 'a' }, n: { N: '1' }, x: { S: 'b' } }],
  ['with another attribute', { id: { S: 'a' }, m: { N: '1' } }],
  ['empty', { id: { S: '' }, n: { N: '1' } }],
  ['no number', { id: { S: 'a' }, n: { N: 'one' } }],
  ['of a type that no key has', { id: { S: 'a' }, n: { BOOL: true } }],
  ['of two types', { id: { S: 'a', N: '1' }, n: { N: '1' } }],
  ['null', null],
  ['a text', 'a'],
])('refuses a key that is %s', (_what, key) => {
  expect(() => read([key])).toThrow(InputError);
  expect(() => read(key)).toThrow('keys: expected keys such as {"id":{"S":"…"},"n":{"S":"…"}}');
});

test('says what is wrong with the flags of keys', () => {
  const file = join(folder, 'keys');
  writeFileSync(file, '\n');
  const refused = (keys: string | undefined, keysFile: string | undefined) => () =>
    readKeys({ keys, 'keys-file': keysFile }, names);
  expect(refused(undefined, undefined)).toThrow('expected it or --keys-file, got neither');
  expect(refused('[]', file)).toThrow('expected it or --keys-file, got both');
  expect(refused('[]', undefined)).toThrow('keys: expected at least one key');
  expect(refused('id=a', undefined)).toThrow('--keys: expected JSON, got id=a');
  expect(refused(undefined, file)).toThrow('keys-file: expected at least one key');
  expect(refused(undefined, join(folder, 'missing'))).toThrow('(ENOENT)');
});
