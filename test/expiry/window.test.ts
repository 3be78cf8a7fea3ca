import fc from 'fast-check';
import { GRANULARITIES, readWindowKey, windowKey, windowStart, windowStarts } from '../../expiry/window.ts';

const at = (iso: string) => Date.parse(iso) / 1000;

describe('readWindowKey', () => {
  test('is the inverse of windowKey', () => {
    // From 1970 to 2400, which covers the TTLs that anything takes.
    const ttl = fc.integer({ min: 0, max: at('2400-01-01T00:00:00Z') });
    const granularity = fc.constantFrom(...GRANULARITIES).map(minutes => minutes * 60);
    fc.assert(
      fc.property(ttl, granularity, fc.nat(1000), (second, granularitySeconds, shard) => {
        const window = { start: windowStart(second, granularitySeconds), granularitySeconds, shard };
        expect(readWindowKey(windowKey(window.start, granularitySeconds, shard))).toEqual(window);
      }),
    );
  });

  const KEY = '2026-11-20T09:00:00.000Z_2026-11-20T09:05:00.000Z';
  test.each([
    ['nothing', ''],
    ['one time', '2026-11-20T09:00:00.000Z'],
    ['an end that is the start', '2026-11-20T09:00:00.000Z_2026-11-20T09:00:00.000Z'],
    ['an end before the start', '2026-11-20T09:05:00.000Z_2026-11-20T09:00:00.000Z'],
    ['times without milliseconds', '2026-11-20T09:00:00Z_2026-11-20T09:05:00Z'],
    ['shard 0, which is not written', `${KEY}#0`],
    ['a shard that is none', `${KEY}#`],
    ['text behind it', `${KEY}\n`],
  ])('refuses %s', (_name, key) => expect(readWindowKey(key)).toBeUndefined());
});

describe('windowStart', () => {
  test.each([
    ['2026-11-20T09:00:00Z', 60, '2026-11-20T09:00:00Z'],
    ['2026-11-20T09:05:00Z', 300, '2026-11-20T09:05:00Z'],
    ['2026-11-20T10:00:00Z', 3600, '2026-11-20T10:00:00Z'],
    ['2026-11-20T23:59:59Z', 86_400, '2026-11-20T00:00:00Z'],
  ])('%s in windows of %d s starts at %s', (ttl, seconds, start) => {
    expect(windowStart(at(ttl), seconds)).toBe(at(start));
  });
});

describe('windowStarts', () => {
  const starts = (from: string, before: string, seconds = 60) =>
    [...windowStarts(at(from), at(before), seconds)].map(start =>
      new Date(start * 1000).toISOString().slice(11, 16),
    );

  test.each<[string, string, string, string[]]>([
    ['within one window', '2026-11-20T09:00:10Z', '2026-11-20T09:00:20Z', ['09:00']],
    [
      'from an edge: also the window that ends there',
      '2026-11-20T09:00:00Z',
      '2026-11-20T09:00:20Z',
      ['08:59', '09:00'],
    ],
    ['a second past an edge', '2026-11-20T09:00:10Z', '2026-11-20T09:01:01Z', ['09:00', '09:01']],
    ['nothing', '2026-11-20T09:00:10Z', '2026-11-20T09:00:10Z', []],
    ['backwards', '2026-11-20T09:01:10Z', '2026-11-20T09:00:10Z', []],
  ])('%s', (_name, from, before, expected) => expect(starts(from, before)).toEqual(expected));

  const MINUTES = [1, 5, 60, 1440];

  test('find every TTL of the span, stamped [start, end) or the older (start, end]', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_500_000_000, max: 2_500_000_000 }),
        fc.integer({ min: 1, max: 100_000 }),
        fc.constantFrom(...MINUTES),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (from, length, minutes, share) => {
          const granularity = minutes * 60;
          const ttl = from + Math.floor(share * length);
          const found = [...windowStarts(from, from + length, granularity)];
          const olderStart = Math.ceil(ttl / granularity) * granularity - granularity;
          expect(found).toContain(windowStart(ttl, granularity));
          expect(found).toContain(olderStart);
        },
      ),
    );
  });
});
