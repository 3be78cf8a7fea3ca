import { INDEX_SECONDS, type Watermark } from '../../functions/journal/layout.ts';

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
 * What can be said for sure: that everything which was due in a span of time is gone.
 *
 * 1. The index was read for `read`, and whatever it showed was due at `oldest` or later. So nothing in it was due before.
 * 2. What was written by its expiry time, as writers do, and was due {@link INDEX_SECONDS} before the reading, had that long to show
 *    in the index. So it would have been seen.
 * 3. Before the span that was read, the ticks have left nothing up to the table's watermark, but for the last {@link INDEX_SECONDS} of
 *    it: those entries may not have been in the index yet. Where it ends before the span begins, nobody knows what is between them.
 * 4. Where the index was not read, the watermark alone is known.
 *
 * Three things are not known, and are not claimed: what was written when it had expired already, what lies under a window that the
 * deployment does not sweep, and entries that took longer to show.
 *
 * @param look undefined when the index could not be read
 */
export function goneBy(look: Look | undefined, watermark: Watermark | undefined): Gone {
  const seen = look === undefined ? ({ known: false, because: 'unanswered' } as const) : seenGone(look);
  if (watermark === undefined) return seen;
  const { since } = watermark;
  const by = watermark.gone - INDEX_SECONDS;
  if (seen.known) return since < seen.since && by >= seen.since - 1 ? { ...seen, since } : seen;
  const oldest = look?.oldest ?? Number.POSITIVE_INFINITY;
  return since <= by && by < oldest ? { known: true, since, by } : seen;
}

function seenGone({ readAt, read, oldest, unansweredFrom }: Look): Gone {
  if (read === null) return { known: false, because: unansweredFrom === null ? 'not-read' : 'unanswered' };
  const before = (time: number | null) => (time === null ? Number.POSITIVE_INFINITY : Math.ceil(time) - 1);
  const by = Math.min(read.upTo, readAt - INDEX_SECONDS, before(oldest), before(unansweredFrom));
  if (by >= read.from) return { known: true, since: read.from, by };
  const isOverdue = before(oldest) < read.from;
  return {
    known: false,
    because: isOverdue ? 'overdue' : unansweredFrom === null ? 'not-read' : 'unanswered',
  };
}
