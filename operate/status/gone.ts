import { INDEX_SECONDS, type Watermark } from '../../functions/journal/layout.ts';
import type { ExpiredKey } from '../../statemachine/contract/keys.ts';

/** Expiry times in whole epoch seconds, both ends included. */
export interface Span {
  readonly from: number;
  readonly upTo: number;
}

/** The result of reading the index. Times are epoch seconds. */
export interface Look {
  /** Start of the reading, a whole second. */
  readonly readAt: number;
  /** Spans of expiry times for which all index keys were queried, oldest first. */
  readonly read: readonly Span[];
  /** Number of expired entries that were found. */
  readonly overdue: number;
  /** The oldest expired entries, oldest first, without gaps. They are all of them if the number is the same as `overdue`. */
  readonly named: readonly ExpiredKey[];
}

/** A statement that an operator can rely on. Times are expiry times in epoch seconds. */
export type Gone =
  /** Everything that was due from `since` to `by` was deleted, except the items in `left`. */
  | {
      readonly known: true;
      /** Start of the span. */
      readonly since: number;
      readonly by: number;
      /** End of a gap after `by` that was not read, although later items were; null: there is no gap. */
      readonly gapUntil: number | null;
      /** Items in the span that still exist, oldest first. */
      readonly left: readonly ExpiredKey[];
    }
  | { readonly known: false; readonly because: 'overdue' | 'unanswered' | 'not-read' };

/** Facts that are known without reading the index now. */
export interface Known {
  readonly watermark: Watermark | undefined;
}

/**
 * Exceptions are listed only if the statement then reaches further by more than this, seconds: a few items that are being deleted
 * are not worth it.
 */
const WORTH_SECONDS = 60;

/**
 * Finds the span of time for which it is certain that all due items were deleted, except the listed ones.
 *
 * 1. The ticks left no item between their first one and the table's watermark. The last {@link INDEX_SECONDS} before the watermark
 *    do not count, because entries of that time may not have been in the index yet.
 * 2. Some spans of the index were read just now. Items that were written before they expired, and were due {@link INDEX_SECONDS}
 *    before the reading, had this time to appear in the index, so the reading would have found them.
 * 3. The statement begins where the first of these spans begins, and ends at the first gap between them.
 * 4. Items that were found are listed as exceptions. If there are too many to list, the statement ends before the first one that
 *    is not listed.
 *
 * Nothing is claimed about items that were already expired when they were written, unless the reading found them; about items in
 * windows that no sweep reads; and about entries that took longer to appear in the index.
 *
 * @param look undefined when the index could not be read
 */
export function goneBy(look: Look | undefined, { watermark }: Known): Gone {
  const swept =
    watermark === undefined ? [] : [{ from: watermark.since, upTo: watermark.gone - INDEX_SECONDS }];
  const shown = (look?.read ?? []).map(({ from, upTo }) => ({
    from,
    upTo: Math.min(upTo, (look?.readAt ?? 0) - INDEX_SECONDS),
  }));
  const chain = firstChain([...swept, ...shown].filter(({ from, upTo }) => from <= upTo));
  if (chain === undefined) return { known: false, because: look === undefined ? 'unanswered' : 'not-read' };
  const { by, left } = endOf(chain, look);
  if (by < chain.from) return { known: false, because: 'overdue' };
  return { known: true, since: chain.from, by, gapUntil: by === chain.upTo ? chain.gapUntil : null, left };
}

/** Joins the spans from the earliest one up to the first gap. */
function firstChain(spans: readonly Span[]): (Span & { readonly gapUntil: number | null }) | undefined {
  const [first, ...others] = spans.toSorted((one, other) => one.from - other.from);
  if (first === undefined) return undefined;
  let { upTo } = first;
  for (const span of others) {
    if (span.from > upTo + 1) return { from: first.from, upTo, gapUntil: span.from };
    upTo = Math.max(upTo, span.upTo);
  }
  return { from: first.from, upTo, gapUntil: null };
}

/** Finds up to which time the statement can reach, and which exceptions it must list. */
function endOf({ upTo }: Span, look: Look | undefined): { by: number; left: readonly ExpiredKey[] } {
  const { named, overdue } = look ?? { named: [], overdue: 0 };
  /** Times up to which the statement reaches if it lists the first 0, 1, 2, … items as exceptions. */
  const ends = named.map(({ ttl }) => Math.min(upTo, Math.ceil(ttl) - 1));
  if (overdue <= named.length) ends.push(upTo);
  const furthest = ends.at(-1) ?? upTo;
  const by = ends.find(end => furthest - end <= WORTH_SECONDS) ?? furthest;
  return { by, left: named.filter(({ ttl }) => ttl <= by) };
}
