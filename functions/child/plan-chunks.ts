import { type ExpiredRange, expiredRange } from '../../expiry/ttl.ts';
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
import type { SweepSettings } from '../runtime/environment.ts';

/** Maximum size of the keys and TTLs of one step, bytes of JSON. They share a state's output, at most 256 KiB, with other fields. */
const PAGE_BYTES = 120 * 1024;

/**
 * Maximum milliseconds from the last planned delete to the deadline of a chunk of an upcoming minute. A later deadline could delay the
 * next keys, which the child reads only when all its chunks have ended.
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

/** Plans when to delete each key, epoch seconds. Leaves out the keys that exceed PAGE_KEYS or PAGE_BYTES or have no turn before `endMs`. */
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

/** Groups deletes into chunks. A delete not yet due begins `clockSkewMs` after `at`: DynamoDB's clock may be behind the state machine's. */
export function toChunks(
  planned: readonly PlannedDelete[],
  { cutoff, clockSkewMs }: { readonly cutoff: Seconds; readonly clockSkewMs: Millis },
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
      const beginMs = at * 1000 + (isDue ? 0 : Math.max(0, clockSkewMs));
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

/** Upper bound of the seconds from a child's query of an item to the stream record of the item's delete. */
const CHILD_LIFE_SECONDS = 10 * 60;

/** The TTLs to sweep. Leaves out TTLs that may be five years old at the delete's stream record, which would not count as an expiry. */
export function sweptRange(
  cutoff: number,
  { marginSeconds }: Pick<SweepSettings, 'marginSeconds'>,
): ExpiredRange {
  return { after: expiredRange(cutoff + marginSeconds + CHILD_LIFE_SECONDS).after, upTo: cutoff };
}
