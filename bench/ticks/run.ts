import { seededRandom } from 'stepfunctions-emulator';
import { describeViolations } from '../../lab/ledger/verdict.ts';
import { count, timeOfDay } from '../../lab/report/numbers.ts';
import { Problems } from '../../lab/report/problems.ts';
import { type Output, Progress } from '../../lab/report/progress.ts';
import { untilIdle } from '../../lab/watch/until-idle.ts';
import { WatchedTable } from '../../lab/watch/watched-table.ts';
import { planStream } from '../../lab/workload/plan.ts';
import type { LocalCloud } from '../../local/cloud.ts';
import { tableOf } from '../../local/stack/table-of.ts';
import { firstTtlOf } from '../live/first-ttl.ts';
import { thisMachine } from '../live/machine.ts';
import { untilGone } from '../live/until-gone.ts';
import { inCloud, isOf, MODEL, type Timing, tableName } from './clouds.ts';
import { sumExecutions } from './executions.ts';
import { type ScenarioResult, scenarioProblems, scenarioResult, type TicksResult } from './result.ts';
import { groupOf, ROUNDS, type Scenario } from './scenarios.ts';

export interface TicksOptions {
  readonly scenarios: readonly Scenario[];
  /** Minutes during which items expire. */
  readonly minutes: number;
  /** Items per second and table. */
  readonly rate: number;
  readonly seed: number;
  readonly output: Output;
  /** Ends the run early. */
  readonly signal: AbortSignal;
}

export interface TicksOutcome {
  readonly result: TicksResult;
  /** What was promised and not kept, or why the numbers must not be trusted; a sentence each. */
  readonly problems: readonly string[];
}

/** A tick that polls goes on to the end of its upcoming minute, two minutes after it started. */
const MAX_EXECUTION_MS = 200_000;

/** A scenario under way. */
interface Running {
  readonly scenario: Scenario;
  readonly table: WatchedTable;
}

/**
 * Runs the scenarios in real time, round by round.
 *
 * @throws {LocalCloudError} when a local cloud can't be started
 */
export async function runTicks(options: TicksOptions): Promise<TicksOutcome> {
  const machine = thisMachine();
  const progress = new Progress(options.output);
  const problems = new Problems(progress);
  const { minutes, rate, seed, signal } = options;
  const until = AbortSignal.any([signal, problems.broken]);
  const results: ScenarioResult[] = [];
  for (const group of ROUNDS) {
    const members = options.scenarios.filter(scenario => groupOf(scenario) === group);
    if (members.length > 0 && !until.aborted) {
      results.push(...(await runRound(members, options, { progress, problems, until })));
    }
  }
  const scenarios = options.scenarios.flatMap(({ id }) => results.filter(result => result.id === id));
  return { result: { settings: { minutes, rate, seed }, machine, scenarios }, problems: problems.found };
}

interface Surroundings {
  readonly progress: Progress;
  readonly problems: Problems;
  readonly until: AbortSignal;
}

async function runRound(
  scenarios: readonly Scenario[],
  { minutes, rate, seed }: TicksOptions,
  { progress, problems, until }: Surroundings,
): Promise<ScenarioResult[]> {
  const timing: Timing = { owners: Math.ceil(minutes), delivered: new Map() };
  return inCloud(scenarios, { timing, seed, problems }, async (cloud, ended) => {
    const startMs = Date.now();
    const running: Running[] = [];
    try {
      for (const scenario of scenarios) {
        running.push({ scenario, table: await watch(cloud, scenario, startMs, problems) });
      }
      const firstTtl = firstTtlOf(Date.now());
      const seconds = minutes * 60;
      timing.firstTtl = firstTtl;
      const writers = running.map(async ({ scenario, table }) => {
        const random = seededRandom(seed);
        const { actions } = planStream({ startMs, firstTtl, seconds, rate, random, ...scenario.stream });
        await table
          .write(actions, until)
          .catch(error => problems.breakOff(`${scenario.title}: writing failed: ${error}`));
      });
      progress.say(
        `${running.length} scenarios at once; the first items expire at ${timeOfDay(firstTtl * 1000)}.`,
      );
      await untilGone({
        ledgers: running.map(({ table }) => table.ledger),
        lastTtl: firstTtl + Math.ceil(seconds) - 1,
        signal: until,
        onCheck: now => progress.show(describe(running, now)),
      });
      await Promise.all(writers);
      cloud.pauseSchedules();
      progress.say('Waiting for the executions that are under way: they end with their upcoming minute.');
      await untilIdle(() => cloud.running.length === 0, {
        deadline: Date.now() + MAX_EXECUTION_MS,
        signal: until,
      });
      for (const { table } of running) await table.stop();
      const results = running.map(({ scenario, table }) =>
        scenarioResult(
          scenario,
          timing.delivered.get(scenario.id) ?? [],
          table.ledger.tally(Date.now()),
          table.ledger.lags,
          sumExecutions(ended.filter(execution => isOf(scenario, execution))),
        ),
      );
      const found = until.aborted ? [] : [...results.flatMap(scenarioProblems), ...(await verify(running))];
      for (const problem of found) problems.add(problem);
      return results;
    } finally {
      progress.end();
      for (const { table } of running) await table.stop();
    }
  });
}

function watch(
  cloud: LocalCloud,
  scenario: Scenario,
  startMs: number,
  problems: Problems,
): Promise<WatchedTable> {
  const name = tableName(scenario);
  const table = tableOf(cloud.synthesized, name);
  const onError = (error: unknown) => problems.breakOff(`the stream of ${name} couldn't be read: ${error}`);
  return WatchedTable.start({
    cloud,
    table,
    model: MODEL,
    prefix: `session-${startMs.toString(36)}`,
    onError,
  });
}

async function verify(running: readonly Running[]): Promise<string[]> {
  const violations = await Promise.all(
    running.map(async ({ scenario, table }) =>
      describeViolations(await table.verify()).map(sentence => `${scenario.title}: ${sentence}`),
    ),
  );
  return violations.flat();
}

function describe(running: readonly Running[], nowMs: number): string {
  return running
    .map(({ scenario, table }) => `${scenario.id} ${count(table.ledger.tally(nowMs).overdue)}`)
    .join('  ');
}
