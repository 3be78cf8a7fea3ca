export type KeyType = 'S' | 'N' | 'B';

export interface TableIndex {
  readonly name: string;
  readonly hashKey: string;
  readonly rangeKey?: string;
  readonly projection: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
  readonly nonKeyAttributes: readonly string[];
}

export interface TableResource {
  /** Address of the resource: `aws_dynamodb_table.sessions`. */
  readonly address: string;
  readonly name: string;
  readonly arn: string;
  readonly region: string;
  readonly hashKey: string;
  readonly rangeKey?: string;
  /** Types of the key attributes of the table and its indexes, by name. */
  readonly attributes: Readonly<Record<string, KeyType>>;
  readonly globalIndexes: readonly TableIndex[];
  readonly localIndexes: readonly TableIndex[];
  readonly stream?: 'KEYS_ONLY' | 'NEW_IMAGE' | 'OLD_IMAGE' | 'NEW_AND_OLD_IMAGES';
}

/** A table that the stack uses but does not create. */
export interface ExistingTable {
  readonly address: string;
  readonly name: string;
  readonly region: string;
}
