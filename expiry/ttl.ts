import { checkCutoff } from './clock.ts';
import { InvalidTtlError } from './errors.ts';
import { storedNumber } from './stored-number.ts';

/**
 * Five years of 365 days, in seconds. Native TTL ignores a time further back than five years, so that a wrong
 * unit or a zero does not empty a table; we keep the same rule. Source: DynamoDB Developer Guide, "Time to Live".
 */
export const OLDEST_EXPIRY_AGE_SECONDS = 5 * 365 * 24 * 60 * 60;

/** 20 years of 365 days, in seconds: the longest TTL of Amazon Keyspaces, whose semantics the writer helper has. */
export const MAX_TTL_SECONDS = 20 * 365 * 24 * 60 * 60;

/** The whole second an instant lies in. `epochMs`: milliseconds since 1970, as `Date.now()` gives them. */
export function toEpochSeconds(epochMs: number): number {
  return Math.floor(epochMs / 1000);
}

/** The TTL values that count as expired at a cutoff: `after < ttl <= upTo`, both in epoch seconds. */
export interface ExpiredRange {
  readonly after: number;
  readonly upTo: number;
}

/** The range of TTL values that count as expired at `cutoff` (epoch seconds, whole). */
export function expiredRange(cutoff: number): ExpiredRange {
  return { after: cutoff - OLDEST_EXPIRY_AGE_SECONDS, upTo: cutoff };
}

/**
 * Whether an item with this value in its TTL attribute is expired at `cutoff` (epoch seconds, whole).
 *
 * 1. The TTL attribute is a Number of epoch seconds; an item without it, or with any other type, never expires.
 * 2. The item is expired from the second that its TTL names: `ttl <= cutoff`.
 * 3. A TTL more than five years before the cutoff is ignored, as native TTL ignores it.
 * 4. The clock is an argument: whoever deletes freezes the cutoff once and asks with the same one again.
 *
 * @param ttl the attribute's value as any client gives it: a number, a bigint, a NumberValue or `{ N: '…' }`
 * @throws InvalidArgumentError for a cutoff in another unit: nothing would ever be expired
 */
export function isExpired(ttl: unknown, cutoff: number): boolean {
  checkCutoff(cutoff);
  const { after, upTo } = expiredRange(cutoff);
  const seconds = storedNumber(ttl);
  return seconds > after && seconds <= upTo;
}

/**
 * Checks a TTL that an application is about to write.
 *
 * @param field the attribute's name, for the message
 * @param value the candidate: whole epoch seconds
 * @param nowSeconds the writer's clock, epoch seconds
 * @returns the value, known to be a good one
 * @throws InvalidTtlError for milliseconds, strings, dates, NaN, fractions, negative values, times more than
 *   20 years ahead, and times more than five years back (which no sweep would ever delete)
 */
export function checkTtl(field: string, value: unknown, nowSeconds: number): number {
  const refuse = (expected: string, remedy: string): never => {
    throw new InvalidTtlError({ field, expected, got: value, remedy });
  };
  const seconds = 'a Number of whole epoch seconds';
  if (value instanceof Date) {
    return refuse(seconds, 'Write Math.floor(date.getTime() / 1000).');
  }
  if (typeof value === 'string') {
    return refuse(seconds, 'A string is never expired: parse it and write the number of seconds.');
  }
  if (typeof value !== 'number' || Number.isNaN(value)) {
    return refuse(seconds, 'Write Math.floor(Date.now() / 1000) plus the seconds the item may live.');
  }
  if (value < 0) {
    return refuse(seconds, 'A time before 1970 is never expired: check how the value was calculated.');
  }
  if (value > nowSeconds + MAX_TTL_SECONDS) {
    const digits = String(Math.trunc(value)).length;
    return refuse(
      'epoch seconds at most 20 years ahead',
      digits >= 13 && digits <= 14
        ? `${digits} digits: looks like milliseconds; divide by 1000 and round down.`
        : 'Write an earlier time, or no TTL at all for an item that never expires.',
    );
  }
  if (!Number.isInteger(value)) {
    return refuse(seconds, 'Round down with Math.floor: an item expires on a whole second.');
  }
  if (value <= expiredRange(nowSeconds).after) {
    return refuse(
      'epoch seconds at most five years back',
      'An older TTL is ignored by native TTL and by the sweep: delete the item instead.',
    );
  }
  return value;
}
