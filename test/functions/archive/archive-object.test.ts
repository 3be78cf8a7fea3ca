import { gunzipSync } from 'node:zlib';
import { type ArchiveLine, lineText } from '../../../functions/archive/archive-line.ts';
import {
  compressed,
  expiredPartition,
  hashOfLines,
  removedPartition,
  tableFolder,
} from '../../../functions/archive/archive-object.ts';

const LINE: ArchiveLine = {
  table: 'SessionData',
  key: { id: { S: 'a' } },
  expiredAt: '2026-11-20T09:00:30.000Z',
  deletedAt: '2026-11-20T09:00:31.000Z',
  id: 'c4ca4238a0b923820dcc509a6f75849b',
  sequenceNumber: '111',
  removal: 'expiry',
  item: { id: { S: 'a' }, n: { N: '1' } },
};

test('a line is one object with its item in the format of the archive', () => {
  expect(lineText(LINE, 'dynamodb-json')).toBe(JSON.stringify(LINE));
  const plain = { ...LINE, key: { id: 'a' }, item: { id: 'a', n: 1 } };
  expect(lineText(LINE, 'json')).toBe(JSON.stringify(plain));
  expect(lineText({ ...LINE, expiredAt: null }, 'json')).toBe(JSON.stringify({ ...plain, expiredAt: null }));
});

test.each([
  ['2026-11-20T00:00:00.000Z', '2026-11-20'],
  ['2026-11-20T23:59:59.999Z', '2026-11-20'],
  ['1970-01-01T00:00:00.000Z', '1970-01-01'],
])('%s lies in the partition of %s', (time, date) => {
  expect(expiredPartition(Date.parse(time))).toBe(`expired_date=${date}/`);
  expect(removedPartition(Date.parse(time))).toBe(`removed_date=${date}/`);
});

test('a table has a folder of its own behind the prefix', () => {
  expect(tableFolder({ archivePrefix: '' }, 'T')).toBe('T/');
  expect(tableFolder({ archivePrefix: 'expired/' }, 'T')).toBe('expired/T/');
});

test('the same lines are the same bytes, and come back', () => {
  const lines = [lineText(LINE, 'dynamodb-json'), lineText({ ...LINE, id: 'ü' }, 'dynamodb-json')];
  const bytes = compressed(lines);
  expect(compressed([...lines])).toEqual(bytes);
  // The time in the header of gzip (RFC 1952) is none.
  expect([...bytes.slice(4, 8)]).toEqual([0, 0, 0, 0]);
  expect(gunzipSync(bytes).toString()).toBe(`${lines.join('\n')}\n`);
});

test('the hash is that of the text', () => {
  expect(hashOfLines(['a'])).toBe('87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7');
  expect(hashOfLines(['a', 'b'])).not.toBe(hashOfLines(['ab']));
});
