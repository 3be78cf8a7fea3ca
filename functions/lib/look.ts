import { toEpochSeconds } from '../../expiry/ttl.ts';
import {
  type ExpiredKey,
  PAGE_KEYS,
  type PagePosition,
  type QueryExpiredInput,
  type SweepTarget,
} from '../../statemachine/contract.ts';
import { keysThatFit } from './page.ts';
import type { ReadWindow, TtlRange } from './window-query.ts';

/** How often a span ahead is looked at. */
export interface LookPace {
  /** Seconds between two looks at least. */
  readonly precisionSeconds: number;
  /** Seconds between two looks at most; 0 = only when something known expires. */
  readonly pollSeconds: number;
}

/** One page of what is due. */
export interface Look {
  readonly due: ExpiredKey[];
  readonly cutoff: number;
  readonly position: PagePosition | null;
  readonly lookAt: number | null;
}

/**
 * Looks into the windows of a target, one after the other, until one holds something due; gives a page of that, where
 * to go on, and when to look again.
 *
 * 1. The cutoff is the target's, or the second in which the state was entered.
 * 2. A look reads everything that is due; a page at a time, from a position on.
 * 3. A span ahead is looked at again when its next item expires, whole seconds apart, so that looks do not drift.
 * 4. A look that took several pages took time: it is followed by another one at once.
 * 5. TTLs that an earlier look of the same child saw are left out: whatever of these is still there has been counted.
 */
export async function look(
  { target, now, position, seen }: Omit<QueryExpiredInput, 'dryRun'>,
  pace: LookPace,
  readWindow: ReadWindow,
): Promise<Look> {
  const { windowKeys, from, before, lookAt: ahead } = target;
  const nowSeconds = toEpochSeconds(Date.parse(now));
  const cutoff = target.cutoff ?? nowSeconds;
  const range: TtlRange = {
    from: Math.max(from, seen ?? from),
    // A span ahead is read to its end: the first entry that is not due yet says when to look again.
    upTo: ahead === null ? Math.min(cutoff, before) : before,
  };
  const isDue = (ttl = Number.NaN) => ttl <= cutoff && ttl < before && (seen === null || ttl > seen);
  const again = () => nextLook(target, pace, nowSeconds, nextExpiry, position !== null);

  let nextExpiry = Number.POSITIVE_INFINITY;
  for (let window = position?.window ?? 0; window < windowKeys.length; window += 1) {
    let startKey = window === position?.window ? position.key : null;
    for (;;) {
      const { entries, positions, more } = await readWindow(
        windowKeys[window] ?? '',
        range,
        startKey,
        PAGE_KEYS,
      );
      const notYet = entries.find(({ ttl }) => ttl > cutoff && ttl < before);
      nextExpiry = Math.min(nextExpiry, notYet?.ttl ?? nextExpiry);
      // In the order of TTL: behind one that is not due yet, or not the target's any more, nothing is due.
      const moreDue = more && entries.every(({ ttl }) => ttl <= cutoff && ttl < before);
      const dueAt = [...entries.keys()].filter(index => isDue(entries[index]?.ttl));
      if (dueAt.length > 0) {
        const due = dueAt.flatMap(index => entries[index] ?? []);
        const count = keysThatFit(due);
        const here = count < due.length || moreDue;
        const next = here
          ? { window, key: positions[dueAt[count - 1] ?? 0] ?? null }
          : { window: window + 1, key: null };
        if (next.window < windowKeys.length)
          return { due: due.slice(0, count), cutoff, position: next, lookAt: null };
        return { due, cutoff, position: null, lookAt: again() };
      }
      startKey = positions.at(-1) ?? null;
      if (!moreDue || startKey === null) break;
    }
  }
  return { due: [], cutoff, position: null, lookAt: again() };
}

/** When to look again, epoch seconds; null when the target is done. */
function nextLook(
  { before, lookAt: ahead }: SweepTarget,
  { precisionSeconds, pollSeconds }: LookPace,
  nowSeconds: number,
  nextExpiry: number,
  tookSeveralPages: boolean,
): number | null {
  if (ahead === null || nowSeconds >= before) return null;
  if (tookSeveralPages) return nowSeconds;
  const next = Math.min(
    Math.max(Math.ceil(nextExpiry), nowSeconds + precisionSeconds),
    pollSeconds > 0 ? nowSeconds + pollSeconds : Number.POSITIVE_INFINITY,
  );
  return Number.isFinite(next) ? Math.min(next, before) : null;
}
