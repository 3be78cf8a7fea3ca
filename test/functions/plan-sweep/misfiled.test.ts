import fc from 'fast-check';
import { PRICES } from '../../../cost/prices.ts';
import { type ExpiryModel, expiryModel } from '../../../expiry/model.ts';
import { shardOf } from '../../../expiry/shard.ts';
import { GRANULARITIES, windowKey, windowStart } from '../../../expiry/window.ts';
import { countMisfiled, findMisfiled, isTurnToSeek } from '../../../functions/plan-sweep/misfiled.ts';
import { DynamoDbBusyError } from '../../../functions/runtime/errors.ts';
import type { ReadIndex } from '../../../functions/table/index-query.ts';

/** A reconcile's cutoff. */
const CUTOFF = Date.parse('2026-11-20T09:07:00Z') / 1000;
const HOUR = 3600;
const inTime = () => false;

interface Item {
  readonly id: string;
  readonly ttl: number;
  readonly olderStamp: boolean;
  /** A TTL that was renewed, or changed, without its window. */
  readonly stampedFor?: number;
}

/** An index in memory, with what these writers have put into it. */
function indexOf(...written: readonly { readonly by: ExpiryModel; readonly items: readonly Item[] }[]) {
  const windows = new Map<string, Item[]>();
  for (const { by, items } of written) {
    for (const item of items) {
      const key = windowOf(item, by);
      windows.set(key, [...(windows.get(key) ?? []), item]);
    }
  }
  const asked: string[] = [];
  const readIndex: ReadIndex = async ({ value }, { from, upTo }, _startKey, limit) => {
    asked.push(String(value));
    const found = (windows.get(String(value)) ?? []).filter(({ ttl }) => ttl >= from && ttl <= upTo);
    const entries = found.slice(0, limit).map(({ id, ttl }) => ({ key: { id: { S: id } }, ttl }));
    return { entries, positions: [], more: found.length > limit };
  };
  return { readIndex, asked };
}

/** The older way puts what expires on an edge into the window that ends there. */
function windowOf(
  { id, ttl, olderStamp, stampedFor = ttl }: Item,
  { granularitySeconds, shards }: ExpiryModel,
): string {
  const start = windowStart(olderStamp ? stampedFor - 1 : stampedFor, granularitySeconds);
  return windowKey(start, granularitySeconds, shardOf({ id }, { partitionKey: 'id' }, shards));
}

const settingsOf = (own: ExpiryModel) => ({ model: own, tableName: 'T', logKeys: 'full' as const });

const model = (granularityMinutes = 1, shards = 1) =>
  expiryModel({ partitionKey: 'id', granularityMinutes, shards });

test('few of many tables have their turn in the same hour, and each has it every 23 hours', () => {
  const names = Array.from({ length: 100 }, (_unused, index) => `SessionData-${index + 1}`);
  const inHours = Array.from({ length: 23 }, (_unused, hour) =>
    names.filter(name => isTurnToSeek(name, CUTOFF + hour * HOUR)),
  );
  expect(inHours.flat().sort()).toEqual(names.toSorted());
  expect(Math.max(...inHours.map(({ length }) => length))).toBeLessThanOrEqual(7);
});

/** Items that expire in the hour up to a reconcile: those before it were the last one's. */
const items = fc.uniqueArray(
  fc.record({
    id: fc.stringMatching(/^[a-z0-9]{1,8}$/),
    ttl: fc.integer({ min: CUTOFF - HOUR + 1, max: CUTOFF }),
    olderStamp: fc.boolean(),
  }),
  { minLength: 1, maxLength: 30, selector: ({ id }) => id },
);
const granularity = fc.constantFrom(...GRANULARITIES);
const shards = fc.integer({ min: 1, max: 8 });

test('a writer with another granularity is found by the next reconcile, whatever the two are', async () => {
  const property = fc.asyncProperty(
    items,
    granularity,
    granularity,
    shards,
    async (all, own, other, count) => {
      fc.pre(own !== other);
      const { readIndex } = indexOf({ by: model(other, count), items: all });
      const misfiled = await findMisfiled(model(own, count), CUTOFF, readIndex, inTime);
      expect(misfiled.reduce((sum, { found }) => sum + found, 0)).toBe(all.length);
      expect(new Set(misfiled.map(({ granularityMinutes }) => granularityMinutes))).toEqual(new Set([other]));
    },
  );
  await fc.assert(property, { numRuns: 60 });
});

test('of a writer with up to eight more shards exactly what no child sweeps is found', async () => {
  const more = fc.integer({ min: 1, max: 8 });
  const property = fc.asyncProperty(items, granularity, shards, more, async (all, own, count, further) => {
    const writer = model(own, count + further);
    const { readIndex } = indexOf({ by: writer, items: all });
    const misfiled = await findMisfiled(model(own, count), CUTOFF, readIndex, inTime);
    const unswept = all.filter(({ id }) => shardOf({ id }, { partitionKey: 'id' }, writer.shards) >= count);
    expect(misfiled.reduce((sum, { found }) => sum + found, 0)).toBe(unswept.length);
    expect(
      misfiled.every(({ shard, granularityMinutes }) => shard >= count && granularityMinutes === own),
    ).toBe(true);
  });
  await fc.assert(property, { numRuns: 60 });
});

test('a writer that agrees is never found, nor one with fewer shards, nor what is stamped the older way', async () => {
  const property = fc.asyncProperty(items, granularity, shards, shards, async (all, own, count, written) => {
    const { readIndex } = indexOf({ by: model(own, Math.min(written, count)), items: all });
    expect(await findMisfiled(model(own, count), CUTOFF, readIndex, inTime)).toEqual([]);
  });
  await fc.assert(property, { numRuns: 60 });
});

const item = (id: string, ttl = CUTOFF - 60): Item => ({ id, ttl, olderStamp: false });
const many = (count: number) => Array.from({ length: count }, (_unused, index) => item(`i${index}`));

test.each([
  ['expires with the cutoff', CUTOFF, 1],
  ['expires a second after it', CUTOFF + 1, 0],
  ['expired five years ago', CUTOFF - 5 * 365 * 86_400, 0],
  ['expired a second less than five years ago', CUTOFF - 5 * 365 * 86_400 + 1, 1],
])('what %s, in a window of today', async (_name, ttl, count) => {
  const { readIndex } = indexOf({ by: model(1440), items: [{ ...item('a', ttl), stampedFor: CUTOFF }] });
  expect(await findMisfiled(model(), CUTOFF, readIndex, inTime)).toHaveLength(count);
});

test.each([
  ['the last second that this one owns', HOUR - 1, 1],
  ['up to five minutes before, if it came late to the index', HOUR + 299, 1],
  ['before that', HOUR + 300 + 120, 0],
])('a reconcile looks for what expired in %s', async (_name, secondsAgo, count) => {
  const { readIndex } = indexOf({ by: model(2), items: [item('a', CUTOFF - secondsAgo)] });
  expect(await findMisfiled(model(), CUTOFF, readIndex, inTime)).toHaveLength(count);
});

test('reads no more than a hundred entries of a window, and shows three keys', async () => {
  const { readIndex } = indexOf({ by: model(60), items: many(250) });
  expect(await findMisfiled(model(), CUTOFF, readIndex, inTime)).toEqual([
    { granularityMinutes: 60, shard: 0, found: 100, keys: ['i0', 'i1', 'i2'].map(id => ({ id: { S: id } })) },
  ]);
});

test('says what disagrees and what to do, a line for each', async () => {
  const warn = jest.fn();
  const surroundings = (own: ExpiryModel) => ({ settings: settingsOf(own), logger: { warn } });
  const hours = indexOf({ by: model(60), items: [item('a')] });
  expect(await countMisfiled(CUTOFF, surroundings(model()), hours.readIndex, () => 120_000)).toBe(1);
  const third = indexOf({ by: model(5, 3), items: many(20) });
  const count = await countMisfiled(CUTOFF, surroundings(model(5, 2)), third.readIndex, () => 120_000);
  expect(warn.mock.calls).toEqual([
    [
      'misfiled',
      {
        granularityMinutes: 60,
        shard: 0,
        found: 1,
        keys: [{ id: { S: 'a' } }],
        problem:
          'windows of 60 minutes; this deployment sweeps windows of 1 minute. Give the writer granularityMinutes: 1, and write these items again.',
      },
    ],
    [
      'misfiled',
      expect.objectContaining({
        granularityMinutes: 5,
        shard: 2,
        found: count,
        problem:
          'shard 2; this deployment sweeps shards 0 to 1. Give the deployment as many shards as the writer has, at least 3.',
      }),
    ],
  ]);
});

test('by second nothing is asked: the TTL itself is the key', async () => {
  const { readIndex, asked } = indexOf();
  const bySecond = expiryModel({ partitionKey: 'id', indexedBy: 'second' });
  expect(await findMisfiled(bySecond, CUTOFF, readIndex, inTime)).toEqual([]);
  expect(asked).toEqual([]);
});

test.each([
  [1, 1, 0.04],
  [60, 1, 0.04],
  [1, 8, 0.1],
  [1, 100, 0.1],
  [1440, 100, 0.1],
])('with windows of %d minutes and %d shards it costs at most $%d a month', async (own, count, dollars) => {
  const { readIndex, asked } = indexOf();
  await findMisfiled(model(own, count), CUTOFF, readIndex, inTime);
  expect(new Set(asked).size).toBe(asked.length);
  // A query that finds nothing takes half a unit.
  expect((asked.length / 2) * 24 * 30 * PRICES.dynamoDbReadUnits).toBeLessThan(dollars);
});

describe('DynamoDB that has no time', () => {
  const busy = async () => {
    throw new DynamoDbBusyError('throttled');
  };

  test('is left alone when it answers nothing', async () => {
    const readIndex = jest.fn(busy);
    expect(await findMisfiled(model(), CUTOFF, readIndex, inTime)).toEqual([]);
    expect(readIndex.mock.calls.length).toBeLessThan(64);
  });

  test('costs only the answers that it does not give', async () => {
    const { readIndex } = indexOf({ by: model(60), items: [item('a')] });
    let asked = 0;
    const halfBusy: ReadIndex = (...query) => {
      asked += 1;
      return asked % 2 === 0 && !String(query[0].value).includes('09:00:00.000Z_2026-11-20T10:00')
        ? busy()
        : readIndex(...query);
    };
    expect(await findMisfiled(model(), CUTOFF, halfBusy, inTime)).toMatchObject([{ found: 1 }]);
  });

  test('is asked no further once twenty seconds have passed', async () => {
    const { readIndex, asked } = indexOf({ by: model(1440), items: [item('a')] });
    let left = 120_000;
    const remaining = () => {
      left -= 6_000;
      return left;
    };
    const quiet = { settings: settingsOf(model()), logger: { warn: () => undefined } };
    expect(await countMisfiled(CUTOFF, quiet, readIndex, remaining)).toBe(0);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.length).toBeLessThan(4);
  });
});
