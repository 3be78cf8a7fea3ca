import type { Found } from '../stack/arguments.ts';

export type KeyType = 'S' | 'N' | 'B';

export interface TableIndex {
  readonly name: string;
  readonly hashKey: string;
  readonly rangeKey?: string;
  readonly projection: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
  readonly nonKeyAttributes: readonly string[];
}

export interface TableResource extends Found {
  readonly name: string;
  readonly hashKey: string;
  readonly rangeKey?: string;
  readonly attributes: Readonly<Record<string, KeyType>>;
  readonly globalIndexes: readonly TableIndex[];
  readonly localIndexes: readonly TableIndex[];
  readonly stream?: 'KEYS_ONLY' | 'NEW_IMAGE' | 'OLD_IMAGE' | 'NEW_AND_OLD_IMAGES';
}
