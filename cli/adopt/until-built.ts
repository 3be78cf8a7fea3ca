import { setTimeout as sleep } from 'node:timers/promises';
import type { DescribedIndex } from '../../operate/table/describe-table.ts';
import { AdoptError } from './errors.ts';

export interface BuildWatch {
  readonly indexName: string;
  /** Asks DynamoDB how the index is; undefined when the table has none of that name. */
  readonly describe: () => Promise<DescribedIndex | undefined>;
  /** How much of it is built, 0 to 1; undefined where nobody knows. */
  readonly progress: () => Promise<number | undefined>;
  /** Shows where it is, on one line. */
  readonly show: (line: string) => void;
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
  show,
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
    show(progressLine(indexName, index?.backfilling ?? false, now() - since, await progress()));
    await sleep(pollMs, undefined, { signal }).catch(() => {});
  }
  return false;
}

const BAR_WIDTH = 20;

/** One line, with a bar where it is known how much is done. */
export function progressLine(
  indexName: string,
  backfilling: boolean,
  elapsedMs: number,
  part: number | undefined,
): string {
  const phase = backfilling ? 'DynamoDB puts the items into it' : 'DynamoDB makes room for it';
  const done = Math.round((part ?? 0) * BAR_WIDTH);
  const bar = `${'█'.repeat(done)}${'░'.repeat(BAR_WIDTH - done)} ${Math.floor((part ?? 0) * 100)}%`;
  return `Index ${indexName}: ${part === undefined ? '' : `${bar}, `}${phase}, ${duration(elapsedMs)}`;
}

function duration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
