import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { KeyNames } from '../../expiry/shard.ts';
import { inParallel } from '../abortable.ts';
import type { ArchiveSource } from '../archive/archive-source.ts';
import { type ArchivedLine, linesOf } from '../archive/archived-lines.ts';
import type { Unreadable } from '../changes.ts';
import { ArchivedLineError, ArchiveNotFoundError } from '../errors.ts';
import { type ArchivedImage, type KeptMark, readImage, readMark, toAttributes } from './archived-image.ts';
import type { ExpirySpan, WantedKeys } from './wanted-keys.ts';

/** Objects that are read in parallel. */
const READS_AT_ONCE = 8;
const DAY_MS = 86_400_000;

/** An image, with its item as it will be written. */
export interface FoundImage extends ArchivedImage {
  readonly attributes: Readonly<Record<string, AttributeValue>>;
}

export interface Found {
  /** Images by the ids of their keys. */
  readonly images: ReadonlyMap<string, FoundImage>;
  /** Number of objects that were read, and of their dates. */
  readonly objects: number;
  readonly dates: number;
  readonly unreadable: Unreadable;
}

/** Unreadable lines that are listed: an archive can have millions, for example if it is in the `json` format. */
const NAMED_LINES = 100;

export interface FindOptions {
  readonly source: ArchiveSource;
  readonly tableName: string;
  readonly names: KeyNames;
  readonly wanted: WantedKeys;
  readonly span: ExpirySpan;
  /** Called before each date is read. */
  readonly onDate: (date: string, found: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Finds the image with the latest expiry for each key. It reads the latest date first, and earlier dates only while keys are
 * missing. Lines that cannot be read are counted and skipped.
 *
 * @throws {ArchiveNotFoundError}, {ArchiveUnreadableError}
 */
export async function findImages(options: FindOptions): Promise<Found> {
  const { wanted, span, onDate, signal } = options;
  const images = new Map<string, FoundImage>();
  let objects = 0;
  let dates = 0;
  const unreadable = { lines: 0, first: [] as string[] };
  const onUnreadable = ({ message }: ArchivedLineError) => {
    unreadable.lines += 1;
    if (unreadable.first.length < NAMED_LINES) unreadable.first.push(message);
  };
  for (const date of (await datesOf(options)).filter(each => isWithin(each, span)).reverse()) {
    if (images.size === wanted.size || signal.aborted) break;
    onDate(date, images.size);
    const missing = new Set([...wanted.keys()].filter(id => !images.has(id)));
    const found = await imagesOfDate(date, missing, options, onUnreadable);
    objects += found.objects;
    dates += 1;
    for (const image of found.images) {
      const other = images.get(image.id);
      if (other === undefined || isLater(image, other)) images.set(image.id, image);
    }
  }
  return { images, objects, dates, unreadable };
}

/** Folders for the copies that archiveFirst writes, and for the marks of copies whose item was not deleted. */
export const COPIES = 'before_deletion/';
export const MARKS = 'kept/';

/** The dates of the archive, in order. */
export async function datesOf({
  source,
  tableName,
}: Pick<FindOptions, 'source' | 'tableName'>): Promise<string[]> {
  const root = `${tableName}/`;
  const folders = await source.folders(root);
  const ofCopies = folders.includes(COPIES.slice(0, -1)) ? await source.folders(`${root}${COPIES}`) : [];
  const dates = [...folders, ...ofCopies].flatMap(
    name => /^expired_date=(\d{4}-\d\d-\d\d)$/.exec(name)?.[1] ?? [],
  );
  if (dates.length > 0) return [...new Set(dates)].sort();
  throw new ArchiveNotFoundError(
    'fromArchive',
    `expected the archive of ${tableName} at ${source.name(root)}, got none there; check the bucket and the prefix: the folder of the table itself is not part of it`,
  );
}

export function isWithin(date: string, { fromMs, beforeMs }: ExpirySpan): boolean {
  const beginMs = Date.parse(date);
  return beginMs < beforeMs && beginMs + DAY_MS > fromMs;
}

/** The deletions of a date, and the copies without a mark that their item was not deleted. */
async function imagesOfDate(
  date: string,
  missing: ReadonlySet<string>,
  { source, tableName, names, span, signal }: FindOptions,
  onUnreadable: (error: ArchivedLineError) => void,
): Promise<{ images: FoundImage[]; objects: number }> {
  let objects = 0;
  const readable = <Result>(read: () => Result): Result[] => {
    try {
      return [read()];
    } catch (error) {
      if (!(error instanceof ArchivedLineError)) throw error;
      onUnreadable(error);
      return [];
    }
  };
  const read = async <Line>(folder: string, readLine: (line: ArchivedLine) => Line[]) => {
    const paths = await source.objects(`${tableName}/${folder}expired_date=${date}/`);
    objects += paths.length;
    const linesOfPath = async (path: string) => {
      const body = await source.read(path);
      const lines = readable(() => linesOf(body, source.name(path))).flat();
      return lines.flatMap(line => readable(() => readLine(line)).flat()).map(line => ({ ...line, path }));
    };
    const gz = paths.filter(path => path.endsWith('.gz'));
    return (await inParallel(gz, READS_AT_ONCE, linesOfPath, signal)).flat();
  };
  const isWanted = ({ id, expiredAt }: ArchivedImage | KeptMark) => missing.has(id) && isIn(expiredAt, span);
  const image = (line: ArchivedLine): FoundImage[] => {
    const found = readImage(line, names);
    return isWanted(found) ? [{ ...found, attributes: toAttributes(found.item, line.where) }] : [];
  };
  const deleted = await read('', image);
  const copies = await read(COPIES, image);
  const mark = (line: ArchivedLine) => [readMark(line, names)].filter(isWanted);
  const marks = copies.length === 0 ? [] : await read(MARKS, mark);
  const isKept = (copy: (typeof copies)[number]) =>
    marks.some(mark => mark.id === copy.id && mark.expiredAt === copy.expiredAt && isOf(mark, copy.path));
  return { images: [...deleted, ...copies.filter(copy => !isKept(copy))], objects };
}

/** Whether a mark is about the object at this path; a mark contains the whole key, with the prefix of the archive. */
const isOf = ({ copy }: KeptMark, path: string): boolean => copy === undefined || copy.endsWith(path);

export function isIn(expiredAt: string, { fromMs, beforeMs }: ExpirySpan): boolean {
  const ms = Date.parse(expiredAt);
  return ms >= fromMs && ms < beforeMs;
}

/** Whether one image is preferred over another: the later expiry; for the same expiry a deletion over a copy, and then the later line. */
function isLater(one: ArchivedImage, other: ArchivedImage): boolean {
  if (one.expiredAt !== other.expiredAt) return one.expiredAt > other.expiredAt;
  return (one.deletedAt ?? '') > (other.deletedAt ?? '');
}
