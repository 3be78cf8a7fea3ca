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

/** The sums of the chunks of a page. */
export interface AddedUp {
  readonly progress: ChildProgress;
  /** Keys left in chunks that were tried for as long as they may be. */
  readonly gaveUp: number;
  /** Those of the keys that were deferred to a later poll. */
  readonly deferredTtls: readonly Seconds[];
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
    // The call that failed, if it was not the first, and the one that a later poll makes, as a chunk of its own.
    const failedAgain = error !== undefined && (result.progress?.attempts ?? 0) > 0 ? 1 : 0;
    const later = once && !isFinal ? 1 : 0;
    counts = { ...counts, retries: counts.retries + failedAgain + later };
  }
  if (gaveUp.length > 0) gaveUp.push(...again.splice(0).flatMap(({ keys }) => keys));
  const left = [...deferred, ...gaveUp].map(key => failedKey(key, 'Unprocessed'));
  const { listedKeysBytes } = before;
  // No more than are listed: a page has a thousand.
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
