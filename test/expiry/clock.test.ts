import fc from 'fast-check';
import { checkCutoff, clockSeconds } from '../../expiry/clock.ts';
import { InvalidArgumentError } from '../../expiry/errors.ts';

const YEAR_MS = 365 * 86_400_000;
const PLAUSIBLE = fc.integer({ min: 4 * YEAR_MS, max: 3000 * YEAR_MS });

describe('clockSeconds', () => {
  test.each([
    ['the first moment', 1e11, 1e8],
    ['the last', 1e14 - 1, 1e11 - 1],
    ['a fraction of a millisecond', 1_658_266_020_999.9, 1_658_266_020],
  ])('takes %s', (_name, nowMs, seconds) => expect(clockSeconds(nowMs)).toBe(seconds));

  test.each<[string, unknown, RegExp]>([
    ['a moment before the first', 1e11 - 1, /looks like seconds/],
    ['the end', 1e14, /looks like microseconds/],
    ['nanoseconds', 1.658e18, /Pass Date\.now\(\)/],
    ['zero', 0, /Pass Date\.now\(\)/],
    ['negative', -1e12, /Pass Date\.now\(\)/],
    ['infinity', Number.POSITIVE_INFINITY, /got Infinity/],
    ['NaN', Number.NaN, /got NaN/],
    ['null', null, /got null/],
    ['a string', '1658266020000', /got "1658266020000"/],
    ['a bigint', 1_658_266_020_000n, /got 1658266020000n/],
    ['a Date', new Date(0), /Pass date\.getTime\(\)/],
  ])('fails for %s', (_name, nowMs, message) => {
    expect(() => clockSeconds(nowMs as number)).toThrow(InvalidArgumentError);
    expect(() => clockSeconds(nowMs as number)).toThrow(message);
    expect(() => clockSeconds(nowMs as number)).toThrow(/^nowMs: expected epoch milliseconds/);
  });

  test("fails, by another name, for this machine's clock when that stands at 1970", () => {
    const now = jest.spyOn(Date, 'now').mockReturnValue(5000);
    try {
      expect(() => clockSeconds(undefined)).toThrow(/^Date\.now\(\): .* Set this machine's clock\./);
    } finally {
      now.mockRestore();
    }
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
