import { windowKey, windowStart } from '../../expiry/window.ts';

const at = (iso: string) => Date.parse(iso) / 1000;

describe('windowKey', () => {
  test('is the example of the documentation', () => {
    const start = windowStart(at('2022-07-19T21:27:20Z'), 60);
    expect(windowKey(start, 60)).toBe('2022-07-19T21:27:00.000Z_2022-07-19T21:28:00.000Z');
  });

  test.each([
    [0, ''],
    [1, '#1'],
    [99, '#99'],
  ])('shard %d has the suffix "%s"', (shard, suffix) => {
    expect(windowKey(at('2026-11-20T23:00:00Z'), 3600, shard)).toBe(
      `2026-11-20T23:00:00.000Z_2026-11-21T00:00:00.000Z${suffix}`,
    );
  });
});

describe('windowStart', () => {
  test.each([
    ['2026-11-20T08:59:59Z', 60, '2026-11-20T08:59:00Z'],
    ['2026-11-20T09:00:00Z', 60, '2026-11-20T09:00:00Z'],
    ['2026-11-20T09:00:01Z', 60, '2026-11-20T09:00:00Z'],
    ['2026-11-20T09:04:59Z', 300, '2026-11-20T09:00:00Z'],
    ['2026-11-20T09:05:00Z', 300, '2026-11-20T09:05:00Z'],
    ['2026-11-20T09:59:59Z', 3600, '2026-11-20T09:00:00Z'],
    ['2026-11-20T10:00:00Z', 3600, '2026-11-20T10:00:00Z'],
    ['2026-11-20T23:59:59Z', 86_400, '2026-11-20T00:00:00Z'],
  ])('%s in windows of %d s starts at %s', (ttl, seconds, start) => {
    expect(windowStart(at(ttl), seconds)).toBe(at(start));
  });
});
