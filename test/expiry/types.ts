/**
 * What the compiler takes and refuses, judged by `npm run typecheck`: nothing here is ever run. A line under
 * `@ts-expect-error` that compiles is an error.
 */
import type { AttributeValue, DynamoDBClient, GetItemCommandInput } from '@aws-sdk/client-dynamodb';
import {
  GetItemCommand,
  QueryCommand as LowLevelQueryCommand,
  ScanCommand as LowLevelScanCommand,
} from '@aws-sdk/client-dynamodb';
import {
  type DeleteCommandInput,
  type DynamoDBDocument,
  type DynamoDBDocumentClient,
  GetCommand,
  type GetCommandInput,
  type GetCommandOutput,
  type PutCommandInput,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import {
  expiryAttributes,
  expiryModel,
  notExpired,
  unlessExpired,
  withExpiry,
  withoutExpired,
} from '../../expiry/index.ts';

interface SessionKey {
  UserName: string;
  SessionId: number;
}
interface Session extends SessionKey {
  ttl?: number;
}

const model = expiryModel({ partitionKey: 'UserName', sortKey: 'SessionId' });

export function writers(session: Session, key: SessionKey, update: UpdateCommandInput, put: PutCommandInput) {
  expiryAttributes(model, session);
  expiryAttributes(model, { ...session }, { ttlSeconds: 5 });
  // @ts-expect-error: no option of that name
  expiryAttributes(model, session, { ttlSecond: 5 });
  // @ts-expect-error: the props are not the model
  expiryAttributes({ partitionKey: 'UserName' }, session);
  // @ts-expect-error: null is no key
  expiryAttributes(model, null);
  // @ts-expect-error: many items
  expiryAttributes(model, [session]);

  new UpdateCommand(withExpiry(model, update));
  new UpdateCommand(withExpiry(model, { TableName: 't', Key: key }));
  new UpdateCommand(withExpiry(model, { TableName: 't', Key: { UserName: 'alice', SessionId: 1n } }));
  new UpdateCommand(
    withExpiry(model, {
      TableName: 't',
      Key: key,
      UpdateExpression: 'SET a = :a',
      ExpressionAttributeNames: { '#a': 'a' },
      ExpressionAttributeValues: { ':a': { nested: new Set(['x']) }, ':b': null, ':c': session, ':d': {} },
    }),
  );
  // @ts-expect-error: a Put has an Item
  withExpiry(model, put);
  // @ts-expect-error: a Put has an Item
  withExpiry(model, { TableName: 't', Item: session });
  // @ts-expect-error: an update has a Key
  withExpiry(model, { TableName: 't' });
}

export function readers(
  session: Session,
  get: GetCommandInput,
  query: QueryCommandInput,
  put: PutCommandInput,
  update: UpdateCommandInput,
  remove: DeleteCommandInput,
  lowLevelGet: GetItemCommandInput,
) {
  new QueryCommand(notExpired(model, query));
  new QueryCommand(notExpired(model, { TableName: 't', ExpressionAttributeValues: { ':user': 'alice' } }));
  new ScanCommand(notExpired(model, { TableName: 't', Limit: 5 }));
  new GetCommand(notExpired(model, get));
  new GetCommand(notExpired(model, { TableName: 't', Key: session }));
  // A Get's projection is the same for both clients.
  new GetItemCommand(notExpired(model, lowLevelGet));
  // @ts-expect-error: what comes out is for the document client
  new LowLevelScanCommand(notExpired(model, { TableName: 't' }));
  // @ts-expect-error: what comes out is for the document client
  new LowLevelQueryCommand(notExpired(model, { TableName: 't', KeyConditionExpression: 'a = b' }));
  // @ts-expect-error: a Put reads nothing
  notExpired(model, put);
  // @ts-expect-error: an Update reads nothing
  notExpired(model, update);
  // @ts-expect-error: a Delete reads nothing
  notExpired(model, remove);
}

export function items(
  session: Session,
  maybe: Session | undefined,
  nothing: Session | null,
  output: GetCommandOutput,
  image: Record<string, AttributeValue> | undefined,
) {
  const live: Session | undefined = unlessExpired(model, session);
  const loose: Record<string, unknown> | undefined = unlessExpired(model, output.Item);
  const streamed: Record<string, AttributeValue> | undefined = unlessExpired(model, image);
  unlessExpired(model, maybe);
  // @ts-expect-error: null is no item
  unlessExpired(model, nothing);
  // @ts-expect-error: the output of a Get instead of its Item
  unlessExpired(model, output);
  // @ts-expect-error: many items
  unlessExpired(model, [session]);
  return { live, loose, streamed };
}

export function clients(
  documents: DynamoDBDocumentClient,
  methods: DynamoDBDocument,
  lowLevel: DynamoDBClient,
  now: () => number,
) {
  const models = { Sessions: model, Users: null };
  const reader: DynamoDBDocumentClient = withoutExpired(documents, models);
  const methodsReader: DynamoDBDocument = withoutExpired(methods, models, { now });
  const lowLevelReader: DynamoDBClient = withoutExpired(lowLevel, { [String(now)]: model });
  // @ts-expect-error: a model belongs to a table
  withoutExpired(documents, model);
  // @ts-expect-error: a table whose items do not expire is said to be one, by null
  withoutExpired(documents, { Users: undefined });
  // @ts-expect-error: a clock is a function here
  withoutExpired(documents, models, { nowMs: 1 });
  // @ts-expect-error: a command is no client
  withoutExpired(new GetCommand({ TableName: 't', Key: {} }), models);
  return { reader, methodsReader, lowLevelReader };
}
