import { setTimeout as sleep } from 'node:timers/promises';
import type { DescribedIndex } from '../table/describe-table.ts';
import { AdoptError } from './errors.ts';

/** An index that is being built. */
export interface Building {
  readonly name: string;
  readonly backfilling: boolean;
  readonly elapsedMs: number;
  /** How much of it is built, 0 to 1; undefined where nobody knows. */
  readonly part: number | undefined;
}

export interface BuildWatch {
  readonly indexName: string;
  /** Asks DynamoDB how the index is; undefined when the table has none of that name. */
  readonly describe: () => Promise<DescribedIndex | undefined>;
  /** The part that is built, as {@link Building} has it. */
  readonly progress: () => Promise<number | undefined>;
  readonly onPoll: (building: Building) => void;
  /** Between two questions, milliseconds. */
  readonly pollMs: number;
  /** Ends the wait; DynamoDB goes on. */
  readonly signal: AbortSignal;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** How long an index that was just asked for may not be there: what DescribeTable says is eventually consistent. */
const UNSEEN_MS = 60_000;

/**
 * Waits until DynamoDB has built an index: it is ACTIVE and has every item that was there before.
 *
 * @returns whether it is built; false when the signal came first
 * @throws {AdoptError} when the index goes away; what `describe` throws
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
