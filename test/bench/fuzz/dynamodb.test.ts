import { VirtualClock } from 'stepfunctions-emulator';
import { readRequest, tableOf, UnknownRequestError } from '../../../bench/fuzz/dynamodb.ts';
import { MemoryTable } from '../../../bench/fuzz/table.ts';
import type { EventImage } from '../../../expiry/expiry-event.ts';

const GUARDED = 'DELETE FROM "a ""t""" WHERE "id" = ? AND "ttl" <= ? AND "ttl" > ? RETURNING ALL OLD *';
const PARAMETERS = [{ S: 'x' }, { N: '10' }, { N: '5' }];

function tableWith(attributes: EventImage): MemoryTable {
  const table = new MemoryTable({
    ...{
      tableName: 'a "t"',
      indexName: 'i',
      keyNames: ['id'],
      ttlAttribute: 'ttl',
      windowAttribute: undefined,
    },
    ...{
      clock: new VirtualClock(0),
      asServerHasIt: at => at,
      indexLagMs: () => 0,
      onChange: () => undefined,
    },
  });
  table.put({ id: { S: 'x' }, ...attributes }, 'user');
  return table;
}

const batch = (Statement: string, Parameters: readonly object[] = PARAMETERS) => ({
  Statements: [{ Statement, Parameters }],
});

test.each<[EventImage, boolean]>([
  [{ ttl: { N: '9' } }, true],
  [{ ttl: { N: '10' } }, true],
  [{ ttl: { N: '10.5' } }, false],
  [{ ttl: { N: '5' } }, false],
  [{ ttl: { S: '9' } }, false],
  [{}, false],
])('%j is deleted: %s', (attributes, isDeleted) => {
  const table = tableWith(attributes);
  expect(tableOf('BatchExecuteStatement', batch(GUARDED))).toBe('a "t"');
  const { body } = readRequest('BatchExecuteStatement', batch(GUARDED), table).answer(new Map());
  const [answer] = (body as { readonly Responses: readonly object[] }).Responses;
  const expected = isDeleted ? { Item: attributes } : { Error: { Code: 'ConditionalCheckFailed' } };
  expect(answer).toMatchObject(expected);
  expect(table.images.size).toBe(isDeleted ? 0 : 1);
});

test.each([
  ['BatchExecuteStatement', batch('SELECT * FROM "a ""t"""')],
  ['BatchExecuteStatement', batch(GUARDED.replace(' AND "ttl" > ?', ''), PARAMETERS.slice(0, 2))],
  ['BatchExecuteStatement', batch(GUARDED.replace('<=', '<'))],
  ['BatchExecuteStatement', batch(GUARDED, PARAMETERS.slice(0, 2))],
  ['BatchWriteItem', { RequestItems: { 'a "t"': [{ PutRequest: {} }] } }],
  ['Query', { IndexName: 'i', KeyConditionExpression: '#ttl < :second', ExpressionAttributeNames: {} }],
  ['DeleteItem', {}],
])('refuses a %s that the functions never send', (operation, body) => {
  expect(() => readRequest(operation, body, tableWith({})).answer(new Map())).toThrow(UnknownRequestError);
});
