import { stripVTControlCharacters } from 'node:util';
import { DeleteTableCommand, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { ApiServer, type Clock, type Execution, realClock, seededRandom } from 'stepfunctions-emulator';
import { count, timeOfDay } from '../../cli/dashboard/words.ts';
import { startPage } from '../../cli/status.ts';
import { journalName } from '../../functions/journal/layout.ts';
import { writeWatermarks } from '../../functions/journal/write-entries.ts';
import { LocalCloud, type LocalCloudOptions } from '../../local/cloud.ts';
import { localDynamoDb } from '../../local/dynamodb/clients.ts';
import type { DynamoDbEndpoint } from '../../local/dynamodb/dynamodb-local.ts';
import type { TableResource } from '../../local/dynamodb/tables.ts';
import { enrichmentInput } from '../../local/pipes/pipes.ts';
import { localStack, synthesizedCloud } from '../../local/stack/synthesized.ts';
import type { DeploymentConfig } from '../../stacks/config/config.ts';
import { Deliveries } from '../ledger/deliveries.ts';
import { describeViolations } from '../ledger/ledger.ts';
import { seconds } from '../report/numbers.ts';
import { MachineWatch } from '../workload/machine.ts';
import { backlogOf, LIFE, planItems } from '../workload/plan.ts';
import { WatchedTable } from '../workload/watched-table.ts';
import { describeFailure, describeStart, describeSweep, type Job, renews } from './describe.ts';
import {
  type Backlog,
  type Judged,
  judge,
  lostEvents,
  MINUTE_SECONDS,
  minuteOf,
  promisedLagMs,
  punctualityOf,
} from './judge.ts';
import { countsLine, type Moment, momentOf } from './live.ts';
import { type LiveOutput, LiveScreen } from './live-screen.ts';

export interface DemoOptions extends Job {
  /** Configures only one table: the table that the run creates. */
  readonly config: DeploymentConfig;
  /** The DynamoDB Local in which the run creates its tables. The caller must stop this DynamoDB Local. */
  readonly dynamoDb: DynamoDbEndpoint | Promise<DynamoDbEndpoint>;
  readonly output: LiveOutput;
  /** Called again and again to show the progress of the run. @default shows a line of progress */
  readonly show?: (moment: Moment, screen: LiveScreen) => void;
  readonly signal: AbortSignal;
  /** Pause between reads of the table's stream, milliseconds. @default 100 to observe deletions, 250 for pipes */
  readonly intervalMs?: number;
  /** Whether the run serves the web page of `status --page`. @default false */
  readonly withPage?: boolean;
  readonly cloud?: Partial<LocalCloudOptions>;
}

/** Longest wait after the last TTL until all expired items are gone, milliseconds: enough for two ticks and their sweeps. */
const MAX_WAIT_MS = 150_000;
/** Longest wait for the deletion of the backlog, milliseconds. The run goes on afterwards. */
const MAX_BACKLOG_MS = 15_000;
/** Longest wait for the end of executions, and then longest wait for the pipes' events, milliseconds. */
const MAX_FOLLOWING_MS = 30_000;
const CHECK_INTERVAL_MS = 250;
/** Largest share of a wait that its checks may take: a check blocks this process, in which the sweep also runs. */
const CHECK_SHARE = 0.05;
/** Time from the expected end of the first writes to the first TTL. The tick plans the sweep in this time. */
const LEAD_SECONDS = 2;
const WRITES_PER_SECOND = 1_000;
/** A failed execution is excused if this process could not run for at least this time while the execution ran. */
const EXCUSING_STANDSTILL_MS = 5_000;

/**
 * Runs the demonstration. Returns a verdict on the sweep, from the acknowledged writes and the deletions in the table's stream.
 * @throws {LocalCloudError}
 */
export async function runDemo(options: DemoOptions): Promise<Judged> {
  const { output, deployment, settings, config, cloud: { clock = realClock } = {} } = options;
  const screen = new LiveScreen(output, () => clock.now());
  if (output.isTTY) screen.show('DynamoDB Local starts …');
  try {
    const dynamoDb = await options.dynamoDb;
    try {
      return await new Run(options, dynamoDb, clock, screen).judged();
    } finally {
      screen.end();
      await removeTables(dynamoDb, config.region, [settings.tableName, journalName(deployment)], screen);
    }
  } finally {
    screen.end();
  }
}

/** Removes the run's tables from a DynamoDB Local that this process did not start. Tells the user which table could not be removed. */
async function removeTables(
  { endpoint, startedHere }: DynamoDbEndpoint,
  region: string,
  names: readonly string[],
  screen: LiveScreen,
): Promise<void> {
  if (startedHere) return;
  const client = localDynamoDb(endpoint, region);
  for (const TableName of names) {
    try {
      await client.send(new DeleteTableCommand({ TableName }));
    } catch (error) {
      if (error instanceof ResourceNotFoundException) continue;
      screen.say(
        `✗ the table "${TableName}" of this run is left at ${endpoint} (${error}); remove it: ` +
          `aws dynamodb delete-table --table-name ${TableName} --endpoint-url ${endpoint}`,
      );
    }
  }
  client.destroy();
}

class Run {
  readonly #options: DemoOptions;
  readonly #dynamoDb: DynamoDbEndpoint;
  readonly #clock: Clock;
  readonly #screen: LiveScreen;
  readonly #machine: MachineWatch;
  readonly #stack: LocalCloudOptions['stack'];
  readonly #deliveries: Deliveries;
  readonly #ended: Execution[] = [];
  readonly #problems: string[] = [];
  /** Aborted when a write to the table or a read of its stream has failed: the run then ends. */
  readonly #broken = new AbortController();
  readonly #until: AbortSignal;
  /** Scheduled minute of each late tick (epoch seconds) → time at which this run started the tick (epoch milliseconds). */
  readonly #lateTicks = new Map<number, number>();

  constructor(options: DemoOptions, dynamoDb: DynamoDbEndpoint, clock: Clock, screen: LiveScreen) {
    this.#options = options;
    this.#dynamoDb = dynamoDb;
    this.#clock = clock;
    this.#screen = screen;
    this.#machine = new MachineWatch(clock);
    this.#until = AbortSignal.any([options.signal, this.#broken.signal]);
    this.#stack = localStack(options.config);
    this.#deliveries = new Deliveries(
      synthesizedCloud(this.#stack).pipes.map(({ name, targetArn, inputTemplate }) => {
        const [{ oldImage }] = enrichmentInput(inputTemplate, [{}]) as [{ readonly oldImage: boolean }];
        return { name, target: targetArn.split(':').slice(5).join(':'), oldImage };
      }),
    );
  }

  async judged(): Promise<Judged> {
    const { config, withPage } = this.#options;
    const clock = this.#clock;
    const undo: (() => unknown)[] = [() => this.#machine.stop()];
    try {
      const cloud = await clock.busy(() => this.#startCloud());
      undo.push(() => cloud.stop());
      const api = await clock.busy(() => ApiServer.start(cloud.stepFunctions));
      undo.push(() => api.stop());
      const environment = { AWS_ENDPOINT_URL_DYNAMODB: this.#dynamoDb.endpoint };
      const shown = withPage ? await startPage(config, undefined, environment, api.endpoint) : undefined;
      undo.push(() => shown?.stop());
      const beganMs = clock.now();
      const table = await this.#watchTable(cloud, beganMs);
      undo.push(() => table.stop());
      const { pipes } = this.#deliveries;
      const pages = { page: api.endpoint, sweepPageAddress: shown?.address };
      this.#screen.say(describeStart({ ...this.#options, ...pages, dynamoDb: this.#dynamoDb, pipes }));
      await this.#sweepSessions(cloud, table, beganMs, api.endpoint);
      await table.stop();
      const { summary, ...judged } = await this.#judge(table, beganMs);
      this.#screen.end();
      this.#screen.say(`\n${summary}`);
      return { summary, ...judged };
    } finally {
      for (const step of undo.toReversed()) await step();
    }
  }

  #startCloud(): Promise<LocalCloud> {
    const { cloud, intervalMs } = this.#options;
    return LocalCloud.start({
      stack: this.#stack,
      warm: true,
      schedules: false,
      onScheduleError: (error, { schedule }) => this.#problem(`${schedule.name} didn't start: ${error}`),
      onExecution: execution => {
        this.#ended.push(execution);
        if (execution.status === 'SUCCEEDED') this.#screen.say(describeSweep(execution));
        else if (hasFailed(execution)) this.#screen.say(`✗ ${describeFailure(execution)}`);
      },
      environment: {},
      pipes: {
        onExpiry: ({ pipe, event }) => this.#deliveries.delivered(pipe.name, event),
        onError: (error, { address }) => this.#problem(`${address}: ${error}`),
        pollMs: intervalMs,
      },
      ...cloud,
      clock: this.#clock,
      dynamoDb: this.#dynamoDb,
    });
  }

  #watchTable(cloud: LocalCloud, beganMs: number): Promise<WatchedTable> {
    const { settings, intervalMs } = this.#options;
    const [made] = cloud.synthesized.tables;
    return WatchedTable.start({
      ...{ cloud, model: settings.model, intervalMs, clock: this.#clock },
      table: made as TableResource,
      prefix: `session-${beganMs.toString(36)}`,
      keepsImages: this.#deliveries.pipes.length > 0,
      onError: error => this.#breakOff(`the table's stream couldn't be read: ${error}`),
    });
  }

  async #sweepSessions(cloud: LocalCloud, table: WatchedTable, beganMs: number, page: string): Promise<void> {
    const { minutes, rate, seed, settings } = this.#options;
    const clock = this.#clock;
    const until = this.#until;
    // The first tick is for a past minute, and so starts late: it deletes the backlog, like the first tick after an outage.
    const first = minuteOf(beganMs / 1000) - 2 * MINUTE_SECONDS;
    await this.#sweepBacklog(cloud, table, first);
    const startMs = clock.now();
    const soon = rate * Math.min(minutes * 60, LIFE.to);
    const firstTtl = Math.ceil(startMs / 1000 + LEAD_SECONDS + soon / WRITES_PER_SECOND);
    const stream = { startMs, firstTtl, seconds: minutes * 60, rate, renewals: renews(settings) };
    const { actions, lastTtl } = planItems({ ...stream, random: seededRandom(seed) });
    await this.#write(
      table,
      actions.filter(({ atMs }) => atMs <= startMs),
    );
    if (!until.aborted) {
      cloud.schedules.start();
      const now = minuteOf(clock.now() / 1000);
      if (settings.precision === 'second') {
        const tick = inWords(now - MINUTE_SECONDS);
        this.#screen.say(
          `The tick of ${tick} starts now, late: it deletes what expires in the minute that runs.`,
        );
      }
      // The schedule starts only the ticks of later minutes. So the ticks of past minutes and of this minute start here, late.
      for (let minute = first + MINUTE_SECONDS; minute <= now; minute += MINUTE_SECONDS)
        this.#startTick(cloud, minute);
      const writing = this.#write(
        table,
        actions.filter(({ atMs }) => atMs > startMs),
      );
      await this.#showUntilGone(cloud, table, writing, { firstTtl, lastTtl, page: `${page}/` });
    }
    cloud.schedules.stop();
    // If `pollSeconds` is above 0, executions run on after the last deletion. So the run waits for their end only if it is 0.
    if (settings.pollSeconds === 0) await this.#wait(() => cloud.running.length === 0, MAX_FOLLOWING_MS);
    await this.#wait(() => {
      const { counts } = this.#deliveries;
      const isLost = () => lostEvents(this.#deliveries.violations(table.ledger)) > 0;
      const { deleted } = table.ledger.tally(clock.now());
      // The counts are compared first, because `isLost` looks at every event and takes longer.
      if (counts.every(events => events >= deleted) && !isLost()) return true;
      this.#screen.show(`events ${counts.map(count).join(' and ')}`);
      return false;
    }, MAX_FOLLOWING_MS);
  }

  async #sweepBacklog(cloud: LocalCloud, table: WatchedTable, first: number): Promise<void> {
    const backlog = backlogOf(first - MINUTE_SECONDS, this.#options.rate);
    const oldestTtl = Math.min(...backlog.map(({ ttl }) => ttl));
    await this.#clock.busy(() => this.#beginBefore(cloud, oldestTtl));
    await this.#write(table, backlog);
    if (this.#until.aborted) return;
    this.#screen.say(
      `${count(backlog.length)} sessions expired while nobody swept. The tick of ${inWords(first)} starts now, late.`,
    );
    this.#startTick(cloud, first);
    await this.#wait(() => {
      const { items, deleted, goneMs } = this.#backlogIn(table, first * 1000);
      if (deleted === items) this.#screen.say(`${count(items)} expired sessions, gone in ${seconds(goneMs)}`);
      else this.#screen.show(`expired ${count(items)}  deleted ${count(deleted)}`);
      return deleted === items;
    }, MAX_BACKLOG_MS);
  }

  /** Sets the watermark to just before the oldest TTL of the backlog, so that the first tick does not search the last two days. */
  async #beginBefore({ client }: LocalCloud, oldestTtl: number): Promise<void> {
    const { settings, deployment } = this.#options;
    const { shards } = settings.model;
    const journal = { documents: DynamoDBDocumentClient.from(client), tableName: journalName(deployment) };
    const gone = oldestTtl - 1;
    const at = iso(gone * 1000);
    await writeWatermarks(journal, at, { [settings.tableName]: { since: gone, gone, at, shards } });
  }

  #startTick(cloud: LocalCloud, minute: number): void {
    this.#lateTicks.set(minute, this.#clock.now());
    cloud.startExecution(this.#options.deployment, { scheduledTime: iso(minute * 1000) });
  }

  async #write(table: WatchedTable, actions: Parameters<WatchedTable['write']>[0]): Promise<void> {
    await table.write(actions, this.#until).catch(error => this.#breakOff(`writing failed: ${error}`));
  }

  /** Shows the run's progress until all items are written and all expired items are gone, or until MAX_WAIT_MS after the last TTL. */
  async #showUntilGone(
    cloud: LocalCloud,
    table: WatchedTable,
    writing: Promise<void>,
    plan: Pick<Moment, 'firstTtl' | 'lastTtl' | 'page'>,
  ): Promise<void> {
    const { rate, settings, show } = this.#options;
    const standing = { ...plan, rate, promisedLagMs: promisedLagMs(settings, rate) };
    const screen = this.#screen;
    let isWritten = false;
    void writing.then(() => {
      isWritten = true;
    });
    // The run also waits for the first tick at or after the last TTL, because a wrong sweep might delete renewed items only then.
    const lastTickMs = Math.ceil(plan.lastTtl / MINUTE_SECONDS) * MINUTE_SECONDS * 1000;
    const isIdle = () => settings.pollSeconds > 0 || cloud.running.length === 0;
    await this.#wait(
      () => {
        const now = this.#clock.now();
        const moment = momentOf(table.ledger, { ...standing, sweep: sweepInWords(cloud) }, now);
        if (now >= lastTickMs + 1_000 && isWritten && moment.tally.overdue === 0 && isIdle()) return true;
        if (show === undefined) screen.show(stripVTControlCharacters(countsLine(moment)));
        else show(moment, screen);
        return false;
      },
      plan.lastTtl * 1000 + MAX_WAIT_MS - this.#clock.now(),
    );
    await writing;
  }

  /** Waits until `isSo` returns true, but at most `mostMs`. The time in which this process could not run does not count. */
  async #wait(isSo: () => boolean, mostMs: number): Promise<void> {
    const machine = this.#machine;
    const endsAt = this.#clock.now() + mostMs - machine.stoodStillMs;
    while (!this.#until.aborted && this.#clock.now() < endsAt + machine.stoodStillMs) {
      const began = performance.now();
      if (isSo()) return;
      const pause = Math.max(CHECK_INTERVAL_MS, (performance.now() - began) / CHECK_SHARE);
      await this.#clock.sleep(pause, this.#until).catch(() => {});
    }
  }

  async #judge(table: WatchedTable, beganMs: number): Promise<Judged> {
    const { settings, rate, signal } = this.#options;
    const { ledger } = table;
    const unread = (error: unknown) => [`the table couldn't be read at the end: ${error}`];
    const contradictions = signal.aborted ? [] : await table.verify().then(describeViolations, unread);
    this.#machine.stop();
    const now = this.#clock.now();
    const expired = ledger.expired(now);
    const failed = this.#ended.filter(hasFailed);
    const isExcused = ({ startDate, stopDate = startDate }: Execution) =>
      this.#machine.longestStandstillMs(startDate, stopDate) >= EXCUSING_STANDSTILL_MS;
    return judge({
      tally: ledger.tally(now),
      backlog: this.#backlogIn(table, beganMs),
      lags: expired.flatMap(({ ttl, deletedAt }) =>
        deletedAt === undefined || ttl * 1000 < beganMs ? [] : [deletedAt - ttl * 1000],
      ),
      punctuality: punctualityOf(expired, {
        ...{ pace: settings, rate, lateTicks: this.#lateTicks },
        excuses: (...late) => this.#machine.excuses(...late),
      }),
      promisedLagMs: promisedLagMs(settings, rate),
      renewals: renews(settings),
      contradictions,
      pipes: this.#deliveries.pipes.length,
      wrongEvents: this.#deliveries.violations(ledger),
      executions: this.#ended.length,
      failures: [...this.#problems, ...failed.map(describeFailure)],
      areFailuresExcused: this.#problems.length === 0 && failed.every(isExcused),
      stoodStillMs: this.#machine.stoodStillMs,
      interrupted: signal.aborted,
    });
  }

  #backlogIn({ ledger }: WatchedTable, beforeMs: number): Backlog {
    const [startedAt = 0] = this.#lateTicks.values();
    const items = ledger.expired(beforeMs);
    const gone = items.flatMap(({ deletedAt }) => deletedAt ?? []);
    const goneMs = gone.length === 0 ? 0 : Math.max(...gone) - startedAt;
    return { items: items.length, deleted: gone.length, goneMs };
  }

  #problem(problem: string): void {
    this.#problems.push(problem);
    this.#screen.say(`✗ ${problem}`);
  }

  /** Ends the run. Only the first problem is reported, because later problems are consequences of the first problem. */
  #breakOff(problem: string): void {
    if (!this.#broken.signal.aborted) this.#problem(problem);
    this.#broken.abort();
  }
}

/** Whether an execution failed. An aborted execution has not failed: the run itself aborts executions at its end. */
function hasFailed({ status }: Execution): boolean {
  return status !== 'SUCCEEDED' && status !== 'ABORTED';
}

/** Matches event types of states that call no Lambda function: {@link sweepInWords} does not name these states. */
const ROUTING = /^(Choice|Pass|Map|Succeed)State/;

function sweepInWords(cloud: LocalCloud): string {
  const entered = cloud.running.flatMap(
    ({ history }) =>
      history.findLast(({ type }) => type.endsWith('StateEntered') && !ROUTING.test(type)) ?? [],
  );
  const [latest] = entered.sort((one, other) => other.timestamp - one.timestamp);
  if (latest !== undefined) return String(latest['stateEnteredEventDetails']?.['name']);
  const [next] = cloud.schedules.upcoming();
  return next?.at === undefined ? 'no tick' : `next tick ${timeOfDay(next.at)}`;
}

const inWords = (epochSeconds: number): string => timeOfDay(epochSeconds * 1000);
const iso = (epochMs: number): string => new Date(epochMs).toISOString();
