import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { InvalidArgumentError, InvalidRequestError } from '../../expiry/errors.ts';
import { expiryModel } from '../../expiry/model.ts';
import { notExpired, unlessExpired } from '../../expiry/not-expired.ts';

const nowMs = Date.parse('2022-07-19T21:27:00Z');
const now = nowMs / 1000;
const model = expiryModel({ partitionKey: 'id' });

// What the filter lets through is tested on DynamoDB Local, in not-expired.dynamodb.test.ts.
describe('notExpired', () => {
  test('adds the filter to a Query that has none', () => {
    const request = notExpired(model, { TableName: 't', KeyConditionExpression: 'id = :id' }, { nowMs });
    expect(request).toMatchObject({ TableName: 't', KeyConditionExpression: 'id = :id' });
    expect(request).toMatchObject({ ExpressionAttributeNames: { '#preciseTtl': 'ttl' } });
  });

  test('joins the filter that is there with AND, in brackets', () => {
    const { FilterExpression } = notExpired(model, { FilterExpression: 'a = :a OR b = :b' }, { nowMs });
    expect(FilterExpression).toMatch(/^\(a = :a OR b = :b\) AND \(/);
  });

  test('leaves a Get as it is when it reads whole items', () => {
    const request = { TableName: 't', Key: { id: 'a' } };
    expect(notExpired(model, request, { nowMs })).toEqual(request);
  });

  test('adds the TTL attribute to the projection of a Get', () => {
    expect(
      notExpired(model, { Key: { id: 'a' }, ProjectionExpression: 'id, payload' }, { nowMs }),
    ).toMatchObject({
      ProjectionExpression: 'id, payload, #preciseTtl',
      ExpressionAttributeNames: { '#preciseTtl': 'ttl' },
    });
  });

  test.each([
    ['by its name', { ProjectionExpression: 'id, ttl' }],
    ['by a placeholder', { ProjectionExpression: '#t,id', ExpressionAttributeNames: { '#t': 'ttl' } }],
  ])('does not name it twice when the projection has it %s', (_name, projection) => {
    const request = { Key: { id: 'a' }, ...projection };
    expect(notExpired(model, request, { nowMs })).toEqual(request);
  });

  test.each(['ScanFilter', 'QueryFilter', 'AttributesToGet', 'KeyConditions', 'ConditionalOperator'])(
    'fails for the legacy parameter %s',
    field => {
      expect(() => notExpired(model, { [field]: {} }, { nowMs })).toThrow(InvalidRequestError);
      expect(() => notExpired(model, { [field]: {} }, { nowMs })).toThrow(new RegExp(`^${field}: `));
    },
  );

  test('fails when it is called twice', () => {
    const once = notExpired(model, {}, { nowMs });
    expect(() => notExpired(model, once, { nowMs })).toThrow(InvalidRequestError);
  });

  test.each<[string, unknown, RegExp]>([
    [
      "the low-level client's values",
      { TableName: 't', ExpressionAttributeValues: { ':id': { S: 'a' }, ':n': { N: '1' } } },
      /^ExpressionAttributeValues: .*document client.*got \{":id":\{"S":"a"\}/,
    ],
    [
      "the low-level client's start key",
      { TableName: 't', ExclusiveStartKey: { id: { B: new Uint8Array([1]) } } },
      /^ExclusiveStartKey: .*document client/,
    ],
    ['a Put', { TableName: 't', Item: { id: 'a' } }, /^Item: .*Query, Scan or Get/],
    [
      'an Update',
      { Key: { id: 'a' }, UpdateExpression: 'SET a = :a' },
      /^UpdateExpression: .*Query, Scan or Get/,
    ],
    [
      'a Delete',
      { Key: { id: 'a' }, ConditionExpression: 'a = :a' },
      /^ConditionExpression: .*Query, Scan or Get/,
    ],
    ['a BatchGet', { RequestItems: { t: { Keys: [] } } }, /^RequestItems: .*unlessExpired/],
    ['a Key of null, which would be no Get and no Query', { Key: null }, /^Key: .*got null/],
    ['a filter of null', { FilterExpression: null }, /^FilterExpression: .*got null/],
    ['null', null, /^request: expected/],
  ])('fails for %s', (_name, request, message) => {
    const read = () => notExpired(model, request as object, { nowMs });
    expect(read).toThrow(InvalidRequestError);
    expect(read).toThrow(message);
  });

  test('takes maps that only resemble the low-level form', () => {
    const values = { ':size': { S: 3 }, ':two': { S: 'a', size: 1 }, ':plain': 'a' };
    expect(
      notExpired(model, { ExpressionAttributeValues: values }, { nowMs }).ExpressionAttributeValues,
    ).toMatchObject(values);
  });

  test('leaves a low-level Get as it is: only its projection matters', () => {
    const request = { TableName: 't', Key: { id: { S: 'a' } } };
    expect(notExpired(model, request, { nowMs })).toEqual(request);
  });
});

describe.each([
  ['notExpired', (options: unknown) => notExpired(model, {}, options as object)],
  ['unlessExpired', (options: unknown) => unlessExpired(model, { ttl: now }, options as object)],
])('the options of %s', (_name, call) => {
  test.each<[string, unknown, RegExp]>([
    ['null', null, /^options: expected an object/],
    ['a misspelt one', { nowMS: nowMs }, /^nowMS: .*Did you mean nowMs\?/],
    ['a clock of null', { nowMs: null }, /^nowMs: .*got null/],
    ['a clock in seconds', { nowMs: now }, /^nowMs: .*looks like seconds/],
    ['a clock in microseconds', { nowMs: nowMs * 1000 }, /^nowMs: .*looks like microseconds/],
    ['NaN', { nowMs: Number.NaN }, /^nowMs: .*got NaN/],
  ])('fail for %s', (_case, options, message) => {
    expect(() => call(options)).toThrow(InvalidArgumentError);
    expect(() => call(options)).toThrow(message);
  });
});

describe('unlessExpired', () => {
  test.each<[string, unknown, boolean]>([
    ['a second from now', now + 1, true],
    ['now', now, false],
    ['a second ago', now - 1, false],
    ['six years ago', now - 6 * 365 * 86_400, true],
    ['now, as a wrapped number', NumberValue.from(String(now)), false],
    ['a second from now, as a wrapped number', NumberValue.from(String(now + 1)), true],
    ['now, as a bigint', BigInt(now), false],
    ['now, in a stream image', { N: String(now) }, false],
    ['a second from now, in a stream image', { N: String(now + 1) }, true],
    ['a fraction before now, in a stream image', { N: `${now - 1}.5` }, false],
    ['now, as a string in a stream image', { S: String(now) }, true],
    ['a map that happens to have an N', { N: 'north', ttl: now }, true],
    ['an empty number in a stream image', { N: '' }, true],
    ['a list', [now], true],
    ['now, as a string', String(now), true],
    ['null', null, true],
    ['missing', undefined, true],
  ])('TTL %s', (_name, ttl, kept) => {
    const item = { id: 'a', ttl };
    expect(unlessExpired(model, item, { nowMs })).toBe(kept ? item : undefined);
  });

  test('no item stays no item', () => expect(unlessExpired(model, undefined, { nowMs })).toBeUndefined());

  test.each<[string, unknown]>([
    ['null', null],
    ['a list of items', [{ ttl: now }]],
    ['the output of a Get instead of its Item', { $metadata: {}, Item: { ttl: now } }],
    ['a text', '{}'],
  ])('fails for %s', (_name, item) => {
    const read = () => unlessExpired(model, item as object, { nowMs });
    expect(read).toThrow(InvalidArgumentError);
    expect(read).toThrow(/^item: expected one item/);
  });
});
