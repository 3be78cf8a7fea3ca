import {
  type FaultsResult,
  faultsProblems,
  runScenario,
  SCENARIOS,
  type Scenario,
} from '../../../bench/experiments/faults.ts';

test.each<[string, Scenario]>(Object.entries(SCENARIOS))(
  '%s: keeps its bound in a short run',
  async (id, { rate, ...scenario }) => {
    const result = await runScenario({ ...scenario, rate: Math.min(rate, 20) }, { minutes: 1, seed: 1 });
    expect(faultsProblems(result)).toEqual([]);
    const written = 20 * Math.ceil(60 / (scenario.everySeconds ?? 1));
    expect(result).toMatchObject({ written, deleted: written, early: 0 });
    // The faults do happen, and only those.
    expect(result.faults > 0).toBe(scenario.faults !== undefined);
    // A DynamoDB without faults is late only where a tick is missing, or where nothing is watched for short lives.
    if (scenario.faults === undefined) expect(result.maxMs > 200).toBe(['skipped', 'short'].includes(id));
  },
);

test('ticks come within their minute, the last late one as late as possible, and one of a run is skipped', () => {
  const delaysOf = ({ deliver }: Scenario) =>
    [0, 1, 2].map(number => deliver?.({ number, last: 2, random: { next: () => 0.5 } }));
  expect(delaysOf(SCENARIOS.late59)).toEqual([[29.5], [29.5], [59]]);
  expect(delaysOf(SCENARIOS.twice).map(delays => delays?.length)).toEqual([2, 2, 2]);
  expect(delaysOf(SCENARIOS.skipped).map(delays => delays?.length)).toEqual([1, 0, 1]);
});

const GOOD: FaultsResult = {
  title: 'any',
  bounds: { p99Ms: 1500, maxMs: 9000 },
  written: 1200,
  deleted: 1200,
  early: 0,
  lagMs: { p50: 60, p99: 1500, max: 9000 },
  maxMs: 9000,
  executions: 8,
  failed: 0,
  faults: 0,
};

test('of a scenario is told: nothing at its bounds', () => {
  expect(faultsProblems(GOOD)).toEqual([]);
});

test.each<[string, Partial<FaultsResult>, RegExp]>([
  ['items left', { deleted: 1199 }, /^any: 1,199 of 1,200 items/],
  ['items deleted early', { early: 1 }, /1 items deleted before they expired/],
  ['a failed sweep', { failed: 1 }, /1 sweeps failed/],
  ['p99', { lagMs: { ...GOOD.lagMs, p99: 1501 } }, /p99 expected at most 1\.50 s, got 1\.50 s/],
  ['the latest of all', { maxMs: 9010 }, /the latest expected at most 9\.00 s, got 9\.01 s/],
])('of a scenario is told: %s', (_name, changes, expected) => {
  const problems = faultsProblems({ ...GOOD, ...changes });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(expected);
});
