import { isWithin } from '../../expiry/ttl.ts';
import type { ExpiredKey } from '../../statemachine/contract/keys.ts';
import type { PutObject } from '../archive/s3.ts';
import type { ArchiveSettings } from '../archive/settings.ts';
import { sweptRange } from '../child/swept-range.ts';
import { failedKey } from '../report/listed-keys.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import type { Documents } from '../table/dynamodb.ts';
import { keyAttributeNames } from '../table/item-key.ts';
import {
  type Copy,
  copyOf,
  type Kept,
  type LineSettings,
  type Mark,
  markOf,
  objectsOf,
  ttlOf,
} from './copies.ts';
import { type CurrentItem, readCurrentItems } from './current-items.ts';
import { type CopiedItem, type CopyFate, deleteUnchanged } from './delete-unchanged.ts';
import { addDeletions, NO_DELETION, type SendBatch } from './deletion.ts';
import { isHeld } from './guarded-delete.ts';
import { putAll, type Stored } from './store.ts';
import { timeLeftOf } from './time-left.ts';

/** Where DeleteChunk puts what it is about to delete. */
export interface CopyArchive {
  readonly settings: ArchiveSettings;
  readonly put: PutObject;
}

export interface ArchiveFirstOptions {
  readonly archive: CopyArchive;
  readonly documents: Documents;
  readonly settings: SweepSettings;
  /** TTLs up to this one count as expired, epoch seconds. */
  readonly cutoff: number;
  /** Epoch milliseconds, less the grace: an item is late from its end on. */
  readonly clock: () => number;
  /** TimeoutSeconds of the task. */
  readonly timeoutSeconds: number;
  /** Called with the lines that S3 did not take, and its error, which is undefined when time ran out. The keys are tried again. */
  readonly onNotStored: (lines: readonly (Copy | Mark)[], error: unknown) => void;
  /** Called with an item that was deleted with an attribute that its copy lacks, where S3 did not take a second copy either. */
  readonly onIncomplete: (expired: ExpiredKey) => void;
}

/** Shares of the task's time: for the calls up to the delete, and for what is put after it. The rest is the function's own. */
const UP_TO_DELETE = 0.75;
const AFTER_DELETE = 0.9;

/** Tries of what is put after the delete: no retry of the chunk puts a second copy. */
const TRIES_AFTER_DELETE = 2;

/**
 * Deletes an item only after its image is in S3.
 *
 * 1. Reads the items. What is gone, renewed or held is left alone.
 * 2. Puts the images of the others into S3. One that cannot be written, such as a type that has no plain form, fails its key: the
 *    item stays. With them goes a mark for what is not as it was found: an earlier call that did not get
 *    to its end may have copied it. What S3 has not answered for is unprocessed.
 * 3. Deletes the items whose images are there, each if it is still as it was copied.
 * 4. Marks the copies of items that were renewed or changed. Puts a second copy of an item that was deleted with an attribute more.
 *
 * What is held gets no mark: it is still to be deleted, and its copy, which would have the same name, would pass for one of an item
 * that was not.
 *
 * Whoever calls again after this one died does the same again. So there is at worst a copy whose mark the second call puts.
 */
export function archiveFirstBatch(options: ArchiveFirstOptions): SendBatch {
  const { archive, documents, settings, cutoff, clock, timeoutSeconds } = options;
  const { onNotStored, onIncomplete } = options;
  const table = { tableName: settings.tableName, keyNames: keyAttributeNames(settings.model) };
  const lines: LineSettings = { ...settings, ...archive.settings };
  const timeLeft = timeLeftOf(timeoutSeconds, clock);
  const requestOptions = () => {
    const requestTimeout = timeLeft(UP_TO_DELETE);
    return requestTimeout === undefined ? undefined : { requestTimeout };
  };

  const store = async (those: readonly (Copy | Mark)[], timeoutMs = 0): Promise<Stored> => {
    if (those.length === 0 || timeoutMs === 0) return { keyOf: new Map(), errors: [] };
    return putAll(objectsOf(those, archive.settings, settings.tableName), archive.put, { timeoutMs });
  };

  /** The marks that S3 has not taken. Nothing is thrown any more: what was deleted has to be counted. */
  const storeAfterDelete = async (those: readonly (Copy | Mark)[]): Promise<readonly (Copy | Mark)[]> => {
    let left = those;
    let error: unknown;
    for (let tries = TRIES_AFTER_DELETE; tries > 0 && left.length > 0; tries -= 1) {
      try {
        const { keyOf, errors } = await store(left, Math.floor((timeLeft(AFTER_DELETE) ?? 0) / tries));
        left = left.filter(line => !keyOf.has(line));
        error = errors[0] ?? error;
      } catch (lasting) {
        error = lasting;
        break;
      }
    }
    const marks = left.filter(({ folder }) => folder === 'kept');
    if (marks.length > 0) onNotStored(marks, error);
    for (const { folder, expired } of left) if (folder === 'before_deletion') onIncomplete(expired);
    return marks;
  };

  return async keys => {
    const read = await readCurrentItems(keys, documents, table, requestOptions);
    const { expired, held, renewed } = sortOut(read.found, settings, cutoff);
    const { copies, failed } = copiesOf(expired, lines);
    const marks = [
      ...renewed.map(item => markFound(item, 'renewed', lines)),
      ...copies
        .filter(({ expired: { ttl }, image }) => ttlOf(image, settings) !== ttl)
        .map(item => markFound(item, 'changed', lines)),
    ];

    const { keyOf, errors } = await store([...copies, ...marks], timeLeft(UP_TO_DELETE));
    const notStored = [...copies, ...marks].filter(line => !keyOf.has(line));
    if (notStored.length > 0) onNotStored(notStored, errors[0]);
    const waiting = keysOf(notStored);
    const copied = copies.flatMap((copy): CopiedItem[] => {
      const key = keyOf.get(copy);
      return key === undefined || waiting.has(copy.expired) ? [] : [{ ...copy, copy: key }];
    });

    const request = requestOptions();
    const late = request === undefined ? copied.map(item => item.expired) : [];
    const { deletion, fates } = await deleteUnchanged(request === undefined ? [] : copied, {
      documents,
      settings,
      cutoff,
      clock,
      options: request ?? {},
    });

    const unmarked = keysOf(
      await storeAfterDelete(fates.flatMap(fate => linesAfterDelete(fate, lines, onIncomplete))),
    );
    const renewedFound = renewed.filter(item => !waiting.has(item.expired));
    const renewedUnmarked = fates
      .filter(({ became, copied: { expired: one } }) => became === 'renewed' && unmarked.has(one))
      .map(fate => fate.copied.expired);
    return addDeletions(
      {
        ...NO_DELETION,
        renewed: renewedFound.length,
        held: held.length,
        settled: [
          ...renewedFound.map(({ expired: one }) => ({ expired: one, became: 'renewed' as const })),
          ...held.map(({ expired: one }) => ({ expired: one, became: 'held' as const })),
        ],
        notFound: read.gone.length,
        throttled: read.throttled,
        unprocessed: [...read.unprocessed, ...waiting, ...late],
        failed: failed.map(key => failedKey(key, 'UnwritableImage')),
      },
      {
        ...deletion,
        renewed: deletion.renewed - renewedUnmarked.length,
        settled: deletion.settled.filter(({ expired: one }) => !renewedUnmarked.includes(one)),
        unprocessed: [...deletion.unprocessed, ...renewedUnmarked],
      },
    );
  };
}

/** Sorts the items by their present state. */
function sortOut(found: readonly CurrentItem[], settings: SweepSettings, cutoff: number) {
  const sorted = { expired: [] as CurrentItem[], held: [] as CurrentItem[], renewed: [] as CurrentItem[] };
  const swept = sweptRange(cutoff, settings);
  for (const item of found) {
    const { image } = item;
    if (!isWithin(image[settings.model.ttlAttribute], swept)) sorted.renewed.push(item);
    else if (isHeld(settings, image)) sorted.held.push(item);
    else sorted.expired.push(item);
  }
  return sorted;
}

/** For a copy that an earlier call may have made when the item was as it was found. */
function markFound({ expired }: CurrentItem, kept: Kept, settings: LineSettings): Mark {
  return markOf(expired, { ttl: expired.ttl, kept, copy: null }, settings);
}

/** Copies, and the keys of items of which none can be made. */
function copiesOf(items: readonly CurrentItem[], settings: LineSettings) {
  const made = { copies: [] as Copy[], failed: [] as ExpiredKey[] };
  for (const item of items) {
    const copy = copyIfWritable(item, settings);
    if (copy === undefined) made.failed.push(item.expired);
    else made.copies.push(copy);
  }
  return made;
}

function copyIfWritable(item: CurrentItem, settings: LineSettings): Copy | undefined {
  try {
    return copyOf(item, settings);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** The lines that follow a copy. */
function linesAfterDelete(
  { copied, became, item, isIncomplete }: CopyFate,
  settings: LineSettings,
  onIncomplete: ArchiveFirstOptions['onIncomplete'],
): (Copy | Mark)[] {
  const { expired, image, copy } = copied;
  if (isIncomplete && item !== undefined) {
    const second = copyIfWritable({ expired, image: item }, settings);
    if (second === undefined) onIncomplete(expired);
    return second === undefined ? [] : [second];
  }
  const ttl = ttlOf(image, settings);
  if (became === 'renewed') return [markOf(expired, { ttl, kept: 'renewed', copy: null }, settings)];
  // Held, deleted, or to be tried again as it is.
  if (became !== 'unprocessed' || item === undefined) return [];
  // It was changed and is expired still: a further copy follows. With the same TTL only this one is out of date.
  const isMoved = ttlOf(item, settings) !== ttl;
  return [markOf(expired, { ttl, kept: 'changed', copy: isMoved ? null : copy }, settings)];
}

function keysOf(lines: readonly (Copy | Mark)[]): Set<ExpiredKey> {
  return new Set(lines.map(({ expired }) => expired));
}
