import type { ItemImage } from '../stream/event.ts';
import { imageText } from './image-text.ts';
import type { ArchiveFormat } from './settings.ts';

/** One item of an archive: one line of an object, as JSON. */
export interface ArchiveLine {
  readonly table: string;
  readonly key: ItemImage;
  /** ISO time of the TTL; null if the TTL is missing or no time. */
  readonly expiredAt: string | null;
  /** ISO time of the stream's record, to the second. */
  readonly deletedAt: string;
  /** The record's `eventID`: a record that was archived twice has the same one. */
  readonly id: string;
  readonly sequenceNumber: string;
  readonly removal: 'expiry' | 'other';
  readonly item: ItemImage;
}

/**
 * Returns the text of a line, without a line end. The fields stand in the order in which they are passed.
 * @throws TypeError for a value that has no plain form
 */
export function lineText(line: ArchiveLine, format: ArchiveFormat): string {
  const fields = Object.entries(line).map(([name, value]) => {
    const text = name === 'key' || name === 'item' ? imageText(value, format) : JSON.stringify(value);
    return `${JSON.stringify(name)}:${text}`;
  });
  return `{${fields.join()}}`;
}
