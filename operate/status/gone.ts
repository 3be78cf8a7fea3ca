import { INDEX_SECONDS, type Watermark } from '../../functions/journal/layout.ts';
import type { ExpiredKey } from '../../statemachine/contract/keys.ts';

/** Expiry times, both ends included, whole epoch seconds. */
export interface Span {
  readonly from: number;
  readonly upTo: number;
}

/** The result of reading the index. Times are epoch seconds. */
export interface Look {
  /** When the reading began, whole. */
  readonly readAt: number;
  /** The expiry times of which all index keys were asked, the oldest first. */
  readonly read: readonly Span[];
  /** Entries that were found expired. */
  readonly overdue: number;
  /** The oldest of them, the oldest first: all that lie before the last one, and all there are where that is as many. */
  readonly named: readonly ExpiredKey[];
}

/** The statement that an operator may rely on. Times are expiry times, epoch seconds. */
export type Gone =
  /** Everything that was due from `since` to `by` is gone, but for what is named. */
  | {
      readonly known: true;
      /** Null: since ever, by a scan of the whole index. */
      readonly since: number | null;
      readonly by: number;
      /** The end of a gap that nobody has looked at: items that were due from then on were looked at; null: there is no such gap. */
      readonly gapUntil: number | null;
      /** The items of it that are still there, the oldest first. */
      readonly left: readonly ExpiredKey[];
    }
  | { readonly known: false; readonly because: 'overdue' | 'unanswered' | 'not-read' };

/** Facts that are known without this look. */
export interface Known {
  readonly watermark: Watermark | undefined;
  /** Nothing that had expired by then was left in the whole index, epoch seconds; undefined: it was never scanned. */
  readonly scannedUpTo: number | undefined;
}

/** An item is named as long as that moves the sentence on by more than so many seconds: a few that are being deleted are not worth it. */
const WORTH_SECONDS = 60;

/**
 * States for sure that everything which was due in a span of time is gone, except the named items.
 *
 * 1. A scan of the whole index has left nothing that had expired ten minutes before it began.
 * 2. The ticks have left nothing from where they began up to the table's watermark, but for the last {@link INDEX_SECONDS} of it: those
 *    entries may not have been in the index yet.
 * 3. The index was read for some spans just now, and what it showed is known. What was written by its expiry time, as writers do, and was
 *    due {@link INDEX_SECONDS} before the reading, had that long to show in the index. So it would have been seen.
 * 4. The sentence begins where the first of these spans begins and ends where a gap begins of which nobody knows.
 * 5. What was seen to be still there is named, as far as all of it can be. Where there is more, the sentence ends before it.
 *
 * Three things are not known, and are not claimed: what was written when it had expired already, unless the look came upon it; what lies
 * where no sweep looks and was written since the scan; and entries that took longer to show.
 *
 * @param look undefined when the index could not be read
 */
export function goneBy(look: Look | undefined, { watermark, scannedUpTo }: Known): Gone {
  const scanned = scannedUpTo === undefined ? [] : [{ from: Number.NEGATIVE_INFINITY, upTo: scannedUpTo }];
  const swept =
    watermark === undefined ? [] : [{ from: watermark.since, upTo: watermark.gone - INDEX_SECONDS }];
  const shown = (look?.read ?? []).map(({ from, upTo }) => ({
    from,
    upTo: Math.min(upTo, (look?.readAt ?? 0) - INDEX_SECONDS),
  }));
  const chain = firstChain([...scanned, ...swept, ...shown].filter(({ from, upTo }) => from <= upTo));
  if (chain === undefined) return { known: false, because: look === undefined ? 'unanswered' : 'not-read' };
  const { by, left } = endOf(chain, look);
  if (by < chain.from) return { known: false, because: 'overdue' };
  const since = Number.isFinite(chain.from) ? chain.from : null;
  return { known: true, since, by, gapUntil: by === chain.upTo ? chain.gapUntil : null, left };
}

/** The spans that follow each other without a gap, from the earliest one on. */
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

/** How far a sentence goes that names what is left, and what it names. */
function endOf({ upTo }: Span, look: Look | undefined): { by: number; left: readonly ExpiredKey[] } {
  const { named, overdue } = look ?? { named: [], overdue: 0 };
  /** Where the sentence ends that names so many. */
  const ends = named.map(({ ttl }) => Math.min(upTo, Math.ceil(ttl) - 1));
  if (overdue <= named.length) ends.push(upTo);
  const furthest = ends.at(-1) ?? upTo;
  const by = ends.find(end => furthest - end <= WORTH_SECONDS) ?? furthest;
  return { by, left: named.filter(({ ttl }) => ttl <= by) };
}
