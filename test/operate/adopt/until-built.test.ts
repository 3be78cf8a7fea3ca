import { progressLine } from '../../../cli/adopt/job.ts';
import { type Building, untilBuilt } from '../../../operate/adopt/change-table.ts';
import type { DescribedIndex } from '../../../operate/table/describe-table.ts';

const INDEX: DescribedIndex = {
  name: 'expirySecondIndex',
  scope: 'global',
  partitionKeys: [{ name: 'ttl', type: 'N' }],
  sortKeys: [],
  projection: 'KEYS_ONLY',
  status: 'CREATING',
  backfilling: false,
  itemCount: 0,
  sizeBytes: 0,
  throughput: undefined,
  warmThroughput: undefined,
};
const ACTIVE = { ...INDEX, status: 'ACTIVE' };

/** Waits on a clock that advances with each answer of DynamoDB. */
async function wait(states: readonly (DescribedIndex | undefined)[], secondsEach = 10) {
  const shown: Building[] = [];
  let told = 0;
  const built = await untilBuilt({
    indexName: 'expirySecondIndex',
    describe: async () => {
      told += 1;
      return states[Math.min(told, states.length) - 1];
    },
    progress: async () => undefined,
    onPoll: building => shown.push(building),
    pollMs: 0,
    signal: new AbortController().signal,
    now: () => told * secondsEach * 1000,
  });
  return { built, shown };
}

test('DynamoDB may not show a new index at first', async () => {
  const { built, shown } = await wait([undefined, undefined, INDEX, ACTIVE]);
  expect({ built, shown: shown.length }).toEqual({ built: true, shown: 3 });
});

test.each<[string, (DescribedIndex | undefined)[], string]>([
  ['one that goes away', [INDEX, undefined], 'no such index any more'],
  ['one that is deleted', [INDEX, { ...INDEX, status: 'DELETING' }], 'DELETING'],
  ['one that never comes', [undefined], 'no such index any more'],
])('fails for %s', async (_what, states, got) => {
  await expect(wait(states)).rejects.toThrow(`expected it to become ACTIVE, got ${got}`);
});

test.each([
  [undefined, 5000, 'Index i: DynamoDB makes room for it, 5 s'],
  [0.5, 999, 'Index i: ██████████░░░░░░░░░░ 50%, DynamoDB makes room for it, 0 s'],
  [0, 60_000, 'Index i: ░░░░░░░░░░░░░░░░░░░░ 0%, DynamoDB makes room for it, 1 min 0 s'],
  [0.5, 61_999, 'Index i: ██████████░░░░░░░░░░ 50%, DynamoDB makes room for it, 1 min 1 s, about 62 s left'],
  [1, 3_600_000, 'Index i: ████████████████████ 100%, DynamoDB makes room for it, 60 min 0 s'],
])('the line with %p done after %p ms', (part, elapsed, expected) => {
  expect(progressLine({ name: 'i', backfilling: false, elapsedMs: elapsed, part })).toBe(expected);
});
