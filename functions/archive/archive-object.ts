import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { ArchiveSettings } from './settings.ts';

/** An object of an archive: compressed lines of JSON. */
export interface ArchiveObject {
  readonly key: string;
  readonly body: Uint8Array;
}

/** Prefix of all objects of a table, with the slash at the end. */
export function tableFolder(
  { archivePrefix }: Pick<ArchiveSettings, 'archivePrefix'>,
  table: string,
): string {
  return `${archivePrefix}${table}/`;
}

/** Prefix of the partitions of expired items. */
export const EXPIRED_DATE = 'expired_date=';

/** Prefix of the partitions of removed items that had not expired. */
export const REMOVED_DATE = 'removed_date=';

/** The partition of items that expired at this time, by its date in UTC: `expired_date=2026-11-22/`. */
export function expiredPartition(epochMs: number): string {
  return `${EXPIRED_DATE}${dateOf(epochMs)}/`;
}

/** The partition of items that were removed at this time without having expired. */
export function removedPartition(epochMs: number): string {
  return `${REMOVED_DATE}${dateOf(epochMs)}/`;
}

function dateOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}

/** The file extension of an object, from which Athena and other readers know its compression. */
export const OBJECT_EXTENSION = '.jsonl.gz';

/** SHA-256 of an object's lines, hexadecimal. It is not taken of the compressed bytes, which may differ between versions of zlib. */
export function hashOfLines(lines: readonly string[]): string {
  return createHash('sha256').update(textOf(lines)).digest('hex');
}

/** Compresses lines. The same lines give the same bytes, since Node writes no time into them. */
export function compressed(lines: readonly string[]): Uint8Array {
  return gzipSync(textOf(lines));
}

function textOf(lines: readonly string[]): string {
  return lines.map(line => `${line}\n`).join('');
}
