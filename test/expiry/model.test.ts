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

  test.each([1, 2, 5, 15, 60, 720, 1440])('takes a granularity of %d minutes', granularityMinutes => {
    expect(expiryModel({ partitionKey: 'id', granularityMinutes }).granularitySeconds).toBe(
      granularityMinutes * 60,
    );
  });

  test.each<[string, Partial<ExpiryModelProps>, RegExp]>([
    [
      'granularity 0',
      { granularityMinutes: 0 },
      /^granularityMinutes: expected .*divides a day.* got 0\. Use 1:/,
    ],
    ['granularity 1.5', { granularityMinutes: 1.5 }, /got 1\.5\. Use 1:/],
    ['granularity 7', { granularityMinutes: 7 }, /got 7\. Use 6:/],
    ['granularity of two days', { granularityMinutes: 2880 }, /got 2880\. Use 1440:/],
    ['a negative granularity', { granularityMinutes: -5 }, /granularityMinutes/],
    ['shards 0', { shards: 0 }, /^shards: expected a whole number from 1 to 1000, got 0\./],
    ['shards 1.5', { shards: 1.5 }, /got 1\.5/],
    ['shards 1001', { shards: 1001 }, /got 1001/],
    ['a default TTL of more than 20 years', { defaultTtlSeconds: 630_720_001 }, /^defaultTtlSeconds/],
    ['a negative default TTL', { defaultTtlSeconds: -1 }, /^defaultTtlSeconds/],
    [
      'another way to index',
      { indexedBy: 'minute' as 'second' },
      /^indexedBy: expected one of "window", "second"/,
    ],
    ['an empty TTL attribute', { ttlAttribute: '' }, /^ttlAttribute: expected the name .* got ""/],
    ['an empty window attribute', { windowAttribute: '' }, /^windowAttribute/],
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
    ['a sort key equal to the default TTL attribute', { sortKey: 'ttl' }, /^ttlAttribute: .* sortKey/],
    ['no partition key', { partitionKey: '' }, /^partitionKey/],
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
    ['a list', [], /^model: expected an object/],
    ['a name alone', 'id', /^model: expected an object/],
    ['a sort key of null', { partitionKey: 'id', sortKey: null }, /^sortKey: .*got null/],
    ['a TTL attribute of null', { partitionKey: 'id', ttlAttribute: null }, /^ttlAttribute: .*got null/],
    ['shards of null', { partitionKey: 'id', shards: null }, /^shards: .*got null/],
    ['a name that the SDK loses', { partitionKey: '__proto__' }, /^partitionKey: .*Use another attribute/],
    ['a name of 256 bytes', { partitionKey: 'ü'.repeat(128) }, /^partitionKey: .*255 bytes/],
  ])('fails for %s', (_name, props, message) => {
    const make = () => expiryModel(props as ExpiryModelProps);
    expect(make).toThrow(InvalidModelError);
    expect(make).toThrow(message);
  });

  test('counts the bytes of a name, not its characters', () => {
    expect(expiryModel({ partitionKey: `${'ü'.repeat(127)}a` }).partitionKey).toHaveLength(128);
  });

  test('lists every problem at once', () => {
    const fields = modelProblems({ partitionKey: '', granularityMinutes: 7, shards: 0 }).map(
      ({ field }) => field,
    );
    expect(fields).toEqual(['partitionKey', 'granularityMinutes', 'shards']);
  });
});
