import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';

interface Index {
  readonly name: string;
  readonly keys: readonly string[];
  readonly projection?: 'KEYS_ONLY' | 'ALL';
}

export interface TableSettings {
  /** @default 'Tokens' */
  readonly name?: string;
  readonly keys?: readonly string[];
  readonly types?: Readonly<Record<string, 'S' | 'N' | 'B'>>;
  /** Null: the table has none. */
  readonly index?: null | Partial<Index>;
  /** Indexes besides. */
  readonly others?: readonly Index[];
  /** The attribute of native TTL; null: off. */
  readonly ttl?: string | null;
}

/** A table as a configuration without further props says, but for what is given. */
export function tableInput({
  name = 'Tokens',
  keys = ['id'],
  types = {},
  index = {},
  others = [],
}: Omit<TableSettings, 'ttl'> = {}): CreateTableCommandInput {
  const schema = (names: readonly string[]) =>
    names.map((AttributeName, at) => ({
      AttributeName,
      KeyType: at === 0 ? ('HASH' as const) : ('RANGE' as const),
    }));
  const expiry = index && { keys: ['expirationWindow', 'ttl'], name: 'expirationWindowIndex', ...index };
  const indexes = [...(expiry ? [expiry] : []), ...others];
  const attributes = [...new Set([keys, ...indexes.map(each => each.keys)].flat())];
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: schema(keys),
    AttributeDefinitions: attributes.map(attribute => ({
      AttributeName: attribute,
      AttributeType: types[attribute] ?? (attribute === 'ttl' ? 'N' : 'S'),
    })),
    ...(indexes.length > 0 && {
      GlobalSecondaryIndexes: indexes.map(
        ({ name: IndexName, keys: own, projection = 'KEYS_ONLY' }: Index) => {
          return { IndexName, KeySchema: schema(own), Projection: { ProjectionType: projection } };
        },
      ),
    }),
  };
}
