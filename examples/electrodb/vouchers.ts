import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Entity } from 'electrodb';

/** The entry of this table in the deployment's configuration. By second the sweep needs nothing but the TTL. */
export const VOUCHERS_TABLE = {
  tableName: 'Vouchers',
  partitionKey: 'pk',
  sortKey: 'sk',
  index: { by: 'second' },
} as const;

/** Vouchers that expire. The entity has a TTL and does not use precise-ttl: with an index by second no writer changes. */
export function vouchersIn(client: DynamoDBClient) {
  const entity = new Entity(
    {
      model: { entity: 'voucher', version: '1', service: 'shop' },
      attributes: {
        customer: { type: 'string', required: true },
        code: { type: 'string', required: true },
        // The TTL in whole epoch seconds.
        ttl: { type: 'number', required: true, validate: ttl => Number.isInteger(ttl) && ttl < 1e11 },
      },
      indexes: {
        byCustomer: {
          pk: { field: 'pk', composite: ['customer'] },
          sk: { field: 'sk', composite: ['code'] },
        },
      },
    },
    { client, table: VOUCHERS_TABLE.tableName },
  );

  return {
    issue: (customer: string, code: string, ttl: number) => entity.put({ customer, code, ttl }).go(),

    /** Rejects when the voucher is gone. */
    extend: (customer: string, code: string, ttl: number) =>
      entity.patch({ customer, code }).set({ ttl }).go(),

    /** The codes that are valid at this time, epoch milliseconds. */
    async valid(customer: string, nowMs: number): Promise<string[]> {
      const { data } = await entity.query
        .byCustomer({ customer })
        .where(({ ttl }, { gt }) => gt(ttl, Math.floor(nowMs / 1000)))
        .go({ pages: 'all' });
      return data.map(({ code }) => code);
    },
  };
}
