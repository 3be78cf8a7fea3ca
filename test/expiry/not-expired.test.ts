import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { InvalidRequestError } from '../../expiry/errors.ts';
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
    ['now, as a string', String(now), true],
    ['null', null, true],
    ['missing', undefined, true],
  ])('TTL %s', (_name, ttl, kept) => {
    const item = { id: 'a', ttl };
    expect(unlessExpired(model, item, { nowMs })).toBe(kept ? item : undefined);
  });

  test('no item stays no item', () => expect(unlessExpired(model, undefined, { nowMs })).toBeUndefined());
});
