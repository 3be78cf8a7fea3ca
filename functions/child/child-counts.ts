import type { CountsProgress } from '../../statemachine/contract/child.ts';
import type { ChunkProgress } from '../../statemachine/contract/chunks.ts';
import type { ListedFailure, ShownKey } from '../../statemachine/contract/keys.ts';
import { addCounts, CHILD_COUNTS, CHUNK_COUNTS, noCounts, sumOfFates } from '../../statemachine/counts.ts';
import { addLags, NO_LAG } from '../report/lag.ts';
import { firstThatFit, listFailedKeys } from '../report/listed-keys.ts';
import type { PageFate } from './brake.ts';

/* The slice of a child's progress that says what it came to. */

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
 * So many keys failed for good.
 *
 * @param maxBytes of the keys that are listed, as JSON
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
 * A dry run found so many.
 *
 * @param maxBytes of the keys that are listed, as JSON
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

/** A poll from the start of the windows finds again what failed and what is held, which is still there, and counts it then. */
export function countAgain(counts: CountsProgress): CountsProgress {
  return { ...counts, failed: 0, failedKeys: [], held: 0 };
}

/** The fate of a page's keys in DynamoDB, by the counts before it and after it. */
export function fateOfPage(before: CountsProgress, after: CountsProgress): PageFate {
  const throttled = after.throttled - before.throttled;
  const tried = throttled + sumOfFates(after) - sumOfFates(before);
  return { handedOver: before.inFlight, tried, throttled };
}
