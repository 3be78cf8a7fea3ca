import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { ArchiveSettings } from './settings.ts';

/** An object of an archive: lines of JSON, compressed. */
export interface ArchiveObject {
  readonly key: string;
  readonly body: Uint8Array;
}

/** Where the objects of a table begin, with the slash at the end. */
export function tableFolder(
  { archivePrefix }: Pick<ArchiveSettings, 'archivePrefix'>,
  table: string,
): string {
  return `${archivePrefix}${table}/`;
}

/** How the partitions of expired items begin. */
export const EXPIRED_DATE = 'expired_date=';

/** How the partitions of removed items that had not expired begin. */
export const REMOVED_DATE = 'removed_date=';

/** The partition of what expired at this time, by its date in UTC: `expired_date=2026-11-22/`. */
export function expiredPartition(epochMs: number): string {
  return `${EXPIRED_DATE}${dateOf(epochMs)}/`;
}

/** The partition of what was removed at this time and was no expiry. */
export function removedPartition(epochMs: number): string {
  return `${REMOVED_DATE}${dateOf(epochMs)}/`;
}

function dateOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}

/** The file extension of an object, by which Athena and others know how it is compressed. */
export const OBJECT_EXTENSION = '.jsonl.gz';

/** SHA-256 of an object's lines, hexadecimal. Not of its compressed bytes: another version of zlib may write others. */
export function hashOfLines(lines: readonly string[]): string {
  return createHash('sha256').update(textOf(lines)).digest('hex');
}

/** SHA-256 of one line, without its end, hexadecimal. */
export function hashOfLine(line: string): string {
  return createHash('sha256').update(line).digest('hex');
}

/** The same lines give the same bytes, since Node writes no time into them. */
export function compressed(lines: readonly string[]): Uint8Array {
  return gzipSync(textOf(lines));
}

function textOf(lines: readonly string[]): string {
  return lines.map(line => `${line}\n`).join('');
}
