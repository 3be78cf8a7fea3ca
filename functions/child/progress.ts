import type { ChildProgress, ChildSweep, CountsProgress } from '../../statemachine/contract/child.ts';
import type { Chunk } from '../../statemachine/contract/chunks.ts';
import type { ExpiredKey, FailedKey, ListedFailure } from '../../statemachine/contract/keys.ts';
import { LISTED_KEYS } from '../../statemachine/contract/limits.ts';
import { PAUSED, TRANSIENT_ERRORS } from '../../statemachine/contract/machines.ts';
import { addCounts, CHILD_COUNTS, CHUNK_COUNTS, noCounts, sumOfFates } from '../../statemachine/counts.ts';
import type { Millis, Seconds } from '../../statemachine/times.ts';
import { addLags, NO_LAG } from '../report/lag.ts';
import { firstThatFit, listFailedKeys } from '../report/listed-keys.ts';
import { type ShowKey, shownFailure } from '../report/shown-keys.ts';

export interface Listing {
  readonly sweep: ChildSweep;
  readonly showKey: ShowKey;
}

export function startProgress({ target, limit }: ChildSweep, nowMs: Millis): ChildProgress {
  return {
    cursor: target.from - 1,
    stuck: 0,
    left: [],
    credit: limit && { at: Math.floor(nowMs / 1000), keys: limit.credit },
    brokenAt: null,
    counts: { ...noCounts(CHILD_COUNTS), ...NO_LAG, inFlight: 0, failedKeys: [], sampleKeys: [] },
  };
}

/**
 * Returns the child's progress with the chunks' results, and whether the table is paused. The cursor is before the TTLs of the unprocessed
 * keys, so that the child queries these keys again.
 */
export function addUp(before: ChildProgress, results: readonly Chunk[], { sweep, showKey }: Listing) {
  if (results.length === 0) return { after: before, isPaused: false };
  const failed: FailedKey[] = [];
  const left: ExpiredKey[] = [];
  const broken: Seconds[] = before.brokenAt === null ? [] : [before.brokenAt];
  let counts: CountsProgress = { ...before.counts, inFlight: 0 };
  for (const { keys, progress, error } of results) {
    if (progress !== null) {
      counts = { ...counts, ...addCounts(CHUNK_COUNTS, counts, progress), ...addLags(counts, progress) };
      failed.push(...progress.failed);
    }
    if (error === undefined || error === PAUSED || TRANSIENT_ERRORS.includes(error)) left.push(...keys);
    else {
      failed.push(...keys.map(({ key }) => ({ key, reason: error })));
      // The child notes only the TTLs before `brokenAt` as swept: a later tick searches from `brokenAt` on again.
      broken.push(...keys.map(({ ttl }) => ttl));
    }
  }
  counts = countFailed(counts, failed, { sweep, showKey });
  const isStuck = left.length > 0 && sumOfFates(counts) === sumOfFates(before.counts);
  const after: ChildProgress = {
    ...before,
    left,
    counts: { ...counts, retries: counts.retries + (left.length > 0 ? 1 : 0) },
    cursor: Math.min(before.cursor, ...left.map(({ ttl }) => Math.ceil(ttl) - 1)),
    brokenAt: broken.length === 0 ? null : Math.min(...broken),
    stuck: isStuck ? before.stuck + 1 : 0,
  };
  return { after, isPaused: results.some(({ error }) => error === PAUSED) };
}

export function failLeft(progress: ChildProgress, listing: Listing): ChildProgress {
  const failed = progress.left.map(({ key }) => ({ key, reason: 'Unprocessed' }));
  return { ...progress, counts: countFailed(progress.counts, failed, listing) };
}

export function countFound(
  progress: ChildProgress,
  { count, samples }: { readonly count: number; readonly samples: readonly ExpiredKey[] },
  { sweep, showKey }: Listing,
): ChildProgress {
  const { found, sampleKeys, ...counts } = progress.counts;
  const shown = samples.map(({ key }) => showKey(key)).filter(key => key !== undefined);
  const all = firstThatFit([...sampleKeys, ...shown], sweep.listedKeysBytes);
  return { ...progress, counts: { ...counts, found: found + count, sampleKeys: all } };
}

function countFailed(
  counts: CountsProgress,
  failed: readonly FailedKey[],
  { sweep, showKey }: Listing,
): CountsProgress {
  // A report lists at most LISTED_KEYS keys, so only that many keys are hashed: `failed` may be much longer.
  const shown = failed.slice(0, LISTED_KEYS).map((key): ListedFailure => shownFailure(key, showKey));
  const failedKeys = listFailedKeys([...counts.failedKeys, ...shown], sweep.listedKeysBytes);
  return { ...counts, failed: counts.failed + failed.length, failedKeys };
}
