import { adviseShards, type IndexLoad, NEW_TABLE_UNITS } from '../../cli/partition-rule.ts';
import { MAX_SHARDS } from '../../expiry/model.ts';

const DAY = 1440;

const load = (perSecond: number, others: Partial<IndexLoad> = {}): IndexLoad => ({
  ...{ indexedBy: 'window', granularityMinutes: 1, shards: 1, perSecond },
  ...others,
});

test.each<[string, IndexLoad, ReturnType<typeof adviseShards>]>([
  ['little, on one shard', load(300), { verdict: 'holds', shards: 1, warmUnits: 4_000 }],
  ['more than a partition takes by chance', load(700), { verdict: 'late', shards: 6, warmUnits: 4_000 }],
  ['more than one key takes', load(1_001), { verdict: 'impossible', shards: 7, warmUnits: 6_000 }],
  [
    'a day, whose keys take puts and deletes at once',
    load(600, { granularityMinutes: DAY }),
    { verdict: 'impossible', shards: 7, warmUnits: 4_000 },
  ],
  [
    'a million a minute on one shard',
    load(16_667, { granularityMinutes: DAY }),
    { verdict: 'impossible', shards: 328, warmUnits: 84_000 },
  ],
  [
    'enough shards on an index that is too small',
    load(16_667, { shards: 300 }),
    { verdict: 'late', shards: 164, warmUnits: 84_000 },
  ],
  [
    'a warmer index, which needs fewer',
    load(1_500, { shards: 3, warmUnits: 40_000 }),
    { verdict: 'holds', shards: 2, warmUnits: 40_000 },
  ],
  [
    'by second, more than a second can take',
    load(2_000, { indexedBy: 'second' }),
    { verdict: 'impossible', shards: undefined, warmUnits: 10_000 },
  ],
  [
    'more than any number of shards holds',
    load(60_000, { granularityMinutes: DAY }),
    { verdict: 'impossible', shards: undefined, warmUnits: 300_000 },
  ],
])('%s', (_case, given, expected) => expect(adviseShards(given)).toEqual(expected));

test('what is advised holds, at any rate up to what a table takes by default', () => {
  for (let rate = 1; rate <= 20_000; rate += 37) {
    for (const granularityMinutes of [1, 60, DAY]) {
      const { shards = Number.NaN, warmUnits } = adviseShards(load(rate, { granularityMinutes }));
      const advised = load(rate, { granularityMinutes, shards, warmUnits });
      expect(shards).toBeLessThanOrEqual(MAX_SHARDS);
      expect(warmUnits).toBeGreaterThanOrEqual(NEW_TABLE_UNITS);
      expect(adviseShards(advised)).toEqual({ verdict: 'holds', shards, warmUnits });
    }
  }
});
