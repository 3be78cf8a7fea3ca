import type {
  AttributeValue,
  DynamoDBClient,
  PutItemCommandInput,
  UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { type ExpiryModel, expiryAttributes } from 'precise-ttl';

type Item = Record<string, AttributeValue>;

/**
 * Lets a client that a library writes with add the window to every item that has a TTL. The library need not know of it.
 *
 * @param client a client of the library's own
 */
export function stampWrites(client: DynamoDBClient, tableName: string, model: ExpiryModel): DynamoDBClient {
  const windowOf = (key: Item, ttl: AttributeValue | undefined): AttributeValue | undefined => {
    if (ttl?.N === undefined) return undefined;
    const stamped = expiryAttributes(model, plain(key), { expiresAt: Number(ttl.N) });
    return { S: String(stamped[model.windowAttribute]) };
  };

  client.middlewareStack.add(
    (next, { commandName }) =>
      async args => {
        const input = args.input as Partial<PutItemCommandInput & UpdateItemCommandInput>;
        if (input.TableName !== tableName) return next(args);
        if (commandName === 'PutItemCommand' && input.Item !== undefined) {
          const window = windowOf(input.Item, input.Item[model.ttlAttribute]);
          if (window !== undefined) input.Item = { ...input.Item, [model.windowAttribute]: window };
        }
        if (commandName === 'UpdateItemCommand' && input.Key !== undefined) {
          const window = windowOf(input.Key, writtenTtl(input, model.ttlAttribute));
          if (window !== undefined) {
            input.UpdateExpression = String(input.UpdateExpression).replace(
              /\bSET\s/i,
              'SET #window = :window, ',
            );
            input.ExpressionAttributeNames = {
              ...input.ExpressionAttributeNames,
              '#window': model.windowAttribute,
            };
            input.ExpressionAttributeValues = { ...input.ExpressionAttributeValues, ':window': window };
          }
        }
        return next(args);
      },
    { step: 'initialize', name: 'preciseTtlStamp' },
  );
  return client;
}

/** The TTL that an update sets by `#name = :value`. */
function writtenTtl(
  input: Partial<UpdateItemCommandInput>,
  ttlAttribute: string,
): AttributeValue | undefined {
  const { UpdateExpression = '', ExpressionAttributeNames = {}, ExpressionAttributeValues = {} } = input;
  const name = Object.keys(ExpressionAttributeNames).find(
    each => ExpressionAttributeNames[each] === ttlAttribute,
  );
  const [, value = ''] = new RegExp(`${name}\\s*=\\s*(:\\w+)`).exec(UpdateExpression) ?? [];
  return name === undefined ? undefined : ExpressionAttributeValues[value];
}

/** The model reads the keys as the document client has them. */
function plain(item: Item): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => [
      name,
      value.S ?? (value.N === undefined ? value.B : Number(value.N)),
    ]),
  );
}
