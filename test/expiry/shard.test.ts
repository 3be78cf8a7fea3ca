import { createHash } from 'node:crypto';
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { InvalidKeyError } from '../../expiry/errors.ts';
import { plainDecimal } from '../../expiry/plain-decimal.ts';
import { shardOf } from '../../expiry/shard.ts';
import { anyCharacter } from '../support/any-character.ts';

const NAMES = { partitionKey: 'UserName', sortKey: 'SessionId' };
const shard = (UserName: unknown, SessionId: unknown, shards = 7) =>
  shardOf({ UserName, SessionId }, NAMES, shards);

describe('shardOf', () => {
  // sha256('S:alice\0S:a\0') and so on, worked out elsewhere: another hash would be another choice for all writers.
  test.each([
    ['alice', 'a', 5],
    ['bob', 17, 6],
    [1, new Uint8Array([0, 255]), 4],
  ])('keeps its choice for %p %p', (user, session, expected) => expect(shard(user, session)).toBe(expected));

  test('is the hash of Node over the parts, whatever they are', () => {
    const ofNode = (type: string, user: string, session: Uint8Array) => {
      const hash = createHash('sha256');
      hash.update(`${type}:${user}\0B:${Buffer.from(session).toString('base64')}\0`);
      return hash.digest().readUInt32BE(0) % 100;
    };
    const text = fc.string({ unit: anyCharacter, minLength: 1 });
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 100 });
    fc.assert(
      fc.property(text, bytes, (user, session) => {
        expect(shard(user, session, 100)).toBe(ofNode('S', user, session));
      }),
    );
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), bytes, (user, session) => {
        expect(shard(user, session, 100)).toBe(ofNode('N', plainDecimal(String(user)) ?? '', session));
      }),
    );
  });

  test('is below the number of shards, and the same each time', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }),
        fc.string({ minLength: 1 }),
        fc.integer({ min: 1, max: 100 }),
        (user, session, shards) => {
          const chosen = shard(user, session, shards);
          expect(chosen).toBeGreaterThanOrEqual(0);
          expect(chosen).toBeLessThan(shards);
          expect(shard(user, session, shards)).toBe(chosen);
        },
      ),
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

  test('tells ("ab", "c") from ("a", "bc"), and 1 from "1"', () => {
    const all = [shard('ab', 'c', 100), shard('a', 'bc', 100), shard(1, 'c', 100), shard('1', 'c', 100)];
    expect(new Set(all).size).toBe(4);
  });

  test.each([
    ['a number, a bigint and a wrapped number', [12345, 12345n, NumberValue.from('12345')]],
    [
      'a large number and what is read back of it',
      [1e21, 10n ** 21n, NumberValue.from(`1${'0'.repeat(21)}`)],
    ],
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
    ['empty bytes', new Uint8Array()],
    ['NaN', Number.NaN],
    ['a wrapped text that is no number', { value: 'twelve' }],
    ['a boolean', true],
    ['null', null],
    ['an object', {}],
  ])('fails for %s, naming it, with any number of shards', (_name, value) => {
    for (const shards of [1, 7]) {
      expect(() => shard('alice', value, shards)).toThrow(InvalidKeyError);
      expect(() => shard('alice', value, shards)).toThrow(
        /^SessionId: expected the value of a key attribute/,
      );
    }
  });
});
