import { gunzipSync } from 'node:zlib';
import { imageText } from '../../functions/archive/image-text.ts';
import type { CopyLine, MarkLine } from '../../functions/delete-chunk/copies.ts';
import type { ItemImage } from '../../functions/stream/event.ts';

/** An expired item that was deleted, as the table's stream tells it. */
export interface DeletedItem {
  readonly key: ItemImage;
  /** ISO time of its TTL. */
  readonly expiredAt: string;
  /** Its old image. */
  readonly item: ItemImage;
}

/** What is wrong with the copies of an archive; empty lists: nothing. */
export interface CopyFaults {
  /** Deleted, and no copy has the item as it was deleted. */
  readonly deletedWithoutCopy: readonly DeletedItem[];
  /** Copied, not deleted, and no mark says so. Right after a kill a retry may still be due. */
  readonly keptWithoutMark: readonly CopyLine[];
}

/**
 * Compares what `archiveFirst` wrote with what was deleted. Formats other than DynamoDB JSON cannot be compared.
 *
 * @param objects of the archive, by key; those that are neither copies nor marks are left out
 */
export function copyFaults(
  objects: Iterable<readonly [key: string, body: Uint8Array]>,
  deleted: readonly DeletedItem[],
): CopyFaults {
  const copies: { readonly object: string; readonly line: CopyLine }[] = [];
  const marked = new Set<string>();
  for (const [object, body] of objects) {
    if (object.includes('/before_deletion/')) {
      copies.push(...linesOf<CopyLine>(body).map(line => ({ object, line })));
    } else if (object.includes('/kept/')) {
      for (const mark of linesOf<MarkLine>(body)) marked.add(textOf(mark.copy, mark));
    }
  }
  const images = new Set(copies.map(({ line }) => textOf(comparable(line.item), line)));
  const deletions = new Set(deleted.map(each => textOf(null, each)));
  return {
    deletedWithoutCopy: deleted.filter(each => !images.has(textOf(comparable(each.item), each))),
    keptWithoutMark: copies.flatMap(({ object, line }) =>
      deletions.has(textOf(null, line)) || marked.has(textOf(null, line)) || marked.has(textOf(object, line))
        ? []
        : [line],
    ),
  };
}

/** The lines of an object of an archive. */
export function linesOf<Line>(body: Uint8Array): Line[] {
  const texts = gunzipSync(body).toString().split('\n');
  return texts.filter(text => text !== '').map(text => JSON.parse(text) as Line);
}

/** An item as text; a set has no order. */
function comparable(item: ItemImage): string {
  const withSorted = (member: string, value: unknown) =>
    Array.isArray(value) && ['SS', 'NS', 'BS'].includes(member) ? [...value].sort() : value;
  return JSON.stringify(JSON.parse(imageText(item, 'dynamodb-json'), withSorted));
}

function textOf(
  what: string | null,
  { key, expiredAt }: { readonly key: ItemImage; readonly expiredAt: string },
): string {
  return JSON.stringify([what, imageText(key, 'dynamodb-json'), expiredAt]);
}
