import {
  type ChildProgress,
  type Chunk,
  type ChunkProgress,
  type ExpiredKey,
  type FailedKey,
  LISTED_KEYS,
  TRANSIENT_ERRORS,
} from '../../statemachine/contract.ts';
import { addCounts, CHUNK_COUNTS } from '../../statemachine/counts.ts';
import { addLags } from '../report/lag.ts';
import { failedKey, listFailedKeys } from '../report/listed-keys.ts';
import { type ShowKey, shownFailure } from '../report/shown-keys.ts';

/** What the chunks of a page came to. */
export interface AddedUp {
  readonly progress: ChildProgress;
  /** Keys left in chunks that were tried for as long as they may be. */
  readonly gaveUp: number;
  /** Of the keys that were deferred to a later poll, epoch seconds. */
  readonly deferredTtls: readonly number[];
  /** Chunks to be tried again; none when something was given up, since the child then ends. */
  readonly again: readonly Chunk[];
}

/**
 * Adds the results of DeleteChunks to a child's progress. Every key of a chunk has one fate:
 *
 * 1. deleted, renewed, not found, or failed for good: counted here;
 * 2. left in a chunk whose function failed for good (no access, a bug): failed, with the error as the reason;
 * 3. left in a chunk whose function failed and may be called again: tried again as it is, and counted then;
 * 4. left in a chunk that had one attempt: deferred. A later poll finds those that are still there, and they are counted
 *    then;
 * 5. left in a chunk that ran out of attempts or time: given up. They stay among the deferred; the child ends.
 *
 * @param retry the chunk as it is to be tried again; undefined when it may not be any more
 * @param showKey what the lists show of a key
 */
export function addResults(
  before: ChildProgress,
  results: readonly Chunk[],
  retry: (chunk: Chunk) => Chunk | undefined,
  showKey: ShowKey,
): AddedUp {
  if (results.length === 0) return { progress: before, gaveUp: 0, deferredTtls: [], again: [] };
  let progress: ChildProgress = { ...before, inFlight: 0 };
  const failed: FailedKey[] = [];
  const deferred: ExpiredKey[] = [];
  const gaveUp: ExpiredKey[] = [];
  const again: Chunk[] = [];
  for (const result of results) {
    const { keys, once, error } = result;
    if (result.progress !== null) {
      progress = addChunk(progress, result.progress);
      failed.push(...result.progress.failed);
    }
    if (keys.length === 0) continue;
    const isFinal = error !== undefined && !TRANSIENT_ERRORS.includes(error);
    const retried = error === undefined || isFinal || once ? undefined : retry(result);
    if (isFinal) failed.push(...keys.map(key => failedKey(key, error)));
    else if (once) deferred.push(...keys);
    else if (retried) again.push(retried);
    else gaveUp.push(...keys);
    // The call that failed, if it was not the first, and the one that a later poll makes, as a chunk of its own.
    const failedAgain = error !== undefined && (result.progress?.attempts ?? 0) > 0 ? 1 : 0;
    const later = once && !isFinal ? 1 : 0;
    progress = { ...progress, retries: progress.retries + failedAgain + later };
  }
  if (gaveUp.length > 0) gaveUp.push(...again.splice(0).flatMap(({ keys }) => keys));
  const left = [...deferred, ...gaveUp].map(key => failedKey(key, 'Unprocessed'));
  const { listedKeysBytes } = progress;
  // No more than are listed: a page has a thousand.
  const shown = (keys: readonly FailedKey[]) =>
    keys.slice(0, LISTED_KEYS).map(key => shownFailure(key, showKey));
  return {
    progress: {
      ...progress,
      failed: progress.failed + failed.length,
      failedKeys: listFailedKeys([...progress.failedKeys, ...shown(failed)], listedKeysBytes),
      deferred: progress.deferred + left.length,
      deferredKeys: listFailedKeys([...progress.deferredKeys, ...shown(left)], listedKeysBytes),
    },
    gaveUp: gaveUp.length,
    deferredTtls: deferred.map(({ ttl }) => ttl),
    again,
  };
}

function addChunk(progress: ChildProgress, chunk: ChunkProgress): ChildProgress {
  return {
    ...progress,
    ...addCounts(CHUNK_COUNTS, progress, chunk),
    ...addLags(progress, chunk),
  };
}
