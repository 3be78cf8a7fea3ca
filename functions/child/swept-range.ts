import { type ExpiredRange, expiredRange } from '../../expiry/ttl.ts';
import type { SweepSettings } from '../runtime/environment.ts';

/**
 * Longest time between the cutoff and the stream's record of a delete: a child lives for 300 s, and its last function for 15 s more. An
 * item that expired more than five years ago, native TTL's bound, does not count as expired. The item must still count as expired when its
 * record is made: so a sweep leaves out TTLs that become five years old within this time.
 */
const CHILD_LIFE_SECONDS = 10 * 60;

export function sweptRange(
  cutoff: number,
  { marginSeconds }: Pick<SweepSettings, 'marginSeconds'>,
): ExpiredRange {
  return { after: expiredRange(cutoff + marginSeconds + CHILD_LIFE_SECONDS).after, upTo: cutoff };
}
