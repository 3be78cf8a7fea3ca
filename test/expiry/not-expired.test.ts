import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { InvalidArgumentError, InvalidRequestError } from '../../expiry/errors.ts';
import { expiryModel } from '../../expiry/model.ts';
import { notExpired, unlessExpired } from '../../expiry/not-expired.ts';

const nowMs = Date.parse('2022-07-19T21:27:00Z');
const now = nowMs / 1000;
const model = expiryModel({ partitionKey: 'id' });

// What the filter lets through is tested on DynamoDB Local, in without-expired.dynamodb.test.ts.
describe('notExpired', () => {
  test('joins the filter that is there with AND, in brackets', () => {
    const { FilterExpression } = notExpired(model, { FilterExpression: 'a = :a OR b = :b' }, { nowMs });
    expect(FilterExpression).toMatch(/^\(a = :a OR b = :b\) AND \(/);
  });

  test.each([
    ['whole items', {}],
    ["the low-level client's items", { Key: { id: { S: 'a' } } }],
    ['the TTL by its name', { ProjectionExpression: 'id, ttl' }],
    [
      'the TTL by a placeholder',
      { ProjectionExpression: '#t,id', ExpressionAttributeNames: { '#t': 'ttl' } },
    ],
  ])('leaves a Get as it is when it reads %s', (_name, more) => {
    const request = { TableName: 't', Key: { id: 'a' }, ...more };
    const made = notExpired(model, request, { nowMs });
    expect(made).toEqual(request);
    expect(made).not.toBe(request);
  });

  test('adds the TTL attribute to the projection of a Get', () => {
    const request = { Key: { id: 'a' }, ProjectionExpression: 'id, payload' };
    expect(notExpired(model, request, { nowMs })).toEqual({
      Key: { id: 'a' },
      ProjectionExpression: 'id, payload, #preciseTtl',
      ExpressionAttributeNames: { '#preciseTtl': 'ttl' },
    });
  });

  test.each<[string, unknown, RegExp]>([
    ['a legacy parameter', { ScanFilter: {} }, /^ScanFilter: expected a request that uses expressions/],
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
    ['an Update', { Key: { id: 'a' }, UpdateExpression: 'SET a = :a' }, /^UpdateExpression: .*Query, Scan/],
    ['a Delete', { Key: { id: 'a' }, ConditionExpression: 'a = :a' }, /^ConditionExpression: .*Query, Scan/],
    ['a BatchGet', { RequestItems: { t: { Keys: [] } } }, /^RequestItems: .*unlessExpired/],
    ['null', null, /^request: expected/],
  ])('fails for %s', (_name, request, message) => {
    const read = () => notExpired(model, request as object, { nowMs });
    expect(read).toThrow(InvalidRequestError);
    expect(read).toThrow(message);
  });

  test.each([
    { ':size': { S: 3 }, ':two': { S: 'a', size: 1 }, ':plain': 'a' },
    { ':list': { L: { one: 1 } }, ':none': { M: null } },
  ])('takes maps that only resemble the low-level form: %j', values => {
    expect(
      notExpired(model, { ExpressionAttributeValues: values }, { nowMs }).ExpressionAttributeValues,
    ).toMatchObject(values);
  });
});

test.each<[string, unknown, RegExp]>([
  ['null', null, /^options: expected an object/],
  ['a misspelt one', { nowMS: nowMs }, /^nowMS: .*Did you mean nowMs\?/],
  ['a clock in seconds', { nowMs: now }, /^nowMs: .*looks like seconds/],
])('options fail for %s', (_case, options, message) => {
  const calls = [
    () => notExpired(model, {}, options as object),
    () => unlessExpired(model, { ttl: now }, options as object),
  ];
  for (const call of calls) expect(call).toThrow(InvalidArgumentError);
  for (const call of calls) expect(call).toThrow(message);
});

describe('unlessExpired', () => {
  test.each<[string, unknown, boolean]>([
    ['a second from now', now + 1, true],
    ['now', now, false],
    ['now, as a wrapped number', NumberValue.from(String(now)), false],
    ['a second from now, as a wrapped number', NumberValue.from(String(now + 1)), true],
    ['a fraction before now, in a stream image', { N: `${now - 1}.5` }, false],
    ['now, as a string in a stream image', { S: String(now) }, true],
    ['a map that happens to have an N', { N: 'north', ttl: now }, true],
    ['an empty number in a stream image', { N: '' }, true],
    ['a list', [now], true],
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
