import { realClock, seededRandom } from 'stepfunctions-emulator';
import { type ExpiryEvent, expiryModel } from '../../expiry/index.ts';
import { describeViolations } from '../../lab/ledger/verdict.ts';
import { count, timeOfDay } from '../../lab/report/numbers.ts';
import { Problems } from '../../lab/report/problems.ts';
import { type Output, Progress } from '../../lab/report/progress.ts';
import { MachineWatch, machineTimeOf } from '../../lab/watch/machine.ts';
import { untilIdle } from '../../lab/watch/until-idle.ts';
import { WatchedTable } from '../../lab/watch/watched-table.ts';
import { planStream } from '../../lab/workload/plan.ts';
import { LocalCloud } from '../../local/cloud.ts';
import { tableOf } from '../../local/stack/table-of.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import { measuredCloud } from '../live/cloud-options.ts';
import { firstTtlOf } from '../live/first-ttl.ts';
import { type Machine, thisMachine } from '../live/machine.ts';
import { type Measured, measured } from '../live/measured.ts';
import { untilGone } from '../live/until-gone.ts';
import { EventReceiver, type ReceivedEvents } from './received.ts';

export interface EventsOptions {
  /** Minutes during which items expire. */
  readonly minutes: number;
  /** Items per second. */
  readonly rate: number;
  readonly seed: number;
  readonly output: Output;
  /** Ends the run early. */
  readonly signal: AbortSignal;
}

export interface EventsResult {
  readonly settings: Pick<EventsOptions, 'minutes' | 'rate' | 'seed'>;
  readonly machine: Machine;
  /** The longest time for which the machine stood still while items expired, milliseconds. */
  readonly longestLostMs: number;
  /** As the table's stream shows it. */
  readonly deletions: Measured;
  readonly events: ReceivedEvents;
}

export interface EventsOutcome {
  readonly result: EventsResult;
  /** What was promised and not kept, a sentence each. */
  readonly problems: readonly string[];
}

const KEYS = { partitionKey: 'UserName', sortKey: 'SessionId', ttlAttribute: 'ExpirationTime' };
const TABLE = 'Sessions';

/** For the events of the last deletions. */
const MAX_EVENT_WAIT_MS = 30_000;

/**
 * Lets items of one table expire in real time, and notes when the event of each one comes to the bus.
 *
 * @throws {LocalCloudError} when the local cloud can't be started
 */
export async function measureEvents(options: EventsOptions): Promise<EventsOutcome> {
  const { rate, output } = options;
  const machine = thisMachine();
  const progress = new Progress(output);
  const problems = new Problems(progress);
  const receiver = new EventReceiver();
  const props = { tableName: TABLE, ...KEYS, precisionSeconds: 1, events: { eventBus: 'default' } };
  const stack = plainStack({ region: 'us-east-1', tables: [props] });
  const cloud = await LocalCloud.start({
    stack,
    ...measuredCloud(rate, problems),
    services: { onEvent: ({ text }) => receiver.receive(JSON.parse(text) as ExpiryEvent, Date.now()) },
    mappings: { onError: error => problems.add(`the event source mapping failed: ${error}`) },
  });
  try {
    return {
      result: await live(cloud, receiver, machine, options, { progress, problems }),
      problems: problems.found,
    };
  } finally {
    progress.end();
    await cloud.stop();
  }
}

async function live(
  cloud: LocalCloud,
  receiver: EventReceiver,
  machine: Machine,
  { minutes, rate, seed, signal }: EventsOptions,
  { progress, problems }: { readonly progress: Progress; readonly problems: Problems },
): Promise<EventsResult> {
  const watch = new MachineWatch(machineTimeOf(realClock));
  const startMs = Date.now();
  const table = await WatchedTable.start({
    cloud,
    table: tableOf(cloud.synthesized, TABLE),
    model: expiryModel(KEYS),
    prefix: `session-${startMs.toString(36)}`,
    onAnswer: watch.answered,
    onError: error => problems.breakOff(`the stream couldn't be read: ${error}`),
  });
  try {
    const { ledger } = table;
    const firstTtl = firstTtlOf(startMs);
    const random = seededRandom(seed);
    const { actions, lastTtl } = planStream({ startMs, firstTtl, seconds: minutes * 60, rate, random });
    progress.say(`${count(actions.length)} items; the first expire at ${timeOfDay(firstTtl * 1000)}.`);
    const until = AbortSignal.any([signal, problems.broken]);
    const writing = table.write(actions, until).catch(error => problems.breakOff(`writing failed: ${error}`));
    await untilGone({
      ledgers: [ledger],
      lastTtl,
      signal: until,
      onCheck: now =>
        progress.show(`deleted ${count(ledger.tally(now).deleted)}   events ${count(receiver.items)}`),
    });
    await writing;
    await untilIdle(() => receiver.items >= ledger.tally(Date.now()).deleted, {
      deadline: Date.now() + MAX_EVENT_WAIT_MS,
      signal: until,
    });
    cloud.pauseSchedules();
    const tally = ledger.tally(Date.now());
    const events = receiver.received();
    if (!until.aborted) {
      for (const sentence of describeViolations(await table.verify())) problems.add(sentence);
      const missing = tally.deleted - events.items;
      if (missing !== 0)
        problems.add(`${count(tally.deleted)} items deleted, events of ${count(events.items)}`);
      if (events.early > 0) problems.add(`${count(events.early)} events before the expiry of their items`);
    }
    return {
      settings: { minutes, rate, seed },
      machine,
      longestLostMs: Math.round(watch.longestMs(firstTtl * 1000)),
      deletions: measured(tally, ledger.lags),
      events,
    };
  } finally {
    watch.stop();
    await table.stop();
  }
}
