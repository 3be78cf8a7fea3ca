import type { KeyNames } from '../../expiry/shard.ts';
import { inParallel } from '../in-parallel.ts';
import type { ArchiveSource } from './archive-source.ts';
import { type ArchivedImage, linesOf, readImage } from './archived-image.ts';
import { ArchiveNotFoundError } from './errors.ts';
import type { ExpirySpan } from './span.ts';
import type { WantedKeys } from './wanted-keys.ts';

/** Objects that are read at a time. */
const READS_AT_ONCE = 8;
const DAY_MS = 86_400_000;

/** An image, and the object that it stands in. */
export interface FoundImage extends ArchivedImage {
  readonly where: string;
}

export interface Found {
  /** By the keys' texts. */
  readonly images: ReadonlyMap<string, FoundImage>;
  /** Objects that were read, and dates that they are of. */
  readonly objects: number;
  readonly dates: number;
}

export interface FindOptions {
  readonly source: ArchiveSource;
  readonly tableName: string;
  readonly names: KeyNames;
  readonly wanted: WantedKeys;
  readonly span: ExpirySpan;
  /** Told before each date is read. */
  readonly onDate: (date: string, found: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Finds the image of each key that expired last. It reads the latest date of expiry first, and the dates before only while a key
 * is missing. Copies of one expiry are the same item: the one that was archived last is taken.
 *
 * @throws {ArchiveNotFoundError}, {ArchivedLineError}, {ArchiveUnreadableError}
 */
export async function findImages(options: FindOptions): Promise<Found> {
  const { source, tableName, wanted, span, onDate, signal } = options;
  const root = `${tableName}/`;
  const dates = datesOf(await source.folders(root));
  if (dates.length === 0)
    throw new ArchiveNotFoundError(
      `--from-archive: expected the archive of ${tableName} at ${source.name(root)}, got none there; check the bucket and the prefix: the folder of the table itself is not part of it`,
    );
  const images = new Map<string, FoundImage>();
  let objects = 0;
  let read = 0;
  for (const date of dates.filter(date => isWithin(date, span)).reverse()) {
    if (images.size === wanted.size || signal.aborted) break;
    onDate(date, images.size);
    read += 1;
    const missing = new Set([...wanted.keys()].filter(id => !images.has(id)));
    const paths = await source.objects(`${root}expired_date=${date}/`);
    objects += paths.length;
    const ofDate = await inParallel(
      paths.filter(path => path.endsWith('.gz')),
      READS_AT_ONCE,
      async path => imagesOf(await source.read(path), source.name(path), missing, options),
      signal,
    );
    for (const image of ofDate.flat()) {
      const other = images.get(image.id);
      if (other === undefined || isLater(image, other)) images.set(image.id, image);
    }
  }
  return { images, objects, dates: read };
}

function imagesOf(
  body: Uint8Array,
  where: string,
  missing: ReadonlySet<string>,
  { names, span }: Pick<FindOptions, 'names' | 'span'>,
): FoundImage[] {
  return linesOf(body, where)
    .map(line => ({ ...readImage(line, names, where), where }))
    .filter(({ id, expiredAt }) => {
      const ms = Date.parse(expiredAt);
      return missing.has(id) && ms >= span.fromMs && ms < span.beforeMs;
    });
}

function isLater(one: ArchivedImage, other: ArchivedImage): boolean {
  if (one.expiredAt !== other.expiredAt) return one.expiredAt > other.expiredAt;
  return one.archivedAt > other.archivedAt;
}

/** In their order. */
function datesOf(folders: readonly string[]): string[] {
  return folders.flatMap(name => /^expired_date=(\d{4}-\d\d-\d\d)$/.exec(name)?.[1] ?? []).sort();
}

function isWithin(date: string, { fromMs, beforeMs }: ExpirySpan): boolean {
  const beginMs = Date.parse(date);
  return beginMs < beforeMs && beginMs + DAY_MS > fromMs;
}
