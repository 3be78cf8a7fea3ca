import { INDEX_SECONDS, type Pause, type Watermark } from '../../functions/journal/layout.ts';

/** Times of expiry that no tick has swept, [from, to), epoch seconds. */
export interface MissedSpan {
  readonly from: number;
  readonly to: number;
}

export interface KnownOfTable {
  /** Undefined before its first tick. */
  readonly watermark: Watermark | undefined;
  /** Undefined when it is not paused, or no longer. */
  readonly pause: Pause | undefined;
  /** Minutes that a tick looks back. */
  readonly lookbackMinutes: number;
  /** Items are due so long after they expire. */
  readonly graceSeconds: number;
}

/** A table that is swept is behind by so much, seconds: what the last ticks are still about. */
const USUAL_SECONDS = 180;

/**
 * The span of a table that has to be replayed so that nothing is left: everything from its watermark on. It depends on what is known to be
 * gone, and not on when somebody paused it: so it is right after two pauses in a row, after one that has ended by itself, and when it is
 * asked once more. What a table has missed that is not paused any more, and that its ticks look back to, is theirs.
 *
 * @param now epoch milliseconds
 */
export function missedSpan(
  { watermark, pause, lookbackMinutes, graceSeconds }: KnownOfTable,
  now: number,
): MissedSpan | undefined {
  const expired = (ms: number) => Math.floor(ms / 1_000) - graceSeconds;
  const gone = watermark?.gone ?? (pause && expired(Date.parse(pause.since)) - 1);
  if (gone === undefined) return undefined;
  // Entries that took long to show in the index were not there when the last tick looked.
  const span = { from: gone + 1 - INDEX_SECONDS, to: expired(now) };
  const usual = pause === undefined ? Math.max(lookbackMinutes * 60, USUAL_SECONDS) : USUAL_SECONDS;
  return span.to - span.from > usual ? span : undefined;
}
