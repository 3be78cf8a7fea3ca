import { createHash } from 'node:crypto';
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { InvalidKeyError } from '../../expiry/errors.ts';
import { MAX_SHARDS } from '../../expiry/model.ts';
import { adviseShards, type IndexLoad, NEW_TABLE_UNITS } from '../../expiry/partition-rule.ts';
import { plainDecimal } from '../../expiry/plain-decimal.ts';
import { sha256 } from '../../expiry/sha256.ts';
import { shardOf } from '../../expiry/shard.ts';
import { utf8 } from '../../expiry/utf8.ts';
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

const DAY = 1440;

function load(rate: number, others: Partial<IndexLoad> = {}): IndexLoad {
  return {
    ...{ indexedBy: 'window', granularityMinutes: 1, shards: 1, putsPerSecond: rate, deletesPerSecond: rate },
    ...others,
  };
}

test.each<[string, IndexLoad, ReturnType<typeof adviseShards>]>([
  ['little, on one shard', load(300), { verdict: 'holds', shards: 1, warmUnits: 4_000 }],
  [
    'little, in a day',
    load(400, { granularityMinutes: DAY }),
    { verdict: 'holds', shards: 1, warmUnits: 4_000 },
  ],
  ['more than a partition takes by chance', load(700), { verdict: 'late', shards: 6, warmUnits: 4_000 }],
  ['more than one key takes', load(1_001), { verdict: 'impossible', shards: 7, warmUnits: 6_000 }],
  [
    'a day, whose keys take puts and deletes at once',
    load(600, { granularityMinutes: DAY }),
    { verdict: 'impossible', shards: 7, warmUnits: 4_000 },
  ],
  [
    'a million a minute on one shard',
    load(16_667, { granularityMinutes: DAY }),
    { verdict: 'impossible', shards: 328, warmUnits: 84_000 },
  ],
  [
    'a million a minute as it is advised',
    load(16_667, { granularityMinutes: DAY, shards: 328, warmUnits: 84_000 }),
    { verdict: 'holds', shards: 328, warmUnits: 84_000 },
  ],
  [
    'enough shards on an index that is too small',
    load(16_667, { shards: 300 }),
    { verdict: 'late', shards: 164, warmUnits: 84_000 },
  ],
  [
    'a warmer index, which needs fewer',
    load(1_500, { shards: 3, warmUnits: 40_000 }),
    { verdict: 'holds', shards: 2, warmUnits: 40_000 },
  ],
  ['only deletes', load(0, { deletesPerSecond: 900 }), { verdict: 'late', shards: 4, warmUnits: 4_000 }],
  [
    'as many deletes as one key takes',
    load(0, { deletesPerSecond: 1_000 }),
    { verdict: 'late', shards: 4, warmUnits: 4_000 },
  ],
  [
    'by second, little',
    load(400, { indexedBy: 'second' }),
    { verdict: 'holds', shards: 1, warmUnits: 4_000 },
  ],
  [
    'by second, more than a second can take',
    load(2_000, { indexedBy: 'second' }),
    { verdict: 'impossible', shards: undefined, warmUnits: 10_000 },
  ],
  [
    'more than any number of shards holds',
    load(60_000, { granularityMinutes: DAY }),
    { verdict: 'impossible', shards: undefined, warmUnits: 300_000 },
  ],
])('%s', (_case, given, expected) => expect(adviseShards(given)).toEqual(expected));

test('what is advised holds, at any rate up to what a table takes by default', () => {
  for (let rate = 1; rate <= 20_000; rate += 37) {
    for (const granularityMinutes of [1, 60, DAY]) {
      const { shards = Number.NaN, warmUnits } = adviseShards(load(rate, { granularityMinutes }));
      const advised = load(rate, { granularityMinutes, shards, warmUnits });
      expect(shards).toBeLessThanOrEqual(MAX_SHARDS);
      expect(warmUnits).toBeGreaterThanOrEqual(NEW_TABLE_UNITS);
      expect(adviseShards(advised)).toEqual({ verdict: 'holds', shards, warmUnits });
    }
  }
});

const hex = (bytes: Uint8Array) =>
  sha256(bytes)
    .map(word => word.toString(16).padStart(8, '0'))
    .join('');
const ofNode = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('sha256', () => {
  // Every length around the edges of a block: padding is what differs.
  test.each([0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1000])(
    'of %d bytes is that of Node',
    length => {
      const bytes = Uint8Array.from({ length }, (_unused, index) => index * 7);
      expect(hex(bytes)).toBe(ofNode(bytes));
    },
  );

  test('is that of Node, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), bytes => expect(hex(bytes)).toBe(ofNode(bytes))),
    );
  });
});

describe('utf8', () => {
  test.each([
    ['nothing', ''],
    ['the ends of one byte', '\u0000\u007f'],
    ['the ends of two', '\u0080\u07ff'],
    ['the ends of three', '\u0800\uffff'],
    ['the ends of four', '\u{10000}\u{10ffff}'],
    ['halves of pairs', 'a\ud800b\udc00\udc00\ud800'],
  ])('of %s is that of Node', (_name, text) => expect([...utf8(text)]).toEqual([...Buffer.from(text)]));

  test('is that of Node, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), text => {
        expect([...utf8(text)]).toEqual([...Buffer.from(text)]);
      }),
    );
  });
});
