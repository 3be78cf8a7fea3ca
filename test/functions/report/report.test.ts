import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import {
  addLags,
  countAbove,
  LAG_BUCKETS,
  lagOf,
  NO_LAG,
  summarizeLag,
  toMetricHistogram,
} from '../../../functions/report/lag.ts';
import { firstThatFit, jsonBytes, listFailedKeys } from '../../../functions/report/listed-keys.ts';
import { hashOfKey, keyShower, shownFailure } from '../../../functions/report/shown-keys.ts';
import { addRound, readExecutionReport } from '../../../functions/report/sweep-totals.ts';
import type { LogKeys } from '../../../functions/runtime/environment.ts';
import type { FailedKey } from '../../../statemachine/contract/keys.ts';
import { RESULTS_BYTES } from '../../../statemachine/contract/limits.ts';
import { anyCharacter } from '../../support/any-character.ts';

const OF_A_TABLE = { found: 1, deleted: 1 };

test.each<[string, unknown]>([
  ["a tick's", { tables: { T: OF_A_TABLE } }],
  ["a tick's that had nothing to do", { tables: {} }],
  ["a tick's that could not record it", { tables: {}, notRecorded: 'JournalUnwritableError' }],
])('reads %s, as a value and as JSON', (_whose, said) => {
  expect(readExecutionReport(said)).toEqual(said);
  expect(readExecutionReport(JSON.stringify(said))).toEqual(said);
});

test.each([undefined, null, '', 'Lambda was unknown.', '[]', '{}', { tables: 'T' }])(
  'there is none in %j',
  said => {
    expect(readExecutionReport(said)).toBeUndefined();
  },
);

test('the totals of the longest keys leave a state room for the results of another round', () => {
  const failedKeys = Array.from({ length: 5 }, (_unused, at) => ({
    key: `${at}`.padEnd(9_000, 'k'),
    reason: 'r',
  }));
  const results = Array.from({ length: 4 }, () => ({
    found: 5,
    failed: 5,
    failedKeys,
    sampleKeys: failedKeys.map(({ key }) => key),
  }));
  const totals = addRound({ targets: 4 }, { results: results as never, planFailed: false });
  expect([totals.failed, totals.failedKeys.length > 0, totals.sampleKeys.length > 0]).toEqual([
    20,
    true,
    true,
  ]);
  // 256 KiB, with room for the settings of the table. Source: Step Functions quotas.
  expect(jsonBytes(totals) + RESULTS_BYTES).toBeLessThan(240_000);
});

test.each([
  [0, 0],
  [16, 0],
  [17, 1],
  [19, 1],
  [20, 2],
  [32, 4],
  [33, 5],
  [1000, 24],
  [5 * 86_400_000, LAG_BUCKETS - 1],
  [365 * 86_400_000, LAG_BUCKETS - 1],
])('a lag of %d ms is in bucket %d', (lagMs, bucket) => {
  const { lagCounts } = lagOf([100], 100_000 + lagMs);
  expect(lagCounts).toEqual({ [bucket]: 1 });
});

test('an item deleted before its TTL, by a clock that runs ahead, counts as not late, and none has no lag', () => {
  expect(lagOf([100], 99_990)).toEqual({ lagCounts: { 0: 1 }, lagMaxMs: 0 });
  expect([lagOf([], 1), summarizeLag(NO_LAG)]).toEqual([NO_LAG, null]);
});

const lags = fc.array(fc.integer({ min: 0, max: 400_000_000 }), { minLength: 1, maxLength: 200 });
const histogram = (values: number[]) =>
  lagOf(
    values.map(ms => -ms / 1000),
    0,
  );

test('quantiles are within a bucket above the true ones, and the maximum is exact', () => {
  fc.assert(
    fc.property(lags, values => {
      const sorted = values.toSorted((one, other) => one - other);
      const summary = summarizeLag(histogram(values));
      for (const [share, got] of [
        [0.5, summary?.p50],
        [0.99, summary?.p99],
      ] as const) {
        const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
        expect(got).toBeGreaterThanOrEqual(exact);
        expect(got).toBeLessThanOrEqual(Math.max(16, exact * 1.2 + 1));
      }
      expect(summary?.max).toBe(sorted.at(-1));
    }),
  );
});

test('two lags added are the lag of all items', () => {
  fc.assert(
    fc.property(lags, lags, (one, other) => {
      expect(addLags(histogram(one), histogram(other))).toEqual(histogram([...one, ...other]));
    }),
  );
});

test('a metric has at most a hundred values, each within the extremes, and counts every item', () => {
  fc.assert(
    fc.property(lags, values => {
      const { Values, Counts, Min, Max, Count } = toMetricHistogram(histogram(values));
      expect(Values.length).toBe(Counts.length);
      expect(Values.length).toBeLessThanOrEqual(100);
      expect(Count).toBe(values.length);
      for (const value of Values) {
        expect(value).toBeGreaterThanOrEqual(Min);
        expect(value).toBeLessThanOrEqual(Max);
      }
    }),
  );
});

test.each([
  [[100, 119_000], 0],
  [[100, 160_000, 3_600_000], 2],
  [[], 0],
])('of the lags %p ms, %d are above two minutes', (values, above) => {
  expect(countAbove(histogram(values), 120_000)).toBe(above);
});

const failed = (text: string): FailedKey => ({ key: { id: { S: text } }, reason: 'ValidationError' });

describe('lists', () => {
  const three = ['a', 'b', 'c'].map(failed);

  test.each([
    ['all that fit', jsonBytes(three), 3],
    ['one fewer when a byte is missing', jsonBytes(three) - 1, 2],
    ['none', 2, 0],
  ])('%s', (_name, bytes, expected) => {
    expect(firstThatFit(three, bytes + 1)).toHaveLength(expected);
  });

  test('twenty at the most', () => {
    expect(firstThatFit(new Array(30).fill(failed('a')), 30_000)).toHaveLength(20);
  });
});

const attribute = fc.oneof(
  fc.string({ maxLength: 700, unit: anyCharacter }).map(S => ({ S })),
  fc.uint8Array({ maxLength: 2048 }).map(bytes => ({ B: Buffer.from(bytes).toString('base64') })),
  fc.bigInt({ min: 0n, max: 10n ** 38n - 1n }).map(N => ({ N: String(N) })),
);
const anyKey = fc.record({ partition: attribute, sort: attribute });

test('of failed keys the first is always listed, and whatever is listed fits', () => {
  fc.assert(
    fc.property(
      fc.array(anyKey, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 225, max: 9000 }),
      (keys, bytes) => {
        const all = keys.map((key): FailedKey => ({ key, reason: 'ValidationError' }));
        const listed = listFailedKeys(all, bytes);
        expect(listed.length).toBeGreaterThanOrEqual(1);
        expect(jsonBytes(listed)).toBeLessThanOrEqual(bytes);
        for (const [index, each] of listed.entries()) {
          if (each.keyStart === undefined) expect(each).toEqual(all[index]);
          else {
            const { keyStart } = each;
            expect([index, JSON.stringify(all[0]?.key).startsWith(keyStart)]).toEqual([0, true]);
            expect([keyStart.isWellFormed(), keyStart.length > 20]).toEqual([true, true]);
          }
        }
      },
    ),
  );
});

test('a key that does not fit is listed by its beginning, as long as fits: half of the key to the byte, a quarter with a byte less', () => {
  const key = { id: { S: 'x'.repeat(400) } };
  const json = JSON.stringify(key);
  const half = json.slice(0, Math.floor(json.length / 2));
  const fits = jsonBytes([{ keyStart: half, reason: 'Unprocessed' }]) + 1; // the comma that may follow
  const startWithin = (bytes: number) => listFailedKeys([{ key, reason: 'Unprocessed' }], bytes)[0]?.keyStart;
  expect(startWithin(fits)).toBe(half);
  expect(startWithin(fits - 1)).toBe(json.slice(0, Math.floor(half.length / 2)));
});

const showerOf = (logKeys: LogKeys, tableName = 'Sessions') =>
  keyShower({ logKeys, tableName, model: { partitionKey: 'id', sortKey: 'at' } });
const KEY = { id: { S: 'ada@example.com' }, at: { N: '1' } };

test('shows the key, its hash, or nothing', () => {
  expect(showerOf('full')(KEY)).toBe(KEY);
  expect(showerOf('hash')(KEY)).toMatch(/^hmac-sha256:[0-9a-f]{16}$/);
  expect(showerOf('none')(KEY)).toBeUndefined();
  expect(shownFailure({ key: KEY, reason: 'R' }, showerOf('none'))).toEqual({ reason: 'R' });
});

test('the hash is the same in whatever order a key has its attributes, and another one in another table', () => {
  const { id, at } = KEY;
  const hash = showerOf('hash')(KEY);
  expect(showerOf('hash')({ at, id })).toBe(hash);
  expect(showerOf('hash', 'Other')(KEY)).not.toBe(hash);
  expect(showerOf('hash')({ ...KEY, at: { N: '2' } })).not.toBe(hash);
});

test('keys of two attributes do not get the hash of each other', () => {
  const key = fc.record({ id: fc.record({ S: fc.string() }), at: fc.record({ S: fc.string() }) });
  fc.assert(
    fc.property(key, key, (one, other) => {
      const same = one.id.S === other.id.S && one.at.S === other.at.S;
      expect(showerOf('hash')(one) === showerOf('hash')(other)).toBe(same);
    }),
  );
});

// Whoever looks for a key in the logs does it with this line.
test('the command in docs/operate.md gives the hash of a key', () => {
  const command = /^printf .*$/m.exec(readFileSync('docs/operate.md', 'utf8'))?.[0] ?? '';
  const printed = execFileSync('sh', ['-c', command], { encoding: 'utf8' }).trim();
  expect(`hmac-sha256:${printed}`).toBe(hashOfKey({ id: { S: 'ada@example.com' } }, ['id'], 'Sessions'));
});
