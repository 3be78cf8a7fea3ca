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

/** The archive into which DeleteChunk puts items before it deletes them. */
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
  /** Epoch milliseconds, minus the grace: lateness counts from the end of the grace. */
  readonly clock: () => number;
  /** TimeoutSeconds of the task. */
  readonly timeoutSeconds: number;
  /** Called with the lines that S3 did not store, and its error, which is undefined when time ran out. Their keys are tried again. */
  readonly onNotStored: (lines: readonly (Copy | Mark)[], error: unknown) => void;
  /** Called with an item that was deleted although its copy lacks an attribute, if S3 did not store a second copy either. */
  readonly onIncomplete: (expired: ExpiredKey) => void;
}

/** Shares of the task's time: for all calls up to the delete, and for the puts after it. The rest is the function's own. */
const UP_TO_DELETE = 0.75;
const AFTER_DELETE = 0.9;

/** Attempts of a put after the delete: no retry of the chunk would put this second copy. */
const TRIES_AFTER_DELETE = 2;

/**
 * Deletes an item only after its image is in S3.
 *
 * 1. Reads the items. Items that are missing, renewed or held are not touched.
 * 2. Puts the images of the others into S3. If an image cannot be written, for example because a type has no plain form, its key fails and
 *    the item stays. If an item differs from its index entry, a mark is put too, because an earlier call that died may have copied it.
 *    Keys for which S3 has not answered are unprocessed.
 * 3. Deletes the items whose images are stored, each on condition that it equals its copy.
 * 4. Puts marks for the copies of items that were renewed or changed. Puts a second copy of an item that was deleted with a further
 *    attribute.
 *
 * A held item gets no mark: it will be deleted later, and its copy would have the same name, so the mark would apply to that copy too.
 *
 * A retry after a crash does the same again. So the worst case is a copy whose mark is put by the retry.
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

  /**
   * Stores lines after the delete, and returns the marks that S3 has not stored. It throws nothing, because the deletes must be counted.
   */
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

/** A mark for a copy that an earlier call may have made, when the item was as its index entry. */
function markFound({ expired }: CurrentItem, kept: Kept, settings: LineSettings): Mark {
  return markOf(expired, { ttl: expired.ttl, kept, copy: null }, settings);
}

/** Makes copies of items, and lists the keys of items that cannot be copied. */
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
  // The item is held, deleted, or tried again without a change.
  if (became !== 'unprocessed' || item === undefined) return [];
  // The item has changed and is still expired: another copy follows. If the TTL is the same, only this copy is out of date.
  const isMoved = ttlOf(item, settings) !== ttl;
  return [markOf(expired, { ttl, kept: 'changed', copy: isMoved ? null : copy }, settings)];
}

function keysOf(lines: readonly (Copy | Mark)[]): Set<ExpiredKey> {
  return new Set(lines.map(({ expired }) => expired));
}
