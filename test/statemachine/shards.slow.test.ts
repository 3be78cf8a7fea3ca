import { expiryModel } from '../../expiry/model.ts';
import { Simulation, type SimulationOptions } from '../support/simulation/simulation.ts';

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
const FIRST = START + 120;

const quantile = (sorted: readonly number[], share: number) =>
  sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;

interface Stream {
  readonly shards: number;
  readonly perSecond: number;
  readonly seconds: number;
}

/** A stream whose items come to the shards by turns, each with its shard at the end of its id. */
async function sweep(
  { shards, perSecond, seconds }: Stream,
  options: Pick<SimulationOptions, 'throttled' | 'callMs'> = {},
): Promise<Simulation> {
  const simulation = new Simulation({
    start: START,
    model: expiryModel({ partitionKey: 'id', shards }),
    callMs: 20,
    read: { ms: 5, processorMs: 3 },
    ...options,
  });
  for (let item = 0; item < perSecond * seconds; item += 1) {
    const shard = item % shards;
    simulation.table.write(`${item}.${shard}`, FIRST + Math.floor(item / perSecond), shard);
  }
  for (let minute = 0; minute < 4 + seconds / 60; minute += 1) simulation.tick(START + minute * 60, 5);
  await simulation.finish();
  return simulation;
}

const shardOf = (id: string) => Number(id.split('.')[1]);

const lagsOf = ({ deleted }: Simulation, isCounted: (shard: number) => boolean = () => true) =>
  deleted
    .filter(({ id }) => isCounted(shardOf(id)))
    .map(({ ttl, deletedAt }) => deletedAt - ttl * 1000)
    .toSorted((one, other) => one - other);

test('eight shards of one child: 300 items a second are gone within 0.3 s', async () => {
  const simulation = await sweep({ shards: 8, perSecond: 300, seconds: 30 });
  expect(simulation.table.ids()).toEqual([]);
  expect(quantile(lagsOf(simulation), 0.99)).toBeLessThanOrEqual(300);
});

describe('a shard whose key DynamoDB throttles for longer than the minute', () => {
  const FREE = FIRST + 70;

  /** Shard 0 takes so many deletes a second until it is free. */
  function throttle(takes: number): (id: string, nowMs: number) => boolean {
    const taken = new Map<number, number>();
    return (id, nowMs) => {
      if (shardOf(id) !== 0 || nowMs >= FREE * 1000) return false;
      const second = Math.floor(nowMs / 1000);
      const before = taken.get(second) ?? 0;
      taken.set(second, before + 1);
      return before >= takes;
    };
  }

  test.each([
    [4, 40, 0],
    [8, 80, 5],
  ])('of %d, %d items a second, %d of them: it alone is late', async (shards, perSecond, takes) => {
    const simulation = await sweep({ shards, perSecond, seconds: 60 }, { throttled: throttle(takes) });
    expect(simulation.table.ids()).toEqual([]);
    const others = lagsOf(simulation, shard => shard !== 0);
    expect(others).toHaveLength(perSecond * 60 * (1 - 1 / shards));
    expect(others.at(-1)).toBeLessThan(1000);
    const own = lagsOf(simulation, shard => shard === 0);
    expect(own.at(-1)).toBeGreaterThan(10_000);
    // Each item has one fate in each sweep, and was deleted in one.
    const reports = simulation.reportsOf();
    for (const { found, deleted, renewed, notFound, failed } of reports)
      expect(deleted + renewed + notFound + failed).toBe(found);
    expect(reports.reduce((sum, { deleted }) => sum + deleted, 0)).toBe(perSecond * 60);
  });
});

test('what expires in the first shards while the pages of the others are deleted is found by the next poll', async () => {
  // A poll has four pages and takes more than a second.
  const simulation = await sweep({ shards: 8, perSecond: 3200, seconds: 6 }, { callMs: 150 });
  expect(simulation.table.ids()).toEqual([]);
  expect(lagsOf(simulation).at(-1)).toBeLessThan(20_000);
});
