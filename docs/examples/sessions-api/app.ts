import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { Hono } from 'hono';
import { expiryAttributes, withExpiry, withoutExpired } from 'precise-ttl';
import { SESSIONS_TABLE, sessions } from './table.ts';

const { tableName: TableName } = SESSIONS_TABLE;

interface Session {
  readonly SessionId: string;
  readonly user: string;
  readonly ExpirationTime: number;
}

export interface Dependencies {
  readonly documents: DynamoDBDocumentClient;
  /** The clock, epoch milliseconds; a test passes its own. @default Date.now */
  readonly now?: () => number;
}

/** Sign-in sessions that expire half an hour after their last use. */
export function createApp({ documents, now = Date.now }: Dependencies): Hono {
  const app = new Hono();
  // No reader sees an expired session, even before it is swept.
  const readers = withoutExpired(documents, { [TableName]: sessions }, { now });

  app.post('/sessions', async context => {
    const { user } = await context.req.json<{ user?: unknown }>();
    if (typeof user !== 'string' || user === '') return context.json({ error: 'user: expected a name' }, 400);
    const key = { SessionId: randomUUID() };
    const Item = { ...key, user, ...expiryAttributes(sessions, key, { nowMs: now() }) };
    await documents.send(new PutCommand({ TableName, Item }));
    return context.json({ id: key.SessionId, user }, 201);
  });

  // Reading a session is a use, and renews it. The condition prevents a renewal from restoring a session that was deleted or has expired.
  app.get('/sessions/:id', async context => {
    const Key = { SessionId: context.req.param('id') };
    const { Item } = await readers.send(new GetCommand({ TableName, Key }));
    const session = Item as Session | undefined;
    if (session === undefined) return context.json({ error: 'no such session' }, 401);
    const condition = {
      ConditionExpression: '#expires = :seen',
      ExpressionAttributeNames: { '#expires': SESSIONS_TABLE.ttlAttribute },
      ExpressionAttributeValues: { ':seen': session.ExpirationTime },
      ReturnValues: 'ALL_NEW',
    } as const;
    try {
      await documents.send(
        new UpdateCommand(withExpiry(sessions, { TableName, Key, ...condition }, { nowMs: now() })),
      );
    } catch (error) {
      // Another request has just renewed the session, or has signed out.
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const { Item: left } = await readers.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      if (left === undefined) return context.json({ error: 'no such session' }, 401);
    }
    return context.json({ id: session.SessionId, user: session.user });
  });

  app.delete('/sessions/:id', async context => {
    await documents.send(new DeleteCommand({ TableName, Key: { SessionId: context.req.param('id') } }));
    return context.body(null, 204);
  });

  return app;
}
