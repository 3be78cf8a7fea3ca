import { withExpiry } from '../../expiry/attributes.ts';
import { InvalidRequestError } from '../../expiry/errors.ts';
import { expiryModel } from '../../expiry/model.ts';

const nowMs = Date.parse('2022-07-19T21:27:00Z');
const model = expiryModel({ partitionKey: 'id', shards: 1 });
const Key = { id: 'a' };
const SET = '#preciseTtl = :preciseTtl, #preciseTtlWindow = :preciseTtlWindow';
const REMOVE = '#preciseTtl, #preciseTtlWindow';

describe('withExpiry', () => {
  test.each<[number, string, string | undefined, string]>([
    [5, 'sets it beside no expression', undefined, `SET ${SET}`],
    [5, 'sets it beside a SET clause', 'SET a = :a', `SET ${SET}, a = :a`],
    [5, 'sets it beside a lower-case one', 'set a = :a', `SET ${SET}, a = :a`],
    [5, 'sets it beside another clause', 'REMOVE b', `REMOVE b SET ${SET}`],
    [
      5,
      'sets it beside names that end in it',
      'ADD #set :set, offset :b, a.set :c',
      `ADD #set :set, offset :b, a.set :c SET ${SET}`,
    ],
    [0, 'removes it beside no expression', undefined, `REMOVE ${REMOVE}`],
    [0, 'removes it beside a REMOVE clause', 'REMOVE b', `REMOVE ${REMOVE}, b`],
    [0, 'removes it beside another clause', 'SET a = :a', `SET a = :a REMOVE ${REMOVE}`],
  ])('with a TTL of %d %s', (ttlSeconds, _name, expression, expected) => {
    const request = { Key, ...(expression === undefined ? {} : { UpdateExpression: expression }) };
    const updated = withExpiry(model, request, { ttlSeconds, nowMs });
    expect(updated.UpdateExpression).toBe(expected);
    expect('ExpressionAttributeValues' in updated).toBe(ttlSeconds > 0);
  });

  test('by second sets and removes the TTL alone', () => {
    const bySecond = expiryModel({ partitionKey: 'id', indexedBy: 'second' });
    const request = { TableName: 'Sessions', Key: { id: 'a' } };
    expect(withExpiry(bySecond, request, { ttlSeconds: 60, nowMs })).toEqual({
      ...request,
      UpdateExpression: 'SET #preciseTtl = :preciseTtl',
      ExpressionAttributeNames: { '#preciseTtl': 'ttl' },
      ExpressionAttributeValues: { ':preciseTtl': nowMs / 1000 + 60 },
    });
    expect(withExpiry(bySecond, request, { ttlSeconds: 0 })).toEqual({
      ...request,
      UpdateExpression: 'REMOVE #preciseTtl',
      ExpressionAttributeNames: { '#preciseTtl': 'ttl' },
    });
  });

  test('keeps everything else and leaves the request it was given alone', () => {
    const request = {
      TableName: 't',
      Key,
      UpdateExpression: 'SET #a = :a',
      ExpressionAttributeNames: { '#a': 'a' },
      ExpressionAttributeValues: { ':a': 1 },
    };
    const copy = structuredClone(request);
    expect(withExpiry(model, request, { ttlSeconds: 5, nowMs })).toEqual({
      TableName: 't',
      Key,
      UpdateExpression: `SET ${SET}, #a = :a`,
      ExpressionAttributeNames: { '#a': 'a', '#preciseTtl': 'ttl', '#preciseTtlWindow': 'expirationWindow' },
      ExpressionAttributeValues: {
        ':a': 1,
        ':preciseTtl': nowMs / 1000 + 5,
        ':preciseTtlWindow': '2022-07-19T00:00:00.000Z_2022-07-20T00:00:00.000Z',
      },
    });
    expect(request).toEqual(copy);
  });

  test.each<[string, unknown, RegExp]>([
    ['a Put', { TableName: 't', Item: { id: 'a' } }, /^Item: .*expiryAttributes/],
    ['no Key', { TableName: 't' }, /^Key: .*got nothing/],
    ["the low-level client's key", { Key: { id: { S: 'a' } } }, /^Key: .*document client/],
    [
      "the low-level client's values",
      { Key, UpdateExpression: 'SET a = :a', ExpressionAttributeValues: { ':a': { S: 'x' } } },
      /^ExpressionAttributeValues: .*document client/,
    ],
  ])('fails for %s', (_name, request, message) => {
    const update = () => withExpiry(model, request as never, { ttlSeconds: 5, nowMs });
    expect(update).toThrow(InvalidRequestError);
    expect(update).toThrow(message);
  });
});
