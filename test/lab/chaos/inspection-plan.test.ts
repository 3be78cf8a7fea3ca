import { expiryModel } from '../../../expiry/index.ts';
import { shardOf } from '../../../expiry/shard.ts';
import {
  type Inspection,
  planScan,
  planTick,
  secondsUntilInspection,
} from '../../../lab/chaos/inspection-plan.ts';

const MINUTE = 1_800_000_000;
const model = expiryModel({ partitionKey: 'id', shards: 3 });
const OPTIONS = { now: MINUTE + 20, model, lookbackMinutes: 10, guarded: true };

const of = ({ items }: Inspection, place: string) => items.filter(({ id }) => id.includes(`/${place}`));
const covers = ({ sweeps }: Inspection, ttl: number) =>
  sweeps.some(({ from, upTo }) => ttl >= from && ttl <= upTo);

test.each([
  [0, 1],
  [1, 0],
  [35, 0],
  [36, 25],
  [59, 2],
])('in second %i of a minute an inspection waits %i s', (second, seconds) => {
  expect(secondsUntilInspection(MINUTE + second)).toBe(seconds);
});

describe('the tick', () => {
  const tick = planTick(OPTIONS);

  test('came a minute late, so that its minute is under way', () => {
    expect(tick.scheduledTime).toBe(MINUTE - 60);
  });

  test.each([
    ['this minute', MINUTE + 19, false],
    ['on the edge', MINUTE, true],
  ])('has items of %s', (place, ttl, olderStamp) => {
    const inMinutes = planTick({
      ...OPTIONS,
      model: expiryModel({ partitionKey: 'id', granularityMinutes: 1 }),
    });
    for (const item of of(inMinutes, place)) expect(item).toMatchObject({ ttl, olderStamp });
    expect(of(inMinutes, place).length).toBeGreaterThan(0);
  });

  test('has none on the edge of a day that is long gone', () => {
    expect(of(tick, 'on the edge')).toEqual([]);
  });

  test('has items that only a lookback finds, of both stamps', () => {
    const late = of(tick, 'written late');
    for (const { ttl } of late) {
      expect(ttl).toBeLessThan(MINUTE - 61);
      expect(ttl).toBeGreaterThanOrEqual(MINUTE - 60 - 600);
    }
    expect(new Set(late.map(({ olderStamp }) => olderStamp))).toEqual(new Set([false, true]));
  });

  test('has items that it has to wait for, within its minute even when it begins as late as it may', () => {
    const now = MINUTE + 35;
    const soon = of(planTick({ ...OPTIONS, now }), 'soon');
    expect(soon.filter(({ deed }) => deed === 'renewed by a second')).toHaveLength(4);
    for (const { ttl } of soon) {
      expect(ttl).toBeGreaterThan(now + 3);
      expect(ttl + 1).toBeLessThan(MINUTE + 60);
    }
  });

  test('has to leave what is not its own: the minute before is that of another tick', () => {
    const own = [MINUTE - 660, MINUTE - 61, MINUTE];
    expect(own.map(ttl => covers(tick, ttl))).toEqual([true, true, true]);
    const others = [MINUTE - 661, MINUTE - 60, MINUTE - 1];
    expect(others.map(ttl => covers(tick, ttl))).toEqual([false, false, false]);
  });
});

describe('the scan', () => {
  const scan = planScan(OPTIONS);

  test('has items of the older stamp on the edge of a window', () => {
    const old = of(scan, 'on the first edge');
    expect(old.length).toBeGreaterThan(0);
    for (const { ttl, olderStamp } of old) expect([ttl % 86_400, olderStamp]).toEqual([0, true]);
  });

  test('has items only where no tick looks back to', () => {
    for (const { ttl } of scan.items) expect(ttl).toBeLessThan(MINUTE - 11 * 60);
  });
});

describe.each([
  ['the tick', planTick],
  ['the scan', planScan],
])('%s', (_name, plan) => {
  test('has to delete everything that is laid out for it', () => {
    const inspection = plan(OPTIONS);
    for (const { ttl } of inspection.items) expect(covers(inspection, ttl)).toBe(true);
  });

  test('has keys that DynamoDB takes at once beside those that it does not: in the same second and shard', () => {
    const { items } = plan(OPTIONS);
    for (const { id, ttl } of items.filter(({ capacity }) => capacity === 'after a while')) {
      const shard = shardOf({ id }, model, model.shards);
      const beside = items.filter(
        other =>
          other.ttl === ttl &&
          other.deed === 'none' &&
          other.capacity === 'at once' &&
          shardOf({ id: other.id }, model, model.shards) === shard,
      );
      expect(beside.length).toBeGreaterThan(0);
    }
  });

  test('names every item once', () => {
    const ids = plan(OPTIONS).items.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('renews and deletes nothing itself where deletes are not guarded', () => {
    const deeds = plan({ ...OPTIONS, holds: true }).items.map(({ deed }) => deed);
    expect(new Set(deeds).size).toBeGreaterThan(2);
    expect(new Set(plan({ ...OPTIONS, guarded: false }).items.map(({ deed }) => deed))).toEqual(
      new Set(['none']),
    );
  });
});

test('with holds, each place has an item that is held and one that was released', () => {
  const deeds = (holds: boolean) => new Set(planTick({ ...OPTIONS, holds }).items.map(({ deed }) => deed));
  expect([...deeds(true)]).toEqual(expect.arrayContaining(['held', 'released']));
  expect([...deeds(false)]).not.toContain('held');
});
