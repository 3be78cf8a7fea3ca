import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';

export interface TableSettings {
  /** @default 'Tokens' */
  readonly name?: string;
  readonly keys?: readonly string[];
  readonly types?: Readonly<Record<string, 'S' | 'N' | 'B'>>;
  readonly index?: { readonly name?: string; readonly keys?: readonly string[]; readonly projection?: 'ALL' };
  /** Another index besides. */
  readonly other?: { readonly name: string; readonly keys: readonly string[] };
  /** The attribute of native TTL; null: off. */
  readonly ttl?: string | null;
}

/** A table as a configuration without further props says, but for what is given. */
export function tableInput({
  name = 'Tokens',
  keys = ['id'],
  types = {},
  index = {},
  other,
}: Omit<TableSettings, 'ttl'> = {}): CreateTableCommandInput {
  const indexKeys = index.keys ?? ['expirationWindow', 'ttl'];
  const schema = (names: readonly string[]) =>
    names.map((AttributeName, at) => ({
      AttributeName,
      KeyType: at === 0 ? ('HASH' as const) : ('RANGE' as const),
    }));
  const attributes = [...new Set([...keys, ...indexKeys, ...(other?.keys ?? [])])];
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: schema(keys),
    AttributeDefinitions: attributes.map(attribute => ({
      AttributeName: attribute,
      AttributeType: types[attribute] ?? (attribute === 'ttl' ? 'N' : 'S'),
    })),
    GlobalSecondaryIndexes: [
      {
        IndexName: index.name ?? 'expirationWindowIndex',
        KeySchema: schema(indexKeys),
        Projection: { ProjectionType: index.projection ?? 'KEYS_ONLY' },
      },
      ...(other === undefined
        ? []
        : [
            {
              IndexName: other.name,
              KeySchema: schema(other.keys),
              Projection: { ProjectionType: 'KEYS_ONLY' as const },
            },
          ]),
    ],
  };
}
