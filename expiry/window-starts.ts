import { windowStart } from './window.ts';

/**
 * Starts of windows in epoch seconds, oldest first. Items stamped the older way, (start, end], put a TTL on an edge into the window that
 * ends there. A beginning at `from - 1` finds that window too when `from` lies on an edge, and otherwise changes nothing.
 * @param from first TTL, epoch seconds, inclusive
 * @param before end of the span, epoch seconds, exclusive; nothing is yielded when it is not after `from`
 */
export function* windowStarts(from: number, before: number, granularitySeconds: number): Generator<number> {
  if (before <= from) return;
  const last = windowStart(before - 1, granularitySeconds);
  for (let start = windowStart(from - 1, granularitySeconds); start <= last; start += granularitySeconds) {
    yield start;
  }
}
