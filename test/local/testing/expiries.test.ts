/** @jest-environment ./test/support/dynamodb-environment.ts */
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { ensureTable } from '../../../local/dynamodb/tables.ts';
import { synthesizedCloud } from '../../../local/stack/synthesized.ts';
import { plainStack } from '../../../stacks/plain-stack.ts';
import { configOf } from '../../support/configs.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';
import { using, write } from './sessions.ts';

const BUS = 'arn:aws:events:us-east-1:123456789012:event-bus/orders';

const { client } = useLocalDynamoDb();

/** A table of somebody else's has no stream. */
beforeAll(async () => {
  const { tables } = synthesizedCloud(plainStack(configOf({ tableName: 'Sessions', partitionKey: 'id' })));
  for (const table of tables.filter(({ name }) => name === 'Sessions')) await ensureTable(client, table);
});

test('a test sees what the pipes pass on: the expiries of its items, and no other deletes', () =>
  using({ archive: true, events: { to: BUS }, existingTable: true }, async local => {
    await write(local, 'first', 200);
    await write(local, 'second', 230);
    await write(local, 'stays', 9_000);
    await write(local, 'deleted', 9_000);
    await local.documents.send(new DeleteCommand({ TableName: 'Sessions', Key: { id: 'deleted' } }));
    expect(await local.expiries()).toEqual([]);
    await local.advance('4m');
    const seen = await local.expiries();
    // At the second of the virtual clock at which each was deleted: the next one, since records are judged.
    const expected = [
      ['first', '2026-11-20T09:03:25.000Z'],
      ['second', '2026-11-20T09:03:55.000Z'],
    ].map(([id, time]) => ({
      table: 'Sessions',
      key: { id: { S: id } },
      expiredAt: time,
      deletedAt: new Date(Date.parse(String(time)) + 1000).toISOString(),
    }));
    const events = seen.filter(({ target }) => target === BUS);
    expect(events).toMatchObject(expected);
    expect(events.map(({ oldImage }) => oldImage)).toEqual([undefined, undefined]);
    const archived = seen.filter(({ target }) => target.includes(':deliverystream/'));
    expect(archived).toMatchObject(expected);
    expect(archived.map(({ oldImage }) => oldImage?.['note'])).toEqual(
      ['first', 'second'].map(id => ({ M: { of: { S: id }, bytes: { B: 'aGVsbG8=' }, empty: { M: {} } } })),
    );
    expect(seen).toHaveLength(4);
  }));
