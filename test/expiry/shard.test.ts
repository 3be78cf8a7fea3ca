import { crc32 } from 'node:zlib';
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { InvalidKeyError } from '../../expiry/errors.ts';
import { plainDecimal, shardOf, utf8 } from '../../expiry/shard.ts';
import { anyCharacter } from '../support/any-character.ts';

const NAMES = { partitionKey: 'UserName', sortKey: 'SessionId' };
const shard = (UserName: unknown, SessionId: unknown, shards = 7) =>
  shardOf({ UserName, SessionId }, NAMES, shards);

describe('shardOf', () => {
  // Another hash would be another choice for all writers.
  test('is the CRC-32 of zlib over the parts, whatever they are', () => {
    const ofZlib = (part: string, session: Uint8Array) =>
      crc32(`${part}\0B:${Buffer.from(session).toString('base64')}\0`) % 100;
    const text = fc.string({ unit: anyCharacter, minLength: 1 });
    const number = fc.double({ noNaN: true, noDefaultInfinity: true });
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 100 });
    fc.assert(
      fc.property(text, number, bytes, (user, value, session) => {
        expect(shard(user, session, 100)).toBe(ofZlib(`S:${user}`, session));
        expect(shard(value, session, 100)).toBe(ofZlib(`N:${plainDecimal(String(value))}`, session));
      }),
    );
  });

  test('spreads keys evenly', () => {
    const counts = new Array<number>(8).fill(0);
    for (let index = 0; index < 8000; index += 1) {
      const chosen = shard(`user-${index}`, 'session', 8);
      counts[chosen] = (counts[chosen] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(850);
    expect(Math.max(...counts)).toBeLessThan(1150);
  });

  test.each([
    ['a number, a bigint and a wrapped number', [12345, 12345n, NumberValue.from('12345')]],
    ['a small number and what is read back of it', [1e-7, NumberValue.from('0.0000001')]],
    ['forms of one number', [1.5, NumberValue.from('1.50'), NumberValue.from('15e-1')]],
    ['zeros', [0, -0, 0n, NumberValue.from('-0.0')]],
    ['a Buffer and its bytes', [Buffer.from('xy'), new Uint8Array(Buffer.from('xy'))]],
  ])('makes no difference between %s', (_name, values) => {
    expect(new Set(values.map(value => shard('alice', value, 100))).size).toBe(1);
  });

  test('leaves out the sort key of a table that has none', () => {
    const names = { partitionKey: 'UserName' };
    expect(shardOf({ UserName: 'alice', SessionId: 'a' }, names, 100)).toBe(
      shardOf({ UserName: 'alice', SessionId: 'b' }, names, 100),
    );
  });

  test.each<[string, unknown]>([
    ['a missing key attribute', undefined],
    ['an empty string', ''],
    ['a wrapped text that is no number', { value: 'twelve' }],
    ['null', null],
  ])('fails for %s, naming it, with any number of shards', (_name, value) => {
    for (const shards of [1, 7]) {
      expect(() => shard('alice', value, shards)).toThrow(InvalidKeyError);
      expect(() => shard('alice', value, shards)).toThrow(
        /^SessionId: expected the value of a key attribute/,
      );
    }
  });
});

test('utf8 is that of Node, whatever the text', () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom(
      '%\u0000\u007f\u0080\u07ff',
      '\u0800\uffff\u{10000}\u{10ffff}',
      'a\ud800b\udc00\udc00\ud800',
    ),
  );
  fc.assert(fc.property(text, given => expect([...utf8(given)]).toEqual([...Buffer.from(given)])));
});
