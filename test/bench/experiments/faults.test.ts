import {
  type FaultsResult,
  faultsProblems,
  runScenario,
  SCENARIOS,
  type Scenario,
  sumExecutions,
} from '../../../bench/experiments/faults.ts';

/** A minute, at no more than 20 items a second. */
const runShort = ({ rate, ...scenario }: Scenario) =>
  runScenario({ ...scenario, rate: Math.min(rate, 20) }, { minutes: 1, seed: 1 });

describe('the scenarios', () => {
  test.each<[string, Scenario]>(Object.entries(SCENARIOS))(
    '%s: keeps its bound in a short run',
    async (id, scenario) => {
      const result = await runShort(scenario);
      expect(faultsProblems(result)).toEqual([]);
      const written = 20 * Math.ceil(60 / (scenario.everySeconds ?? 1));
      expect(result).toMatchObject({ written, deleted: written, early: 0 });
      // The faults do happen, and only those.
      expect(result.sums.retries > 0).toBe(scenario.faults !== undefined);
      expect(result.struck > 0).toBe(id === 'hanging');
      // A DynamoDB without faults is late only where a tick is missing, or where nothing is watched for short lives.
      if (scenario.faults === undefined) expect(result.maxMs > 200).toBe(['skipped', 'short'].includes(id));
    },
  );

  test('an item that hung in a call is not among the others', async () => {
    const items = [{ id: 'one', ttl: 60 }];
    const { hangingDelete, struck } = SCENARIOS.hanging.faults(items, { next: () => 0 });
    expect(hangingDelete?.(['early'], 59_999)).toBe(0);
    expect(hangingDelete?.(['one', 'two'], 60_000)).toBe(15_000);
    expect(hangingDelete?.(['three'], 60_001)).toBe(0); // one call a minute
    expect([...(struck ?? [])]).toEqual(['one', 'two']);
  });

  test('a key throttled once is one of each fifth second, and free the second time', () => {
    const items = [60, 61, 65].flatMap(ttl => [0, 1].map(item => ({ id: `${ttl}-${item}`, ttl })));
    const { throttled } = SCENARIOS.throttledOnce.faults(items, { next: () => 0.9 });
    const refused = () => items.filter(({ id }) => throttled?.(id, 0)).map(({ id }) => id);
    expect(refused()).toEqual(['60-1', '65-1']);
    expect(refused()).toEqual([]);
  });
});

test('ticks come within their minute, the last late one as late as possible, and one of a run is skipped', () => {
  const delaysOf = ({ deliver }: Scenario) =>
    [0, 1, 2].map(number => deliver?.({ number, last: 2, random: { next: () => 0.5 } }));
  expect(delaysOf(SCENARIOS.late59)).toEqual([[29.5], [29.5], [59]]);
  expect(delaysOf(SCENARIOS.twice).map(delays => delays?.length)).toEqual([2, 2, 2]);
  expect(delaysOf(SCENARIOS.skipped).map(delays => delays?.length)).toEqual([1, 0, 1]);
});

const report = (counts: Record<string, number>) => ({
  tables: {
    Sessions: { ...{ found: 0, deleted: 0, renewed: 0, notFound: 0, failed: 0, retries: 0 }, ...counts },
  },
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
    expect(sums).toEqual({ executions: 2, failed: 1, deleted: 4, retries: 2, eachAddsUp: true });
  });

  test.each([
    ['an execution whose counts differ', [succeeded({ found: 2, deleted: 1 })]],
    ['an execution without a report', [failed('crashed')]],
    ['two that differ from each other', [succeeded({ found: 1 }), succeeded({ deleted: 1 })]],
  ])('fails for %s', (_name, ended) => {
    expect(sumExecutions(ended).eachAddsUp).toBe(false);
  });
});

const GOOD: FaultsResult = {
  title: 'any',
  rate: 20,
  bounds: { p99Ms: 1500, maxMs: 9000 },
  written: 1200,
  deleted: 1200,
  early: 0,
  struck: 0,
  lagMs: { p50: 60, p99: 1500, max: 9000 },
  maxMs: 9000,
  sums: { ...sumExecutions([]), executions: 8, deleted: 1200 },
};

describe('what is told of a scenario', () => {
  test('nothing at its bounds', () => {
    expect(faultsProblems(GOOD)).toEqual([]);
  });

  test.each<[string, Partial<FaultsResult>, RegExp]>([
    ['items left', { deleted: 1199, sums: { ...GOOD.sums, deleted: 1199 } }, /^any: 1,199 of 1,200 items/],
    ['items deleted early', { early: 1 }, /1 items deleted before they expired/],
    ['a failed sweep', { sums: { ...GOOD.sums, failed: 1 } }, /1 sweeps failed/],
    ['a sweep that does not add up', { sums: { ...GOOD.sums, eachAddsUp: false } }, /do not add up/],
    ['counts that differ from what was seen', { sums: { ...GOOD.sums, deleted: 1199 } }, /count 1,199/],
    ['p99', { lagMs: { ...GOOD.lagMs, p99: 1501 } }, /p99 expected at most 1\.50 s, got 1\.50 s/],
    ['the latest of all', { maxMs: 9010 }, /the latest expected at most 9\.00 s, got 9\.01 s/],
  ])('%s', (_name, changes, expected) => {
    const problems = faultsProblems({ ...GOOD, ...changes });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(expected);
  });
});
