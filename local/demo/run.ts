import { setTimeout as sleep } from 'node:timers/promises';
import type { ExpiryModel } from '../../expiry/index.ts';
import { type Execution, seededRandom } from '../asl/index.ts';
import { LocalCloud, type LocalCloudOptions } from '../cloud.ts';
import type { Violations } from './ledger.ts';
import { Problems } from './problems.ts';
import { type Output, Progress } from './progress.ts';
import { formatProgress, formatReport, type Judged, judge, seconds } from './report.ts';
import { tableOf } from './session-table.ts';
import { WatchedTable } from './watched-table.ts';
import { type Action, planWorkload } from './workload.ts';

export interface DemoOptions {
  /** The folder that was synthesized into. */
  readonly cdktfOut: string;
  readonly tableName: string;
  readonly model: ExpiryModel;
  /** Minutes during which sessions expire. */
  readonly minutes: number;
  /** Sessions per second. */
  readonly rate: number;
  readonly seed: number;
  /** The table's `precisionSeconds`; 60 is the plain mode. */
  readonly precisionSeconds: number;
  readonly output: Output;
  /** Ends the job early, with what is known. */
  readonly signal: AbortSignal;
  /** For tests: how the cloud differs. */
  readonly cloud?: Partial<LocalCloudOptions>;
}

export interface DemoOutcome extends Judged {
  readonly interrupted: boolean;
}

/** After the last expiry: the tick that follows, one more for what that one missed, and time to sweep. */
const LONGEST_WAIT_MS = 150_000;
/** For executions that are under way at the end. */
const LONGEST_EXECUTION_WAIT_MS = 30_000;
const LOOK_INTERVAL_MS = 250;
const TICK_MS = 60_000;
/** Until the first session expires at least: the first writes take place meanwhile. */
const LEAD_MS = 10_000;
/** The current minute's tick comes when the first sessions are there to be found. */
const LATE_TICK_MS = 3_000;

/**
 * The main job: sessions are written, expire and are swept by what was synthesized, in real time; what happened is
 * seen in the table's stream and judged against a ledger of what was written.
 *
 * @throws {LocalCloudError} when the local cloud can't be started
 */
export async function runDemo(options: DemoOptions): Promise<DemoOutcome> {
  const { output, signal } = options;
  const progress = new Progress(output);
  const problems = new Problems(progress);
  const executions = { ended: 0 };
  const cloud = await LocalCloud.start({
    cdktfOut: options.cdktfOut,
    observe: true,
    warm: 1,
    onScheduleError: (error, { schedule }) => problems.add(`${schedule.name} didn't start: ${error}`),
    onExecution: execution => {
      executions.ended += 1;
      if (execution.status === 'SUCCEEDED') progress.say(describeSweep(execution));
      // Those that the end of an interrupted job stops are no failures of the sweep.
      else if (execution.status !== 'ABORTED') problems.add(describeFailure(execution));
    },
    ...options.cloud,
  });
  try {
    const startMs = Date.now();
    const workload = planWorkload({
      startMs,
      firstTtl: firstTtl(startMs, options.precisionSeconds),
      minutes: options.minutes,
      rate: options.rate,
      random: seededRandom(options.seed),
    });
    const table = await WatchedTable.start({
      cloud,
      table: tableOf(cloud.synthesized, options.tableName, options.model),
      model: options.model,
      run: startMs.toString(36),
      onError: error => problems.breakOff(`the table's stream couldn't be read: ${error}`),
    });
    let lateTick: NodeJS.Timeout | undefined;
    try {
      progress.say(describeStart(cloud, options, workload.actions));
      lateTick = setTimeout(() => startLateTick(cloud, startMs), LATE_TICK_MS);
      const until = AbortSignal.any([signal, problems.broken]);
      await live({ ...workload, cloud, table, progress, signal: until, problems });
      cloud.pauseSchedules();
      if (!until.aborted) await untilIdle(cloud);
      await table.stop();
      const interrupted = signal.aborted;
      const found = interrupted ? [] : await verify(table);
      const now = Date.now();
      const judged = judge(table.ledger.tally(now), table.ledger.lags, found, problems.found);
      progress.end();
      progress.say(
        `\n${formatReport(judged, { promise: promiseOf(options.precisionSeconds), executions: executions.ended, interrupted })}`,
      );
      return { ...judged, interrupted };
    } finally {
      clearTimeout(lateTick);
      await table.stop();
    }
  } finally {
    await cloud.stop();
  }
}

/**
 * When the first session expires, epoch seconds. A tick owns the minute after the next; the first one that this run can
 * have is the current minute's, so a precise sweep begins with the next minute.
 */
function firstTtl(startMs: number, precisionSeconds: number): number {
  const earliest = startMs + LEAD_MS;
  return (precisionSeconds < 60 ? Math.ceil(earliest / TICK_MS) * TICK_MS : earliest) / 1000;
}

/** Fires the current minute's ticks late, as Scheduler may: the local schedules begin with the next minute. */
function startLateTick(cloud: LocalCloud, startMs: number): void {
  const scheduledTime = new Date(Math.floor(startMs / TICK_MS) * TICK_MS).toISOString();
  for (const { name } of cloud.machines) cloud.startExecution(name, { scheduledTime });
}

/** What the sweep promises, for a person. */
function promiseOf(precisionSeconds: number): string {
  return precisionSeconds < 60
    ? `gone within ${precisionSeconds === 1 ? 'a second' : `${precisionSeconds} s`} of expiry, plus the time a delete takes`
    : 'at the tick of every minute: gone within 60 s of expiry, plus the seconds a sweep takes';
}

interface Live {
  readonly actions: readonly Action[];
  readonly lastTtl: number;
  readonly cloud: LocalCloud;
  readonly table: WatchedTable;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly problems: Problems;
}

/** Writes, and waits until everything that expires has had its tick. */
async function live(job: Live): Promise<void> {
  const { actions, lastTtl, cloud, table, progress, signal, problems } = job;
  const { ledger } = table;
  const writing = { done: false };
  const writer = table
    .write(actions, signal)
    .catch(error => problems.breakOff(`writing failed: ${error}`))
    .finally(() => {
      writing.done = true;
    });
  // A renewed item is only safe for sure once a tick after its former TTL has passed it by.
  const lastTickMs = Math.ceil((lastTtl * 1000) / TICK_MS) * TICK_MS;
  while (!signal.aborted) {
    const now = Date.now();
    const tally = ledger.tally(now);
    const nothingOpen = writing.done && tally.overdue === 0 && cloud.running.length === 0;
    if (now >= lastTickMs + 1_000 && nothingOpen) break;
    if (now >= lastTtl * 1000 + LONGEST_WAIT_MS) break;
    progress.show(formatProgress(tally, ledger.lags, lastTtl - now / 1000));
    await sleep(LOOK_INTERVAL_MS, undefined, { signal }).catch(() => {});
  }
  await writer;
}

async function verify(table: WatchedTable): Promise<Violations> {
  try {
    return await table.verify();
  } catch (error) {
    return [`the table couldn't be read at the end: ${error}`];
  }
}

async function untilIdle(cloud: LocalCloud): Promise<void> {
  const deadline = Date.now() + LONGEST_EXECUTION_WAIT_MS;
  while (cloud.running.length > 0 && Date.now() < deadline) await sleep(50);
}

function describeStart(cloud: LocalCloud, options: DemoOptions, actions: readonly Action[]): string {
  const { synthesized, dynamoDb } = cloud;
  const [machine] = synthesized.stateMachines;
  // Without the prefix that they share with the machine.
  const functions = synthesized.functions.map(({ name }) => name.replace(`${machine?.name}-`, ''));
  const count = (kind: Action['kind']) => actions.filter(action => action.kind === kind).length;
  const schedules = cloud
    .upcoming()
    .map(({ schedule, at }) => `${schedule.name} (next ${at === undefined ? 'never' : time(at)})`);
  const rows = [
    [
      'DynamoDB',
      `${options.tableName} at ${dynamoDb.endpoint}, ${dynamoDb.startedHere ? 'DynamoDB Local, in memory, open to the network' : 'which was running'}`,
    ],
    ['functions', `${functions.join(', ')}: the bundles, in worker threads`],
    ['state machine', synthesized.stateMachines.map(m => m.name).join(', ')],
    ['schedules', schedules.join(', ')],
    [
      'sessions',
      `${count('write').toLocaleString('en-US')}, ${options.rate} a second, expiring for ${options.minutes} min; ` +
        `${count('renew')} renewed and ${count('makePermanent')} made permanent in their last seconds (seed ${options.seed})`,
    ],
    ['sweep', promiseOf(options.precisionSeconds)],
  ] as const;
  return [
    'What `cdktf deploy` would provision, running on this machine:',
    '',
    ...rows.map(([name, text]) => `  ${name.padEnd(14)} ${text}`),
    '',
    'Watch "overdue": it grows as sessions expire and falls to 0 with every sweep. "lag" is p50/max, from expiry to',
    "deletion, as seen in the table's stream. Ctrl-C stops.",
    '',
  ].join('\n');
}

function describeSweep(execution: Execution): string {
  const took = (execution.stopDate ?? execution.startDate) - execution.startDate;
  const output = execution.output;
  const deleted =
    typeof output === 'object' && output !== null && 'deleted' in output ? output['deleted'] : undefined;
  return `${time(execution.startDate)}  sweep succeeded in ${seconds(took)}${typeof deleted === 'number' ? `, ${deleted.toLocaleString('en-US')} deleted` : ''}`;
}

function describeFailure({ startDate, status, error, cause }: Execution): string {
  return `the sweep of ${time(startDate)} ended ${status}: ${error ?? 'no error name'}${cause ? `: ${cause.slice(0, 300)}` : ''}`;
}

function time(epochMilliseconds: number): string {
  return `${new Date(epochMilliseconds).toISOString().slice(11, 19)}Z`;
}
