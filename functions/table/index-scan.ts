import { ScanCommand, type ScanCommandInput } from '@aws-sdk/client-dynamodb';
import type { ExpiredKey, ItemKey } from '../../statemachine/contract/keys.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import { DynamoDbBusyError } from '../runtime/errors.ts';
import { answeredAt, type Documents, type RequestOptions } from './dynamodb.ts';
import { isBusy } from './dynamodb-errors.ts';
import { sendJson } from './dynamodb-json.ts';
import { keyAttributeNames } from './item-key.ts';

/** An entry of the index, whatever its TTL. */
export interface ScannedEntry extends ExpiredKey {
  /** By window: the window of the entry. */
  readonly window?: string;
  /** The position after the entry, where a scan continues. */
  readonly position: ItemKey;
}

/** The entries that one Scan returned. */
export interface ScannedEntries {
  readonly entries: readonly ScannedEntry[];
  /** Where the next page begins; null: this was the last page. */
  readonly next: ItemKey | null;
  /** DynamoDB's clock at the answer, epoch seconds, rounded down; undefined when the answer had no date. */
  readonly readAt: number | undefined;
  /** Read units that the page consumed. */
  readonly units: number;
}

/** Reads the entries of the index after a position, in DynamoDB's own order; `limit` is the most entries. */
export type ScanIndex = (position: ItemKey | null, limit: number) => Promise<ScannedEntries>;

type StoredEntry = Readonly<Record<string, { readonly S: string } & { readonly N: string }>>;

/** DynamoDB's JSON answer. Source: DynamoDB API reference, Scan. */
interface ScanAnswer {
  readonly Items?: readonly StoredEntry[];
  readonly LastEvaluatedKey?: ItemKey;
  readonly ConsumedCapacity?: { readonly CapacityUnits?: number };
  readonly $metadata: NonNullable<Parameters<typeof answeredAt>[0]['$metadata']>;
}

/**
 * Makes a scanner of this table's index. It parses DynamoDB's answers as plain JSON: the SDK takes several times as long to
 * make objects of thousands of entries, few of which are needed.
 *
 * @throws DynamoDbBusyError when DynamoDB throttles or is unavailable; DynamoDB's own error otherwise
 */
export function indexScanner(
  documents: Documents,
  { tableName, indexName, model }: Pick<SweepSettings, 'tableName' | 'indexName' | 'model'>,
  options: RequestOptions = {},
): ScanIndex {
  const { ttlAttribute, windowAttribute } = model;
  const keyNames = keyAttributeNames(model);
  const positionNames = [
    ...new Set([...keyNames, ttlAttribute, ...(windowAttribute ? [windowAttribute] : [])]),
  ];
  return async (position, limit) => {
    const request: ScanCommandInput = {
      TableName: tableName,
      IndexName: indexName,
      Limit: limit,
      ReturnConsumedCapacity: 'TOTAL',
      ...(position && { ExclusiveStartKey: position as NonNullable<ScanCommandInput['ExclusiveStartKey']> }),
    };
    const answer = await sendJson<ScanAnswer>(documents, new ScanCommand(request), options).catch(
      (error: unknown) => {
        throw isBusy(error)
          ? new DynamoDbBusyError(`Scan of ${indexName}: ${error}`, { cause: error })
          : error;
      },
    );
    return {
      entries: (answer.Items ?? []).map(item => ({
        key: picked(item, keyNames),
        ttl: Number(item[ttlAttribute]?.N),
        ...(windowAttribute !== undefined && { window: item[windowAttribute]?.S ?? '' }),
        position: picked(item, positionNames),
      })),
      next: answer.LastEvaluatedKey ?? null,
      readAt: answeredAt(answer),
      units: answer.ConsumedCapacity?.CapacityUnits ?? 0,
    };
  };
}

function picked(item: StoredEntry, names: readonly string[]): ItemKey {
  return Object.fromEntries(names.map(name => [name, item[name]])) as ItemKey;
}
