import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { hashOfKey, keyShower, shownFailure } from '../../../functions/report/shown-keys.ts';
import type { LogKeys } from '../../../functions/runtime/environment.ts';

const showerOf = (logKeys: LogKeys, tableName = 'Sessions') =>
  keyShower({ logKeys, tableName, model: { partitionKey: 'id', sortKey: 'at' } });
const KEY = { id: { S: 'ada@example.com' }, at: { N: '1' } };

test('shows the key, its hash, or nothing', () => {
  expect(showerOf('full')(KEY)).toBe(KEY);
  expect(showerOf('hash')(KEY)).toMatch(/^hmac-sha256:[0-9a-f]{16}$/);
  expect(showerOf('none')(KEY)).toBeUndefined();
  expect(shownFailure({ key: KEY, reason: 'R' }, showerOf('none'))).toEqual({ reason: 'R' });
});

test('the hash is the same in whatever order a key has its attributes, and another one in another table', () => {
  const { id, at } = KEY;
  const hash = showerOf('hash')(KEY);
  expect(showerOf('hash')({ at, id })).toBe(hash);
  expect(showerOf('hash', 'Other')(KEY)).not.toBe(hash);
  expect(showerOf('hash')({ ...KEY, at: { N: '2' } })).not.toBe(hash);
});

test('keys of two attributes do not get the hash of each other', () => {
  const key = fc.record({ id: fc.record({ S: fc.string() }), at: fc.record({ S: fc.string() }) });
  fc.assert(
    fc.property(key, key, (one, other) => {
      const same = one.id.S === other.id.S && one.at.S === other.at.S;
      expect(showerOf('hash')(one) === showerOf('hash')(other)).toBe(same);
    }),
  );
});

// Whoever looks for a key in the logs does it with this line.
test('the command in docs/operate.md gives the hash of a key', () => {
  const command = /^printf .*$/m.exec(readFileSync('docs/operate.md', 'utf8'))?.[0] ?? '';
  const printed = execFileSync('sh', ['-c', command], { encoding: 'utf8' }).trim();
  expect(`hmac-sha256:${printed}`).toBe(hashOfKey({ id: { S: 'ada@example.com' } }, ['id'], 'Sessions'));
});
