import { seededRandom, VirtualClock } from 'stepfunctions-emulator';
import { indexLayout } from '../../functions/table/index-layout.ts';
import type { Violation } from '../ledger/ledger.ts';
import { type FaultGroup, faultsOf } from './faults.ts';
import { functionsOf } from './functions.ts';
import { type FuzzedTable, fuzzedTable, said } from './fuzzed-table.ts';
import { judgeReports } from './judge-reports.ts';
import { machinesOf, type Started } from './machine.ts';
import { MemoryJournal } from './memory-journal.ts';
import { networkOf } from './network.ts';
import { startPipe } from './pipe.ts';
import { drawScenario, isWithin, type Scenario } from './scenario.ts';
import { inVirtualTime, openClients } from './sdk.ts';
import {
  aheadOf,
  lateByClocks,
  OTHER_TABLES,
  type Resolved,
  resolveVariant,
  type Variant,
} from './variants.ts';

export interface SubRun {
  readonly variant: Variant;
  readonly seed: number;
  readonly items: number;
  /** Period in which most items expire, minutes. `drawScenario` makes it longer by the length of a long outage. */
  readonly minutes: number;
  readonly faults: readonly FaultGroup[];
}

const START_MS = Date.UTC(2027, 5, 1, 12);

const CALM_MINUTES = 6;

/** Minimum time from an item's write to its expiry for `strictMs` to apply. With `pollSeconds`, the minimum is `pollSeconds`. */
const AHEAD_MS = 120_000;

/** How late the sweep may delete. The run adds the delays by wrong clocks, by `maxDeletesPerSecond` and by `marginSeconds`. */
const BOUNDS_MS = { strict: 3_000, loose: 150_000, afterFaults: 240_000 } as const;

const OWN_SHARE = 0.75;

/** Largest difference between the clocks of DynamoDB's servers, milliseconds: less than `marginSeconds` (one second). */
const SERVERS_APART_MS = 900;

/** Time that the pipes need after the last sweep to deliver all events, milliseconds. */
const PIPES_MS = 120_000;

/**
 * Runs one variant; the same arguments give the same run. After the last fault, the ticks have minutes to catch up before the oracle looks
 * for late items.
 */
export async function runOnce(run: SubRun, resolve = resolveVariant) {
  const connect = await openClients();
  const clock = new VirtualClock(START_MS);
  return inVirtualTime(clock, () => runOn(clock, run, resolve, connect));
}

async function runOn(
  clock: VirtualClock,
  run: SubRun,
  resolve: typeof resolveVariant,
  connect: Awaited<ReturnType<typeof openClients>>,
) {
  const { variant, seed, items, minutes, faults: groups } = run;
  const { maxDeletesPerSecond: share } = variant.props;
  const limit = share && Math.max(4, Math.ceil(share * items));
  const violations: Violation[] = [];
  const random = (part: number) => seededRandom(seed * 32 + part);
  const scenario = drawScenario({ random: random(6), groups, startMs: START_MS, minutes });
  const { calmAt, outage, deployedAt, replaysAt } = scenario;
  const faults = faultsOf({ seed, random: random(1), groups, clock, calmAt });
  const isOut = (kind: NonNullable<Scenario['outage']>['kind']) =>
    outage?.kind === kind && isWithin(outage, clock.now());

  const others = scenario.tables.length - 1;
  const otherProps = random(7);
  const resolved = scenario.tables.map((_table, index) =>
    index === 0
      ? resolve({ ...variant.props, ...(limit && { maxDeletesPerSecond: limit }) }, 'fuzz')
      : resolve(OTHER_TABLES[Math.floor(otherProps.next() * OTHER_TABLES.length)] ?? {}, `fuzz-${index}`),
  );
  const [{ carried, pipes }] = resolved as [Resolved];
  const servers = random(5);
  // Only a table with a pipe has `marginSeconds`, which allows for servers with different clocks. So other tables' servers share a clock.
  const asServerHasIt = (at: number, table: string | undefined = 'fuzz') =>
    pipes.length > 0 && table === 'fuzz' ? at + Math.floor((servers.next() - 0.5) * SERVERS_APART_MS) : at;
  const own = Math.ceil(items * OWN_SHARE);
  const hasShardLess = deployedAt !== undefined && (variant.props.shards ?? 0) > 1;
  const tables = scenario.tables.map((table, index) =>
    fuzzedTable({
      variant: index === 0 ? variant : { name: 'other', props: {} },
      resolved: resolved[index] as Resolved,
      scenario: table,
      pipes: index === 0 ? pipes : [],
      ...{ clock, random: random(8 + index), asServerHasIt },
      items: index === 0 ? own : Math.floor((items - own + index - 1) / others),
      ttls: scenario.ttls,
      shardLessAt: index === 0 && hasShardLess ? deployedAt : undefined,
      indexLagMs: () => faults.indexLagMs(),
    }),
  );
  const [main] = tables as [FuzzedTable];
  const refused = new Set<string>();
  const network = networkOf({
    clock,
    asServerHasIt,
    faults,
    tables: new Map(tables.map(table => [table.name, table])),
    isDown: () => isOut('dynamodb'),
    onError: error => refused.add(String(error)),
  });
  const journal = new MemoryJournal(
    () => clock.now(),
    kind => faults.ofJournal(kind, isOut('dynamodb')),
  );
  // Without a watermark, a first tick searches two days: 172,800 queries in an index by second. So a table with index keys of less
  // than 15 minutes gets a watermark.
  const at = new Date(START_MS - 60_000).toISOString();
  const gone = START_MS / 1000 - 120;
  const known = tables.filter(({ settings: { model } }) => model.granularitySeconds < 900);
  const marks = known.map(({ name, settings: { model } }) => {
    return [name, { since: gone, gone, at, shards: indexLayout(model).shards }];
  });
  journal.watermarks.tables = Object.fromEntries(marks);
  for (const { name, scenario: of } of tables)
    for (const { from, to } of of.pauses) {
      clock.schedule(from - START_MS, () => {
        journal.pauses[name] = { since: new Date(from).toISOString() };
      });
      clock.schedule(to - START_MS, () => {
        if (!of.pauses.some(pause => pause.to > to && pause.from <= to)) delete journal.pauses[name];
      });
    }
  const call = functionsOf({
    journal,
    clock,
    aheadMs: () => aheadOf('functions', variant, clock.now()),
    isPlanOut: () => isOut('planSweep'),
    random: random(3),
    documentsOf: connect(network),
    faults,
  });
  const allCalmAt = Math.max(...scenario.tables.map(table => table.calmAt));
  const carriedOf = resolved.map(each => each.carried);
  const [, ...unchanged] = carriedOf;
  const shards = { ...(hasShardLess && { shards: Number(variant.props.shards) - 1 }) };
  const start = machinesOf({
    tables: carriedOf,
    laterTables: [{ ...carried, ...shards }, ...unchanged],
    updatedAt: deployedAt ?? Number.POSITIVE_INFINITY,
    clock,
    aheadMs: () => aheadOf('stepFunctions', variant, clock.now()),
    random: random(4),
    call,
  });

  const running = pipes.map(pipe => startPipe({ pipe, source: main, call, faults, clock }));
  const using = tables.map(({ users }) => users.run());

  const sweeps: Promise<void>[] = [];
  const judgeEnd = async ({ execution, calls }: Started, mustSucceed: boolean) => {
    violations.push(...judgeReports(await execution.done, calls, tables, mustSucceed));
  };
  const tick = async (input: object, lateMs: number, stoppedAfterMs: number | undefined) => {
    const mustSucceed = clock.now() >= allCalmAt + 120_000;
    if (lateMs > 0) await clock.sleep(lateMs);
    const started = start('tick', input);
    if (stoppedAfterMs !== undefined) clock.schedule(stoppedAfterMs, () => started.execution.stop());
    await judgeEnd(started, mustSucceed);
  };
  const replay = (table: string, mustSucceed: boolean) => {
    const [from, to] = [START_MS - 120_000, clock.now()].map(at => new Date(at).toISOString());
    return judgeEnd(start('replay', { table, from, to }), mustSucceed);
  };
  const replayEnds = [0];
  if (replaysAt !== undefined)
    for (const afterMs of [0, 3_000])
      clock.schedule(replaysAt - START_MS + afterMs, () => {
        sweeps.push(replay(main.name, false).then(() => void replayEnds.push(clock.now())));
      });

  // With `maxDeletesPerSecond`, the deletion of items overdue after the faults may take this much longer.
  const drainMs = limit ? (items / limit) * 2_000 : 0;
  const lastTick = Math.ceil((allCalmAt + drainMs) / 60_000) * 60_000 + CALM_MINUTES * 60_000;
  for (let scheduled = START_MS; scheduled <= lastTick; scheduled += 60_000) {
    if (scheduled > clock.now()) await clock.sleep(scheduled - clock.now());
    if (isOut('ticks')) continue;
    const input = { scheduledTime: new Date(scheduled).toISOString() };
    for (const { lateMs, stoppedAfterMs } of faults.tick()) sweeps.push(tick(input, lateMs, stoppedAfterMs));
  }
  for (const ending of sweeps) await ending;
  const clocksMs = lateByClocks(variant);
  for (const [index, { oracle, scenario: of, settings }] of tables.entries()) {
    // A limit or `precision: 'minute'` delays deletes, so only `looseMs` applies.
    const isStrict = settings.precision === 'second' && settings.maxDeletesPerSecond === 0;
    const slackMs = clocksMs + (settings.marginSeconds ?? 0) * 1000;
    const looseMs = BOUNDS_MS.loose + slackMs + (index === 0 ? drainMs : 0);
    violations.push(
      ...oracle.late(Math.min(clock.now(), lastTick + 60_000), {
        calmAt: of.calmAt,
        strictMs: isStrict ? BOUNDS_MS.strict + slackMs : looseMs,
        aheadMs: settings.pollSeconds > 0 ? settings.pollSeconds * 1000 : AHEAD_MS,
        looseMs,
        afterFaultsMs: looseMs + BOUNDS_MS.afterFaults - BOUNDS_MS.loose,
      }),
    );
  }
  // The ticks may leave items that were written after their expiry. So replays sweep the whole time of the run once more.
  for (const { name } of tables) await replay(name, true);
  for (const ending of sweeps) await ending;
  await Promise.all(using);
  await clock.sleep(PIPES_MS);
  for (const pipe of running) pipe.stop();
  await Promise.all(running.map(({ ended }) => ended));

  violations.push(...tables.flatMap(table => table.verdict(lastTick, Math.max(...replayEnds))));
  violations.push(...[...refused].map(sentence => said('refused', sentence)));
  return {
    deleted: tables.reduce((sum, { table }) => sum + table.swept, 0),
    deletedOfVariant: main.table.swept,
    lags: tables.flatMap(({ oracle }) => oracle.lags(lastTick)),
    faults: faults.counts,
    violations,
  };
}
