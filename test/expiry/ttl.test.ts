import fc from 'fast-check';
import { checkCutoff, clockSeconds } from '../../expiry/clock.ts';
import { InvalidArgumentError, InvalidTtlError } from '../../expiry/errors.ts';
import {
  checkTtl,
  expiredRange,
  isExpired,
  MAX_TTL_SECONDS,
  OLDEST_EXPIRY_AGE_SECONDS,
  type TtlFault,
  ttlFault,
} from '../../expiry/ttl.ts';

const NOW = Date.UTC(2026, 10, 20, 9, 0, 0) / 1000;

describe('isExpired', () => {
  test.each<[string, unknown, boolean]>([
    ['a second before the cutoff', NOW - 1, true],
    ['a second after the cutoff', NOW + 1, false],
    ['a fraction of a second after the cutoff', NOW + 0.5, false],
    ['just within five years', NOW - OLDEST_EXPIRY_AGE_SECONDS + 1, true],
    ['five years back', NOW - OLDEST_EXPIRY_AGE_SECONDS, false],
    ['milliseconds', NOW * 1000, false],
    ['a bigint', BigInt(NOW), true],
    ["the low-level client's number", { N: String(NOW) }, true],
    ["the low-level client's number, a second later", { N: String(NOW + 1) }, false],
    ['no TTL', undefined, false],
  ])('%s', (_name, ttl, expected) => expect(isExpired(ttl, NOW)).toBe(expected));

  test.each<[string, unknown, RegExp]>([
    ['milliseconds', NOW * 1000, /^cutoff: expected epoch seconds, .*looks like milliseconds/],
    ['nothing', undefined, /^cutoff: .*got nothing/],
  ])('fails for a cutoff of %s', (_name, cutoff, message) => {
    expect(() => isExpired(NOW, cutoff as number)).toThrow(InvalidArgumentError);
    expect(() => isExpired(NOW, cutoff as number)).toThrow(message);
  });

  test('has the range that the guarded delete asks for', () => {
    expect(expiredRange(NOW)).toEqual({ after: NOW - OLDEST_EXPIRY_AGE_SECONDS, upTo: NOW });
  });
});

describe('ttlFault', () => {
  test.each<[number, TtlFault | undefined]>([
    [Number.NaN, 'notNumber'],
    [-0.1, 'negative'],
    [0, 'tooOld'],
    [NOW - OLDEST_EXPIRY_AGE_SECONDS, 'tooOld'],
    [NOW - OLDEST_EXPIRY_AGE_SECONDS + 0.1, undefined],
    [NOW + 0.5, undefined],
    [NOW + MAX_TTL_SECONDS, undefined],
    [NOW + MAX_TTL_SECONDS + 0.1, 'tooFarAhead'],
    [999_999_999_999, 'tooFarAhead'],
    [1_000_000_000_000, 'milliseconds'],
    [99_999_999_999_999, 'milliseconds'],
    [100_000_000_000_000, 'tooFarAhead'],
    [Number.POSITIVE_INFINITY, 'tooFarAhead'],
  ])('of %d is %s', (seconds, fault) => expect(ttlFault(seconds, NOW)).toBe(fault));
});

describe('checkTtl', () => {
  test.each([
    ['now', NOW],
    ['just within five years back', NOW - OLDEST_EXPIRY_AGE_SECONDS + 1],
    ['20 years ahead', NOW + MAX_TTL_SECONDS],
  ])('takes %s', (_name, ttl) => expect(checkTtl('ttl', ttl, NOW)).toBe(ttl));

  test.each<[string, unknown, RegExp]>([
    ['milliseconds', NOW * 1000, /^ttl: expected epoch seconds .*13 or 14 digits looks like milliseconds/],
    ['a Date', new Date(NOW * 1000), /got Date 2026-11-20T09:00:00.000Z.*getTime\(\) \/ 1000/],
    ['a Date that is none', new Date(Number.NaN), /got Date Invalid/],
    ['negative', -1, /before 1970/],
    ['a fraction', NOW + 0.5, /Math\.floor/],
    ['five years back', NOW - OLDEST_EXPIRY_AGE_SECONDS, /five years back/],
  ])('fails for %s', (_name, ttl, message) => {
    const check = () => checkTtl('ttl', ttl, NOW);
    expect(check).toThrow(InvalidTtlError);
    expect(check).toThrow(message);
  });
});

const YEAR_MS = 365 * 86_400_000;
const PLAUSIBLE = fc.integer({ min: 4 * YEAR_MS, max: 3000 * YEAR_MS });

describe('clockSeconds', () => {
  test.each([
    ['the first moment', 1e11, 1e8],
    ['the last', 1e14 - 1, 1e11 - 1],
    ['a fraction of a millisecond', 1_658_266_020_999.9, 1_658_266_020],
  ])('takes %s', (_name, nowMs, seconds) => expect(clockSeconds(nowMs)).toBe(seconds));

  test.each<[string, unknown, RegExp]>([
    ['NaN', Number.NaN, /got NaN/],
    ['null', null, /got null/],
    ['a Date', new Date(0), /Pass date\.getTime\(\)/],
  ])('fails for %s', (_name, nowMs, message) => {
    expect(() => clockSeconds(nowMs as number)).toThrow(InvalidArgumentError);
    expect(() => clockSeconds(nowMs as number)).toThrow(message);
    expect(() => clockSeconds(nowMs as number)).toThrow(/^nowMs: expected epoch milliseconds/);
  });

  test('takes a moment of three thousand years in milliseconds only', () => {
    fc.assert(
      fc.property(PLAUSIBLE, nowMs => {
        expect(clockSeconds(nowMs)).toBe(Math.floor(nowMs / 1000));
        expect(() => clockSeconds(nowMs / 1000)).toThrow(/seconds/);
        expect(() => clockSeconds(nowMs * 1000)).toThrow(/microseconds/);
        expect(() => checkCutoff(Math.floor(nowMs / 1000))).not.toThrow();
        expect(() => checkCutoff(nowMs)).toThrow(/milliseconds/);
      }),
    );
  });
});
