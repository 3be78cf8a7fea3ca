import type { SweepRequest } from '../../functions/plan-sweep/sweep-input.ts';

/**
 * How long an entry may take to show in the index, seconds. A global secondary index is eventually consistent, "usually within a
 * fraction of a second". Source: DynamoDB Developer Guide, "Using Global Secondary Indexes".
 */
export const INDEX_SECONDS = 10;

/** Expiry times, both ends included, whole epoch seconds. */
export interface Span {
  readonly from: number;
  readonly upTo: number;
}

/** What reading the index has shown. Times are epoch seconds. */
export interface Look {
  /** When the reading began, whole. */
  readonly readAt: number;
  /** The expiry times whose index keys were all asked; null when not even the first ones were. */
  readonly read: Span | null;
  /** The earliest TTL that was found expired; null when none was. */
  readonly oldest: number | null;
  /** From this expiry time on DynamoDB was too busy to answer for some; null when it answered for all. */
  readonly unansweredFrom: number | null;
}

/** What an operator may rely on. */
export type Gone =
  /** Everything that was due from `since` to `by`, epoch seconds, is gone. */
  | { readonly known: true; readonly since: number; readonly by: number }
  | { readonly known: false; readonly because: 'overdue' | 'unanswered' | 'not-read' };

/**
 * What a sweep that succeeded leaves nothing of: the expiry times that it looked back to, but for the last ones, whose entries may
 * not have been in the index yet when it was read. One that a limit kept from deleting all of it (`leftForLater`) covers nothing.
 * What a tick waits for is not among them: the next ticks look for what it missed.
 */
export function coverageOf(
  { windowsFrom, windowsBefore, from, cutoff, dryRun }: SweepRequest,
  leftForLater: number,
): Span | null {
  if (dryRun || leftForLater > 0) return null;
  const span = {
    from: Math.max(windowsFrom, from),
    upTo: Math.min(windowsBefore - 1, cutoff - INDEX_SECONDS),
  };
  return span.from <= span.upTo ? span : null;
}

/**
 * What can be said for sure: that everything which was due in a span of time is gone.
 *
 * 1. The index was read for `read`, and whatever it showed was due at `oldest` or later. So nothing in it was due before.
 * 2. What was written by its expiry time, as writers do, and was due {@link INDEX_SECONDS} before the reading, had that long to show
 *    in the index. So it would have been seen.
 * 3. Before the span that was read, a sweep that succeeded has left nothing of what it covers. Spans that touch add up; a gap ends
 *    it.
 *
 * Three things are not known, and are not claimed: what was written when it had expired already, what lies under a window that the
 * deployment does not sweep, and entries that took longer to show.
 *
 * @param covered what sweeps that succeeded cover, by {@link coverageOf}
 */
export function goneBy({ readAt, read, oldest, unansweredFrom }: Look, covered: readonly Span[]): Gone {
  if (read === null) return { known: false, because: unansweredFrom === null ? 'not-read' : 'unanswered' };
  const before = (time: number | null) => (time === null ? Number.POSITIVE_INFINITY : Math.ceil(time) - 1);
  const by = Math.min(read.upTo, readAt - INDEX_SECONDS, before(oldest), before(unansweredFrom));
  if (by < read.from) {
    const isOverdue = before(oldest) < read.from;
    return {
      known: false,
      because: isOverdue ? 'overdue' : unansweredFrom === null ? 'not-read' : 'unanswered',
    };
  }
  return { known: true, since: reachingBack(read.from, covered), by };
}

/** How far spans that touch reach back from a time. */
function reachingBack(from: number, covered: readonly Span[]): number {
  let since = from;
  for (;;) {
    const next = covered.find(span => span.from < since && span.upTo >= since - 1);
    if (next === undefined) return since;
    since = next.from;
  }
}

/** Up to when sweeps that succeeded cover everything without a gap, seen from the newest; null when none did. */
export function coveredUpTo(covered: readonly Span[]): number | null {
  return covered.length === 0 ? null : Math.max(...covered.map(({ upTo }) => upTo));
}
