/** `npm run bench ticks`: checks the promise of a second with a scheduler that fails. */

import type { Deliveries } from 'aws-on-loopback/scheduler/scheduler';
import { type Execution, type RandomSource, seededRandom } from 'stepfunctions-emulator';
import { replayName } from '../../config/names.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { expiryModel } from '../../expiry/index.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import { CHUNK_KEYS } from '../../statemachine/contract/limits.ts';
import type { Tally } from '../ledger/tally.ts';
import { count } from '../report/numbers.ts';
import { untilIdle } from '../watch/until-idle.ts';
import type { StreamOptions } from '../workload/plan.ts';
import { defineExperiment, type Run } from './support/experiment.ts';
import { REAL_TIME } from './support/flags.ts';
import {
  firstTtlOf,
  type LiveTable,
  liveThrough,
  MEASURED_HEAD,
  type Measured,
  measured,
  measuredCells,
  verifyTables,
  watchTable,
  withCloud,
} from './support/live.ts';
import { type ExecutionSums, sumExecutions } from './support/sums.ts';
import { markdownTable } from './support/table.ts';

/** A tick of a table, as a scenario sees it. */
interface Tick {
  /** Number of the tick; 0 is the first one that owns expiry times of the run. */
  readonly index: number;
  /** Number of ticks that own expiry times. */
  readonly owners: number;
  /** Reproducible random numbers of this scenario only. */
  readonly random: RandomSource;
}

/** A failure around the sweep, such as a late tick. Each scenario has its own table and deployment. */
export interface Scenario {
  /** Unique; part of the table's name. */
  readonly id: string;
  readonly title: string;
  /** Delays with which a tick is delivered, milliseconds after its time, one for each delivery. @default once and in time */
  readonly deliver?: (tick: Tick) => readonly number[];
  readonly props?: Pick<PreciseTtlProps, 'pollSeconds'>;
  readonly stream?: Pick<StreamOptions, 'life' | 'everySeconds'>;
}

/** Delays are random; that of the last tick is the longest possible. */
const lateBy =
  (seconds: number) =>
  ({ index, owners, random }: Tick) => [(index === owners - 1 ? 1 : random.next()) * seconds * 1000];

const SHORT = { life: { from: 5, to: 5 } };
const POLLED = { pollSeconds: 5 };

/**
 * The scenarios that run at once, on their own cloud and DynamoDB Local. More tables at once would measure the machine. Backlogs that are
 * swept at once need the whole machine, so they have their own round.
 */
export const ROUNDS: readonly (readonly Scenario[])[] = [
  [
    { id: 'InTime', title: 'ticks in time' },
    { id: 'Late45', title: 'ticks late by 0 to 45 s', deliver: lateBy(45) },
    { id: 'Late59', title: 'ticks late by 0 to 59 s', deliver: lateBy(59) },
    { id: 'Twice', title: 'every tick twice, 7 s apart', deliver: () => [0, 7_000] },
  ],
  [
    { id: 'ShortPolled', title: 'written 5 s before expiry, pollSeconds: 5', props: POLLED, stream: SHORT },
    {
      // The planning tick finds no items in between, so the poll must find them.
      id: 'SparsePolled',
      title: 'written 5 s before expiry, only every 13 s, pollSeconds: 5',
      props: POLLED,
      stream: { ...SHORT, everySeconds: 13 },
    },
  ],
  [
    {
      id: 'Skipped',
      title: 'one tick skipped',
      deliver: ({ index, owners }) => (index === Math.floor(owners / 2) ? [] : [0]),
    },
    { id: 'Short', title: 'written 5 s before expiry, no poll', stream: SHORT },
  ],
];

const KEYS = { partitionKey: 'UserName', sortKey: 'SessionId', ttlAttribute: 'ExpirationTime' };

/** A tick that polls runs until the end of its upcoming minute, two minutes after it started. */
const MAX_EXECUTION_MS = 200_000;

export default defineExperiment({
  name: 'ticks',
  about: `
Runs the sweep to the second with ticks that come late, twice or not at all, and with items written shortly before they
expire; each on a table of its own, in real time, in three rounds. A round takes about five minutes
longer than items expire.`,
  flags: REAL_TIME,
  holds: 'all gone, none early, and the counts add up',
  file: 'ticks.json',
  async run(run) {
    const results: ScenarioResult[] = [];
    for (const scenarios of ROUNDS) {
      if (!run.signal.aborted && !run.problems.broken.aborted)
        results.push(...(await runRound(scenarios, run)));
    }
    return {
      text: ticksTable(results),
      result: { scenarios: results },
      problems: results.flatMap(scenarioProblems),
    };
  },
});

const tableName = ({ id }: Scenario) => `Ticks${id}`;
const deploymentName = ({ id }: Scenario) => `ticks-${id}`;

/** Values of a run that the scheduler needs. */
interface Timing {
  readonly owners: number;
  /** Set when everything has started. */
  firstTtl?: number;
  /** Deliveries of each tick that owns expiry times, in seconds after its time, by scenario. */
  readonly delivered: Map<string, (readonly number[])[]>;
}

function runRound(scenarios: readonly Scenario[], run: Run<typeof REAL_TIME>): Promise<ScenarioResult[]> {
  const { flags, problems, progress, signal } = run;
  const timing: Timing = { owners: Math.ceil(flags.minutes), delivered: new Map() };
  const ended: Execution[] = [];
  const tables = scenarios.map(scenario => ({
    ...{ tableName: tableName(scenario), sweep: deploymentName(scenario), ...KEYS, precisionSeconds: 1 },
    ...scenario.props,
  }));
  const options = {
    stack: plainStack({ region: 'us-east-1', tables }),
    observe: true,
    warm: 1,
    deliveries: deliveriesOf(scenarios, timing, flags.seed),
    onExecution: (execution: Execution) => void ended.push(execution),
  };
  return withCloud(options, run, async cloud => {
    const running: (LiveTable & { readonly scenario: Scenario })[] = [];
    try {
      for (const scenario of scenarios) {
        const watched = await watchTable(cloud, tableName(scenario), expiryModel(KEYS), problems);
        const { id, stream } = scenario;
        running.push({ id, watched, scenario, ...(stream && { stream }) });
      }
      timing.firstTtl = firstTtlOf(Date.now());
      await liveThrough(running, timing.firstTtl, run);
      cloud.pauseSchedules();
      progress.say('Waiting for the executions that are under way: they end with their upcoming minute.');
      await untilIdle(() => cloud.running.length === 0, {
        deadline: Date.now() + MAX_EXECUTION_MS,
        signal: AbortSignal.any([signal, problems.broken]),
      });
    } finally {
      for (const { watched } of running) await watched.stop();
    }
    await verifyTables(running, run);
    return running.map(({ scenario, watched: { ledger } }) => {
      const names = [deploymentName(scenario), replayName(deploymentName(scenario))];
      const sums = sumExecutions(ended.filter(({ machine }) => names.includes(machine.name)));
      const delivered = timing.delivered.get(scenario.id) ?? [];
      return scenarioResult(scenario, delivered, ledger.tally(Date.now()), ledger.lags, sums);
    });
  });
}

function deliveriesOf(scenarios: readonly Scenario[], timing: Timing, seed: number): Deliveries {
  const bySchedule = new Map(
    scenarios.map((scenario, index) => [
      `${deploymentName(scenario)}-tick`,
      { scenario, random: seededRandom(seed + index) },
    ]),
  );
  return ({ name }, scheduledTime) => {
    const found = bySchedule.get(name);
    // Other schedules, and ticks before the first item.
    if (found === undefined || timing.firstTtl === undefined) return [0];
    const { scenario, random } = found;
    const { owners, delivered } = timing;
    const index = (scheduledTime / 1000 - (timing.firstTtl - 60)) / 60;
    const delays = scenario.deliver?.({ index, owners, random }) ?? [0];
    if (index >= 0 && index < owners) {
      const seconds = delays.map(delay => Math.round(delay / 100) / 10);
      delivered.set(scenario.id, [...(delivered.get(scenario.id) ?? []), seconds]);
    }
    return delays;
  };
}

interface ScenarioResult extends Measured {
  readonly id: string;
  readonly title: string;
  /** Deliveries of each tick that owned expiry times of the run, in seconds after its time. */
  readonly deliveredAfter: readonly (readonly number[])[];
  readonly sums: ExecutionSums;
  /** Whether the executions' counts add up: in each, and to the observed deletions, except for lost answers. */
  readonly countsAgree: boolean;
}

export function scenarioResult(
  { id, title }: Scenario,
  deliveredAfter: ScenarioResult['deliveredAfter'],
  tally: Tally,
  lags: readonly number[],
  sums: ExecutionSums,
): ScenarioResult {
  // Items of a call whose answer was lost are not counted as deleted: no other difference is allowed.
  const uncounted = tally.deleted + tally.liveDeleted - sums.deleted;
  const countsAgree =
    sums.eachAddsUp && sums.failed === 0 && uncounted >= 0 && uncounted <= sums.retries * CHUNK_KEYS;
  return { id, title, deliveredAfter, ...measured(tally, lags), sums, countsAgree };
}

/** Broken promises of a scenario, without those about its lag. */
export function scenarioProblems(result: ScenarioResult): string[] {
  const { title, left, early, sums, countsAgree, deleted } = result;
  const problems: string[] = [];
  if (early > 0) problems.push(`${title}: ${count(early)} items deleted before they expired`);
  if (left > 0) problems.push(`${title}: ${count(left)} expired items left`);
  if (!countsAgree) {
    problems.push(
      `${title}: ${count(deleted)} deletions were seen, the executions count ${count(sums.deleted)}; ` +
        `${sums.failed} failed, ${sums.eachAddsUp ? 'each adds up' : 'one does not add up'}, ${sums.retries} retries`,
    );
  }
  return problems;
}

const HEAD = ['scenario', 'ticks delivered after, s', ...MEASURED_HEAD];
const SUMS_HEAD = ['executions', 'their deleted', 'not found', 'retries', 'counts add up'];

function ticksTable(results: readonly ScenarioResult[]): string {
  const rows = results.map(({ title, deliveredAfter, sums, countsAgree, ...result }) => [
    title,
    deliveredAfter.map(delays => delays.join(' and ') || 'never').join(', '),
    ...measuredCells(result),
    ...[sums.executions, sums.deleted, sums.notFound, sums.retries].map(count),
    countsAgree ? 'yes' : 'no',
  ]);
  return markdownTable([...HEAD, ...SUMS_HEAD], rows);
}
