import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { withPreciseTtl } from 'precise-ttl/testing';
import { expect, test } from 'vitest';
import { VOUCHERS_TABLE, vouchersIn } from './vouchers.ts';

const inMinutes = (nowMs: number, minutes: number) => Math.floor(nowMs / 1000) + minutes * 60;

test('a voucher with nothing but a TTL is gone when it expires, and an extended one stays', async () => {
  await withPreciseTtl({ tables: [VOUCHERS_TABLE] }, async local => {
    const vouchers = vouchersIn(local.client);
    const start = local.clock.now();
    await vouchers.issue('alice', 'SPRING', inMinutes(start, 2));
    await vouchers.issue('alice', 'SUMMER', inMinutes(start, 2));
    expect(await vouchers.valid('alice', start)).toEqual(['SPRING', 'SUMMER']);

    await local.advance('1m');
    await vouchers.extend('alice', 'SUMMER', inMinutes(local.clock.now(), 2));
    await local.advance('1m');

    const { Items = [] } = await local.documents.send(
      new ScanCommand({ TableName: VOUCHERS_TABLE.tableName }),
    );
    expect(Items.map(({ code }) => code)).toEqual(['SUMMER']);
    expect(await vouchers.valid('alice', local.clock.now())).toEqual(['SUMMER']);

    await local.advance('1m');
    await expect(vouchers.extend('alice', 'SUMMER', inMinutes(local.clock.now(), 10))).rejects.toThrow(
      /conditional request failed/i,
    );
  });
});

test('an expired voucher is not valid, also before it is swept', async () => {
  await withPreciseTtl(
    { tables: [VOUCHERS_TABLE] },
    async local => {
      const vouchers = vouchersIn(local.client);
      const ttl = inMinutes(local.clock.now(), 10);
      await vouchers.issue('alice', 'SPRING', ttl);
      expect(await vouchers.valid('alice', (ttl - 1) * 1000)).toEqual(['SPRING']);
      expect(await vouchers.valid('alice', ttl * 1000)).toEqual([]);
    },
    { schedules: false },
  );
});

test('milliseconds are refused', async () => {
  await withPreciseTtl(
    { tables: [VOUCHERS_TABLE] },
    async local => {
      const vouchers = vouchersIn(local.client);
      await expect(vouchers.issue('alice', 'SPRING', local.clock.now())).rejects.toThrow(/invalid value/i);
    },
    { schedules: false },
  );
});
