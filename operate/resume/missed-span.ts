import { toEpochSeconds } from '../../expiry/ttl.ts';
import { INDEX_SECONDS, type Pause, type Watermark } from '../../functions/journal/layout.ts';
import type { Span } from '../changes.ts';

export interface KnownOfTable {
  /** The watermark up to which ticks have swept the table; undefined before the first tick. */
  readonly watermark: Watermark | undefined;
  /** Undefined if the table is not paused, or if the pause has ended. */
  readonly pause: Pause | undefined;
  /** Minutes that a tick searches back. */
  readonly lookbackMinutes: number;
}

/** Normal distance between now and the watermark of a table that is being swept, seconds: the last ticks are still working. */
const USUAL_SECONDS = 180;

/**
 * The span of a table that has to be replayed so that no expired item is left: everything since its watermark. It depends on what
 * was swept and not on the time of the pause, so it is also correct after two pauses in a row, after a pause that ended by itself,
 * and when it is calculated again. Only a table without a watermark is replayed from the start of its pause. If a table is no longer
 * paused, a span that its ticks still search is not replayed.
 *
 * @param now epoch milliseconds
 * @returns undefined if the ticks sweep what was missed
 */
export function missedSpan(
  { watermark, pause, lookbackMinutes }: KnownOfTable,
  now: number,
): Span | undefined {
  const gone = watermark?.gone ?? (pause && toEpochSeconds(Date.parse(pause.since)) - 1);
  if (gone === undefined) return undefined;
  // Some entries appear late in the index: the last tick could not see them.
  const span = { from: gone + 1 - INDEX_SECONDS, to: toEpochSeconds(now) };
  const usual = pause === undefined ? Math.max(lookbackMinutes * 60, USUAL_SECONDS) : USUAL_SECONDS;
  return span.to - span.from > usual ? span : undefined;
}
