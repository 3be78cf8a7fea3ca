import type { ChildProgress, CountsProgress } from '../../statemachine/contract/child.ts';
import type { Chunk } from '../../statemachine/contract/chunks.ts';
import type { ExpiredKey, FailedKey } from '../../statemachine/contract/keys.ts';
import { LISTED_KEYS } from '../../statemachine/contract/limits.ts';
import { TRANSIENT_ERRORS } from '../../statemachine/contract/machines.ts';
import type { Seconds } from '../../statemachine/times.ts';
import { countChunk, countFailed } from '../child/child-counts.ts';
import { defer } from '../child/deferred.ts';
import { failedKey } from '../report/listed-keys.ts';
import { type ShowKey, shownFailure } from '../report/shown-keys.ts';

/** The summed results of a page's chunks. */
export interface AddedUp {
  readonly progress: ChildProgress;
  /** Number of unprocessed keys in chunks that used up their attempts or time. */
  readonly gaveUp: number;
  /** TTLs of the keys that were deferred to a later poll. */
  readonly deferredTtls: readonly Seconds[];
  /** Chunks to try again; none when any keys were given up, since the child then ends. */
  readonly again: readonly Chunk[];
}

/**
 * Adds the results of DeleteChunks to a child's progress. Every key of a chunk has one result:
 *
 * 1. deleted, renewed, not found, or failed permanently: counted here;
 * 2. unprocessed in a chunk whose function failed permanently (no access, a bug): failed, with the error as the reason;
 * 3. unprocessed in a chunk whose function failed and may be called again: the chunk is tried again unchanged, and counted then;
 * 4. unprocessed in a chunk with a single attempt: deferred. A later poll finds those that still exist, and they are counted then;
 * 5. unprocessed in a chunk that ran out of attempts or time: given up. They count as deferred, and the child ends. Chunks of rule 3
 *    are then given up as well.
 *
 * @param retry makes the chunk's next attempt; undefined when it may not be tried again
 * @param showKey form of a key in the lists
 */
export function addResults(
  before: ChildProgress,
  results: readonly Chunk[],
  retry: (chunk: Chunk) => Chunk | undefined,
  showKey: ShowKey,
): AddedUp {
  if (results.length === 0) return { progress: before, gaveUp: 0, deferredTtls: [], again: [] };
  let counts: CountsProgress = { ...before.counts, inFlight: 0 };
  const failed: FailedKey[] = [];
  const deferred: ExpiredKey[] = [];
  const gaveUp: ExpiredKey[] = [];
  const again: Chunk[] = [];
  for (const result of results) {
    const { keys, once, error } = result;
    if (result.progress !== null) {
      counts = countChunk(counts, result.progress);
      failed.push(...result.progress.failed);
    }
    if (keys.length === 0) continue;
    const isFinal = error !== undefined && !TRANSIENT_ERRORS.includes(error);
    const retried = error === undefined || isFinal || once ? undefined : retry(result);
    if (isFinal) failed.push(...keys.map(key => failedKey(key, error)));
    else if (once) deferred.push(...keys);
    else if (retried) again.push(retried);
    else gaveUp.push(...keys);
    // Two calls count as retries: a failed one that was not the first, and the one that a later poll makes in a new chunk.
    const failedAgain = error !== undefined && (result.progress?.attempts ?? 0) > 0 ? 1 : 0;
    const later = once && !isFinal ? 1 : 0;
    counts = { ...counts, retries: counts.retries + failedAgain + later };
  }
  if (gaveUp.length > 0) gaveUp.push(...again.splice(0).flatMap(({ keys }) => keys));
  const left = [...deferred, ...gaveUp].map(key => failedKey(key, 'Unprocessed'));
  const { listedKeysBytes } = before;
  // Only as many as are listed are collected: a page has a thousand.
  const shown = (keys: readonly FailedKey[]) =>
    keys.slice(0, LISTED_KEYS).map(key => shownFailure(key, showKey));
  return {
    progress: {
      ...before,
      deferred: defer(before.deferred, left.length, shown(left), listedKeysBytes),
      counts: countFailed(counts, failed.length, shown(failed), listedKeysBytes),
    },
    gaveUp: gaveUp.length,
    deferredTtls: deferred.map(({ ttl }) => ttl),
    again,
  };
}
