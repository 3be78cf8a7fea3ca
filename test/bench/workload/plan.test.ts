import { seededRandom } from 'stepfunctions-emulator';
import { drawCase, planStream, type StreamOptions } from '../../../bench/workload/plan.ts';

const FIRST = Date.parse('2026-11-20T09:02:00Z') / 1000;
const plan = (options: Partial<StreamOptions> = {}) =>
  planStream({
    startMs: (FIRST - 110) * 1000,
    firstTtl: FIRST,
    seconds: 60,
    rate: 4,
    random: seededRandom(7),
    ...options,
  });
const ttls = (options: Partial<StreamOptions> = {}) =>
  plan(options)
    .actions.map(({ ttl }) => Number(ttl))
    .sort((one, other) => one - other);

describe('the stream of items', () => {
  test('expires at its rate, in every second of its minutes', () => {
    const perSecond = Object.values(Object.groupBy(ttls(), ttl => ttl)).map(items => items?.length);
    expect(perSecond).toEqual(Array.from({ length: 60 }, () => 4));
    expect(ttls()[0]).toBe(FIRST);
    expect(ttls().at(-1)).toBe(FIRST + 59);
  });

  test('is written in order, not before the start, and before it expires', () => {
    const { actions, lastTtl } = plan();
    expect(lastTtl).toBe(FIRST + 59);
    expect(actions.map(({ atMs }) => atMs)).toEqual(actions.map(({ atMs }) => atMs).sort((a, b) => a - b));
    for (const { atMs, ttl } of actions) {
      expect(atMs).toBeGreaterThanOrEqual((FIRST - 110) * 1000);
      expect(Number(ttl) * 1000 - atMs).toBeGreaterThanOrEqual(110_000);
      expect(Number(ttl) * 1000 - atMs).toBeLessThanOrEqual(240_000);
    }
  });

  test('is the same for the same seed, and another for another', () => {
    expect(plan()).toEqual(plan());
    expect(plan({ random: seededRandom(8) })).not.toEqual(plan());
  });

  test.each([
    ['less than an item', { seconds: 6, rate: 0.1 }, 1, 5],
    ['seconds that were meant to be whole', { seconds: 8.3 * 60, rate: 1 }, 498, 497],
    ['a part of a second', { seconds: 6.5, rate: 2 }, 14, 6],
  ])('has at least an item, and whole seconds: %s', (_case, options, items, last) => {
    const { actions, lastTtl } = plan(options);
    expect(actions).toHaveLength(items);
    expect(lastTtl).toBe(FIRST + last);
  });

  test('gets what happens to each item from the mix', () => {
    const { actions } = plan({
      rate: 1,
      seconds: 2,
      mix: ({ item, ttl, writeAt, lastTtl }) => [
        { atMs: lastTtl * 1000, item, kind: 'renew', ttl: lastTtl + 9 },
        { atMs: writeAt, item, kind: 'write', ttl },
      ],
    });
    expect(actions.map(({ item, kind }) => `${kind} ${item}`).sort()).toEqual([
      'renew 0',
      'renew 1',
      'write 0',
      'write 1',
    ]);
    expect(actions.slice(2).map(({ kind, ttl }) => [kind, ttl])).toEqual([
      ['renew', FIRST + 10],
      ['renew', FIRST + 10],
    ]);
  });
});

test.each([
  [0, 'few'],
  [0.0999, 'few'],
  [0.1, 'more'],
  [0.2999, 'more'],
  [0.3, undefined],
  [0.9999, undefined],
])('cases are drawn by their shares: %d', (drawn, expected) => {
  expect(drawCase({ few: 10, none: 0, more: 20 }, { next: () => drawn })).toBe(expected);
});
