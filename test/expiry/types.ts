/**
 * What the compiler takes and refuses, judged by `npm run typecheck`: nothing here is ever run. A line under
 * `@ts-expect-error` that compiles is an error.
 */
import {
  type AttributeValue,
  type DynamoDBClient,
  GetItemCommand,
  type GetItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocument,
  type DynamoDBDocumentClient,
  GetCommand,
  type GetCommandOutput,
  type PutCommandInput,
  QueryCommand,
  type QueryCommandInput,
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

interface Session {
  UserName: string;
  SessionId: number;
  ttl?: number;
}

const model = expiryModel({ partitionKey: 'UserName', sortKey: 'SessionId' });

export function writers(session: Session, update: UpdateCommandInput, put: PutCommandInput) {
  expiryAttributes(model, session, { ttlSeconds: 5 });
  // @ts-expect-error: no option of that name
  expiryAttributes(model, session, { ttlSecond: 5 });
  // @ts-expect-error: the props are not the model
  expiryAttributes({ partitionKey: 'UserName' }, session);
  // @ts-expect-error: many items
  expiryAttributes(model, [session]);
  new UpdateCommand(withExpiry(model, update));
  new UpdateCommand(withExpiry(model, { TableName: 't', Key: session }));
  // @ts-expect-error: a Put has an Item
  withExpiry(model, put);
}

export function readers(
  session: Session,
  query: QueryCommandInput,
  put: PutCommandInput,
  update: UpdateCommandInput,
  lowLevelGet: GetItemCommandInput,
) {
  new QueryCommand(notExpired(model, query));
  new GetCommand(notExpired(model, { TableName: 't', Key: session }));
  // A Get's projection is the same for both clients.
  new GetItemCommand(notExpired(model, lowLevelGet));
  // @ts-expect-error: a Put reads nothing
  notExpired(model, put);
  // @ts-expect-error: an Update reads nothing
  notExpired(model, update);
}

export function items(session: Session, output: GetCommandOutput, image?: Record<string, AttributeValue>) {
  const live: Session | undefined = unlessExpired(model, session);
  const loose: Record<string, unknown> | undefined = unlessExpired(model, output.Item);
  const streamed: Record<string, AttributeValue> | undefined = unlessExpired(model, image);
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
) {
  const models = { Sessions: model, Users: null };
  const reader: DynamoDBDocumentClient = withoutExpired(documents, models);
  const methodsReader: DynamoDBDocument = withoutExpired(methods, models, { now: () => 1 });
  const lowLevelReader: DynamoDBClient = withoutExpired(lowLevel, models);
  // @ts-expect-error: a model belongs to a table
  withoutExpired(documents, model);
  // @ts-expect-error: a table whose items do not expire is said to be one, by null
  withoutExpired(documents, { Users: undefined });
  // @ts-expect-error: a clock is a function here
  withoutExpired(documents, models, { nowMs: 1 });
  return { reader, methodsReader, lowLevelReader };
}
