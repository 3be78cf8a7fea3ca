import { BatchGetItemCommand, type BatchGetItemCommandInput } from '@aws-sdk/client-dynamodb';
import type { ExpiredKey, ItemKey } from '../../statemachine/contract/keys.ts';
import type { ItemImage } from '../stream/event.ts';
import type { Documents, RequestOptions } from '../table/dynamodb.ts';
import { sendJson } from '../table/dynamodb-json.ts';
import { keyText } from '../table/item-key.ts';

/** An item as it is now, and the key and TTL with which it was found in the index. */
export interface CurrentItem {
  readonly expired: ExpiredKey;
  readonly image: ItemImage;
}

/** DynamoDB's JSON answer. Source: DynamoDB API reference, BatchGetItem. */
interface ReadAnswer {
  readonly Responses?: Readonly<Record<string, readonly ItemImage[]>>;
  readonly UnprocessedKeys?: Readonly<Record<string, { readonly Keys: readonly ItemKey[] }>>;
}

/** The current state of some keys in the table: each key is in exactly one of these lists. */
export interface CurrentItems {
  readonly found: readonly CurrentItem[];
  readonly gone: readonly ExpiredKey[];
  /** Keys that were not read: DynamoDB was too busy, or time ran out. */
  readonly unprocessed: readonly ExpiredKey[];
  /** How many unprocessed keys DynamoDB left for no other reason than throttling. */
  readonly throttled: number;
}

/**
 * Reads the items of a chunk with strong consistency: an outdated image would make the delete fail, or would be a wrong copy of the
 * deleted item.
 *
 * A call may leave keys unread without an error: one partition returns 1 MB at a time. These keys are requested again as long as each call
 * returns some items. Source: DynamoDB API reference, BatchGetItem.
 *
 * @param keyNames names of the key attributes
 * @param options options of the next call; undefined when there is no time for another
 * @throws DynamoDB's error when the first call fails
 */
export async function readCurrentItems(
  keys: readonly ExpiredKey[],
  documents: Documents,
  { tableName, keyNames }: { readonly tableName: string; readonly keyNames: readonly string[] },
  options: () => RequestOptions | undefined,
): Promise<CurrentItems> {
  const images = new Map<string, ItemImage>();
  let left = keys;
  let isThrottled = false;
  for (let first = true; left.length > 0; first = false) {
    const next = options();
    if (next === undefined) break;
    const Keys = left.map(({ key }) => key);
    const request: unknown = { RequestItems: { [tableName]: { Keys, ConsistentRead: true } } };
    const command = new BatchGetItemCommand(request as BatchGetItemCommandInput);
    const answer = await sendJson<ReadAnswer>(documents, command, next).catch((error: unknown) => {
      if (first) throw error;
    });
    if (answer === undefined) break;
    const got = answer.Responses?.[tableName] ?? [];
    for (const image of got) images.set(keyText(image, keyNames), image);
    const unread = answer.UnprocessedKeys?.[tableName]?.Keys ?? [];
    const texts = new Set(unread.map(key => keyText(key, keyNames)));
    left = left.filter(({ key }) => texts.has(keyText(key, keyNames)));
    isThrottled = got.length === 0 && left.length > 0;
    if (isThrottled) break;
  }
  const unprocessed = new Set(left);
  const found: CurrentItem[] = [];
  const gone: ExpiredKey[] = [];
  for (const expired of keys) {
    const image = images.get(keyText(expired.key, keyNames));
    if (image !== undefined) found.push({ expired, image });
    else if (!unprocessed.has(expired)) gone.push(expired);
  }
  return { found, gone, unprocessed: left, throttled: isThrottled ? left.length : 0 };
}
