import { gunzipSync } from 'node:zlib';
import type { CopyLine, MarkLine } from '../../functions/delete-chunk/copies.ts';
import type { ItemImage } from '../../functions/stream/event.ts';
import { itemText } from './item.ts';

/** An expired item that was deleted, as the table's stream reports it. */
export interface DeletedItem {
  readonly key: ItemImage;
  /** ISO time of its TTL. */
  readonly expiredAt: string;
  /** Old image of the item. */
  readonly item: ItemImage;
  /** Position in the order of all occurrences of the run. @default after all copies */
  readonly order?: number;
}

/** A copy or a mark that is stored in S3. */
export interface StoredLine<Line = CopyLine | MarkLine> {
  /** Key of its object. */
  readonly object: string;
  readonly line: Line;
  /** Position of the write to S3 in the order of all occurrences of the run. @default before all deletions */
  readonly order?: number;
}

/** Faults of an archive's copies; empty lists when there are none. */
export interface CopyFaults<Deleted> {
  /** Items that were deleted before a copy with their final content existed. */
  readonly deletedWithoutCopy: readonly Deleted[];
  /** Copies of items that were not deleted and have no mark. Right after a kill a retry may still be due. */
  readonly keptWithoutMark: readonly CopyLine[];
}

/** The lines of an archive's objects, by key, that are copies or marks. */
export function storedLines(objects: Iterable<readonly [key: string, body: Uint8Array]>): StoredLine[] {
  return [...objects].flatMap(([object, body]) =>
    isCopy(object) ? linesOf<CopyLine | MarkLine>(body).map(line => ({ object, line })) : [],
  );
}

/** Whether an object is one that `archiveFirst` writes besides the archive. */
export function isCopy(object: string): boolean {
  return object.includes('/before_deletion/') || object.includes('/kept/');
}

/** Compares the copies of `archiveFirst` with the deleted items. Only DynamoDB JSON can be compared. */
export function copyFaults<Deleted extends DeletedItem>(
  stored: readonly StoredLine[],
  deleted: readonly Deleted[],
): CopyFaults<Deleted> {
  const copies = stored.filter((each): each is StoredLine<CopyLine> => !('kept' in each.line));
  const marked = new Set(
    stored.flatMap(({ line }) => ('kept' in line ? [`${line.copy} ${lifeOf(line)}`] : [])),
  );
  const byLife = Map.groupBy(copies, ({ line }) => lifeOf(line));
  const deletions = new Set(deleted.map(lifeOf));
  return {
    deletedWithoutCopy: deleted.filter(
      each => !(byLife.get(lifeOf(each)) ?? []).some(copy => isCopyOf(copy, each)),
    ),
    keptWithoutMark: copies.flatMap(({ object, line }) => {
      const life = lifeOf(line);
      return [null, object].some(copy => marked.has(`${copy} ${life}`)) || deletions.has(life) ? [] : [line];
    }),
  };
}

/**
 * Whether S3 had the item's final content when it was deleted. The delete's condition does not check attributes that were added after the
 * image was read: the copy may lack them, and the stream's line has them.
 */
function isCopyOf(
  { line, order = Number.NEGATIVE_INFINITY }: StoredLine<CopyLine>,
  { item, order: deletedAt = Number.POSITIVE_INFINITY }: DeletedItem,
): boolean {
  const copied = Object.entries(item).filter(([name]) => Object.hasOwn(line.item, name));
  return order < deletedAt && itemText(line.item) === itemText(Object.fromEntries(copied));
}

/** An item with one of its TTLs. */
function lifeOf({ key, expiredAt }: { readonly key: ItemImage; readonly expiredAt: string }): string {
  return `${itemText(key)} ${expiredAt}`;
}

/** The lines of an object of an archive. @throws if the body is not compressed, or not JSON */
export function linesOf<Line>(body: Uint8Array): Line[] {
  const texts = gunzipSync(body).toString().split('\n');
  return texts.filter(text => text !== '').map(text => JSON.parse(text) as Line);
}
