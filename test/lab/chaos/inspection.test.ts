import { expiryModel } from '../../../expiry/index.ts';
import { shardOf } from '../../../expiry/shard.ts';
import {
  type InspectedSweep,
  type Inspection,
  planScan,
  planTick,
  secondsUntilInspection,
  wrongWith,
} from '../../../lab/chaos/inspection.ts';

const MINUTE = 1_800_000_000;
const model = expiryModel({ partitionKey: 'id', shards: 3 });
const OPTIONS = { now: MINUTE + 20, model, lookbackMinutes: 10 };

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

  test('has items of its minute in each shard, and of the older stamp where a window begins with it', () => {
    const own = of(tick, 'this minute');
    for (const { ttl, olderStamp } of own) expect([ttl, olderStamp]).toEqual([MINUTE + 19, false]);
    expect(new Set(own.map(({ id }) => shardOf({ id }, model, model.shards))).size).toBe(3);
    expect(of(tick, 'on the edge')).toEqual([]);
    const inMinutes = expiryModel({ partitionKey: 'id', granularityMinutes: 1 });
    const edge = of(planTick({ ...OPTIONS, model: inMinutes }), 'on the edge');
    expect(edge.length).toBeGreaterThan(0);
    for (const item of edge) expect(item).toMatchObject({ ttl: MINUTE, olderStamp: true });
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
    expect(soon).toHaveLength(4);
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

test('the scan has items only where no tick looks back to, some of the older stamp on the edge of a window', () => {
  const scan = planScan(OPTIONS);
  for (const { ttl } of scan.items) expect(ttl).toBeLessThan(MINUTE - 11 * 60);
  const old = of(scan, 'on the first edge');
  expect(old.length).toBeGreaterThan(0);
  for (const { ttl, olderStamp } of old) expect([ttl % 86_400, olderStamp]).toEqual([0, true]);
});

test.each([
  ['the tick', planTick],
  ['the scan', planScan],
])('%s has to delete everything that is laid out for it, and names each item once', (_name, plan) => {
  const inspection = plan(OPTIONS);
  for (const { ttl } of inspection.items) expect(covers(inspection, ttl)).toBe(true);
  expect(new Set(inspection.items.map(({ id }) => id)).size).toBe(inspection.items.length);
});

describe('what is wrong with a sweep', () => {
  const ended = (counts: object, overrides: object = {}) => ({
    ...{ name: 'x', status: 'SUCCEEDED', error: undefined },
    text: JSON.stringify({
      found: 5,
      deleted: 5,
      renewed: 0,
      held: 0,
      notFound: 0,
      failed: 0,
      retries: 0,
      ...counts,
    }),
    ...overrides,
  });
  const sweep = (overrides: Partial<InspectedSweep> = {}): InspectedSweep => ({
    ...{ name: 'tick', ended: [ended({})], laidOut: 5, left: [], removed: 5 },
    ...overrides,
  });

  test.each<[string, InspectedSweep, RegExp[]]>([
    ['nothing', sweep(), []],
    ['what it handed over counts, too', sweep({ ended: [ended({ deleted: 2 }), ended({ deleted: 3 })] }), []],
    ['an answer was lost', sweep({ ended: [ended({ deleted: 0, retries: 1 })], removed: 25 }), []],
    [
      'it left something',
      sweep({ left: ['a'] }),
      [/^the tick left 1 expired items \(5 were laid out for it\): a$/],
    ],
    [
      'it failed',
      sweep({ ended: [ended({}, { status: 'FAILED', error: 'Oh' })] }),
      [/^the tick ended FAILED: Oh/],
    ],
    ['it counts too many', sweep({ removed: 4 }), [/^the tick reports deleted 5, but 4 went by the stream$/]],
    ['it counts too few', sweep({ removed: 6 }), [/reports deleted 5, but 6 went/]],
    ['too few for its retries', sweep({ ended: [ended({ retries: 1 })], removed: 31 }), [/5, but 31 went/]],
  ])('%s', (_name, inspected, wrong) => {
    expect(wrongWith(inspected)).toEqual(wrong.map(sentence => expect.stringMatching(sentence)));
  });
});
