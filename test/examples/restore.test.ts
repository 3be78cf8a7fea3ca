/** @jest-environment ./test/support/dynamodb-environment.ts */
import { gunzipSync, gzipSync } from 'node:zlib';
import { GetItemCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { restore } from '../../docs/examples/restore/restore.ts';
import type { EventImage } from '../../expiry/expiry-event.ts';
import { shardOf } from '../../expiry/shard.ts';
import { windowKey, windowStart } from '../../expiry/window.ts';
import { onlyExpiries } from '../../functions/only-expiries/handler.ts';
import { createExpiringTable } from '../support/expiring-table.ts';
import { useLocalDynamoDb } from '../support/local-dynamodb.ts';
import { streamRecord } from '../support/stream-records.ts';

const { client } = useLocalDynamoDb();
const EXPIRED = Date.parse('2026-11-20T09:00:00Z') / 1000;
const DAY = 86_400;
const EXPIRES_AT = Math.floor(Date.now() / 1000) + 7 * DAY;
const DIGITS = '12345678901234567890123456789012345678';

/** The objects of these items, each removed so many seconds after the first: what Firehose writes of the lines of OnlyExpiries. */
async function archived(
  table: Awaited<ReturnType<typeof createExpiringTable>>,
  items: readonly (readonly [image: EventImage, afterSeconds: number])[],
): Promise<Uint8Array[]> {
  const { model, tableName } = table.settings;
  return items.map(([image, after], place) => {
    const at = EXPIRED + after;
    const item = { ...image, ttl: { N: String(at) }, expirationWindow: { S: 'old' } };
    const lines = onlyExpiries([
      {
        ...{ table: tableName, ttlAttribute: 'ttl', to: 'archive', oldImage: true },
        record: streamRecord({ place, at, item }, model),
      },
    ]);
    return gzipSync(lines.map(line => `${JSON.stringify(line)}\n`).join(''));
  });
}

test('puts back what was archived, value by value, with a new expiry in its window', async () => {
  const table = await createExpiringTable(client, {
    partitionKeyType: 'B',
    sortKey: 'at',
    sortKeyType: 'N',
    shards: 50,
  });
  const { tableName, model } = table.settings;
  const image = {
    ...{ id: { B: 'AP8=' }, at: { N: DIGITS }, none: { NULL: true }, yes: { BOOL: true } },
    ...{ numbers: { NS: [DIGITS] }, bytes: { B: 'AP8=' }, all: { BS: ['AA==', 'AQ=='] } },
    ...{ B: { S: 'AP8=' }, deep: { M: { B: { L: [{ B: 'AP8=' }] } } } },
  } as const;
  const bodies = await archived(table, [[image, 0]]);
  await expect(restore(client, { tableName, model, expiresAt: EXPIRES_AT }, bodies)).resolves.toEqual({
    restored: 1,
    passedOver: 0,
  });
  const bytes = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'));
  const { Items } = await client.send(new ScanCommand({ TableName: tableName }));
  const window = windowKey(
    windowStart(EXPIRES_AT, DAY),
    DAY,
    shardOf({ id: bytes('AP8='), at: { value: DIGITS } }, model, 50),
  );
  expect(Items).toEqual([
    {
      ...image,
      ...{
        id: { B: bytes('AP8=') },
        bytes: { B: bytes('AP8=') },
        all: { BS: [bytes('AA=='), bytes('AQ==')] },
      },
      deep: { M: { B: { L: [{ B: bytes('AP8=') }] } } },
      ...{ ttl: { N: String(EXPIRES_AT) }, expirationWindow: { S: window } },
    },
  ]);
});

test('takes the latest image of a key, leaves an item that is there, and can be run again', async () => {
  const table = await createExpiringTable(client);
  const { tableName, model } = table.settings;
  const item = (id: string, v: string): EventImage => ({ id: { S: id }, v: { S: v } });
  await client.send(
    new PutItemCommand({ TableName: tableName, Item: { id: { S: 'new' }, v: { S: 'newer' } } }),
  );
  const bodies = await archived(table, [
    [item('twice', 'first'), 0],
    [item('new', 'old'), 1],
    [item('twice', 'last'), DAY],
  ]);
  const options = { tableName, model, expiresAt: EXPIRES_AT };
  await expect(restore(client, options, bodies)).resolves.toEqual({ restored: 1, passedOver: 2 });
  await expect(restore(client, options, bodies)).resolves.toEqual({ restored: 0, passedOver: 3 });
  const valueIn = async (id: string) =>
    (await client.send(new GetItemCommand({ TableName: tableName, Key: { id: { S: id } } }))).Item?.['v'];
  expect([await valueIn('twice'), await valueIn('new')]).toEqual([{ S: 'last' }, { S: 'newer' }]);
});

test('puts back an item that was compressed', async () => {
  const table = await createExpiringTable(client);
  const { tableName, model } = table.settings;
  // Six bytes of JSON for each byte of the item.
  const text = '\u0001'.repeat(200_000);
  const bodies = await archived(table, [[{ id: { S: 'a' }, text: { S: text } }, 0]]);
  expect(gunzipSync(bodies[0] ?? '').toString()).toContain('"oldImageGzip":');
  await restore(client, { tableName, model, expiresAt: EXPIRES_AT }, bodies);
  expect(await table.scan()).toMatchObject([{ id: 'a', text }]);
});
