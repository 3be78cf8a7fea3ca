import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createConversions, Entity } from 'electrodb';
import { type ExpiryOptions, expiryAttributes, expiryModel } from 'precise-ttl';

/** The entry of this table in the deployment's configuration. Its keys are those that ElectroDB composes. */
export const SHOP_TABLE = {
  tableName: 'Shop',
  partitionKey: 'pk',
  sortKey: 'sk',
} as const;

const model = expiryModel({ partitionKey: 'pk', sortKey: 'sk' });

/** Holds on stock: an article stays reserved in a cart until the hold expires. */
export function holdsIn(client: DynamoDBClient) {
  const entity = new Entity(
    {
      model: { entity: 'hold', version: '1', service: 'shop' },
      attributes: {
        article: { type: 'string', required: true },
        customer: { type: 'string', required: true },
        pieces: { type: 'number', required: true },
        // The two expiry attributes; `hidden` leaves the window out of the results of queries.
        ttl: { type: 'number' },
        expirationWindow: { type: 'string', hidden: true },
      },
      indexes: {
        byArticle: {
          pk: { field: 'pk', composite: ['article'] },
          sk: { field: 'sk', composite: ['customer'] },
        },
      },
    },
    { client, table: SHOP_TABLE.tableName },
  );

  const conversions = createConversions(entity);

  type Key = { readonly article: string; readonly customer: string };

  /** The two expiry attributes, computed from the keys that ElectroDB composes; none for a hold that does not expire. */
  const expiryOf = (key: Key, options: ExpiryOptions) => {
    const { ttl, expirationWindow } = expiryAttributes(model, conversions.fromComposite.toKeys(key), options);
    return { ttl: ttl as number, expirationWindow: expirationWindow as string };
  };

  return {
    place: (key: Key, pieces: number, options: ExpiryOptions) =>
      entity.put({ ...key, pieces, ...expiryOf(key, options) }).go(),

    /** Rejects when the hold is gone: `patch` only writes to an existing item. */
    extend: (key: Key, options: ExpiryOptions) => entity.patch(key).set(expiryOf(key, options)).go(),

    /** Number of pieces that are held at this time, epoch milliseconds, without expired holds that are still in the table. */
    async held(article: string, nowMs: number): Promise<number> {
      const { data } = await entity.query
        .byArticle({ article })
        .where(({ ttl }, { gt, notExists }) => `(${notExists(ttl)} OR ${gt(ttl, Math.floor(nowMs / 1000))})`)
        .go({ pages: 'all' });
      return data.reduce((sum, { pieces }) => sum + pieces, 0);
    },
  };
}
