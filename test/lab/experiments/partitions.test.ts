import { IndexPartitions, runPartitions, scenariosOf } from '../../../lab/experiments/partitions.ts';

const NOW = Date.parse('2026-11-20T09:00:00Z');

test('keys on one partition share its thousand units a second', () => {
  const partitions = new IndexPartitions(1, 1);
  const taken = (atMs: number) =>
    Array.from({ length: 1_200 }, (_unused, write) => partitions.take(`key-${write % 2}`, atMs)).filter(
      Boolean,
    );
  expect(taken(NOW)).toHaveLength(1_000);
  expect(taken(NOW + 100)).toHaveLength(100);
  expect(taken(NOW + 60_000)).toHaveLength(1_000);
});

test('keys lie on the partitions by a hash, in every run with a seed on the same ones', () => {
  const fullAfter = (seed: number) => {
    const partitions = new IndexPartitions(8, seed);
    let taken = 0;
    while (partitions.take(`key-${taken % 16}`, NOW)) taken += 1;
    return taken;
  };
  expect(fullAfter(1)).toBe(fullAfter(1));
  expect(fullAfter(1)).toBeGreaterThanOrEqual(1_000);
  expect(fullAfter(1)).toBeLessThan(8_000);
  expect(new Set([1, 2, 3, 4, 5].map(fullAfter)).size).toBeGreaterThan(1);
});

const run = { seconds: 10, seed: 1 };
const scenario = {
  granularityMinutes: 1440,
  lifetimes: 'fixed',
  partitions: 4,
  shards: 5,
  draws: 1,
} as const;

test('what there is room for is gone in time, when children take several shards', async () => {
  const result = await runPartitions({ ...scenario, rate: 100 }, run);
  expect(result).toMatchObject({ items: 1_000, left: 0, lateShare: 0, putsThrottledShare: 0 });
  expect(result.sums).toMatchObject({ failed: 0, deleted: 1_000, eachAddsUp: true });
  expect(result.lagMs.p99).toBeLessThan(500);
});

test('puts and deletes on one partition that has no room for both are throttled, and late', async () => {
  const result = await runPartitions({ ...scenario, rate: 700, partitions: 1 }, run);
  expect(result).toMatchObject({ items: 7_000, left: 0 });
  expect(result.putsThrottledShare).toBeGreaterThan(0);
  expect(result.lateShare).toBeGreaterThan(0);
});

test('each rate is run as the rule advises, and as the rule before it did', () => {
  const scenarios = scenariosOf([16_667]);
  const shards = scenarios.map(({ granularityMinutes, shards: each }) => [granularityMinutes, each]);
  expect(shards).toEqual([
    [1, 164],
    [1, 164],
    [1, 26],
    [1440, 328],
    [1440, 328],
  ]);
});
