import type { WindowModel } from '../../expiry/model.ts';
import { toEpochSeconds } from '../../expiry/ttl.ts';
import {
  type BackfillSegmentInput,
  type BackfillSegmentOutput,
  CALL_SECONDS,
  MAX_CALL_SECONDS,
  MAX_SEGMENT_STEPS,
  READS_PER_WRITE,
  type SegmentProgress,
} from '../../statemachine/backfill-contract.ts';
import { countItems, type ItemFate } from '../../statemachine/backfill-counts.ts';
import type { ItemKey } from '../../statemachine/contract/keys.ts';
import { type BackoffSettings, backoffMs } from '../retry/backoff.ts';
import { keyAttributeNames, toItemKey } from '../table/item-key.ts';
import { pacer } from './pacer.ts';
import type { ScanPage } from './scan-page.ts';
import { type ScannedItem, stampOf } from './stored-window.ts';
import type { WriteWindow } from './write-window.ts';

export interface SegmentOptions {
  readonly model: WindowModel;
  readonly settings: BackoffSettings & {
    /** Attempts at one write, the first included. */
    readonly deleteAttempts: number;
  };
  readonly scanPage: ScanPage;
  readonly writeWindow: WriteWindow;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

/** Most items that are processed at the same time. */
const BATCH_ITEMS = 100;

/** Duration of a batch at a low rate, in seconds: a call must be able to finish the batch that it has begun. */
const BATCH_SECONDS = 10;

/**
 * One call for a segment: reads on from where the previous call ended, and writes the windows that are missing or wrong.
 *
 * 1. A page is read. Its items are processed in batches, in their order, so that the next call can continue after the last batch.
 * 2. Each attempt to write waits for its turn. If DynamoDB is too busy for a write, it is tried again with backoff; it counts as failed
 *    when attempts or time run out.
 * 3. After CALL_SECONDS no batch begins. The next call continues after the last one (`scan`), unless the segment is read to its end or the
 *    child's history is full (`end`).
 *
 * @throws DynamoDbBusyError when a page cannot be read; any error that a retry cannot solve
 */
export async function backfillSegment(
  { progress, retries }: BackfillSegmentInput,
  options: SegmentOptions,
): Promise<BackfillSegmentOutput> {
  const { model, scanPage, clock, sleep } = options;
  const { writesPerSecond, dryRun } = progress;
  const startedMs = clock();
  const isLate = () => clock() >= startedMs + CALL_SECONDS * 1000;
  const readTurns = pacer(writesPerSecond * READS_PER_WRITE, clock, sleep);
  const settle = dryRun ? dryFate : stamper(options, writesPerSecond, startedMs + MAX_CALL_SECONDS * 1000);
  const keyNames = keyAttributeNames(model);
  const batchItems = Math.min(BATCH_ITEMS, Math.max(1, Math.floor(writesPerSecond * BATCH_SECONDS)));
  let { position, counts } = progress;

  do {
    const { items, next } = await scanPage(position);
    for (let from = 0; from < items.length && !(from > 0 && isLate()); from += batchItems) {
      const batch = items.slice(from, from + batchItems);
      await readTurns(batch.length);
      const now = toEpochSeconds(clock());
      const fates = await Promise.all(batch.map(item => settle(item, stampOf(model, item, now))));
      counts = countItems(counts, fates);
      position = toItemKey(batch.at(-1) ?? {}, keyNames);
      if (from + batchItems >= items.length) position = next;
    }
    if (items.length === 0) position = next;
    if (position === null) return answer(progress, { position, counts, retries });
  } while (!isLate());
  return answer(progress, { position, counts, retries });
}

type Settle = (item: ScannedItem, stamp: ReturnType<typeof stampOf>) => Promise<ItemFate>;

const dryFate: Settle = async (_item, stamp) => (isStamp(stamp) ? 'toStamp' : stamp);

/** Writes the windows of stamps, one turn of the pacer for each. */
function stamper(
  { settings, writeWindow, clock, random, sleep }: SegmentOptions,
  writesPerSecond: number,
  giveUpAtMs: number,
): Settle {
  const writeTurns = pacer(writesPerSecond, clock, sleep);
  return async (item, stamp) => {
    if (!isStamp(stamp)) return stamp;
    for (let attempt = 1; ; attempt += 1) {
      await writeTurns();
      const outcome = await writeWindow(item, stamp.window);
      if (outcome !== 'busy') return outcome;
      const waitMs = backoffMs(attempt, settings, random);
      if (attempt >= settings.deleteAttempts || clock() + waitMs >= giveUpAtMs) return 'failed';
      await sleep(waitMs);
    }
  };
}

function isStamp(stamp: ReturnType<typeof stampOf>): stamp is { readonly window: string } {
  return typeof stamp === 'object' && 'window' in stamp;
}

function answer(
  before: SegmentProgress,
  {
    position,
    counts,
    retries,
  }: Pick<SegmentProgress, 'counts'> & { readonly position: ItemKey | null; readonly retries: number },
): BackfillSegmentOutput {
  const complete = position === null;
  const steps = before.steps + 1 + Math.ceil(retries / 2);
  const progress = { ...before, position, counts, steps };
  if (!complete && steps < MAX_SEGMENT_STEPS) return { next: 'scan', progress, result: null };
  const result = complete ? { complete, counts } : { complete, counts, interruptedBy: 'HistoryFull' };
  return { next: 'end', progress, result };
}
