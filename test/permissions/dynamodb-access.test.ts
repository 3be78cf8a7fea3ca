import { dynamoDbAccess } from '../support/permissions/dynamodb-access.ts';

const PLACE = { partition: 'aws', region: 'eu-central-1', account: '123456789012' };
const TABLE = 'arn:aws:dynamodb:eu-central-1:123456789012:table/T';

test.each<[string, Record<string, unknown>, string, string]>([
  ['Query', { TableName: 'T' }, 'dynamodb:Query', TABLE],
  ['Query', { TableName: 'T', IndexName: 'i' }, 'dynamodb:Query', `${TABLE}/index/i`],
  ['Scan', { TableName: TABLE }, 'dynamodb:Scan', TABLE],
  ['GetItem', { TableName: 'T' }, 'dynamodb:GetItem', TABLE],
  ['BatchWriteItem', { RequestItems: { T: [] } }, 'dynamodb:BatchWriteItem', TABLE],
  [
    'BatchExecuteStatement',
    { Statements: [{ Statement: 'DELETE FROM "T" WHERE "id" = ? AND "ttl" <= ? RETURNING ALL OLD *' }] },
    'dynamodb:PartiQLDelete',
    TABLE,
  ],
  [
    'ExecuteStatement',
    { Statement: 'select * from "T"."i" where x = 1' },
    'dynamodb:PartiQLSelect',
    `${TABLE}/index/i`,
  ],
  ['ExecuteStatement', { Statement: `INSERT INTO "T" VALUE {'id': 1}` }, 'dynamodb:PartiQLInsert', TABLE],
  ['ExecuteStatement', { Statement: 'UPDATE T SET a = 1 WHERE id = 1' }, 'dynamodb:PartiQLUpdate', TABLE],
])('%s of %p is %s on %s', (operation, body, action, resource) => {
  expect(dynamoDbAccess(operation, body, PLACE)).toEqual([{ action, resource }]);
});

test.each([
  ['RestoreTableFromBackup', {}, 'expected a call it knows, got RestoreTableFromBackup'],
  ['ExecuteStatement', { Statement: 'EXISTS(SELECT 1)' }, 'expected a PartiQL statement on a table'],
])('fails for %s of %p', (operation, body, message) => {
  expect(() => dynamoDbAccess(operation, body, PLACE)).toThrow(message);
});
