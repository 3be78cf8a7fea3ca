import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { withPreciseTtl } from 'precise-ttl/testing';
import { expect, test } from 'vitest';
import { IDEMPOTENCY_TABLE, makePayments, type Order } from './payments.ts';

test('a payment is made once, and its record is deleted when it expires', async () => {
  await withPreciseTtl({ tables: [IDEMPOTENCY_TABLE] }, async local => {
    const made: Order[] = [];
    const pay = makePayments(local.client, async order => {
      made.push(order);
      return { paid: order.amount };
    });
    const records = async () =>
      (await local.documents.send(new ScanCommand({ TableName: IDEMPOTENCY_TABLE.tableName }))).Items ?? [];
    const order = { orderId: '17', amount: 5 };

    expect(await pay(order)).toEqual({ paid: 5 });
    expect(await pay(order)).toEqual({ paid: 5 });
    expect(made).toEqual([order]);
    expect(await records()).toEqual([
      expect.objectContaining({ id: expect.any(String), status: 'COMPLETED' }),
    ]);

    // Powertools goes by the machine's clock, which is a little ahead of the virtual one.
    await local.advance('4m');
    expect(await records()).toHaveLength(1);
    await local.advance('2m');
    expect(await records()).toEqual([]);

    expect(await pay(order)).toEqual({ paid: 5 });
    expect(made).toEqual([order, order]);
  });
});
