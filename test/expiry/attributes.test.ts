import fc from 'fast-check';
import { expiryAttributes } from '../../expiry/attributes.ts';
import {
  InvalidArgumentError,
  InvalidKeyError,
  InvalidModelError,
  InvalidTtlError,
} from '../../expiry/errors.ts';
import { expiryModel } from '../../expiry/model.ts';
import { plainDecimal } from '../../expiry/shard.ts';

const nowMs = Date.parse('2022-07-19T21:27:00.500Z');
const now = Math.floor(nowMs / 1000);
const key = { id: 'a' };
const model = expiryModel({ partitionKey: 'id', shards: 1 });

describe('expiryAttributes', () => {
  test('stamps the second of expiry and its window', () => {
    expect(expiryAttributes(model, key, { ttlSeconds: 20, nowMs })).toEqual({
      ttl: now + 20,
      expirationWindow: '2022-07-19T00:00:00.000Z_2022-07-20T00:00:00.000Z',
    });
  });

  test.each([
    ['on the edge', 60, '2022-07-19T21:28:00.000Z_2022-07-19T21:29:00.000Z'],
    ['a second after the edge', 61, '2022-07-19T21:28:00.000Z_2022-07-19T21:29:00.000Z'],
  ])('%s', (_name, ttlSeconds, window) => {
    const minutes = expiryModel({ partitionKey: 'id', granularityMinutes: 1, shards: 1 });
    expect(expiryAttributes(minutes, key, { ttlSeconds, nowMs })).toMatchObject({ expirationWindow: window });
  });

  test('uses the names, the granularity and the shards of the model', () => {
    const sharded = expiryModel({
      partitionKey: 'UserName',
      sortKey: 'SessionId',
      ttlAttribute: 'ExpirationTime',
      windowAttribute: 'Window',
      granularityMinutes: 60,
      shards: 7,
    });
    expect(
      expiryAttributes(sharded, { UserName: 'alice', SessionId: 'a' }, { expiresAt: now, nowMs }),
    ).toEqual({
      ExpirationTime: now,
      Window: '2022-07-19T21:00:00.000Z_2022-07-19T22:00:00.000Z#4',
    });
  });

  test('by second stamps the TTL alone, and still wants a key', () => {
    const bySecond = expiryModel({ partitionKey: 'id', indexedBy: 'second', ttlAttribute: 'expires' });
    expect(expiryAttributes(bySecond, { id: 'a' }, { ttlSeconds: 60, nowMs })).toEqual({
      expires: now + 60,
    });
    expect(() => expiryAttributes(bySecond, { ID: 'a' }, { ttlSeconds: 60 })).toThrow(/^id: /);
  });

  describe('the default TTL', () => {
    const withDefault = expiryModel({ partitionKey: 'id', defaultTtlSeconds: 3600 });

    test('holds when the item has none', () => {
      expect(expiryAttributes(withDefault, key, { nowMs })).toMatchObject({ ttl: now + 3600 });
    });
    test("gives way to the item's own", () => {
      expect(expiryAttributes(withDefault, key, { nowMs, ttlSeconds: 5 })).toMatchObject({ ttl: now + 5 });
    });
    test('is switched off by a TTL of 0', () => {
      expect(expiryAttributes(withDefault, key, { nowMs, ttlSeconds: 0 })).toEqual({});
    });
    test('off, and no TTL: the item does not expire', () => {
      expect(expiryAttributes(model, key, { nowMs })).toEqual({});
    });
  });

  const wrong = { InvalidTtlError, InvalidArgumentError, InvalidKeyError, InvalidModelError };
  test.each<[keyof typeof wrong, object, RegExp, unknown?, unknown?]>([
    ['InvalidTtlError', { ttlSeconds: 1, expiresAt: now }, /^ttlSeconds: expected either/],
    ['InvalidTtlError', { ttlSeconds: null }, /^ttlSeconds: expected a whole number/],
    ['InvalidTtlError', { ttlSeconds: -1 }, /^ttlSeconds: expected a whole number/],
    ['InvalidTtlError', { ttlSeconds: 0.5 }, /^ttlSeconds/],
    ['InvalidTtlError', { ttlSeconds: 630_720_001 }, /20 years/],
    ['InvalidTtlError', { ttlSeconds: now + 60 }, /pass it as expiresAt/],
    ['InvalidTtlError', { expiresAt: nowMs }, /^ttl: .*milliseconds/],
    ['InvalidArgumentError', { ttlSecond: 5 }, /^ttlSecond: .*Did you mean ttlSeconds\?/],
    ['InvalidArgumentError', { nowMs: now, ttlSeconds: 60 }, /^nowMs: .*looks like seconds/],
    ['InvalidKeyError', { ttlSeconds: 1 }, /^id: .*document client/, { id: { S: 'a' } }],
    ['InvalidKeyError', { ttlSeconds: 1 }, /^key: expected/, null],
    [
      'InvalidModelError',
      { ttlSeconds: 1 },
      /^model: expected what expiryModel\(\) /,
      key,
      { partitionKey: 'id' },
    ],
  ])('throws %s for %j', (name, options, message, ofItem = key, ofModel = model) => {
    const stamp = () => expiryAttributes(ofModel as never, ofItem as object, { nowMs, ...options });
    expect(stamp).toThrow(wrong[name]);
    expect(stamp).toThrow(message);
  });
});

test.each(['', '.', '-', 'e5', '1e', '1e1000', 'abc', '0x10', '1 ', 'NaN', 'Infinity'])(
  '"%s" is no number',
  text => expect(plainDecimal(text)).toBeUndefined(),
);

const number = fc.double({ noNaN: true, noDefaultInfinity: true });

test('it is the same number, in one form', () => {
  fc.assert(
    fc.property(number, value => {
      const plain = plainDecimal(String(value)) ?? '';
      expect(plain).toMatch(/^(0|-?(?=.*[1-9])(0|[1-9]\d*)(\.\d*[1-9])?)$/);
      expect(Number(plain)).toBe(value + 0);
    }),
  );
});
