import { seededRandom } from 'stepfunctions-emulator';
import { sumExecutions } from '../../../lab/experiments/support/sums.ts';
import { ROUNDS, scenarioProblems, scenarioResult } from '../../../lab/experiments/ticks.ts';

const report = (counts: Record<string, number>) => ({
  found: 0,
  deleted: 0,
  renewed: 0,
  held: 0,
  notFound: 0,
  failed: 0,
  retries: 0,
  ...counts,
});
const succeeded = (counts: Record<string, number>) =>
  ({ status: 'SUCCEEDED', output: report(counts), cause: undefined }) as const;
const failed = (cause: string) => ({ status: 'FAILED', output: undefined, cause }) as const;

describe('the sums over executions', () => {
  test('take reports from outputs and from the causes of failures', () => {
    const sums = sumExecutions([
      succeeded({ found: 5, deleted: 3, renewed: 1, notFound: 1, retries: 2 }),
      failed(JSON.stringify(report({ found: 2, deleted: 1, failed: 1 }))),
    ]);
    expect(sums).toEqual({
      executions: 2,
      failed: 1,
      found: 7,
      deleted: 4,
      renewed: 1,
      notFound: 1,
      failedItems: 1,
      retries: 2,
      eachAddsUp: true,
    });
  });

  test.each([
    ['an execution whose counts differ', [succeeded({ found: 2, deleted: 1 })]],
    ['an execution without a report', [failed('crashed')]],
    ['two that differ from each other', [succeeded({ found: 1 }), succeeded({ deleted: 1 })]],
  ])('fails for %s', (_name, ended) => {
    expect(sumExecutions(ended).eachAddsUp).toBe(false);
  });
});

describe('what is told of a scenario', () => {
  const scenario = { id: 'Any', title: 'any' };
  const tally = {
    written: 4,
    expired: 4,
    deleted: 4,
    overdue: 0,
    liveDeleted: 0,
    renewed: 0,
    renewedKept: 0,
  };
  const told = (changes: Partial<typeof tally>, deleted = 4, counts: Record<string, number> = {}) =>
    scenarioProblems(
      scenarioResult(
        scenario,
        [[0]],
        { ...tally, ...changes },
        [1],
        sumExecutions([succeeded({ found: deleted + (counts['notFound'] ?? 0), deleted, ...counts })]),
      ),
    );

  test('nothing when all is gone and counted', () => {
    expect(told({})).toEqual([]);
  });

  test('nothing when the answer to a deletion was lost, and a retry found nothing or an item not found', () => {
    expect(told({}, 1, { notFound: 3, retries: 1 })).toEqual([]);
    expect(told({}, 1, { retries: 1 })).toEqual([]);
  });

  test.each<[string, ReturnType<typeof told>, RegExp]>([
    ['items deleted early', told({ deleted: 3, liveDeleted: 1 }), /1 items deleted before they expired/],
    ['items left', told({ deleted: 3, overdue: 1 }, 3), /1 expired items left/],
    ['counts that differ from what was seen', told({}, 5), /4 deletions were seen, the executions count 5/],
    ['uncounted deletions without a retry', told({}, 1, { notFound: 3 }), /the executions count 1;/],
    [
      'more of them than the retries had keys',
      told({ deleted: 30 }, 4, { notFound: 26, retries: 1 }),
      /30 deletions were seen, the executions count 4;/,
    ],
  ])('%s', (_name, problems, expected) => {
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(expected);
  });
});

test('ticks are delivered within their minute, and no scenario skips more than one', () => {
  const scenarios = ROUNDS.flat();
  expect(new Set(scenarios.map(({ id }) => id)).size).toBe(scenarios.length);
  for (const { id, deliver } of scenarios) {
    const random = seededRandom(1);
    const deliveries = [0, 1, 2].map(index => deliver?.({ index, owners: 3, random }) ?? [0]);
    for (const delay of deliveries.flat()) expect(delay).toBeLessThan(60_000);
    const latest = ({ Late45: 45_000, Late59: 59_000 } as Record<string, number>)[id];
    if (latest !== undefined) expect(deliveries.flat().at(-1)).toBe(latest);
    expect(deliveries.filter(delays => delays.length === 0)).toHaveLength(id === 'Skipped' ? 1 : 0);
  }
});
