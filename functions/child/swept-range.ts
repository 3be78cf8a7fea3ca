import { type ExpiredRange, expiredRange } from '../../expiry/ttl.ts';
import type { SweepSettings } from '../runtime/environment.ts';

/**
 * Longest time between the cutoff and the stream's record of a delete: a child lives for 300 s, and its last function ends 15 s after that.
 * The item must still count as expired when its record is made, so a sweep leaves out TTLs that will be more than five years old, native
 * TTL's bound, within this time.
 */
const CHILD_LIFE_SECONDS = 10 * 60;

export type BehindSettings = Pick<SweepSettings, 'marginSeconds'>;

/** Seconds from an item's expiry to the moment from which a sweep may delete it. */
export function secondsBehind({ marginSeconds = 0 }: BehindSettings): number {
  return marginSeconds;
}

export function sweptRange(cutoff: number, settings: BehindSettings): ExpiredRange {
  const now = cutoff + secondsBehind(settings);
  return { after: expiredRange(now + CHILD_LIFE_SECONDS).after, upTo: cutoff };
}
