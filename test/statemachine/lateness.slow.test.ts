import { type ExpiryModelProps, expiryModel } from '../../expiry/model.ts';
import type { SimulatedTableOptions } from '../support/simulation/simulated-table.ts';
import {
  type Fate,
  lagMsOf,
  type SimulatedCall,
  Simulation,
  type SimulationOptions,
} from '../support/simulation/simulation.ts';

/*
 * How late items are when ticks, tables or keys are in trouble. `npm run bench faults` has bounds of single faults, and the fuzzer proves
 * that nothing that lives is deleted and nothing that is due is left.
 */

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
const MINUTE = 60;
const DAY: Props = { granularityMinutes: 1440 };
const SECOND: Props = { indexedBy: 'second' };

type Props = Omit<ExpiryModelProps, 'partitionKey'>;

function simulate(props: Props, { start = START, ...options }: Partial<SimulationOptions>): Simulation {
  const model = expiryModel({ partitionKey: 'id', ...props });
  return new Simulation({ start, model, callMs: 25, read: { ms: 5, processorMs: 3 }, ...options });
}

/** As earlier ticks left it: a first tick looks two days back. */
function sweptUpTo({ journal }: Simulation, epochSeconds: number): Promise<void> {
  const at = new Date(epochSeconds * 1000).toISOString();
  return journal.writeWatermarks(at, { simulated: { since: 0, gone: epochSeconds - 1, at, shards: 1 } });
}

function expectAllGone(simulation: Simulation, written: number): void {
  expect(simulation.table.ids()).toEqual([]);
  expect(simulation.deleted).toHaveLength(written);
  expect(Math.min(...simulation.deleted.map(lagMsOf))).toBeGreaterThanOrEqual(0);
  expect(sum(simulation, 'deleted')).toBe(written);
}

const sum = (simulation: Simulation, count: 'deleted' | 'notFound') =>
  simulation.reportsOf().reduce((all, report) => all + report[count], 0);

const worst = (fates: readonly Fate[]) => Math.max(...fates.map(lagMsOf));

/** The minute of an expiry, from the start. */
const minuteOf = ({ ttl }: Fate) => Math.floor((ttl - START) / MINUTE);

const ofThirdTick = (input: unknown) =>
  (input as { readonly startedAt?: string }).startedAt === new Date((START + 120) * 1000).toISOString();

interface Trouble extends Partial<SimulationOptions> {
  /** Delays of the ticks, seconds. */
  readonly late?: number;
  readonly disturb?: (simulation: Simulation) => void;
}

/** Items of minutes 2 to 5, two in every second second, each of a shard by turns; all ticks come. */
async function stream(props: Props, { late = 0, disturb, ...options }: Trouble) {
  const { start = START } = options;
  const simulation = simulate(props, options);
  await sweptUpTo(simulation, start);
  let written = 0;
  for (let ttl = start + 120; ttl < start + 360; ttl += 2) {
    for (const shard of [0, 1]) simulation.table.write(`${ttl}.${shard}`, ttl, shard);
    written += 2;
  }
  for (let minute = 0; minute < 9; minute += 1) simulation.tick(start + minute * MINUTE, late);
  disturb?.(simulation);
  await simulation.finish();
  expectAllGone(simulation, written);
  return simulation;
}

const isShard0 = ({ id }: { readonly id: string }) => id.endsWith('.0');
const inThird = (fate: Fate) => minuteOf(fate) === 3;

/** What hangs or fails in the third tick's plan. */
const thirdPlan =
  (hangsMs: number) =>
  (name: SimulatedCall['name'], { input }: SimulatedCall) =>
    name === 'plan-sweep' && ofThirdTick(input) ? { hangsMs } : undefined;

test.each<[string, Props, Trouble, [all: number, others: number, isStruck?: (fate: Fate) => boolean]]>([
  ['in windows of a minute', { granularityMinutes: 1 }, {}, [1_000, 1_000]],
  ['by second, with ticks that come 59 s late', SECOND, { late: 59 }, [1_000, 1_000]],
  ['across midnight', DAY, { start: Date.parse('2026-11-20T23:56:00Z') / 1000 }, [1_000, 1_000]],
  ['with a precision of a minute', DAY, { props: { precision: 'minute' } }, [62_000, 62_000]],
  [
    'while Lambda refuses a second of calls',
    DAY,
    {
      failingCall: (name, { nowMs }) =>
        name === 'delete-chunk' && Math.floor(nowMs / 1000) === START + 184
          ? { error: 'Lambda.TooManyRequestsException' }
          : undefined,
    },
    [4_000, 1_000, ({ ttl }) => ttl === START + 184],
  ],
  [
    'of the shards beside one that is throttled for a minute',
    { ...DAY, shards: 2 },
    { throttled: (id, nowMs) => isShard0({ id }) && nowMs < (START + 190) * 1000 },
    [90_000, 1_000, isShard0],
  ],
  [
    'beside a key that is throttled, which is gone soon after it is free',
    DAY,
    { throttled: (id, nowMs) => id === `${START + 184}.0` && nowMs < (START + 220) * 1000 },
    [56_000, 1_000, ({ id }) => id === `${START + 184}.0`],
  ],
  [
    'of minutes other than that of a late plan',
    DAY,
    { failingCall: thirdPlan(110_000) },
    [62_000, 1_000, inThird],
  ],
  [
    'of minutes other than that of a plan without an end',
    DAY,
    { failingCall: thirdPlan(1_000_000) },
    [62_000, 1_000, inThird],
  ],
  [
    'of minutes other than that of a tick that was killed',
    DAY,
    { disturb: ({ clock, executions }) => clock.schedule(180_000, () => executions[2]?.stop()) },
    [62_000, 1_000, inThird],
  ],
])('items are gone within a second %s', async (_name, props, trouble, [all, others, isStruck]) => {
  const simulation = await stream(props, trouble);
  const { deleted } = simulation;
  expect(worst(deleted)).toBeLessThan(all);
  expect(worst(deleted.filter(fate => !isStruck?.(fate)))).toBeLessThan(others);
  // No tick sweeps again what another one has, unless it is in trouble.
  if (isStruck) expect(worst(deleted)).toBeGreaterThan(others - 500);
  else expect(sum(simulation, 'notFound')).toBe(0);
});

interface Outage extends Partial<SimulationOptions> {
  /** Minutes without a tick, and ticks after it. */
  readonly minutes: number;
  readonly ticks?: number;
  /** Seconds between two items. */
  readonly every?: number;
}

async function outage(props: Props, { minutes, ticks = 4, every = 97, ...options }: Outage) {
  const { start = START } = options;
  const simulation = simulate(props, options);
  await sweptUpTo(simulation, start - 1);
  const backAt = start + minutes * MINUTE;
  for (let ttl = start; ttl < backAt + ticks * MINUTE; ttl += every) simulation.table.write(`${ttl}`, ttl);
  for (let tick = 0; tick < ticks; tick += 1) simulation.tick(backAt + tick * MINUTE, 5);
  await simulation.finish();
  const { watermarks } = simulation.journal.state;
  return {
    simulation,
    old: simulation.deleted.filter(({ ttl }) => ttl < backAt),
    later: simulation.deleted.filter(({ ttl }) => ttl >= backAt + 2 * MINUTE),
    backAt,
    /** Seconds from the watermark to the last tick. */
    behind: backAt + (ticks - 1) * MINUTE - (watermarks.tables['simulated']?.gone ?? 0),
  };
}

test.each<[string, Props, Outage, goneAfter: number]>([
  ['ten hours in windows of a minute', { granularityMinutes: 1 }, { minutes: 600 }, 1],
  ['two days over midnight', DAY, { minutes: 3_000, start: START + 53_400 }, 1],
  ['twelve hours by second', SECOND, { minutes: 720, ticks: 6, every: 997 }, 3],
])(
  'an outage of %s is made up for, and what expires meanwhile is not late',
  async (_name, props, ended, goneAfter) => {
    const { simulation, old, later, backAt, behind } = await outage(props, ended);
    expect(simulation.table.ids()).toEqual([]);
    expect(Math.max(...old.map(({ deletedAt }) => deletedAt / 1000 - backAt))).toBeLessThan(
      goneAfter * MINUTE,
    );
    if (later.length > 0) expect(worst(later)).toBeLessThan(1_000);
    expect(behind).toBeLessThanOrEqual(3 * MINUTE);
    for (const { status } of simulation.executions) expect(status).toBe('SUCCEEDED');
  },
);

test('with a limit an outage is made up for at that pace', async () => {
  const props = { maxDeletesPerSecond: 20 };
  const { simulation, behind } = await outage(DAY, { minutes: 30, ticks: 8, every: 1, props });
  expect(simulation.table.ids()).toEqual([]);
  const perSecond = Map.groupBy(simulation.deleted, ({ deletedAt }) => Math.floor(deletedAt / 1000));
  expect(Math.max(...[...perSecond.values()].map(({ length }) => length))).toBeLessThanOrEqual(21);
  expect(behind).toBeLessThanOrEqual(4 * MINUTE);
});

test('a key that DynamoDB refuses for good is told by each tick that passes it, and holds up nothing', async () => {
  const refused = `${START + 970}`;
  const { simulation, behind } = await outage(DAY, { minutes: 30, ticks: 6, refused: id => id === refused });
  expect(simulation.table.ids()).toEqual([refused]);
  const told = simulation.reportsOf().filter(report => report.failed > 0);
  expect(told.length).toBeGreaterThan(0);
  for (const { failedKeys } of told)
    expect(failedKeys).toEqual([{ key: { id: { S: refused } }, reason: 'ValidationError' }]);
  expect(behind).toBeLessThanOrEqual(2 * MINUTE);
});

test('what one tick cannot sweep is gone after several, of which each begins where the one before it ended', async () => {
  const simulation = simulate(DAY, { callMs: 6_000 });
  await sweptUpTo(simulation, START - 7_200);
  // A page of a thousand takes twelve seconds.
  const written = 40_000;
  for (let item = 0; item < written; item += 1)
    simulation.table.write(`${item}`, START - 7_000 + (item % 6_900));
  const left: number[] = [];
  for (let minute = 0; minute < 4; minute += 1) {
    simulation.tick(START + minute * MINUTE, 5);
    simulation.clock.schedule((minute * MINUTE + 59) * 1000, () => left.push(simulation.table.size));
  }
  await simulation.finish();
  expect(left[0]).toBeGreaterThan(0);
  expectAllGone(simulation, written);
  expect(sum(simulation, 'notFound')).toBe(0);
  expect(simulation.reportsOf()[0]?.leftForLater).toBeGreaterThan(1);
});

test.each<[string, number, object, number, number]>([
  ['an idle tick takes one call', 0, { 'plan-sweep': 1, 'query-expired': 0 }, 0.2, 3],
  // Once more to add up; each of the 60 deletes reads the pause, and 600 entries are eight units.
  ['a busy tick reads its minute once, however much is in it', 600, { 'query-expired': 2 }, 121, 70],
])('%s, and no transition of a Standard execution', async (_name, items, calls, seconds, units) => {
  const simulation = new Simulation({ start: START, model: expiryModel({ partitionKey: 'id', shards: 1 }) });
  for (let item = 0; item < items; item += 1)
    simulation.table.write(`${item}`, START + MINUTE + Math.floor(item / 10));
  simulation.tick(START);
  await simulation.finish();
  expect(simulation.deleted).toHaveLength(items);
  expect(simulation.calls).toMatchObject(calls);
  expect(simulation.billing).toMatchObject({ stateTransitions: 0, expressRequests: 1 });
  // In 64 MB.
  expect(simulation.billing.expressGbSeconds).toBeLessThan(seconds / 16);
  expect(simulation.billing.usage['dynamoDbReadUnits'] ?? 0).toBeLessThanOrEqual(units);
});

/* What the fuzzer's few tables do not reach: the room that an execution has. */

const LONG = 'n'.repeat(240);

/** A table with two items in the minute that the tick at START owns, and one of its settings as long as DynamoDB allows. */
function longTable(number: number): SimulatedTableOptions {
  const tail = `${number}`.padStart(15, '-');
  const name = (first: string) => `${first}${LONG}${tail.slice(1)}`;
  const index = { name: name('i'), attribute: name('w'), granularityMinutes: 1440, shards: 1 } as const;
  return { name: `${LONG}${tail}`, props: { ttlAttribute: name('t'), index } };
}

async function tickOf(tables: readonly SimulatedTableOptions[], shards = 1) {
  let bytes = 0;
  const simulation = new Simulation({
    ...{ start: START, callMs: 20, tables },
    answering: (answer, { name }) => {
      if (name === 'plan-sweep') bytes = Buffer.byteLength(JSON.stringify(answer));
      return answer;
    },
  });
  for (const { items } of simulation.tables) {
    for (let shard = 0; shard < shards; shard += 1) {
      for (const second of [60, 90]) items.write(`${second}-${shard}`, START + second, shard);
    }
  }
  simulation.tick(START);
  await simulation.finish();
  expect(simulation.executions).toHaveLength(1);
  expect(bytes).toBeLessThan(262_144);
  const late = simulation.tables.flatMap(({ deleted }) => deleted).filter(fate => lagMsOf(fate) > 1_000);
  expect(late).toEqual([]);
  return simulation;
}

test('of 140 tables with long names the tick sweeps to the second what it has room for, and tells the others', async () => {
  const { tables, journal, executions } = await tickOf(
    Array.from({ length: 140 }, (_none, number) => longTable(number)),
  );
  const left = tables.filter(({ items }) => items.size > 0);
  expect(left.length).toBeGreaterThan(0);
  expect(left.length).toBeLessThan(90);
  const told = journal.rows.filter(({ report }) => report.failure?.error === 'TickTooLargeError');
  expect(told.map(({ table }) => table).sort()).toEqual(left.map(({ name }) => name).sort());
  expect(executions[0]?.error).toBe('SweepIncompleteError');
});

test('a thousand shards of one table are swept to the second by no more children than an execution has room for', async () => {
  const model = expiryModel({ partitionKey: 'id', granularityMinutes: 1440, shards: 1_000 });
  const { table, executions } = await tickOf([{ model }], 1_000);
  expect([table.size, executions[0]?.status]).toEqual([0, 'SUCCEEDED']);
});
