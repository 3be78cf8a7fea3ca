/** `npm run bench lag`: measures the lag of each way of deleting, on the same items, and of their events. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { TableResource } from 'aws-on-loopback/dynamodb/table';
import { enableStream, ensureTable } from 'aws-on-loopback/dynamodb/tables';
import { realClock } from 'stepfunctions-emulator';
import { FlagError } from '../../cli/flags.ts';
import { type PreciseTtlProps, resolveProps } from '../../config/props.ts';
import { type ExpiryEvent, expiryModel } from '../../expiry/index.ts';
import type { LocalCloud } from '../../local/cloud.ts';
import { tableOf } from '../../local/stack/table-of.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import { MAX_LOST_MS } from '../chaos/report.ts';
import type { Tally } from '../ledger/tally.ts';
import { type LagPercentiles, lagPercentiles } from '../report/lag.ts';
import { count } from '../report/numbers.ts';
import { MachineWatch, machineTimeOf } from '../watch/machine.ts';
import { untilIdle } from '../watch/until-idle.ts';
import {
  type CumulativePoint,
  drawLag,
  type LagResult,
  MODES,
  type Mode,
  type ModeResult,
} from './lag/plot.ts';
import { everyMinute, publishedStore, stampedWindow, sweepPublished } from './lag/published-algorithm.ts';
import { defineExperiment, type Outcome, plotBeside, type Run } from './support/experiment.ts';
import { makeExpiredTable, warmUp } from './support/expired-table.ts';
import { REAL_TIME } from './support/flags.ts';
import {
  firstTtlOf,
  type LiveTable,
  liveThrough,
  MAX_WAIT_SECONDS,
  MEASURED_HEAD,
  type Measured,
  measured,
  measuredCells,
  measuredCloud,
  verifyTables,
  watchTable,
  withCloud,
} from './support/live.ts';
import { markdownTable, ratio, seconds } from './support/table.ts';

const FLAGS = {
  ...REAL_TIME,
  minutes: { ...REAL_TIME.minutes, default: 5 },
  modes: {
    type: 'text',
    default: Object.keys(MODES).join(','),
    value: 'LIST',
    help: 'which to run, with commas between; fewer take a higher rate',
  },
  events: { type: 'switch', help: 'measure to the second how late the event of each expiry comes instead' },
  draw: { type: 'switch', help: 'only draw the plot of an earlier result again, beside it' },
} as const;

const KEYS = { partitionKey: 'UserName', sortKey: 'SessionId', ttlAttribute: 'ExpirationTime' };
const MODEL = expiryModel(KEYS);
const PRECISE = { tableName: 'PreciseSessions', ...KEYS, precisionSeconds: 1 };
const PLAIN = { tableName: 'PlainSessions', ...KEYS, precisionSeconds: 60 };
const PUBLISHED = 'PublishedSessions';

/** Longest wait for the events of the last deletions, milliseconds. */
const MAX_EVENT_WAIT_MS = 30_000;

type LagRun = Run<typeof FLAGS>;

export default defineExperiment({
  name: 'lag',
  about: `
Writes the same items to three tables on one DynamoDB Local, lets them expire in real time, and shows how late they are
deleted: by precise-ttl to the second, by precise-ttl once a minute, and by the published algorithm. Draws a plot beside the result.

With --events the table's stream calls the function that makes events of the deletions, and these come to an event bus: how late
items were deleted and how late their events came, from their expiry on.

Takes about five minutes longer than items expire.`,
  flags: FLAGS,
  holds: 'measured, no item was deleted early, no event is missing and nothing failed',
  file: ({ events }) => (events ? undefined : 'lag.json'),
  run: async run => {
    if (run.flags.draw) return drawAgain(run.file);
    return run.flags.events ? measureEvents(run) : compareLag(run, parseModes(run.flags.modes));
  },
});

/**
 * Reads a list of modes, `precise,plain`, into the order they are shown in.
 *
 * @throws {FlagError}
 */
export function parseModes(list: string): Mode[] {
  const wanted = list.split(',');
  const wrong = wanted.find(name => !Object.hasOwn(MODES, name));
  if (wrong !== undefined) {
    throw new FlagError(`--modes: expected some of ${Object.keys(MODES).join(',')}, got "${wrong}"`);
  }
  return (Object.keys(MODES) as Mode[]).filter(mode => wanted.includes(mode));
}

async function drawAgain(file: string): Promise<Outcome> {
  let result: LagResult;
  try {
    result = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new FlagError(
      `--json: expected a result of npm run bench lag, got ${file}: ${error}; run that first`,
    );
  }
  writeFileSync(plotBeside(file), await drawLag(result));
  return {};
}

const MAX_POINTS = 200;

export function modeResult(mode: Mode, tally: Tally, lags: readonly number[]): ModeResult {
  return { mode, ...measured(tally, lags), cumulative: cumulative(lags, tally.expired, MAX_POINTS) };
}

/**
 * The cumulative distribution of lags, thinned out to points of equal distance in share. The first and the largest lag are always among
 * them.
 *
 * @param expired number of all expired items: if some were never deleted, the last share is below 1
 */
export function cumulative(lags: readonly number[], expired: number, maxPoints: number): CumulativePoint[] {
  const sorted = lags.toSorted((one, other) => one - other);
  const points = Math.min(maxPoints, sorted.length);
  return Array.from({ length: points }, (_unused, point) => {
    const index = points === 1 ? sorted.length - 1 : Math.round((point * (sorted.length - 1)) / (points - 1));
    const share = (index + 1) / expired;
    return [Math.round(sorted[index] ?? 0), Math.round(share * 1e5) / 1e5];
  });
}

export function lagTable(modes: readonly ModeResult[]): string {
  const plain = modes.find(({ mode }) => mode === 'plain')?.lagMs;
  const rows = modes.map(({ mode, ...result }) => [
    MODES[mode],
    ...measuredCells(result),
    ratio(result.lagMs.p50, plain?.p50 ?? null),
    ratio(result.lagMs.p99, plain?.p99 ?? null),
    ratio(result.lagMs.max, plain?.max ?? null),
  ]);
  return markdownTable(['mode', ...MEASURED_HEAD, 'p50 ÷ plain', 'p99 ÷ plain', 'max ÷ plain'], rows);
}

/** Measures several modes at once on the same stream of items, in real time, on one DynamoDB Local. */
function compareLag(run: LagRun, modes: readonly Mode[]): Promise<Outcome> {
  const { flags, problems } = run;
  const stack = plainStack({ region: 'us-east-1', tables: [PRECISE, PLAIN] });
  return withCloud({ stack, observe: true, ...measuredCloud(flags.rate) }, run, async cloud => {
    const { client, synthesized } = cloud;
    const like = tableOf(synthesized, PRECISE.tableName);
    await warmUp(client, await makeExpiredTable(client, { ...PRECISE, tableName: 'WarmUpSessions' }, like));
    const tables: (LiveTable & { readonly id: Mode })[] = [];
    for (const id of modes) tables.push({ id, watched: await watchMode(cloud, id, run) });
    const store = publishedStore(client, PUBLISHED, resolveProps(PLAIN).indexName, MODEL);
    const endPublished = everyMinute(
      async nowMs => (modes.includes('published') ? sweepPublished(store, nowMs) : undefined),
      error => problems.add(`the published algorithm failed: ${error}`),
    );
    try {
      await liveThrough(tables, firstTtlOf(Date.now()), run);
    } finally {
      cloud.pauseSchedules();
      await endPublished();
      for (const { watched } of tables) await watched.stop();
    }
    const results = tables.map(({ id, watched: { ledger } }) =>
      modeResult(id, ledger.tally(Date.now()), ledger.lags),
    );
    // Items that the published algorithm leaves are measured; items that ours leaves are a failure.
    await verifyTables(
      tables.filter(({ id }) => id !== 'published'),
      run,
    );
    const early = results.find(({ mode }) => mode === 'published')?.early ?? 0;
    if (early > 0) problems.add(`${MODES.published}: ${count(early)} items deleted before they expired`);
    return {
      text: lagTable(results),
      result: { waitedSeconds: MAX_WAIT_SECONDS, modes: results },
      plot: await drawLag({ settings: flags, modes: results }),
    };
  });
}

/** Creates a table for each mode; they differ only in their stamps and sweeps. */
async function watchMode(cloud: LocalCloud, mode: Mode, { problems }: LagRun) {
  if (mode !== 'published') {
    return watchTable(cloud, (mode === 'precise' ? PRECISE : PLAIN).tableName, MODEL, problems);
  }
  return watchTable(cloud, await makePublishedTable(cloud), MODEL, problems, {
    stamp: (_key, ttl) => ({
      [MODEL.ttlAttribute]: ttl,
      [MODEL.windowAttribute]: stampedWindow(ttl).key,
    }),
  });
}

async function makePublishedTable({ client, synthesized }: LocalCloud): Promise<TableResource> {
  const table = { ...tableOf(synthesized, PLAIN.tableName), name: PUBLISHED, address: PUBLISHED };
  await ensureTable(client, table);
  await enableStream(client, table.name);
  return table;
}

/** The received events of a run. */
interface ReceivedEvents {
  /** Number of items with an event. */
  readonly items: number;
  /** Number of repeated events. */
  readonly again: number;
  /** Events that came before their item's expiry; anything but 0 is a failure. */
  readonly early: number;
  /** Percentiles of the time from expiry to the first event of an item, milliseconds. */
  readonly lagMs: LagPercentiles;
}

/** Records the time of each item's first event. */
export class EventReceiver {
  readonly #lags = new Map<string, number>();
  #events = 0;

  /** @param atMs when it came, epoch milliseconds */
  receive({ key, expiredAt }: ExpiryEvent, atMs: number): void {
    this.#events += 1;
    const item = JSON.stringify(key);
    if (!this.#lags.has(item)) this.#lags.set(item, atMs - Date.parse(expiredAt ?? ''));
  }

  get items(): number {
    return this.#lags.size;
  }

  received(): ReceivedEvents {
    const lags = [...this.#lags.values()];
    return {
      items: this.items,
      again: this.#events - this.items,
      early: lags.filter(lag => !(lag >= 0)).length,
      lagMs: lagPercentiles(lags),
    };
  }
}

/** Lets items of one table expire in real time, and records when each item's event reaches the bus. */
function measureEvents(run: LagRun): Promise<Outcome> {
  const { flags, problems, signal } = run;
  const receiver = new EventReceiver();
  const props: PreciseTtlProps = { ...PRECISE, events: { eventBus: 'default' } };
  const options = {
    stack: plainStack({ region: 'us-east-1', tables: [props] }),
    ...measuredCloud(flags.rate),
    services: {
      onEvent: ({ text }: { readonly text: string }) => receiver.receive(JSON.parse(text), Date.now()),
    },
    mappings: { onError: (error: unknown) => problems.add(`the event source mapping failed: ${error}`) },
  };
  return withCloud(options, run, async cloud => {
    const watch = new MachineWatch(machineTimeOf(realClock));
    const more = { onAnswer: watch.answered };
    const watched = await watchTable(cloud, PRECISE.tableName, MODEL, problems, more);
    try {
      const tables = [{ id: 'precise', watched }];
      const firstTtl = firstTtlOf(Date.now());
      await liveThrough(tables, firstTtl, run, () => `events ${count(receiver.items)}`);
      await untilIdle(() => receiver.items >= watched.ledger.tally(Date.now()).deleted, {
        deadline: Date.now() + MAX_EVENT_WAIT_MS,
        signal: AbortSignal.any([signal, problems.broken]),
      });
      cloud.pauseSchedules();
      const deletions = measured(watched.ledger.tally(Date.now()), watched.ledger.lags);
      const events = receiver.received();
      await verifyTables(tables, run);
      const longestLostMs = Math.round(watch.longestMs(firstTtl * 1000));
      return eventsOutcome(deletions, events, longestLostMs);
    } finally {
      watch.stop();
      await watched.stop();
    }
  });
}

function eventsOutcome(deletions: Measured, events: ReceivedEvents, longestLostMs: number): Outcome {
  const row = (name: string, { p50, p99, max }: LagPercentiles) => [name, ...[p50, p99, max].map(seconds)];
  const table = markdownTable(
    ['from the expiry to', 'p50, s', 'p99, s', 'max, s'],
    [row('the deletion', deletions.lagMs), row('the event', events.lagMs)],
  );
  const counts = `deleted ${deletions.deleted}, events of ${events.items}, again ${events.again}, left ${deletions.left}`;
  return {
    text: `${table}\n\n${counts}`,
    result: { longestLostMs, deletions, events },
    problems: [
      ...(deletions.deleted === events.items ? [] : ['not as many items have events as were deleted']),
      ...(events.early > 0 ? [`${count(events.early)} events before the expiry of their items`] : []),
    ],
    unproven:
      longestLostMs > MAX_LOST_MS
        ? [`the machine was ${longestLostMs} ms behind at the worst; expected at most ${MAX_LOST_MS}`]
        : [],
  };
}
