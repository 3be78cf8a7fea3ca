import {
  afterDeletes,
  brakedUntil,
  keysAllowed,
  spend,
  startBrake,
  withCredit,
} from '../../../functions/child/brake.ts';
import type { BrakeProgress } from '../../../statemachine/contract/child.ts';
import { PAGE_KEYS } from '../../../statemachine/contract/limits.ts';

const NOW = 1_795_165_260;

const child = (more: Partial<BrakeProgress> = {}): BrakeProgress => ({ ...startBrake(null), ...more });
const limited = (perSecond: number, credit = perSecond) =>
  withCredit(child({ limit: { perSecond, credit, before: null } }), NOW);

describe('a child that nothing brakes', () => {
  test('may delete a whole page at any time, and keeps no account', () => {
    const free = child();
    expect(withCredit(free, NOW)).toBe(free);
    expect(spend(free, 1000)).toBe(free);
    expect(keysAllowed(free)).toBe(PAGE_KEYS);
    expect(brakedUntil(free)).toBeNull();
  });
});

describe('a limit', () => {
  test.each([1, 2, 7, 50, 999, 0.5, 0.3, 1.5, 12.3, 45.45])(
    'of %d is what is deleted on average',
    perSecond => {
      let progress = limited(perSecond, Math.max(1, perSecond));
      let deleted = 0;
      let queries = 0;
      let now = NOW;
      while (now < NOW + 600) {
        progress = withCredit(progress, now);
        const keys = keysAllowed(progress);
        expect(keys).toBeGreaterThan(0);
        expect(keys).toBeLessThanOrEqual(Math.max(1, Math.ceil(perSecond)));
        queries += 1;
        deleted += keys;
        progress = spend(progress, keys);
        const until = brakedUntil(progress);
        expect(until).toBeGreaterThan(now);
        now = until ?? now;
      }
      expect(deleted / 600).toBeGreaterThan(perSecond * 0.97);
      expect(deleted / 600).toBeLessThanOrEqual(perSecond * 1.01);
      // Nothing is asked for while nothing may be deleted.
      expect(queries).toBeLessThanOrEqual(deleted);
    },
  );

  test('more than a page a second takes several pages, and none is larger', () => {
    const progress = limited(2500);
    expect(keysAllowed(progress)).toBe(PAGE_KEYS);
    const after = spend(spend(progress, 1000), 1000);
    expect(keysAllowed(after)).toBe(500);
    expect(brakedUntil(spend(after, 500))).toBe(NOW + 1);
  });

  test('what a second did not use is not made up for', () => {
    expect(keysAllowed(withCredit(limited(50), NOW + 30))).toBe(50);
  });
});

describe('throttling', () => {
  const page = (tried: number, throttled: number, more: Partial<BrakeProgress> = {}) =>
    afterDeletes(child(more), { handedOver: tried, tried, throttled }, NOW);

  test.each([
    ['more than three fifths of a page', page(200, 140), 100],
    ['all of a page', page(1000, 1000), 500],
    ['all of one chunk, which may be one bad moment', page(25, 25), 25],
    ['a second time', page(100, 100, { rate: 100 }), 50],
    ['a page that was smaller than the rate', page(80, 80, { rate: 300 }), 40],
    ['again and again: never less than a chunk a second', page(25, 25, { rate: 25 }), 25],
  ])('%s: half the rate, and a second without deletes', (_name, progress, rate) => {
    expect(progress).toMatchObject({ rate, clearPages: 0 });
    expect(brakedUntil(progress)).toBe(NOW + 1);
    expect(keysAllowed(withCredit(progress, NOW + 1))).toBe(rate);
  });

  test('a few keys of many do not brake a child, and slow down one that is braked', () => {
    expect(page(300, 100).rate).toBeNull();
    // Nor does a chunk of keys that are tried again, in a child that deletes many others.
    expect(page(25, 25, { triedLately: 600, throttledLately: 60 }).rate).toBeNull();
    expect(page(100, 20, { rate: 100, clearPages: 3 })).toMatchObject({ rate: 90, clearPages: 0 });
  });

  test('a call that hangs is none', () => {
    expect(afterDeletes(child(), { handedOver: 25, tried: 0, throttled: 0 }, NOW).rate).toBeNull();
  });

  test('then it grows slowly, faster and faster, until the brake is off', () => {
    let progress = child({ rate: 25 });
    const rates: (number | null)[] = [];
    while (progress.rate !== null && rates.length < 60) {
      const keys = Math.floor(progress.rate);
      progress = afterDeletes(progress, { handedOver: keys, tried: keys, throttled: 0 }, NOW);
      rates.push(progress.rate);
    }
    expect(rates[0]).toBeCloseTo(26.25);
    expect(rates.at(-1)).toBeNull();
    expect(rates.length).toBeLessThan(25);
  });

  test('a limit stays in force beside it', () => {
    const limit = { perSecond: 30, credit: 30, before: null };
    expect(keysAllowed(withCredit(page(200, 200, { limit, creditAt: NOW }), NOW + 1))).toBe(30);
  });
});
