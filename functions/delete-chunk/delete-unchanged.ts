import {
  BatchExecuteStatementCommand,
  type BatchExecuteStatementCommandInput,
} from '@aws-sdk/client-dynamodb';
import { type ExpiredRange, isWithin } from '../../expiry/ttl.ts';
import type { ExpiredKey } from '../../statemachine/contract/keys.ts';
import { CHUNK_KEYS } from '../../statemachine/contract/limits.ts';
import { imageText } from '../archive/image-text.ts';
import { sweptRange } from '../child/swept-range.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import type { ImageValue, ItemImage } from '../stream/event.ts';
import type { Documents, RequestOptions } from '../table/dynamodb.ts';
import { sendJson } from '../table/dynamodb-json.ts';
import { keyAttributeNames } from '../table/item-key.ts';
import type { StoredKey } from './copies.ts';
import type { CurrentItem } from './current-items.ts';
import { addDeletions, type Deletion, deleteKeys, NO_DELETION } from './deletion.ts';
import { isHeld } from './guarded-delete.ts';
import {
  deletionOf,
  fatesOf,
  type Refusal,
  type StatementAnswer,
  type StatementFate,
} from './statement-fates.ts';
import { type UnchangedDelete, unchangedDelete } from './unchanged-delete.ts';

/** An item whose image is stored in S3. */
export interface CopiedItem extends CurrentItem {
  readonly copy: StoredKey;
}

/** The result of the delete of a copied item. */
export interface CopyFate {
  readonly copied: CopiedItem;
  readonly became: StatementFate<ItemImage>['became'];
  /** The item that was deleted, or the item whose state made the delete fail. */
  readonly item?: ItemImage | undefined;
  /** Whether the item was deleted with an attribute that the copy does not have. */
  readonly isIncomplete: boolean;
}

/** DynamoDB's JSON answer. Source: DynamoDB API reference, BatchExecuteStatement. */
interface DeleteAnswer {
  readonly Responses?: readonly StatementAnswer<ItemImage>[];
}

export interface UnchangedDeletion {
  readonly deletion: Deletion;
  /** The results of the statements that were answered. */
  readonly fates: readonly CopyFate[];
}

/**
 * Most bytes of images in one batch, as JSON. DynamoDB documents a request limit only for other calls (16 MB), and large items gain
 * nothing from a larger batch.
 */
const MAX_BATCH_BYTES = 1024 * 1024;

/**
 * Deletes copied items, each on condition that it is expired, not held, and equal to its copy.
 *
 * An item that has changed and is still expired is unprocessed: it needs another copy. No condition covers an attribute that was added
 * after the image was read; `RETURNING ALL OLD *` shows it.
 */
export async function deleteUnchanged(
  copied: readonly CopiedItem[],
  {
    documents,
    settings,
    cutoff,
    clock,
    options,
  }: {
    readonly documents: Documents;
    readonly settings: SweepSettings;
    readonly cutoff: number;
    readonly clock: () => number;
    readonly options: RequestOptions;
  },
): Promise<UnchangedDeletion> {
  const swept = sweptRange(cutoff, settings);
  const keyNames = keyAttributeNames(settings.model);
  const range: readonly ImageValue[] = [{ N: String(swept.upTo) }, { N: String(swept.after) }];
  const of = new Map(copied.map(item => [item.expired, item]));
  const fates: CopyFate[] = [];

  const send = async (keys: readonly ExpiredKey[]): Promise<Deletion> => {
    const items = keys.map(key => {
      const item = of.get(key) as CopiedItem;
      return { item, unchanged: unchangedDelete(settings, item.image) };
    });
    const Statements = items.map(({ item: { image }, unchanged: { statement, values } }) => ({
      Statement: statement,
      Parameters: [...keyNames.map(name => image[name]), ...range, ...values],
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    }));
    const request: unknown = { Statements };
    const command = new BatchExecuteStatementCommand(request as BatchExecuteStatementCommandInput);
    const { Responses = [] } = await sendJson<DeleteAnswer>(documents, command, options);
    const answered = fatesOf(keys, Responses, item => refusalOf(item, settings, swept));
    for (const [index, { became, item }] of answered.entries()) {
      const { item: sent, unchanged } = items[index] as (typeof items)[number];
      const isIncomplete = became === 'deleted' && item !== undefined && differs(sent.image, item, unchanged);
      fates.push({ copied: sent, became, item, isIncomplete });
    }
    return deletionOf(answered, clock());
  };

  const batches = batchesOf(copied);
  const deletions = await Promise.all(batches.map(batch => deleteKeys(batch, send)));
  return { deletion: deletions.reduce(addDeletions, NO_DELETION), fates };
}

/** Why the delete was refused. Without the item in the answer the reason is unknown; the next attempt reads it. */
function refusalOf(item: ItemImage | undefined, settings: SweepSettings, swept: ExpiredRange): Refusal {
  if (item === undefined) return 'unprocessed';
  if (!isWithin(item[settings.model.ttlAttribute], swept)) return 'renewed';
  return isHeld(settings, item) ? 'held' : 'unprocessed';
}

/** Whether copy and deleted item differ in an attribute that the delete's condition did not compare. */
function differs(copied: ItemImage, deleted: ItemImage, { compared }: UnchangedDelete): boolean {
  const unseen = (image: ItemImage) =>
    imageText(
      Object.fromEntries(Object.entries(image).filter(([name]) => !compared.has(name))),
      'dynamodb-json',
    );
  return unseen(copied) !== unseen(deleted);
}

/** Groups items into batches of one call each. */
function batchesOf(copied: readonly CopiedItem[]): ExpiredKey[][] {
  const batches: ExpiredKey[][] = [];
  let bytes = 0;
  for (const { expired, image } of copied) {
    const size = Buffer.byteLength(imageText(image, 'dynamodb-json'));
    const last = batches.at(-1);
    if (last === undefined || last.length === CHUNK_KEYS || bytes + size > MAX_BATCH_BYTES) {
      batches.push([expired]);
      bytes = size;
    } else {
      last.push(expired);
      bytes += size;
    }
  }
  return batches;
}
