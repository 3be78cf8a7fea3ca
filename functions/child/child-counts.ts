import type { CountsProgress } from '../../statemachine/contract/child.ts';
import type { ChunkProgress } from '../../statemachine/contract/chunks.ts';
import type { ListedFailure, ShownKey } from '../../statemachine/contract/keys.ts';
import { addCounts, CHILD_COUNTS, CHUNK_COUNTS, noCounts, sumOfFates } from '../../statemachine/counts.ts';
import { addLags, NO_LAG } from '../report/lag.ts';
import { firstThatFit, listFailedKeys } from '../report/listed-keys.ts';
import type { PageFate } from './brake.ts';

/* The part of a child's progress that counts its results. */

export const NOTHING_COUNTED: CountsProgress = {
  ...noCounts(CHILD_COUNTS),
  ...NO_LAG,
  inFlight: 0,
  failedKeys: [],
  sampleKeys: [],
};

export function countChunk(counts: CountsProgress, chunk: ChunkProgress): CountsProgress {
  return { ...counts, ...addCounts(CHUNK_COUNTS, counts, chunk), ...addLags(counts, chunk) };
}

/**
 * Counts keys that failed permanently.
 *
 * @param maxBytes most bytes of the listed keys, as JSON
 */
export function countFailed(
  counts: CountsProgress,
  failed: number,
  listed: readonly ListedFailure[],
  maxBytes: number,
): CountsProgress {
  const failedKeys = listFailedKeys([...counts.failedKeys, ...listed], maxBytes);
  return { ...counts, failed: counts.failed + failed, failedKeys };
}

/**
 * Counts keys that a dry run found.
 *
 * @param maxBytes most bytes of the listed keys, as JSON
 */
export function countFound(
  counts: CountsProgress,
  found: number,
  samples: readonly ShownKey[],
  maxBytes: number,
): CountsProgress {
  const sampleKeys = firstThatFit([...counts.sampleKeys, ...samples], maxBytes);
  return { ...counts, found: counts.found + found, sampleKeys };
}

/**
 * Resets the counts of failed keys: they are still there, and a poll from the start of the windows finds and counts them again.
 */
export function countAgain(counts: CountsProgress): CountsProgress {
  return { ...counts, failed: 0, failedKeys: [] };
}

/** Returns the results of a page's keys in DynamoDB: the difference between the counts before and after it. */
export function fateOfPage(before: CountsProgress, after: CountsProgress): PageFate {
  const throttled = after.throttled - before.throttled;
  const tried = throttled + sumOfFates(after) - sumOfFates(before);
  return { handedOver: before.inFlight, tried, throttled };
}
