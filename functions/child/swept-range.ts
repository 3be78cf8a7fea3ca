import { type ExpiredRange, expiredRange } from '../../expiry/ttl.ts';
import type { SweepSettings } from '../runtime/environment.ts';

/**
 * A child lives for 300 s, and its last function ends 15 s after it. What it deletes must still be an expiry when its record is made:
 * native TTL's bound of five years then lies so much later.
 */
const CHILD_LIFE_SECONDS = 10 * 60;

/** How far a sweep is behind DynamoDB's clock. */
export type BehindSettings = Pick<SweepSettings, 'graceSeconds' | 'marginSeconds'>;

/** Seconds from an item's expiry to the moment from which a sweep may delete it. */
export function secondsBehind({ graceSeconds, marginSeconds = 0 }: BehindSettings): number {
  return graceSeconds + marginSeconds;
}

/**
 * The TTLs that a sweep deletes. Unlike those that are expired at the cutoff, none of them will be more than five years back when its
 * record is made, also with a grace.
 *
 * @param cutoff epoch seconds: DynamoDB's clock less {@link secondsBehind}
 */
export function sweptRange(cutoff: number, settings: BehindSettings): ExpiredRange {
  const now = cutoff + secondsBehind(settings);
  return { after: expiredRange(now + CHILD_LIFE_SECONDS).after, upTo: cutoff };
}
