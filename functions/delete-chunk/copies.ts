import { storedNumber } from '../../expiry/stored-number.ts';
import type { ExpiredKey } from '../../statemachine/contract/keys.ts';
import { lineText } from '../archive/archive-line.ts';
import {
  type ArchiveObject,
  compressed,
  expiredPartition,
  hashOfLines,
  OBJECT_EXTENSION,
  tableFolder,
} from '../archive/archive-object.ts';
import type { ArchiveFormat, ArchiveSettings } from '../archive/settings.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import type { ItemImage } from '../stream/event.ts';
import { keyAttributeNames } from '../table/item-key.ts';
import type { CurrentItem } from './current-items.ts';

declare const stored: unique symbol;

/** Key of an object that S3 has confirmed as stored. Only `putAll` makes one, and `deleteUnchanged` takes no item without one. */
export type StoredKey = string & { readonly [stored]: true };

/**
 * An item as it was before its deletion: one line of an object in `before_deletion/`. It does not prove that the item was deleted: the
 * line of the deletion in the archive does, and a mark says that it was not.
 */
export interface CopyLine {
  readonly table: string;
  readonly key: ItemImage;
  /** ISO time of the TTL. */
  readonly expiredAt: string;
  readonly item: ItemImage;
}

/** Why an item was not deleted after it was copied. */
export type Kept = 'renewed' | 'changed';

/** A mark says that a copied item was not deleted: one line of an object in `kept/`. */
export interface MarkLine {
  readonly table: string;
  readonly key: ItemImage;
  /** ISO time of the TTL that the copy has. */
  readonly expiredAt: string;
  readonly kept: Kept;
  /**
   * Key of the object with the copy. Null: every copy of this key and TTL, since earlier calls may have made copies that this call does
   * not know.
   */
  readonly copy: StoredKey | null;
}

interface Line {
  readonly expired: ExpiredKey;
  /** The TTL in epoch milliseconds, which determines the line's partition. */
  readonly ttlMs: number;
  /** The line without its line end. */
  readonly text: string;
}

/** A copy to put. */
export interface Copy extends Line {
  readonly folder: 'before_deletion';
  readonly image: ItemImage;
}

/** A mark to put. */
export interface Mark extends Line {
  readonly folder: 'kept';
}

/** The TTL of an item, epoch seconds; NaN for an item without one. */
export function ttlOf(image: ItemImage, { model }: Pick<SweepSettings, 'model'>): number {
  return storedNumber(image[model.ttlAttribute]);
}

export type LineSettings = Pick<SweepSettings, 'tableName' | 'model'> & {
  readonly archiveFormat: ArchiveFormat;
};

/**
 * Makes the copy of an expired item.
 * @throws TypeError for an image that cannot be written
 */
export function copyOf({ expired, image }: CurrentItem, settings: LineSettings): Copy {
  const { tableName: table, model, archiveFormat } = settings;
  const ttlMs = ttlOf(image, settings) * 1000;
  const names = keyAttributeNames(model);
  const key = Object.fromEntries(names.map(name => [name, image[name]])) as ItemImage;
  const line: CopyLine = { table, key, expiredAt: new Date(ttlMs).toISOString(), item: image };
  return { expired, ttlMs, folder: 'before_deletion', image, text: lineText(line, archiveFormat) };
}

/**
 * Makes the mark of a copied item that was not deleted.
 *
 * @param ttl TTL of the copy, epoch seconds
 */
export function markOf(
  expired: ExpiredKey,
  { ttl, kept, copy }: { readonly ttl: number; readonly kept: Kept; readonly copy: StoredKey | null },
  { tableName: table, archiveFormat }: LineSettings,
): Mark {
  const ttlMs = ttl * 1000;
  const line: MarkLine = { table, key: expired.key, expiredAt: new Date(ttlMs).toISOString(), kept, copy };
  return { expired, ttlMs, folder: 'kept', text: lineText(line, archiveFormat) };
}

/** The object of one date of expiry. */
export interface PartitionObject {
  readonly of: readonly (Copy | Mark)[];
  readonly object: ArchiveObject;
}

/**
 * Makes one object for each folder and date of expiry. The name is a hash of the lines in any order: a retry that puts the same lines
 * overwrites the same object.
 */
export function objectsOf(
  lines: readonly (Copy | Mark)[],
  settings: ArchiveSettings,
  tableName: string,
): PartitionObject[] {
  const byPartition = Map.groupBy(lines, ({ folder, ttlMs }) => `${folder}/${expiredPartition(ttlMs)}`);
  return [...byPartition].map(([partition, of]) => {
    const texts = [...new Set(of.map(({ text }) => text))].sort();
    const name = `${hashOfLines(texts)}${OBJECT_EXTENSION}`;
    return {
      of,
      object: { key: `${tableFolder(settings, tableName)}${partition}${name}`, body: compressed(texts) },
    };
  });
}
