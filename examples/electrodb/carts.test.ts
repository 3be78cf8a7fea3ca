import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { withPreciseTtl } from 'precise-ttl/testing';
import { expect, test } from 'vitest';
import { holdsIn, SHOP_TABLE } from './carts.ts';

const KEY = { article: 'chair', customer: 'alice' };

test('a hold is gone a second after it expires, and an extended one stays', async () => {
  await withPreciseTtl({ tables: [SHOP_TABLE] }, async local => {
    const holds = holdsIn(local.client);
    const nowMs = local.clock.now();
    await holds.place(KEY, 2, { ttlSeconds: 600, nowMs });
    await holds.place({ ...KEY, customer: 'bob' }, 3, { ttlSeconds: 600, nowMs });
    expect(await holds.held('chair', nowMs)).toBe(5);

    await local.advance('9m');
    await holds.extend(KEY, { ttlSeconds: 600, nowMs: local.clock.now() });
    await local.advance('1m');

    const { Items = [] } = await local.documents.send(new ScanCommand({ TableName: SHOP_TABLE.tableName }));
    expect(Items.map(({ customer }) => customer)).toEqual(['alice']);
    expect(await holds.held('chair', local.clock.now())).toBe(2);

    await local.advance('9m');
    await expect(holds.extend(KEY, { ttlSeconds: 600, nowMs: local.clock.now() })).rejects.toThrow(
      /conditional request failed/i,
    );
  });
});

test('an expired hold does not count, also before it is swept; one without an expiry does', async () => {
  await withPreciseTtl(
    { tables: [SHOP_TABLE] },
    async local => {
      const holds = holdsIn(local.client);
      await holds.place(KEY, 2, { ttlSeconds: 600, nowMs: local.clock.now() });
      await holds.place({ ...KEY, customer: 'carol' }, 1, { ttlSeconds: 0, nowMs: local.clock.now() });
      await local.advance('599s');
      expect(await holds.held('chair', local.clock.now())).toBe(3);
      await local.advance('1s');
      expect(await holds.held('chair', local.clock.now())).toBe(1);
    },
    { schedules: false },
  );
});
