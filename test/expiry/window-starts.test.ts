import fc from 'fast-check';
import { windowStart } from '../../expiry/window.ts';
import { windowStarts } from '../../expiry/window-starts.ts';

const at = (iso: string) => Date.parse(iso) / 1000;

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
    ['to an edge, which is not part of it', '2026-11-20T09:00:10Z', '2026-11-20T09:01:00Z', ['09:00']],
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

  test('name each window once, in order', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_500_000_000, max: 2_500_000_000 }),
        fc.integer({ min: 0, max: 50_000 }),
        (from, length) => {
          const found = [...windowStarts(from, from + length, 60)];
          expect(found).toEqual([...new Set(found)].sort((one, other) => one - other));
        },
      ),
    );
  });
});
