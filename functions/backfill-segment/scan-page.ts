import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { WindowModel } from '../../expiry/model.ts';
import type { SegmentProgress } from '../../statemachine/backfill-contract.ts';
import type { ItemKey } from '../../statemachine/contract/keys.ts';
import { DynamoDbBusyError } from '../runtime/errors.ts';
import type { Documents } from '../table/dynamodb.ts';
import { isBusy } from '../table/dynamodb-errors.ts';
import { keyAttributeNames, toItemKey, toNativeKey } from '../table/item-key.ts';
import type { ScannedItem } from './stored-window.ts';

/** Most items of a page. Without it a page of small items would have thousands, which would all be read again after a crash. */
const PAGE_ITEMS = 1000;

/** The items of a segment that one Scan returned. */
export interface ScannedPage {
  readonly items: readonly ScannedItem[];
  /** Where the next page begins; null after the last page. */
  readonly next: ItemKey | null;
}

/** Reads the items of the segment after a position. */
export type ScanPage = (position: ItemKey | null) => Promise<ScannedPage>;

/**
 * Makes a reader for a segment of the table. It reads only keys, TTLs and windows.
 * @throws DynamoDbBusyError when DynamoDB throttles or is unavailable; DynamoDB's own error otherwise
 */
export function segmentReader(
  documents: Documents,
  { tableName, model }: { readonly tableName: string; readonly model: WindowModel },
  { segment, segments }: Pick<SegmentProgress, 'segment' | 'segments'>,
): ScanPage {
  const keyNames = keyAttributeNames(model);
  const attributes = [...keyNames, model.ttlAttribute, model.windowAttribute];
  return async position => {
    const scan = new ScanCommand({
      TableName: tableName,
      Segment: segment,
      TotalSegments: segments,
      Limit: PAGE_ITEMS,
      ProjectionExpression: attributes.map((_unused, index) => `#a${index}`).join(', '),
      ExpressionAttributeNames: Object.fromEntries(attributes.map((name, index) => [`#a${index}`, name])),
      ...(position && { ExclusiveStartKey: toNativeKey(position) }),
    });
    const { Items: items = [], LastEvaluatedKey: last } = await documents
      .send(scan)
      .catch((error: unknown) => {
        throw isBusy(error)
          ? new DynamoDbBusyError(`Scan of ${tableName}: ${error}`, { cause: error })
          : error;
      });
    return { items, next: last === undefined ? null : toItemKey(last, keyNames) };
  };
}
