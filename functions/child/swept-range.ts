import { type ExpiredRange, expiredRange } from '../../expiry/ttl.ts';
import type { SweepSettings } from '../runtime/environment.ts';

/**
 * Longest time, with a reserve, from a child's query to the stream's record of a delete: a child lives 300 s, and its last function 15 s
 * more. Native TTL and `isExpired` ignore TTLs of more than five years ago. If an item exceeded five years between query and delete, its
 * record would not count as an expiry. So a sweep leaves out items that exceed five years within this time.
 */
const CHILD_LIFE_SECONDS = 10 * 60;

export function sweptRange(
  cutoff: number,
  { marginSeconds }: Pick<SweepSettings, 'marginSeconds'>,
): ExpiredRange {
  return { after: expiredRange(cutoff + marginSeconds + CHILD_LIFE_SECONDS).after, upTo: cutoff };
}
