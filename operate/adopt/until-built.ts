import { setTimeout as sleep } from 'node:timers/promises';
import type { DescribedIndex } from '../table/describe-table.ts';
import { AdoptError } from './errors.ts';

/** An index that is being built. */
export interface Building {
  readonly name: string;
  readonly backfilling: boolean;
  readonly elapsedMs: number;
  /** The built part of the index, 0 to 1; undefined if it is not known. */
  readonly part: number | undefined;
}

export interface BuildWatch {
  readonly indexName: string;
  /** Describes the index; undefined when the table has none with that name. */
  readonly describe: () => Promise<DescribedIndex | undefined>;
  /** The built part, as in {@link Building}. */
  readonly progress: () => Promise<number | undefined>;
  readonly onPoll: (building: Building) => void;
  /** Milliseconds between two requests. */
  readonly pollMs: number;
  /** Ends the wait; DynamoDB continues to build the index. */
  readonly signal: AbortSignal;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Milliseconds for which a new index may be missing in DescribeTable, which is eventually consistent. */
const UNSEEN_MS = 60_000;

/**
 * Waits until DynamoDB has built an index: until it is ACTIVE and contains all items that were in the table before.
 *
 * @returns whether it is built; false when the signal aborted first
 * @throws {AdoptError} when the index is deleted; any error of `describe`
 */
export async function untilBuilt({
  indexName,
  describe,
  progress,
  onPoll,
  pollMs,
  signal,
  now,
}: BuildWatch): Promise<boolean> {
  const since = now();
  let seen = false;
  while (!signal.aborted) {
    const index = await describe();
    seen ||= index !== undefined;
    const gone = index === undefined && (seen || now() - since > UNSEEN_MS);
    if (gone || index?.status === 'DELETING') {
      throw new AdoptError(
        `index ${indexName}: expected it to become ACTIVE, got ${index?.status ?? 'no such index any more'}; somebody deleted it ` +
          'while it was being built: run this again',
      );
    }
    if (index?.status === 'ACTIVE' && !index.backfilling) return true;
    const backfilling = index?.backfilling ?? false;
    onPoll({ name: indexName, backfilling, elapsedMs: now() - since, part: await progress() });
    await sleep(pollMs, undefined, { signal }).catch(() => {});
  }
  return false;
}
