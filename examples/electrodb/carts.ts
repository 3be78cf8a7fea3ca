import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createConversions, Entity } from 'electrodb';
import { type ExpiryOptions, expiryAttributes, expiryModel } from 'precise-ttl';

/** The entry of this table in the deployment's configuration: ElectroDB's composed keys are the table's. */
export const SHOP_TABLE = {
  tableName: 'Shop',
  partitionKey: 'pk',
  sortKey: 'sk',
} as const;

const model = expiryModel({ partitionKey: 'pk', sortKey: 'sk' });

/** A hold on stock: an article in somebody's cart, for a while. */
export function holdsIn(client: DynamoDBClient) {
  const entity = new Entity(
    {
      model: { entity: 'hold', version: '1', service: 'shop' },
      attributes: {
        article: { type: 'string', required: true },
        customer: { type: 'string', required: true },
        pieces: { type: 'number', required: true },
        // The two attributes of the expiry; `hidden` keeps the window out of what queries give.
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

  /** The two attributes, of the keys that ElectroDB composes; neither for a hold that does not expire. */
  const expiryOf = (key: Key, options: ExpiryOptions) => {
    const { ttl, expirationWindow } = expiryAttributes(model, conversions.fromComposite.toKeys(key), options);
    return { ttl: ttl as number, expirationWindow: expirationWindow as string };
  };

  return {
    place: (key: Key, pieces: number, options: ExpiryOptions) =>
      entity.put({ ...key, pieces, ...expiryOf(key, options) }).go(),

    /** Rejects when the hold is gone: `patch` writes only to an item that is there. */
    extend: (key: Key, options: ExpiryOptions) => entity.patch(key).set(expiryOf(key, options)).go(),

    /** Pieces that are held at this time, epoch milliseconds: an expired hold does not count, swept or not. */
    async held(article: string, nowMs: number): Promise<number> {
      const { data } = await entity.query
        .byArticle({ article })
        .where(({ ttl }, { gt, notExists }) => `(${notExists(ttl)} OR ${gt(ttl, Math.floor(nowMs / 1000))})`)
        .go({ pages: 'all' });
      return data.reduce((sum, { pieces }) => sum + pieces, 0);
    },
  };
}
