import { seededRandom } from 'stepfunctions-emulator';
import { firstTtlOf, planStream, type StreamOptions } from '../../bench/live/stream.ts';

const FIRST = Date.parse('2026-11-20T09:02:00Z') / 1000;
const plan = (options: Partial<StreamOptions> = {}) =>
  planStream({
    startMs: (FIRST - 110) * 1000,
    firstTtl: FIRST,
    minutes: 1,
    rate: 4,
    random: seededRandom(7),
    ...options,
  });
const ttls = (options: Partial<StreamOptions> = {}) =>
  plan(options)
    .map(({ ttl }) => Number(ttl))
    .sort((one, other) => one - other);

describe('the stream of items', () => {
  test('expires at its rate, in every second of its minutes', () => {
    const perSecond = Object.values(Object.groupBy(ttls(), ttl => ttl)).map(items => items?.length);
    expect(perSecond).toEqual(Array.from({ length: 60 }, () => 4));
    expect(ttls()[0]).toBe(FIRST);
    expect(ttls().at(-1)).toBe(FIRST + 59);
  });

  test('expires only every so many seconds when told so', () => {
    expect(new Set(ttls({ everySeconds: 13 }))).toEqual(
      new Set([0, 13, 26, 39, 52].map(after => FIRST + after)),
    );
  });

  test('is written in order, not before the start, and before it expires', () => {
    const actions = plan();
    expect(actions.map(({ atMs }) => atMs)).toEqual(actions.map(({ atMs }) => atMs).sort((a, b) => a - b));
    for (const { atMs, ttl } of actions) {
      expect(atMs).toBeGreaterThanOrEqual((FIRST - 110) * 1000);
      expect(Number(ttl) * 1000 - atMs).toBeGreaterThanOrEqual(20_000);
      expect(Number(ttl) * 1000 - atMs).toBeLessThanOrEqual(120_000);
    }
  });

  test('lives as long as told', () => {
    for (const { atMs, ttl } of plan({ life: { from: 5, to: 5 } }))
      expect(Number(ttl) * 1000 - atMs).toBe(5000);
  });

  test('is the same for the same seed, and another for another', () => {
    expect(plan()).toEqual(plan());
    expect(plan({ random: seededRandom(8) })).not.toEqual(plan());
  });
});

// Schedules begin with the minute after the start; that tick owns the minute after its own.
test.each([
  ['09:00:00.000', '09:02:00'],
  ['09:00:30.000', '09:02:00'],
  ['09:00:54.999', '09:02:00'],
  ['too late for the next tick', '09:03:00', '09:00:56.000'],
])('the first item expires when the first tick owns it: %s', (name, expected, start = name) => {
  const startMs = Date.parse(`2026-11-20T${start}Z`);
  expect(new Date(firstTtlOf(startMs) * 1000).toISOString()).toBe(`2026-11-20T${expected}.000Z`);
});
