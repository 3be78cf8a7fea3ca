import { randomUUID } from 'node:crypto';
import { stripVTControlCharacters } from 'node:util';
import { DeleteTableCommand, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { ApiServer, type Clock, type Execution, realClock, seededRandom } from 'stepfunctions-emulator';
import { timeOfDay } from '../../cli/dashboard/words.ts';
import { type Output, Progress } from '../../cli/progress.ts';
import type { ExpiryModel } from '../../expiry/index.ts';
import { journalName } from '../../functions/journal/layout.ts';
import { writeWatermarks } from '../../functions/journal/write-entries.ts';
import { LocalCloud, type LocalCloudOptions } from '../../local/cloud.ts';
import { localDynamoDb } from '../../local/dynamodb/clients.ts';
import type { DynamoDbEndpoint } from '../../local/dynamodb/dynamodb-local.ts';
import type { TableResource } from '../../local/dynamodb/table.ts';
import { synthesizedCloud } from '../../local/stack/synthesized.ts';
import { tableOf } from '../../local/stack/table-of.ts';
import { Followers, followedPipes } from '../ledger/followers.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { SweptItem } from '../ledger/tally.ts';
import { describeViolations } from '../ledger/verdict.ts';
import { count, seconds } from '../report/numbers.ts';
import { Problems } from '../report/problems.ts';
import { machinesOf } from '../watch/executions.ts';
import { MachineWatch, machineTimeOf } from '../watch/machine.ts';
import { WatchedTable } from '../watch/watched-table.ts';
import { type Action, LIFE, type Mix, planStream } from '../workload/plan.ts';
import { type LateTicks, promisedLagMs } from './deadline.ts';
import { describeFailure, describeStart, describeSweep, renews, type Sweep } from './describe.ts';
import { type Backlog, type Judged, judge, punctualityOf, type Seen } from './judge.ts';
import { countsLine } from './live/draw.ts';
import { type Moment, momentOf } from './live/moment.ts';
import { backlogOf, sessionMix } from './sessions.ts';

export interface DemoOptions {
  /** The stack; its only table is that of this run. */
  readonly stack: LocalCloudOptions['stack'];
  /** Where the run makes its tables. The caller stops it. */
  readonly dynamoDb: DynamoDbEndpoint | Promise<DynamoDbEndpoint>;
  /** Name of the table, which nobody else has. It is removed at the end, like the journal of its deployment. */
  readonly tableName: string;
  /** Name of the deployment, which sweeps this table only. */
  readonly deployment: string;
  /** How to create the table if the stack only refers to it. */
  readonly existingTable?: TableResource | undefined;
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
  /** Serves a page that shows the sweep, from the addresses of the services. @default there is none */
  readonly sweepPage?: (endpoints: { dynamoDb: string; stepFunctions: string }) => Promise<SweepPage>;
  /** Other options of the cloud, such as its clock. */
  readonly cloud?: Partial<LocalCloudOptions>;
}

/** Leaves room for the rest of the name: DynamoDB takes 255 characters. */
const MAX_PREFIX_LENGTH = 220;

/** Names for the table and the deployment of one run. They are unique, so the sweep cannot delete items of anybody else. */
export function ownNames(tableName: string): Pick<DemoOptions, 'tableName' | 'deployment'> {
  const deployment = `demo-${randomUUID().slice(0, 8)}`;
  return { tableName: `${tableName.slice(0, MAX_PREFIX_LENGTH)}-${deployment}`, deployment };
}

/** A page for browsers of this machine. */
export interface SweepPage {
  readonly address: string;
  stop(): Promise<void>;
}

/** Longest wait after the last expiry: for the next tick, one more tick that finds what that one missed, and the time to sweep. */
const MAX_WAIT_MS = 150_000;
/** Longest wait for the deletion of what had expired before; the run goes on then. */
const MAX_BACKLOG_MS = 15_000;
/** Longest wait for events after the last deletion, and for executions that still run then. */
const MAX_FOLLOWING_MS = 30_000;
const CHECK_INTERVAL_MS = 250;
/** Checks take at most a twentieth of the time: a large run has many items to count, and its sweep runs in the same process. */
const CHECK_SHARE = 0.05;
const MAX_CHECK_INTERVAL_MS = 2_000;
const MINUTE_SECONDS = 60;
/** Time until the first session expires: for the plan of its tick, and for what is written before. */
const LEAD_SECONDS = 2;
const WRITES_PER_SECOND = 1_000;
/** A standstill of this length can be the reason why an execution failed. */
const EXCUSING_STANDSTILL_MS = 5_000;

/**
 * The main job. The synthesized stack sweeps sessions that are written and expire in real time, and at first those that had expired before.
 * The table's stream shows what happened, and a ledger of the writes judges it. The job removes the tables that it made, also after a
 * failure.
 * @throws {LocalCloudError} if the local cloud can't be started
 */
export async function runDemo(options: DemoOptions): Promise<Judged> {
  const { output, deployment, tableName, region, cloud: { clock = realClock } = {} } = options;
  const progress = new Progress(output, () => clock.now());
  if (output.isTTY) progress.show('DynamoDB Local starts …');
  try {
    const dynamoDb = await options.dynamoDb;
    try {
      return await runOn({ options, dynamoDb, clock, progress });
    } finally {
      progress.end();
      await removeTables(dynamoDb, region, [tableName, journalName(deployment)], progress);
    }
  } finally {
    progress.end();
  }
}

/** Removes the tables of a run, unless their DynamoDB Local ends with it. Says which one is left. */
async function removeTables(
  { endpoint, startedHere }: DynamoDbEndpoint,
  region: string,
  names: readonly string[],
  progress: Progress,
): Promise<void> {
  if (startedHere) return;
  const client = localDynamoDb(endpoint, region);
  for (const TableName of names) {
    try {
      await client.send(new DeleteTableCommand({ TableName }));
    } catch (error) {
      // It may not have been created yet.
      if (error instanceof ResourceNotFoundException) continue;
      progress.say(
        `✗ the table "${TableName}" of this run is left at ${endpoint} (${error}); remove it: ` +
          `aws dynamodb delete-table --table-name ${TableName} --endpoint-url ${endpoint}`,
      );
    }
  }
  client.destroy();
}

interface Surroundings {
  readonly options: DemoOptions;
  readonly dynamoDb: DynamoDbEndpoint;
  readonly clock: Clock;
  readonly progress: Progress;
}

async function runOn(surroundings: Surroundings): Promise<Judged> {
  const { options, dynamoDb, clock, progress } = surroundings;
  const { pipes } = synthesizedCloud(options.stack);
  const machine = new MachineWatch(machineTimeOf(clock));
  const problems = new Problems(progress);
  const ended: Execution[] = [];
  const followers = new Followers(followedPipes(pipes));
  let cloud: LocalCloud | undefined;
  let api: ApiServer | undefined;
  let sweepPage: SweepPage | undefined;
  try {
    const started = await clock.busy(() => startCloud({ ...surroundings, problems, followers, ended }));
    cloud = started;
    api = await clock.busy(() => ApiServer.start(started.stepFunctions));
    const { endpoint } = api;
    sweepPage = await options.sweepPage?.({ dynamoDb: dynamoDb.endpoint, stepFunctions: endpoint });
    return await sweepSessions({
      ...{ ...surroundings, problems, followers, ended, machine, cloud },
      ...{ page: endpoint, sweepPageAddress: sweepPage?.address },
    });
  } finally {
    machine.stop();
    await sweepPage?.stop();
    await api?.stop();
    await cloud?.stop();
  }
}

interface Watched extends Surroundings {
  readonly problems: Problems;
  readonly followers: Followers;
  /** Executions that have ended; grows. */
  readonly ended: Execution[];
}

function startCloud(watched: Watched): Promise<LocalCloud> {
  const { options, dynamoDb, clock, progress, problems, ended, followers } = watched;
  const { stack, existingTable, cloud } = options;
  return LocalCloud.start({
    stack,
    observe: true,
    warm: 1,
    schedules: false,
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

interface Job extends Watched {
  readonly machine: MachineWatch;
  readonly cloud: LocalCloud;
  /** Address of the page that shows the executions of the run. */
  readonly page: string;
  readonly sweepPageAddress: string | undefined;
}

async function sweepSessions(job: Job): Promise<Judged> {
  const { options, clock, progress, problems, cloud, machine, followers } = job;
  const { minutes, rate, seed, sweep, signal } = options;
  const { pipes } = followers;
  const beganMs = clock.now();
  const table = await WatchedTable.start({
    cloud,
    table: options.existingTable ?? tableOf(cloud.synthesized, options.tableName),
    model: options.model,
    prefix: `session-${beganMs.toString(36)}`,
    clock,
    keepsImages: pipes.length > 0,
    ...(options.intervalMs !== undefined && { intervalMs: options.intervalMs }),
    onAnswer: machine.answered,
    onError: error => problems.breakOff(`the table's stream couldn't be read: ${error}`),
  });
  const until = AbortSignal.any([signal, problems.broken]);
  const written = (writing: Promise<void>) =>
    writing.catch(error => problems.breakOff(`writing failed: ${error}`));
  const lateTicks = new Map<number, number>();
  const startTick = (minute: number) => {
    lateTicks.set(minute, clock.now());
    cloud.startExecution(machinesOf(cloud).tick, { scheduledTime: iso(minute * 1000) });
  };
  try {
    progress.say(describeStart({ ...options, ...job, pipes }));
    // No tick of the minutes before has run. The first one finds what they left.
    const first = minuteOf(beganMs / 1000) - 2 * MINUTE_SECONDS;
    const backlog = backlogOf(first - MINUTE_SECONDS, rate);
    await clock.busy(() => beginBefore(cloud, options, Math.min(...backlog.map(({ ttl }) => ttl))));
    await written(table.fill(backlog, until));
    if (!until.aborted) {
      progress.say(
        `${count(backlog.length)} sessions expired while nobody swept. The tick of ${inWords(first)} starts now, late.`,
      );
      startTick(first);
      await untilGone(job, () => backlogIn(table.ledger.swept(clock.now()), beganMs, lateTicks), until);
    }
    const startMs = clock.now();
    const soon = rate * Math.min(minutes * 60, LIFE.to);
    const firstTtl = Math.ceil(startMs / 1000 + LEAD_SECONDS + soon / WRITES_PER_SECOND);
    const mix = options.mix ?? sessionMix({ renewals: renews(sweep), deletes: pipes.length > 0 });
    const stream = { startMs, firstTtl, seconds: minutes * 60, rate, random: seededRandom(seed), mix };
    const { actions, lastTtl } = planStream(stream);
    const isThere = ({ atMs }: Action) => atMs <= startMs;
    await written(table.fill(actions.filter(isThere), until));
    if (!until.aborted) {
      cloud.startSchedules();
      const now = minuteOf(clock.now() / 1000);
      if (sweep.precision === 'second') {
        progress.say(
          `The tick of ${inWords(now - MINUTE_SECONDS)} starts now, late: it deletes what expires in the minute that runs.`,
        );
      }
      // A tick waits for what it knows: all that the application has written by now.
      for (let minute = first + MINUTE_SECONDS; minute <= now; minute += MINUTE_SECONDS) startTick(minute);
      const rest = table.write(
        actions.filter(action => !isThere(action)),
        until,
        { skipExpired: true },
      );
      await live({ ...job, firstTtl, lastTtl, table, until }, written(rest));
    }
    cloud.pauseSchedules();
    if (!until.aborted && !isAlwaysWatched(sweep)) {
      const deadline = clock.now() + MAX_FOLLOWING_MS;
      while (cloud.running.length > 0 && clock.now() < deadline) await clock.sleep(CHECK_INTERVAL_MS);
    }
    if (!until.aborted) await untilFollowed(job, table.ledger, until);
    await table.stop();
    const contradictions = signal.aborted ? [] : await verify(table);
    machine.stop();
    const judged = judge(seenOf(job, table.ledger, { beganMs, lateTicks, contradictions }));
    progress.end();
    progress.say(`\n${judged.summary}`);
    return judged;
  } finally {
    await table.stop();
  }
}

function seenOf(
  job: Job,
  ledger: Ledger,
  {
    beganMs,
    lateTicks,
    contradictions,
  }: { beganMs: number; lateTicks: LateTicks; contradictions: readonly string[] },
): Seen {
  const { options, clock, cloud, ended, followers, machine } = job;
  const { sweep, rate, signal } = options;
  const now = clock.now();
  const swept = ledger.swept(now);
  const lost = machine.lost(ticksOf([...ended, ...cloud.running]));
  return {
    tally: ledger.tally(now),
    backlog: backlogIn(swept, beganMs, lateTicks),
    lags: swept.flatMap(({ ttl, goneAt }) =>
      goneAt === undefined || ttl * 1000 < beganMs ? [] : [goneAt - ttl * 1000],
    ),
    punctuality: punctualityOf(swept, { pace: sweep, lateTicks, lost }),
    promisedLagMs: promisedLagMs(sweep, rate),
    renewals: renews(sweep),
    contradictions,
    events: followers.followed(ledger),
    executions: ended.length,
    ...failuresOf(job),
    machine: machine.report(),
    interrupted: signal.aborted,
  };
}

/** The items that had expired when the run began, and how long after the first tick the last one of them went. */
function backlogIn(swept: readonly SweptItem[], beganMs: number, lateTicks: LateTicks): Backlog {
  const [startedAt = 0] = lateTicks.values();
  const items = swept.filter(({ ttl }) => ttl * 1000 < beganMs);
  const gone = items.flatMap(({ goneAt }) => goneAt ?? []);
  const goneMs = gone.length === 0 ? 0 : Math.max(...gone) - startedAt;
  return { items: items.length, deleted: gone.length, goneMs };
}

/** Waits until what had expired is gone, or should be. */
async function untilGone(
  { clock, progress }: Job,
  backlog: () => Backlog,
  until: AbortSignal,
): Promise<void> {
  const deadline = clock.now() + MAX_BACKLOG_MS;
  while (!until.aborted && clock.now() < deadline) {
    const { items, deleted, goneMs } = backlog();
    if (deleted === items) {
      progress.say(`${count(items)} expired sessions, gone in ${seconds(goneMs)}`);
      return;
    }
    progress.show(`expired ${count(items)}  deleted ${count(deleted)}`);
    await clock.sleep(CHECK_INTERVAL_MS, until).catch(() => {});
  }
}

/** Waits for the events of the deleted items. */
async function untilFollowed(
  { clock, followers, progress, machine }: Job,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<void> {
  const startMs = clock.now();
  const stoodStillMs = machine.stoodStillMs();
  for (;;) {
    const now = clock.now();
    if (signal.aborted || followers.isComplete(ledger.tally(now).deleted, ledger)) return;
    // A machine that slept gets as much more time.
    if (now >= startMs + MAX_FOLLOWING_MS + machine.stoodStillMs() - stoodStillMs) return;
    progress.show(`events ${followers.arrivals.map(count).join(' and ')}`);
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
    executions.map(({ input, startDate }) => {
      const { scheduledTime } = input as { readonly scheduledTime?: string };
      return [Date.parse(scheduledTime ?? ''), startDate];
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

const minuteOf = (epochSeconds: number): number => Math.floor(epochSeconds / MINUTE_SECONDS) * MINUTE_SECONDS;
const inWords = (epochSeconds: number): string => timeOfDay(epochSeconds * 1000);
const iso = (epochMs: number): string => new Date(epochMs).toISOString();

/** Writes the watermark of the run's table as a tick before the run would have: everything before the backlog is gone. */
async function beginBefore(
  { client }: Pick<LocalCloud, 'client'>,
  { tableName, deployment, model }: Pick<DemoOptions, 'tableName' | 'deployment' | 'model'>,
  oldestTtl: number,
): Promise<void> {
  const journal = { documents: DynamoDBDocumentClient.from(client), tableName: journalName(deployment) };
  const gone = oldestTtl - 1;
  const at = iso(gone * 1000);
  await writeWatermarks(journal, at, { [tableName]: { since: gone, gone, at, shards: model.shards } });
}

interface Live extends Job {
  /** Epoch seconds. */
  readonly firstTtl: number;
  readonly lastTtl: number;
  readonly table: WatchedTable;
  readonly until: AbortSignal;
}

/** Waits until all is written and everything that expires has had its tick. */
async function live(job: Live, writing: Promise<void>): Promise<void> {
  const { options, firstTtl, lastTtl, clock, cloud, table, progress, until, machine, page } = job;
  const { rate, sweep } = options;
  const { ledger } = table;
  const standing = { promisedLagMs: promisedLagMs(sweep, rate), firstTtl, lastTtl, rate, page: `${page}/` };
  const show = options.show ?? (moment => progress.show(stripVTControlCharacters(countsLine(moment))));
  let isWritten = false;
  void writing.then(() => {
    isWritten = true;
  });
  // Only a tick that comes after its earlier TTL shows that a renewed item is kept.
  const lastTickMs = Math.ceil(lastTtl / MINUTE_SECONDS) * MINUTE_SECONDS * 1000;
  const isIdle = () => isAlwaysWatched(sweep) || cloud.running.length === 0;
  while (!until.aborted) {
    const began = performance.now();
    const now = clock.now();
    const moment = momentOf(ledger, { ...standing, sweep: sweepInWords(cloud) }, now);
    if (now >= lastTickMs + 1_000 && isWritten && moment.tally.overdue === 0 && isIdle()) break;
    // A machine that slept gets as much more time.
    if (now >= lastTtl * 1000 + MAX_WAIT_MS + machine.stoodStillMs()) break;
    show(moment, progress);
    const pause = Math.min(MAX_CHECK_INTERVAL_MS, (performance.now() - began) / CHECK_SHARE);
    await clock.sleep(Math.max(CHECK_INTERVAL_MS, pause), until).catch(() => {});
  }
  await writing;
}

/** States that only route, and take no time. */
const ROUTING = /^(Choice|Pass|Map|Succeed)State/;

/** The state that was entered last, or when the next tick starts. */
function sweepInWords(cloud: LocalCloud): string {
  const entered = cloud.running.flatMap(
    ({ history }) =>
      history.findLast(({ type }) => type.endsWith('StateEntered') && !ROUTING.test(type)) ?? [],
  );
  const [latest] = entered.sort((one, other) => other.timestamp - one.timestamp);
  if (latest !== undefined) return String(latest['stateEnteredEventDetails']?.['name']);
  const [next] = cloud.upcoming();
  return next?.at === undefined ? 'no tick' : `next tick ${timeOfDay(next.at)}`;
}

async function verify(table: WatchedTable): Promise<readonly string[]> {
  try {
    return describeViolations(await table.verify());
  } catch (error) {
    return [`the table couldn't be read at the end: ${error}`];
  }
}
