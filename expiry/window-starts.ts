import { windowStart } from './window.ts';

/**
 * Starts of windows in epoch seconds, oldest first. Older writers put a TTL on the edge of two windows into the earlier window. So the
 * search begins at `from - 1`: if `from` lies on an edge, the earlier window is found too; otherwise nothing changes.
 * @param from first TTL, epoch seconds, inclusive
 * @param before end of the span, epoch seconds, exclusive; nothing is yielded when `before` is not after `from`
 */
export function* windowStarts(from: number, before: number, granularitySeconds: number): Generator<number> {
  if (before <= from) return;
  const last = windowStart(before - 1, granularitySeconds);
  for (let start = windowStart(from - 1, granularitySeconds); start <= last; start += granularitySeconds) {
    yield start;
  }
}
