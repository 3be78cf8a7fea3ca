import { updateTableInput } from '../../../operate/adopt/change-table.ts';

const TABLE = { name: 'Sessions', attributeTypes: { id: 'S', owner: 'B' } } as const;
const KEYS = {
  partitionKeys: [{ name: 'expirationWindow', type: 'S' }],
  sortKeys: [{ name: 'ttl', type: 'N' }],
} as const;
const INDEX = { ...KEYS, name: 'expirationWindowIndex', action: 'create', throughput: undefined } as const;

test('keeps the attributes of the other keys, and asks for one index and nothing else', () => {
  expect(updateTableInput(TABLE, INDEX)).toEqual({
    TableName: 'Sessions',
    AttributeDefinitions: [
      { AttributeName: 'id', AttributeType: 'S' },
      { AttributeName: 'owner', AttributeType: 'B' },
      { AttributeName: 'expirationWindow', AttributeType: 'S' },
      { AttributeName: 'ttl', AttributeType: 'N' },
    ],
    GlobalSecondaryIndexUpdates: [
      {
        Create: {
          IndexName: 'expirationWindowIndex',
          KeySchema: [
            { AttributeName: 'expirationWindow', KeyType: 'HASH' },
            { AttributeName: 'ttl', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      },
    ],
  });
});

test('names an attribute that is a key already once, and gives throughput where there is some', () => {
  const table = { name: 'Sessions', attributeTypes: { id: 'S', ttl: 'N' } } as const;
  const { AttributeDefinitions, GlobalSecondaryIndexUpdates } = updateTableInput(table, {
    ...INDEX,
    partitionKeys: KEYS.sortKeys,
    sortKeys: [],
    throughput: { readUnits: 25, writeUnits: 7 },
  });
  expect(AttributeDefinitions).toHaveLength(2);
  expect(GlobalSecondaryIndexUpdates?.[0]?.Create?.ProvisionedThroughput).toEqual({
    ReadCapacityUnits: 25,
    WriteCapacityUnits: 7,
  });
});
