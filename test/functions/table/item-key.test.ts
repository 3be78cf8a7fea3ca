import { NumberValue } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { keyAttributeNames, toItemKey, toNativeKey } from '../../../functions/table/item-key.ts';
import { anyCharacter } from '../../support/any-character.ts';

test.each<[string, unknown, object]>([
  ['a text', 'alice', { S: 'alice' }],
  [
    'a number of 38 digits',
    NumberValue.from('12345678901234567890123456789012345678'),
    { N: '12345678901234567890123456789012345678' },
  ],
  ['a number', 17, { N: '17' }],
  ['a bigint', 17n, { N: '17' }],
  ['bytes', new Uint8Array([0, 255]), { B: 'AP8=' }],
])('writes %s', (_name, value, expected) =>
  expect(toItemKey({ id: value, other: 1 }, ['id'])).toEqual({ id: expected }),
);

test('gives back what it wrote, through JSON', () => {
  const value = fc.oneof(
    fc.string({ unit: anyCharacter, minLength: 1 }),
    fc.uint8Array({ minLength: 1 }).map(bytes => Buffer.from(bytes)),
    fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }).map(digits => NumberValue.from(digits)),
  );
  fc.assert(
    fc.property(value, value, (p, s) => {
      const key = JSON.parse(JSON.stringify(toItemKey({ p, s }, ['p', 's'])));
      expect(toNativeKey(key)).toEqual({ p, s });
    }),
  );
});

test('fails for an item that lacks a key attribute, naming it', () => {
  expect(() => toItemKey({ id: 'a' }, ['id', 'when'])).toThrow(
    /^when: expected a key attribute of type S, N or B/,
  );
});

test('names the partition key first', () => {
  expect(keyAttributeNames({ partitionKey: 'p', sortKey: 's' })).toEqual(['p', 's']);
  expect(keyAttributeNames({ partitionKey: 'p' })).toEqual(['p']);
});
