import { checkCutoff } from './clock.ts';
import { InvalidTtlError } from './errors.ts';

/**
 * Five years in seconds. Native TTL and the sweep ignore older TTLs, so that TTLs in a wrong unit do not empty a table. Source: DynamoDB
 * Developer Guide, "Time to Live".
 */
export const OLDEST_EXPIRY_AGE_SECONDS = 5 * 365 * 24 * 60 * 60;

/** 20 years of 365 days, in seconds: the longest lifetime that a writer may give an item, as in Amazon Keyspaces. */
export const MAX_TTL_SECONDS = 20 * 365 * 24 * 60 * 60;

export function toEpochSeconds(epochMs: number): number {
  return Math.floor(epochMs / 1000);
}

/** The TTLs that count as expired at a cutoff: `after < ttl <= upTo`, both in epoch seconds. */
export interface ExpiredRange {
  readonly after: number;
  readonly upTo: number;
}

export function expiredRange(cutoff: number): ExpiredRange {
  return { after: cutoff - OLDEST_EXPIRY_AGE_SECONDS, upTo: cutoff };
}

/**
 * Whether an item with this TTL is expired at `cutoff` (epoch seconds, whole): from the second that the TTL names, until the TTL is five
 * years old, as for native TTL.
 * @param ttl the attribute's value: a number, a bigint, a NumberValue or `{ N: '…' }`; another type never expires
 * @throws InvalidArgumentError for a cutoff in another unit: nothing would ever be expired
 */
export function isExpired(ttl: unknown, cutoff: number): boolean {
  checkCutoff(cutoff);
  const { after, upTo } = expiredRange(cutoff);
  const seconds = storedNumber(ttl);
  return seconds > after && seconds <= upTo;
}

/** Faults of a TTL. An item with such a fault never expires, except with `tooFarAhead`: such an item expires in more than 20 years. */
export type TtlFault = 'notNumber' | 'negative' | 'tooOld' | 'milliseconds' | 'tooFarAhead';

/** Epoch milliseconds of the years 2001 to 5138. Read as seconds, such a TTL is over 31,000 years ahead. */
const MILLISECONDS = { from: 1e12, before: 1e14 } as const;

/** The fault of a TTL, if any. A fraction is no fault, but no sweep finds it in an index by second. @param seconds NaN if not a Number */
export function ttlFault(seconds: number, nowSeconds: number): TtlFault | undefined {
  if (Number.isNaN(seconds)) return 'notNumber';
  if (seconds < 0) return 'negative';
  if (seconds <= expiredRange(nowSeconds).after) return 'tooOld';
  if (seconds <= nowSeconds + MAX_TTL_SECONDS) return undefined;
  return seconds >= MILLISECONDS.from && seconds < MILLISECONDS.before ? 'milliseconds' : 'tooFarAhead';
}

const WHOLE_SECONDS = 'a Number of whole epoch seconds';
const NOT_TOO_FAR = 'epoch seconds at most 20 years ahead';

const REFUSALS: Readonly<
  Record<Exclude<TtlFault, 'notNumber'>, readonly [expected: string, remedy: string]>
> = {
  negative: [WHOLE_SECONDS, 'A time before 1970 is never expired: check how the value was calculated.'],
  tooOld: [
    'epoch seconds at most five years back',
    'An older TTL is ignored by native TTL and by the sweep: delete the item instead.',
  ],
  milliseconds: [
    NOT_TOO_FAR,
    'A number of 13 or 14 digits looks like milliseconds: divide by 1000 and round down.',
  ],
  tooFarAhead: [NOT_TOO_FAR, 'Write an earlier time, or no TTL at all for an item that never expires.'],
};

/**
 * Checks a TTL that an application is about to write.
 * @param value whole epoch seconds
 * @param nowSeconds the writer's clock, epoch seconds
 * @throws InvalidTtlError if `value` is not a whole number, in another unit, more than 20 years ahead, or five or more years back
 */
export function checkTtl(field: string, value: unknown, nowSeconds: number): number {
  const refuse = (expected: string, remedy: string): never => {
    throw new InvalidTtlError({ field, expected, got: value, remedy });
  };
  const seconds = typeof value === 'number' ? value : Number.NaN;
  const fault = ttlFault(seconds, nowSeconds);
  if (fault === 'notNumber') return refuse(WHOLE_SECONDS, remedyForType(value));
  if (fault !== undefined) return refuse(...REFUSALS[fault]);
  if (!Number.isInteger(seconds)) {
    return refuse(WHOLE_SECONDS, 'Round down with Math.floor: an item expires on a whole second.');
  }
  return seconds;
}

function remedyForType(value: unknown): string {
  if (value instanceof Date) return 'Write Math.floor(date.getTime() / 1000).';
  return typeof value === 'string'
    ? 'A string is never expired: parse it and write the number of seconds.'
    : 'Write Math.floor(Date.now() / 1000) plus the seconds the item may live.';
}

/** Reads a Number from any DynamoDB client: a number, a bigint, a NumberValue or `{ N: '…' }`. NaN if the value is not a Number. */
export function storedNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return Number.NaN;
  return 'N' in value && typeof value.N === 'string' ? Number(value.N) : Number(value);
}
