import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Entity } from 'dynamodb-toolbox/entity';
import { GetItemCommand } from 'dynamodb-toolbox/entity/actions/get';
import { PutItemCommand } from 'dynamodb-toolbox/entity/actions/put';
import { UpdateItemCommand } from 'dynamodb-toolbox/entity/actions/update';
import { item } from 'dynamodb-toolbox/schema/item';
import { number } from 'dynamodb-toolbox/schema/number';
import { string } from 'dynamodb-toolbox/schema/string';
import { Table } from 'dynamodb-toolbox/table';

/** The entry of this table in the deployment's configuration. By second the sweep needs nothing but the TTL. */
export const INVITATIONS_TABLE = {
  tableName: 'Invitations',
  partitionKey: 'code',
  index: { by: 'second' },
} as const;

/** Invitations that expire. The entity has a TTL and does not use precise-ttl: with an index by second no writer changes. */
export function invitationsIn(documentClient: DynamoDBDocumentClient) {
  const table = new Table({
    documentClient,
    name: INVITATIONS_TABLE.tableName,
    partitionKey: { name: 'code', type: 'string' },
  });
  const entity = new Entity({
    name: 'invitation',
    table,
    schema: item({
      code: string().key(),
      guest: string(),
      // The TTL in whole epoch seconds.
      ttl: number().validate(ttl => Number.isInteger(ttl) && ttl < 1e11),
    }),
  });

  return {
    invite: (code: string, guest: string, ttl: number) =>
      entity.build(PutItemCommand).item({ code, guest, ttl }).send(),

    /** Rejects when the invitation is gone. */
    extend: (code: string, ttl: number) =>
      entity
        .build(UpdateItemCommand)
        .item({ code, ttl })
        .options({ condition: { attr: 'guest', exists: true } })
        .send(),

    /** The guest who is invited by this code, unless it has expired at this time, epoch milliseconds. */
    async guest(code: string, nowMs: number): Promise<string | undefined> {
      const { Item } = await entity.build(GetItemCommand).key({ code }).send();
      return Item !== undefined && Item.ttl > Math.floor(nowMs / 1000) ? Item.guest : undefined;
    },
  };
}
