import { seededRandom, VirtualClock } from 'stepfunctions-emulator';
import { destinationIn } from '../../functions/publish-expiries/destinations.ts';
import { readSettings } from '../../functions/runtime/environment.ts';
import { keyAttributeNames } from '../../functions/table/item-key.ts';
import { reportOf, wrongCounts } from '../ledger/accounts.ts';
import type { Violation } from '../ledger/verdict.ts';
import { clientsOn } from './clients.ts';
import { type FaultGroup, Faults } from './faults.ts';
import { Functions } from './functions.ts';
import { type EndedSweep, Machines, type Started } from './machine.ts';
import { MemoryJournal } from './memory-journal.ts';
import { Network } from './network.ts';
import { Oracle } from './oracle.ts';
import { inVirtualTime } from './sdk.ts';
import { Services } from './services.ts';
import { MemoryStream, StreamReaders } from './stream.ts';
import { MemoryTable } from './table.ts';
import { Users } from './users.ts';
import type { Resolve, Variant, VariantProps } from './variants.ts';

/** Arguments that reproduce a run. */
export interface SubRun {
  readonly variant: Variant;
  readonly seed: number;
  readonly items: number;
  /** Period in which items expire, minutes. */
  readonly minutes: number;
  readonly faults: readonly FaultGroup[];
}

export interface SubRunResult {
  readonly items: number;
  readonly deleted: number;
  /** Delay of each delete of the sweep, milliseconds. */
  readonly lags: readonly number[];
  readonly faults: ReadonlyMap<string, number>;
  readonly violations: readonly Violation[];
}

/** Start of a run, a whole minute. Summer 2027 is in the range that a clock's plausibility check allows. */
const START_MS = Date.UTC(2027, 5, 1, 12);

/** Number of minutes with ticks after the last fault. */
const CALM_MINUTES = 4;

/** Largest difference between the clocks of DynamoDB's servers in the check of records, milliseconds: less than the sweep's margin. */
const SERVERS_APART_MS = 900;

/** Time that the stream's readers need after the last sweep to hand over all records, milliseconds. */
const READERS_MS = 120_000;

/**
 * Runs one variant, with its items, its faults and its clocks; the same arguments give the same run.
 *
 * 1. Ticks start each minute, and the users write, under all chosen faults. 2. The faults end: ticks, a replay, and the stream's readers
 *    finish. 3. The oracle judges the calls that DynamoDB, S3 and the events' destination received.
 */
export async function runOnce(run: SubRun, resolve: Resolve): Promise<SubRunResult> {
  const clock = new VirtualClock(START_MS);
  return inVirtualTime(clock, () => runOn(clock, run, resolve));
}

async function runOn(clock: VirtualClock, run: SubRun, resolve: Resolve): Promise<SubRunResult> {
  const { variant, seed, items, minutes, faults: groups } = run;
  const { archive, events } = variant.props;
  const { carried, filter } = resolve(variant.props);
  const archiveTo = archive && { ...ARCHIVE, archiveRemovals: archive.removals ?? 'expiries' };
  const settings = readSettings(carried);
  const { model, tableName, indexName } = settings;
  const keyNames = keyAttributeNames(model);
  const violations: Violation[] = [];
  let turn = 0;
  const nextTurn = () => (turn += 1);

  const firstTtl = START_MS / 1000 + 60;
  const lastTtl = firstTtl + minutes * 60;
  // Renewals end a minute after the last TTL.
  const calmAt = (lastTtl + 60) * 1000;
  const random = (part: number) => seededRandom(seed * 16 + part);
  const faults = new Faults({ seed, random: random(1), groups, areOver: () => clock.now() >= calmAt });

  const oracle = new Oracle(
    {
      keyNames,
      ttlAttribute: model.ttlAttribute,
      archive: archive && {
        format: ARCHIVE.archiveFormat,
        batchSeconds: 0,
        all: archive.removals === 'all',
      },
      events: events && { destination: '', images: events.oldImage === true },
    },
    nextTurn,
  );
  const stream = new MemoryStream(keyNames);
  const hasStream = archive !== undefined || events !== undefined;
  const servers = random(5);
  const asServerHasIt = (at: number) =>
    hasStream ? at + Math.floor((servers.next() - 0.5) * SERVERS_APART_MS) : at;
  const table = new MemoryTable({
    tableName,
    indexName,
    keyNames,
    ttlAttribute: model.ttlAttribute,
    windowAttribute: model.windowAttribute,
    clock,
    asServerHasIt,
    indexLagMs: () => faults.indexLagMs(),
    nextTurn,
    onChange: change => {
      oracle.saw(change);
      if (hasStream) stream.add(change);
    },
  });
  const services = new Services(oracle.followers);
  const users = new Users({
    table,
    settings,
    variant,
    clock,
    random: random(2),
    items,
    from: firstTtl,
    before: lastTtl,
    calmAt: calmAt / 1000,
  });
  const refused = new Set<string>();
  const network = new Network({
    clock,
    asServerHasIt,
    faults,
    table,
    services,
    interfere: id => users.interfere(id),
    onError: error => refused.add(String(error)),
  });
  const skewMs = variant.skewMs ?? { stepFunctions: 0, functions: 0 };
  const functions = new Functions({
    settings,
    journal: new MemoryJournal(() => clock.now()),
    archive: archiveTo,
    events: events && { to: destinationIn(events) ?? 'eventBus', oldImage: events.oldImage ?? false },
    clock,
    skewMs: skewMs.functions,
    random: random(3),
    clients: await clientsOn(network),
    faults,
  });
  const machines = new Machines({
    carried,
    clock,
    skewMs: skewMs.stepFunctions,
    random: random(4),
    functions,
    onStarted: started => sweeps.push(account(started, clock.now() >= calmAt + 120_000)),
  });

  const readers = [...(archive ? ['archive-expiries'] : []), ...(events ? ['publish-expiries'] : [])].map(
    name => new StreamReaders({ name, stream, filter, functions, clock }),
  );
  const reading = readers.map(reader => reader.run());
  const using = users.run();

  const sweeps: Promise<void>[] = [];
  const wrongSums: string[] = [];
  const sweep = async (
    input: object,
    lateMs: number,
    stoppedAfterMs: number | undefined,
    isCalm: boolean,
  ) => {
    if (lateMs > 0) await clock.sleep(lateMs);
    const started = machines.start('tick', input);
    if (stoppedAfterMs !== undefined) clock.schedule(stoppedAfterMs, started.stop);
    await account(started, isCalm);
  };
  const account = async ({ ended }: Started, isCalm: boolean) => {
    const end = await ended;
    violations.push(...wrongReport(end, variant.props, isCalm));
    wrongSums.push(...wrongCounts(end));
  };
  const allEnded = async () => {
    // The executions of hand-overs are awaited, too.
    for (const ending of sweeps) await ending;
  };

  const lastTick = Math.ceil(calmAt / 60_000) * 60_000 + CALM_MINUTES * 60_000;
  // The first ticks own minutes before the first TTL, in which there are no items.
  for (let scheduled = START_MS; scheduled <= lastTick; scheduled += 60_000) {
    if (scheduled > clock.now()) await clock.sleep(scheduled - clock.now());
    const isCalm = scheduled >= calmAt + 120_000;
    const input = { scheduledTime: new Date(scheduled).toISOString() };
    for (const { lateMs, stoppedAfterMs } of faults.tick()) {
      sweeps.push(sweep(input, lateMs, stoppedAfterMs, isCalm));
    }
  }
  await allEnded();
  // The next tick after a write starts up to a minute later, and looks back from there.
  const reachMs = (settings.lookbackMinutes - 1) * 60_000;
  violations.push(...oracle.leftByTicks(table, { from: calmAt, upTo: lastTick - 120_000, reachMs }));
  const span = { from: new Date(START_MS - 120_000).toISOString(), to: new Date(clock.now()).toISOString() };
  await account(machines.start('replay', span), true);
  await allEnded();
  const endMs = lastTick;
  await using;
  await clock.sleep(READERS_MS);
  for (const reader of readers) reader.stop();
  await Promise.all(reading);

  violations.push(...oracle.verdict(table, endMs));
  violations.push(...wrongSums.map(sentence => said('wrongCounts', sentence)));
  violations.push(...[...refused].map(sentence => said('refused', sentence)));
  const { swept: deleted } = oracle.ledger.counts;
  return { items: oracle.items, deleted, lags: oracle.lags(endMs), faults: faults.counts, violations };
}

/** Builds a violation that does not concern an item. */
function said(finding: Violation['finding'], sentence: string): Violation {
  return { finding, id: sentence, history: [] };
}

/** Compares the report of a sweep with the answers that its calls received. */
function wrongReport({ tally, ...end }: EndedSweep, props: VariantProps, isCalm: boolean): Violation[] {
  const { name, status, error, text } = end;
  if (isCalm && status !== 'SUCCEEDED')
    return [said('failedQuietly', `${name} ended ${status} ${error ?? ''}: ${text}`)];
  const report = reportOf(text);
  if (report === undefined) return [];
  // When a child was interrupted, its page in progress counts as failed, whatever its result was.
  const isExact = report.shardsFailed === 0;
  // A batch does not report which items were gone.
  const knowsGone = props.deleteMode !== 'batch';
  const counts = ['deleted', ...(knowsGone ? (['notFound'] as const) : [])] as const;
  return counts
    .filter(count => (isExact ? report[count] !== tally[count] : report[count] > tally[count]))
    .map(count =>
      said(
        'wrongCounts',
        `${name} says ${count} ${report[count]}; DynamoDB's answers say ${tally[count]}${isExact ? '' : ' at the most'}`,
      ),
    );
}

const ARCHIVE = {
  archiveBucket: 'archive',
  archivePrefix: 'expired/',
  archiveFormat: 'dynamodb-json',
} as const;
