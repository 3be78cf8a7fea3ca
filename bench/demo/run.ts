import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { ApiServer, type Clock, type Execution, realClock, seededRandom } from 'stepfunctions-emulator';
import type { ExpiryModel } from '../../expiry/index.ts';
import { journalName } from '../../functions/journal/layout.ts';
import { writeWatermarks } from '../../functions/journal/write-entries.ts';
import { LocalCloud, type LocalCloudOptions } from '../../local/cloud.ts';
import { type DynamoDbEndpoint, startOrAttachDynamoDb } from '../../local/dynamodb/dynamodb-local.ts';
import type { TableResource } from '../../local/dynamodb/table.ts';
import { synthesizedCloud } from '../../local/stack/synthesized.ts';
import { tableOf } from '../../local/stack/table-of.ts';
import { Followers, followedPipes } from '../ledger/followers.ts';
import { describeViolations } from '../ledger/verdict.ts';
import { type Output, Problems, Progress } from '../report/progress.ts';
import { machinesOf } from '../watch/executions.ts';
import { MachineWatch, machineTimeOf } from '../watch/machine.ts';
import { WatchedTable } from '../watch/watched-table.ts';
import { type Mix, planStream, type Stream } from '../workload/plan.ts';
import { type Pace, promisedLagMs } from './deadline.ts';
import { describeFailure, describeStart, describeSweep, fieldOf, renews, type Sweep } from './describe.ts';
import { type Moment, momentOf, sparingly } from './live/moment.ts';
import { sweepInWords } from './live/sweep-words.ts';
import { OwnTable } from './own-table.ts';
import { punctualityOf } from './promises.ts';
import { formatFollowing, formatProgress, formatReport, type Judged, judge } from './report.ts';
import { sessionMix } from './sessions.ts';

export interface DemoOptions {
  /** The stack; its only table is that of this run. */
  readonly stack: LocalCloudOptions['stack'];
  /** Name of the table. It must not exist yet; it is removed at the end, like the journal of its deployment. */
  readonly tableName: string;
  /** Name of the deployment, which sweeps this table only. */
  readonly deployment: string;
  /** How to create the table if the stack only refers to it. */
  readonly existingTable?: TableResource;
  /** The table of the configuration that it represents, for messages. */
  readonly standsFor: string;
  readonly region: string;
  readonly model: ExpiryModel;
  /** The settings of the sweep that its promise depends on. */
  readonly sweep: Sweep;
  /** Minutes during which sessions expire. */
  readonly minutes: number;
  /** Sessions per second. */
  readonly rate: number;
  readonly seed: number;
  /** Actions on each session. @default some are renewed or deleted, as the sweep allows it */
  readonly mix?: Mix;
  readonly output: Output;
  /** Shows the state of the run, several times a second. @default a line of progress */
  readonly show?: (moment: Moment, progress: Progress) => void;
  /** Ends the job early; the result then has what is known so far. */
  readonly signal: AbortSignal;
  /** Pause between two reads of the stream, milliseconds. @default those of the observer and of a pipe */
  readonly intervalMs?: number;
  /** Serves a page that shows the sweep. @default there is none */
  readonly sweepPage?: (endpoints: Endpoints) => Promise<SweepPage>;
  /** For tests: other options of the cloud, such as its clock. */
  readonly cloud?: Partial<LocalCloudOptions>;
}

/** Addresses of the services of a run, for a page that asks them. */
interface Endpoints {
  readonly dynamoDb: string;
  readonly stepFunctions: string;
}

/** A page for browsers of this machine. */
export interface SweepPage {
  readonly address: string;
  stop(): Promise<void>;
}

/** Longest wait after the last expiry: for the next tick, one more tick that finds what that one missed, and the time to sweep. */
const MAX_WAIT_MS = 150_000;
/** Longest wait for events after the last deletion. */
const MAX_FOLLOWING_MS = 30_000;
/** Longest wait for executions that still run at the end. */
const MAX_EXECUTION_WAIT_MS = 30_000;
const CHECK_INTERVAL_MS = 250;
const TICK_MS = 60_000;
/** Shortest time until the first session expires: the first writes take place before. */
const LEAD_MS = 10_000;
/** The current minute's tick starts this much later, when the first sessions are in the table. */
const LATE_TICK_MS = 3_000;
/** A standstill of this length can be the reason why an execution failed. */
const EXCUSING_STANDSTILL_MS = 5_000;

/**
 * The main job. The synthesized stack sweeps sessions that are written and expire in real time. The table's stream shows what happened, and
 * a ledger of the writes judges it. The job removes everything that it created, also after a failure.
 * @throws {LocalCloudError} if the local cloud can't be started
 */
export async function runDemo(options: DemoOptions): Promise<Judged> {
  const { cloud: { clock = realClock, dynamoDb: given, ...cloud } = {}, tableName, region } = options;
  const progress = new Progress(options.output, () => clock.now());
  const { environment = process.env } = cloud;
  if (options.output.isTTY) progress.show('DynamoDB Local starts …');
  const dynamoDb = given ?? (await startOrAttachDynamoDb(environment).finally(() => progress.end()));
  const own: OwnTable[] = [];
  try {
    for (const name of [tableName, journalName(options.deployment)]) {
      own.push(await clock.busy(() => OwnTable.reserve(dynamoDb, name, region)));
    }
    return await runOn(dynamoDb, clock, progress, options);
  } finally {
    progress.end();
    for (const table of own) {
      const left = await table.remove();
      if (left !== undefined) progress.say(`✗ ${left}`);
    }
    if (given === undefined) await dynamoDb.stop();
  }
}

async function runOn(
  dynamoDb: DynamoDbEndpoint,
  clock: Clock,
  progress: Progress,
  options: DemoOptions,
): Promise<Judged> {
  const { pipes } = synthesizedCloud(options.stack);
  const machine = new MachineWatch(machineTimeOf(clock));
  const surroundings: Surroundings = {
    ...{ options, dynamoDb, clock, progress, machine, ended: [] },
    problems: new Problems(progress),
    followers: new Followers({ pipes: followedPipes(pipes), now: () => clock.now() }),
  };
  let cloud: LocalCloud | undefined;
  let page: ApiServer | undefined;
  let sweepPage: SweepPage | undefined;
  try {
    if (options.output.isTTY) progress.show('The functions are bundled, and the table is made …');
    const started = await clock.busy(() => startCloud(surroundings));
    cloud = started;
    page = await clock.busy(() => ApiServer.start(started.stepFunctions));
    const { endpoint } = page;
    sweepPage = await options.sweepPage?.({ dynamoDb: dynamoDb.endpoint, stepFunctions: endpoint });
    return await sweepSessions({ ...surroundings, cloud, page: endpoint, sweepPage: sweepPage?.address });
  } finally {
    machine.stop();
    await sweepPage?.stop();
    await page?.stop();
    await cloud?.stop();
  }
}

interface Surroundings {
  readonly options: DemoOptions;
  readonly dynamoDb: DynamoDbEndpoint;
  readonly clock: Clock;
  readonly progress: Progress;
  readonly problems: Problems;
  readonly machine: MachineWatch;
  /** Executions that have ended; grows. */
  readonly ended: Execution[];
  readonly followers: Followers;
}

function startCloud(surroundings: Surroundings): Promise<LocalCloud> {
  const { options, dynamoDb, clock, progress, problems, ended, followers } = surroundings;
  const { stack, existingTable, cloud } = options;
  return LocalCloud.start({
    stack,
    observe: true,
    warm: 1,
    onScheduleError: (error, { schedule }) => problems.add(`${schedule.name} didn't start: ${error}`),
    onExecution: execution => {
      ended.push(execution);
      if (execution.status === 'SUCCEEDED') progress.say(describeSweep(execution));
      else if (failed(execution)) progress.say(`✗ ${describeFailure(execution)}`);
    },
    ...(existingTable && { existing: [existingTable] }),
    environment: {},
    pipes: {
      onExpiry: ({ pipe, event }) => followers.delivered(pipe.name, event),
      onError: (error, { address }) => problems.add(`${address}: ${error}`),
      pollMs: options.intervalMs,
    },
    ...cloud,
    clock,
    dynamoDb,
  });
}

interface Job extends Surroundings {
  readonly cloud: LocalCloud;
  /** Address of the page that shows the executions of the run. */
  readonly page: string;
  /** Address of the page of the sweep. */
  readonly sweepPage: string | undefined;
}

async function sweepSessions(job: Job): Promise<Judged> {
  const { options, clock, progress, problems, cloud, page, sweepPage, machine, ended, followers } = job;
  const { minutes, rate, seed, sweep, signal, tableName, standsFor } = options;
  const hasPipe = followers.pipes.length > 0;
  const startMs = clock.now();
  const first = firstTtl(startMs, sweep);
  const workload = planStream({
    startMs,
    firstTtl: first,
    seconds: minutes * 60,
    rate,
    random: seededRandom(seed),
    mix:
      options.mix ??
      sessionMix({
        renewals: renews(sweep),
        deletes: hasPipe,
      }),
  });
  const table = await WatchedTable.start({
    cloud,
    table: options.existingTable ?? tableOf(cloud.synthesized, tableName),
    model: options.model,
    prefix: `session-${startMs.toString(36)}`,
    clock,
    keepsImages: hasPipe,
    ...(options.intervalMs !== undefined && { intervalMs: options.intervalMs }),
    onAnswer: machine.answered,
    onError: error => problems.breakOff(`the table's stream couldn't be read: ${error}`),
  });
  await beginAtStart(cloud, options, startMs);
  const lateTickMs = startMs + LATE_TICK_MS;
  const cancelLateTick = clock.schedule(LATE_TICK_MS, () => startLateTick(cloud, startMs));
  try {
    const { actions } = workload;
    progress.say(
      describeStart({
        ...{ cloud, page, sweepPage, tableName, standsFor },
        ...{ sweep, actions, rate, minutes, seed, pipes: followers.pipes },
      }),
    );
    const until = AbortSignal.any([signal, problems.broken]);
    await live({ ...job, ...workload, firstTtl: first, table, signal: until });
    cloud.pauseSchedules();
    if (!until.aborted && !isAlwaysWatched(sweep)) {
      const deadline = clock.now() + MAX_EXECUTION_WAIT_MS;
      while (cloud.running.length > 0 && clock.now() < deadline) await clock.sleep(CHECK_INTERVAL_MS);
    }
    if (!until.aborted) await untilFollowed(job, table, until);
    await table.stop();
    const interrupted = signal.aborted;
    const contradictions = interrupted ? [] : await verify(table);
    machine.stop();
    const now = clock.now();
    const judged = judge({
      tally: table.ledger.tally(now),
      lags: table.ledger.lags,
      punctuality: punctualityOf(table.ledger.swept(now), {
        pace: sweep,
        rate,
        plannedAt: minute => (minute === minuteOf(startMs) / 1000 ? lateTickMs : minute * 1000),
        lost: machine.lost(ticksOf([...ended, ...cloud.running])),
      }),
      promisedLagMs: promisedLagMs(sweep, rate),
      contradictions,
      events: followers.followed(table.ledger),
      ...failuresOf(job),
      machine: machine.report(),
      interrupted,
    });
    progress.end();
    const { deletedByUs } = table.ledger.counts;
    const context = { renewals: renews(sweep), executions: ended.length, deletedByUs };
    progress.say(`\n${formatReport(judged, context)}`);
    return judged;
  } finally {
    cancelLateTick();
    await table.stop();
  }
}

/** Waits for the events of the deleted items. */
async function untilFollowed(
  { clock, followers, progress, machine }: Job,
  { ledger }: WatchedTable,
  signal: AbortSignal,
): Promise<void> {
  const startMs = clock.now();
  const stoodStillMs = machine.stoodStillMs();
  for (;;) {
    const now = clock.now();
    const tally = ledger.tally(now);
    if (signal.aborted || followers.isComplete(tally.deleted, ledger)) return;
    // A machine that slept gets as much more time.
    if (now >= startMs + MAX_FOLLOWING_MS + machine.stoodStillMs() - stoodStillMs) return;
    progress.show(formatFollowing(tally.deleted, followers.arrivals));
    await clock.sleep(CHECK_INTERVAL_MS, signal).catch(() => {});
  }
}

/** Whether every minute is watched, so that they need not be waited for. */
function isAlwaysWatched({ pollSeconds }: Sweep): boolean {
  return pollSeconds > 0;
}

/** The start time of each tick by its scheduled time; epoch milliseconds. */
function ticksOf(executions: readonly Execution[]): Map<number, number> {
  return new Map(
    executions.flatMap(({ input, startDate }) => {
      const scheduledTime = fieldOf(input, 'scheduledTime');
      return scheduledTime === undefined ? [] : [[Date.parse(String(scheduledTime)), startDate] as const];
    }),
  );
}

/** Whether an execution failed. Those that were aborted at the end of the job are no failures of the sweep. */
function failed({ status }: Execution): boolean {
  return status !== 'SUCCEEDED' && status !== 'ABORTED';
}

function failuresOf({ ended, problems, machine }: Job): { failures: string[]; excusedFailures: string[] } {
  const executions = Object.groupBy(ended.filter(failed), ({ startDate, stopDate }) => {
    const stoodStill = machine.stoodStillMs({ from: startDate, to: stopDate ?? startDate });
    return stoodStill >= EXCUSING_STANDSTILL_MS ? 'excused' : 'failed';
  });
  return {
    failures: [...problems.found, ...(executions.failed ?? []).map(describeFailure)],
    excusedFailures: (executions.excused ?? []).map(describeFailure),
  };
}

function minuteOf(epochMs: number): number {
  return Math.floor(epochMs / TICK_MS) * TICK_MS;
}

/**
 * When the first session expires, whole epoch seconds. A tick sweeps the minute after its own. The first tick that this run can have is the
 * current minute's, so a precise sweep begins with the next minute.
 */
function firstTtl(startMs: number, { precision }: Pace): number {
  const earliest = startMs + LEAD_MS;
  const unit = precision === 'minute' ? 1000 : TICK_MS;
  return (Math.ceil(earliest / unit) * unit) / 1000;
}

/**
 * Writes the watermark of the run's table as a tick before the run would have: the table is new, and a first tick that looks two days back
 * asks DynamoDB Local for 172,800 seconds, which takes the processor from everything else.
 */
async function beginAtStart(
  { client }: Pick<LocalCloud, 'client'>,
  { tableName, deployment, model }: Pick<DemoOptions, 'tableName' | 'deployment' | 'model'>,
  startMs: number,
): Promise<void> {
  const journal = { documents: DynamoDBDocumentClient.from(client), tableName: journalName(deployment) };
  const at = new Date(startMs - TICK_MS).toISOString();
  const gone = Math.floor(startMs / 1000) - 120;
  await writeWatermarks(journal, at, { [tableName]: { since: gone, gone, at, shards: model.shards } });
}

/** Fires the current minute's tick late, as Scheduler may: the local schedules begin with the next minute. */
function startLateTick(cloud: LocalCloud, startMs: number): void {
  const scheduledTime = new Date(minuteOf(startMs)).toISOString();
  cloud.startExecution(machinesOf(cloud).tick, { scheduledTime });
}

interface Live extends Job, Stream {
  /** Epoch seconds. */
  readonly firstTtl: number;
  readonly table: WatchedTable;
  readonly signal: AbortSignal;
}

/** Writes the sessions, and waits until everything that expires has had its tick. */
async function live(job: Live): Promise<void> {
  const { actions, firstTtl, lastTtl, clock, cloud, table, progress, signal, problems, machine, options } =
    job;
  const { ledger } = table;
  const { show, rate, sweep } = options;
  const page = `${job.page}/`;
  const standing = { promisedLagMs: promisedLagMs(sweep, rate), firstTtl, lastTtl, rate, page };
  const showMoment = sparingly((now: number) => {
    show?.(momentOf({ ledger, ...standing, sweep: sweepOf(cloud) }, now), progress);
  });
  const writing = { done: false };
  const writer = table
    .write(actions, signal, { skipExpired: true })
    .catch(error => problems.breakOff(`writing failed: ${error}`))
    .finally(() => {
      writing.done = true;
    });
  // Only a tick that comes after its earlier TTL shows that a renewed item is kept.
  const lastTickMs = Math.ceil((lastTtl * 1000) / TICK_MS) * TICK_MS;
  const isIdle = () => isAlwaysWatched(options.sweep) || cloud.running.length === 0;
  while (!signal.aborted) {
    const now = clock.now();
    const tally = ledger.tally(now);
    if (now >= lastTickMs + 1_000 && writing.done && tally.overdue === 0 && isIdle()) break;
    // A machine that slept gets as much more time.
    if (now >= lastTtl * 1000 + MAX_WAIT_MS + machine.stoodStillMs()) break;
    if (show === undefined) progress.show(formatProgress(tally, ledger.lags, lastTtl - now / 1000));
    else showMoment(now);
    await clock.sleep(CHECK_INTERVAL_MS, signal).catch(() => {});
  }
  await writer;
}

function sweepOf(cloud: LocalCloud): string[] {
  const [next] = cloud.upcoming();
  return sweepInWords(cloud.running, next?.at);
}

async function verify(table: WatchedTable): Promise<readonly string[]> {
  try {
    return describeViolations(await table.verify());
  } catch (error) {
    return [`the table couldn't be read at the end: ${error}`];
  }
}
