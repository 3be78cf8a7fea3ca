import { storedNumber } from '../../expiry/stored-number.ts';
import type { ItemImage } from './event.ts';

/** End of the years with four digits, so that all dates have the same length. */
const YEARS_END_MS = Date.UTC(10_000, 0, 1);

/** The time of an item's TTL, epoch milliseconds; undefined if it is missing or no time. */
export function ttlTimeMs(item: ItemImage, ttlAttribute: string): number | undefined {
  const ttl = Object.hasOwn(item, ttlAttribute) ? item[ttlAttribute] : undefined;
  const ms = Math.floor(storedNumber(ttl) * 1000);
  return ms >= 0 && ms < YEARS_END_MS ? ms : undefined;
}
