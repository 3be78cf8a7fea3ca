/** @jest-environment ./test/support/dynamodb-environment.ts */
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, NumberValue, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { withExpiry } from '../../../expiry/attributes.ts';
import { OLDEST_EXPIRY_AGE_SECONDS } from '../../../expiry/ttl.ts';
import { deleteChunk } from '../../../functions/delete-chunk/handler.ts';
import type { Runtime } from '../../../functions/runtime/runtime.ts';
import { toItemKey } from '../../../functions/table/item-key.ts';
import type { Chunk } from '../../../statemachine/contract/chunks.ts';
import type { ExpiredKey, ItemKey } from '../../../statemachine/contract/keys.ts';
import { createExpiringTable, runtimeOf } from '../../support/expiring-table.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

/* What only a database knows of a delete. */

const dynamo = useLocalDynamoDb();

const CUTOFF = Date.parse('2026-11-20T09:00:30Z') / 1000;
/** An item that will be five years old when its child may still live is left. */
const TOO_OLD = CUTOFF - OLDEST_EXPIRY_AGE_SECONDS + 600;
const clock = () => CUTOFF * 1000 + 250;
const expired = (id: unknown, ttl = CUTOFF) => ({ id, ttl, expirationWindow: 'w' });
const withTtl = (key: ItemKey, ttl = CUTOFF): ExpiredKey => ({ key, ttl });

/** What one attempt at these keys comes to. */
async function deleted(keys: readonly ExpiredKey[], runtime: Runtime, timeoutSeconds = 15) {
  const chunk: Chunk = {
    ...{ next: 'delete', until: null, timeoutSeconds, cutoff: CUTOFF, planned: false, progress: null },
    ...{ deadline: new Date(clock() + 60_000).toISOString(), keys },
  };
  const input = { chunk, now: new Date(clock()).toISOString() };
  const answer = await deleteChunk(input, { ...runtime, clock }, () => ({ isPaused: async () => false }));
  return { ...answer.progress, unprocessed: answer.keys };
}

test('guarded, a chunk tells deleted, renewed, refused and not found apart', async () => {
  const table = await createExpiringTable(dynamo.client);
  const TableName = table.settings.tableName;
  const nested = { M: { ['__proto__']: { S: 'p' }, toString: { S: 't' } } };
  const strange = { id: { S: 'strange' }, nested, ['__proto__']: { S: 'p' }, ttl: { N: String(CUTOFF) } };
  await dynamo.client.send(new PutItemCommand({ TableName, Item: strange }));
  await table.put([
    ...['expired', 'renewed', 'made permanent', 'of TTL 0', 'gone'].map(id => expired(id)),
    expired('a second too early', CUTOFF + 1),
    expired('too old', TOO_OLD),
    expired('just young enough', TOO_OLD + 1),
  ]);
  const found = (await table.scan()).map(item => withTtl(toItemKey(item, ['id'])));
  const wrong = withTtl({ id: { N: '1' } });

  // What happens between the query and the delete.
  const { model } = table.settings;
  const renew = (id: string, ttlSeconds: number) =>
    withExpiry(model, { TableName, Key: { id } }, { ttlSeconds, nowMs: CUTOFF * 1000 });
  await table.documents.send(new UpdateCommand(renew('renewed', 1)));
  await table.documents.send(new UpdateCommand(renew('made permanent', 0)));
  await table.documents.send(
    new UpdateCommand({
      ...{ TableName, Key: { id: 'of TTL 0' }, UpdateExpression: 'SET #ttl = :never' },
      ...{ ExpressionAttributeNames: { '#ttl': 'ttl' }, ExpressionAttributeValues: { ':never': 0 } },
    }),
  );
  await table.documents.send(new DeleteCommand({ TableName, Key: { id: 'gone' } }));

  expect(await deleted([...found.slice(0, 4), wrong, ...found.slice(4)], table.runtime)).toMatchObject({
    ...{ deleted: 3, renewed: 5, notFound: 1, unprocessed: [] },
    failed: [{ key: wrong.key, reason: 'ValidationError' }],
  });
  expect((await table.scan()).map(item => item['id']).sort()).toEqual(
    ['a second too early', 'made permanent', 'of TTL 0', 'renewed', 'too old'].sort(),
  );
});

const DIGITS = ['12345678901234567890123456789012345678', '-1.2345678901234567890123456789012345678', '0.5'];

describe.each(['guarded', 'batch'] as const)('%s', deleteMode => {
  test.each<['S' | 'N' | 'B', (index: number) => unknown]>([
    ['S', index => `item "${index}" 'ü'`],
    ['N', index => NumberValue.from(DIGITS[index] ?? '7')],
    ['B', index => new Uint8Array([index, 255 - index, 0])],
  ])('keys of type %s are deleted, with and without sort key, whatever their names', async (type, value) => {
    for (const sortKey of [undefined, 'a.b']) {
      const table = await createExpiringTable(dynamo.client, {
        ...{ partitionKey: 'the "id"', partitionKeyType: type, ttlAttribute: 'select', deleteMode },
        ...(sortKey && { sortKey, sortKeyType: type }),
      });
      const item = (index: number) => ({
        ...{ 'the "id"': value(index), select: CUTOFF, expirationWindow: 'w' },
        ...(sortKey && { [sortKey]: value(2 - index) }),
      });
      await table.put([item(0), item(1), item(2)]);
      const names = ['the "id"', ...(sortKey ? [sortKey] : [])];
      const keys = (await table.scan()).map(found => withTtl(toItemKey(found, names)));
      await table.put([item(3)]);
      const handedOn = JSON.parse(JSON.stringify(keys));
      expect(await deleted(handedOn, table.runtime)).toMatchObject({
        ...{ deleted: 3, notFound: 0, unprocessed: [], failed: [] },
      });
      expect(await table.scan()).toHaveLength(1);
    }
  });
});

test("an answer may take three quarters of the task's time limit", async () => {
  const { settings } = await createExpiringTable(dynamo.client);
  const options: unknown[] = [];
  const send = async (_command: unknown, option: unknown) => {
    options.push(option);
    return { Responses: [{ Item: { id: 'a' } }] };
  };
  const runtime = runtimeOf(settings, { send } as never);
  await deleted([withTtl({ id: { S: 'a' } })], runtime, 2);
  await deleted([withTtl({ id: { S: 'a' } })], runtime, 15);
  expect(options).toEqual([{ requestTimeout: 1500 }, { requestTimeout: 5000 }]);
});
