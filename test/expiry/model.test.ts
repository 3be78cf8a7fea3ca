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

  test.each<[string, unknown, RegExp]>([
    ['granularity 7', { partitionKey: 'id', granularityMinutes: 7 }, /got 7\. Use 6:/],
    ['granularity of two days', { partitionKey: 'id', granularityMinutes: 2880 }, /got 2880\. Use 1440:/],
    [
      'shards 0',
      { partitionKey: 'id', shards: 0 },
      /^shards: expected a whole number from 1 to 1000, got 0\./,
    ],
    [
      'a default TTL of more than 20 years',
      { partitionKey: 'id', defaultTtlSeconds: 630_720_001 },
      /^defaultTtlSeconds/,
    ],
    [
      'an empty TTL attribute',
      { partitionKey: 'id', ttlAttribute: '' },
      /^ttlAttribute: expected the name .* got ""/,
    ],
    [
      'a TTL attribute equal to the sort key',
      { partitionKey: 'id', sortKey: 'when', ttlAttribute: 'when' },
      /another attribute than sortKey/,
    ],
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
