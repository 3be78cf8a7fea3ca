import type { ChildProgress, ChildSweep } from '../../statemachine/contract/child.ts';
import type { Chunk, ChunkProgress } from '../../statemachine/contract/chunks.ts';
import type { ExpiredKey } from '../../statemachine/contract/keys.ts';
import { CHUNK_KEYS, PAGE_KEYS } from '../../statemachine/contract/limits.ts';
import { childTimeouts } from '../../statemachine/contract/machines.ts';
import { CHUNK_COUNTS, noCounts } from '../../statemachine/counts.ts';
import type { Millis, Seconds } from '../../statemachine/times.ts';
import { NO_LAG } from '../report/lag.ts';
import { jsonBytes } from '../report/listed-keys.ts';
import { waitUntil } from '../retry/backoff.ts';

/**
 * Maximum size of the keys and TTLs of one page, bytes of JSON. A state's payload may have 256 KiB and contains the page's keys once.
 * QueryExpired's output has them in chunks. If no key can be deleted, DeleteChunks' output has them as failed keys, each with a reason of
 * at most 60 bytes. The payload also has the other fields of 40 chunks, and the child's progress. Source: Step Functions quotas.
 */
const PAGE_BYTES = 120 * 1024;

/**
 * The next page waits for the slowest chunk of a page. So in an upcoming minute no chunk is tried later than this time after the page's
 * last second.
 */
const LAST_TRY_MS = 600;

export const NO_PROGRESS: ChunkProgress = {
  ...{ attempts: 0, ...noCounts(CHUNK_COUNTS), ...NO_LAG },
  ...{ failed: [], retryAtMs: 0 },
};

export interface Planning {
  readonly sweep: ChildSweep;
  readonly marginSeconds: Seconds;
  readonly endMs: Millis;
  readonly machineClock: () => Millis;
}

export interface PlannedDelete {
  readonly at: Seconds;
  readonly isDue: boolean;
  readonly key: ExpiredKey;
}

/**
 * Gives each key its second: now, or the second of its expiry. A limit spreads the keys over further seconds. Keys are left if the page or
 * the seconds have no room for them.
 */
export function planDeletes(
  keys: readonly ExpiredKey[],
  { cutoff }: { readonly cutoff: Seconds },
  progress: ChildProgress,
  { sweep: { limit }, marginSeconds, endMs, machineClock }: Planning,
) {
  const now = Math.floor(machineClock() / 1000);
  const end = endMs / 1000;
  const planned: PlannedDelete[] = [];
  let { at, keys: credit } = progress.credit ?? { at: now, keys: Number.POSITIVE_INFINITY };
  const { perSecond } = limit ?? { perSecond: Number.POSITIVE_INFINITY };
  const most = Number.isInteger(perSecond) ? perSecond : perSecond + 1;
  const goTo = (second: Seconds) => {
    if (second > at) credit = Math.min(most, credit + (second - at) * perSecond);
    at = Math.max(at, second);
  };
  for (const key of keys.slice(0, keysThatFit(keys))) {
    const isDue = key.ttl <= cutoff;
    goTo(isDue ? now : Math.max(now, Math.ceil(key.ttl) + marginSeconds));
    while (credit < 1 - 1e-9 && at < end) goTo(at + 1);
    if (at >= end) break;
    credit -= 1;
    planned.push({ at, isDue, key });
  }
  return { planned, credit: progress.credit && { at, keys: credit } };
}

/** @param page `lagMs` after the state machine's clock begins a second, DynamoDB's clock has certainly begun the same second */
export function toChunks(
  planned: readonly PlannedDelete[],
  { cutoff, lagMs }: { readonly cutoff: Seconds; readonly lagMs: Millis },
  { sweep, marginSeconds, endMs, machineClock }: Planning,
): Chunk[] {
  const nowMs = machineClock();
  const isUpcoming = sweep.target.upcomingFrom !== null;
  const last = Math.max(...planned.map(({ at }) => at));
  const chunks: Chunk[] = [];
  for (const some of Map.groupBy(planned, ({ at, isDue }) => `${at} ${isDue}`).values()) {
    for (let first = 0; first < some.length; first += CHUNK_KEYS) {
      const own = some.slice(first, first + CHUNK_KEYS);
      const [{ at, isDue } = { at: last, isDue: true }] = own;
      const beginMs = at * 1000 + (isDue ? 0 : Math.max(0, lagMs));
      const isNow = isDue && beginMs <= nowMs;
      const lastTryMs = Math.max(last * 1000, beginMs) + LAST_TRY_MS;
      const deadlineMs = isUpcoming ? Math.min(endMs, lastTryMs) : endMs;
      chunks.push({
        next: isNow ? 'delete' : 'wait',
        until: isNow ? null : waitUntil(beginMs / 1000),
        timeoutSeconds: childTimeouts(sweep.target.upcomingFrom).DeleteChunk,
        deadline: new Date(deadlineMs).toISOString(),
        cutoff: isDue ? cutoff : at - marginSeconds,
        planned: !isDue,
        keys: own.map(({ key }) => key),
        progress: isNow ? null : { ...NO_PROGRESS, retryAtMs: beginMs },
      });
    }
  }
  return chunks;
}

function keysThatFit(keys: readonly ExpiredKey[]): number {
  let bytes = 0;
  for (const [index, key] of keys.slice(0, PAGE_KEYS).entries()) {
    bytes += jsonBytes(key);
    if (bytes > PAGE_BYTES) return index;
  }
  return Math.min(keys.length, PAGE_KEYS);
}
