import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Entity } from 'dynamodb-toolbox/entity';
import { GetItemCommand } from 'dynamodb-toolbox/entity/actions/get';
import { PutItemCommand } from 'dynamodb-toolbox/entity/actions/put';
import { $remove, UpdateItemCommand } from 'dynamodb-toolbox/entity/actions/update';
import { item } from 'dynamodb-toolbox/schema/item';
import { number } from 'dynamodb-toolbox/schema/number';
import { string } from 'dynamodb-toolbox/schema/string';
import { Table } from 'dynamodb-toolbox/table';
import { QueryCommand } from 'dynamodb-toolbox/table/actions/query';
import { type ExpiryOptions, expiryAttributes, expiryModel, unlessExpired } from 'precise-ttl';

/** The entry of this table in the deployment's configuration. The key attributes are those that `computeKey` makes. */
export const SESSIONS_TABLE = {
  tableName: 'Sessions',
  partitionKey: 'pk',
  sortKey: 'sk',
  index: { shards: 2 },
} as const;

const model = expiryModel({ partitionKey: 'pk', sortKey: 'sk', shards: 2 });

interface Key {
  readonly user: string;
  readonly device: string;
}

const tableKey = ({ user, device }: Key) => ({ pk: `USER#${user}`, sk: `SESSION#${device}` });

/** The two expiry attributes, computed from the table's key. */
function expiryOf(key: Key, options: ExpiryOptions) {
  const { ttl, expirationWindow } = expiryAttributes(model, tableKey(key), options);
  return { ttl: ttl as number, expirationWindow: expirationWindow as string };
}

/** The sessions of a user, one for each device. */
export function sessionsIn(documentClient: DynamoDBDocumentClient) {
  const table = new Table({
    documentClient,
    name: SESSIONS_TABLE.tableName,
    partitionKey: { name: 'pk', type: 'string' },
    sortKey: { name: 'sk', type: 'string' },
  });
  const entity = new Entity({
    name: 'session',
    table,
    schema: item({
      user: string().key(),
      device: string().key(),
      place: string(),
      // The two expiry attributes; `hidden` leaves the window out of the results of reads.
      ttl: number().optional(),
      expirationWindow: string().optional().hidden(),
    }),
    computeKey: tableKey,
  });

  return {
    signIn: (key: Key, place: string, options: ExpiryOptions) =>
      entity
        .build(PutItemCommand)
        .item({ ...key, place, ...expiryOf(key, options) })
        .send(),

    /** Rejects when the session is gone: without the condition an update would bring it back. */
    renew: (key: Key, options: ExpiryOptions) =>
      entity
        .build(UpdateItemCommand)
        .item({ ...key, ...expiryOf(key, options) })
        .options({ condition: { attr: 'place', exists: true } })
        .send(),

    /** Makes a session permanent: it removes both attributes. */
    keep: (key: Key) =>
      entity
        .build(UpdateItemCommand)
        .item({ ...key, ttl: $remove(), expirationWindow: $remove() })
        .options({ condition: { attr: 'place', exists: true } })
        .send(),

    /** The place of a session; undefined if the session has expired, which a Get cannot filter. */
    async place(key: Key, nowMs: number): Promise<string | undefined> {
      const { Item } = await entity.build(GetItemCommand).key(key).send();
      return unlessExpired(model, Item, { nowMs })?.place;
    },

    /** The devices of a user's sessions at this time, epoch milliseconds, without expired ones that are still in the table. */
    async devices(user: string, nowMs: number): Promise<string[]> {
      const { Items = [] } = await table
        .build(QueryCommand)
        .entities(entity)
        .query({ partition: `USER#${user}` })
        .options({
          maxPages: Number.POSITIVE_INFINITY,
          filters: {
            session: {
              or: [
                { attr: 'ttl', exists: false },
                { attr: 'ttl', gt: Math.floor(nowMs / 1000) },
              ],
            },
          },
        })
        .send();
      return Items.map(({ device }) => device);
    },
  };
}
