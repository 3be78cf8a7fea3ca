import { InvalidModelError } from '../../expiry/errors.ts';
import { type ExpiryModelProps, expiryModel, modelProblems } from '../../expiry/model.ts';

describe('expiryModel', () => {
  test('fills in the defaults', () => {
    expect(expiryModel({ partitionKey: 'id' })).toEqual({
      partitionKey: 'id',
      ttlAttribute: 'ttl',
      indexedBy: 'window',
      windowAttribute: 'expirationWindow',
      granularitySeconds: 86_400,
      shards: 2,
      defaultTtlSeconds: 0,
    });
  });

  test('by second has no window, and one key for each second', () => {
    expect(expiryModel({ partitionKey: 'id', indexedBy: 'second' })).toEqual({
      partitionKey: 'id',
      ttlAttribute: 'ttl',
      indexedBy: 'second',
      windowAttribute: undefined,
      granularitySeconds: 1,
      shards: 1,
      defaultTtlSeconds: 0,
    });
  });

  test.each([
    ['windowAttribute', 'w'],
    ['granularityMinutes', 1],
    ['shards', 1],
  ])('by second refuses %s', (field, value) => {
    expect(() => expiryModel({ partitionKey: 'id', indexedBy: 'second', [field]: value })).toThrow(
      new RegExp(
        `^${field}: expected none with indexedBy: 'second', got ${JSON.stringify(value)}\\. Leave it out`,
      ),
    );
  });

  test('by second an attribute can have the name that windows have by default', () => {
    const model = expiryModel({ partitionKey: 'expirationWindow', indexedBy: 'second' });
    expect(model.partitionKey).toBe('expirationWindow');
  });

  test.each<[string, Partial<ExpiryModelProps>, RegExp]>([
    [
      'granularity 0',
      { granularityMinutes: 0 },
      /^granularityMinutes: expected .*divides a day.* got 0\. Use 1:/,
    ],
    ['granularity 7', { granularityMinutes: 7 }, /got 7\. Use 6:/],
    ['granularity of two days', { granularityMinutes: 2880 }, /got 2880\. Use 1440:/],
    ['shards 0', { shards: 0 }, /^shards: expected a whole number from 1 to 1000, got 0\./],
    ['shards 1001', { shards: 1001 }, /got 1001/],
    ['a default TTL of more than 20 years', { defaultTtlSeconds: 630_720_001 }, /^defaultTtlSeconds/],
    [
      'another way to index',
      { indexedBy: 'minute' as 'second' },
      /^indexedBy: expected one of "window", "second"/,
    ],
    ['an empty TTL attribute', { ttlAttribute: '' }, /^ttlAttribute: expected the name .* got ""/],
    [
      'a TTL attribute equal to the partition key',
      { ttlAttribute: 'id' },
      /^ttlAttribute: expected another .*partitionKey/,
    ],
    [
      'a TTL attribute equal to the sort key',
      { sortKey: 'when', ttlAttribute: 'when' },
      /another attribute than sortKey/,
    ],
    [
      'a window attribute equal to the TTL attribute',
      { windowAttribute: 'ttl' },
      /another attribute than ttlAttribute/,
    ],
  ])('fails for %s', (_name, wrong, message) => {
    const make = () => expiryModel({ partitionKey: 'id', ...wrong });
    expect(make).toThrow(InvalidModelError);
    expect(make).toThrow(message);
  });

  test.each<[string, unknown, RegExp]>([
    [
      'a misspelt field',
      { partitionKey: 'id', ttlAtribute: 'x' },
      /^ttlAtribute: .*Did you mean ttlAttribute\?/,
    ],
    ['a field of the deployment', { tableName: 'T', partitionKey: 'id' }, /^tableName: .*Remove it\./],
    ['null', null, /^model: expected an object/],
    ['a sort key of null', { partitionKey: 'id', sortKey: null }, /^sortKey: .*got null/],
    ['a name that the SDK loses', { partitionKey: '__proto__' }, /^partitionKey: .*Use another attribute/],
    ['a name of 256 bytes', { partitionKey: 'ü'.repeat(128) }, /^partitionKey: .*255 bytes/],
  ])('fails for %s', (_name, props, message) => {
    const make = () => expiryModel(props as ExpiryModelProps);
    expect(make).toThrow(InvalidModelError);
    expect(make).toThrow(message);
  });

  test('lists every problem at once', () => {
    const fields = modelProblems({ partitionKey: '', granularityMinutes: 7, shards: 0 }).map(
      ({ field }) => field,
    );
    expect(fields).toEqual(['partitionKey', 'granularityMinutes', 'shards']);
  });
});
