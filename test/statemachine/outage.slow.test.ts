import { type ExpiryModelProps, expiryModel } from '../../expiry/model.ts';
import { Simulation, type SimulationOptions } from '../support/simulation/simulation.ts';

/* Whatever lies between two ticks: the lookback begins at the watermark, and goes on from tick to tick. */

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
const MINUTE = 60;

/** As earlier ticks left it: a first tick looks two days back. */
const sweptUpTo = ({ journal }: Simulation, epochSeconds: number) => {
  const at = new Date(epochSeconds * 1000).toISOString();
  return journal.writeWatermarks(at, { simulated: { since: 0, gone: epochSeconds - 60, at, shards: 1 } });
};

interface Outage {
  /** Minutes without a tick, from the fifth on. */
  readonly minutes: number;
  /** Ticks after it. @default 4 */
  readonly ticksAfter?: number;
  /** Seconds between two items. @default 97: there are minutes without any */
  readonly every?: number;
}

async function outage(
  { minutes, ticksAfter = 4, every = 97 }: Outage,
  indexedBy: Omit<ExpiryModelProps, 'partitionKey'>,
  options: Partial<SimulationOptions> = {},
) {
  const { start = START } = options;
  const simulation = new Simulation({
    start,
    model: expiryModel({ partitionKey: 'id', ...indexedBy }),
    read: { ms: 5, processorMs: 3 },
    callMs: 25,
    ...options,
  });
  await sweptUpTo(simulation, start);
  const backAt = start + (5 + minutes) * MINUTE;
  for (let ttl = start; ttl < backAt + ticksAfter * MINUTE; ttl += every)
    simulation.table.write(`${ttl}`, ttl);
  for (let minute = 0; minute < 5; minute += 1) simulation.tick(start + minute * MINUTE, 5);
  for (let minute = 0; minute < ticksAfter; minute += 1) simulation.tick(backAt + minute * MINUTE, 5);
  await simulation.finish();
  const old = simulation.deleted.filter(({ ttl }) => ttl < backAt);
  const later = simulation.deleted.filter(({ ttl }) => ttl >= backAt + 2 * MINUTE);
  return {
    simulation,
    left: simulation.table.ids(),
    /** Minutes until all of the outage was gone. */
    goneAfter: (Math.max(...old.map(({ deletedAt }) => deletedAt)) / 1000 - backAt) / MINUTE,
    /** The worst lateness of what expired when ticks came again, milliseconds. */
    worst: Math.max(...later.map(({ ttl, deletedAt }) => deletedAt - ttl * 1000)),
    /** Seconds from the watermark to the last tick. */
    behind:
      backAt +
      (ticksAfter - 1) * MINUTE -
      (simulation.journal.state.watermarks.tables['simulated']?.gone ?? 0),
  };
}

function expectSucceeded({ executions }: Simulation) {
  for (const { status } of executions) expect(status).toBe('SUCCEEDED');
}

const WAYS: readonly [string, Omit<ExpiryModelProps, 'partitionKey'>][] = [
  ['by second', { indexedBy: 'second' }],
  ['in windows of a day', { granularityMinutes: 1440 }],
  ['in windows of a minute', { granularityMinutes: 1 }],
];

describe.each(WAYS)('%s', (_name, props) => {
  test.each([3, 30, 600])('an outage of %d minutes is made up for within a minute', async minutes => {
    const { simulation, left, goneAfter, worst, behind } = await outage({ minutes }, props);
    expect(left).toEqual([]);
    expect(goneAfter).toBeLessThanOrEqual(1);
    expect(worst).toBeLessThan(1_000);
    expect(behind).toBeLessThanOrEqual(3 * MINUTE);
    expectSucceeded(simulation);
  });
});

test('three days by second are made up for within fifteen minutes, and what expires meanwhile is not late', async () => {
  const { simulation, left, goneAfter, worst } = await outage(
    { minutes: 3 * 1440, ticksAfter: 16, every: 997 },
    { indexedBy: 'second' },
  );
  expect(left).toEqual([]);
  expect(goneAfter).toBeLessThanOrEqual(15);
  expect(worst).toBeLessThan(1_000);
  expectSucceeded(simulation);
});

test('an outage over midnight leaves no day out', async () => {
  const start = Date.parse('2026-11-20T23:50:00Z') / 1000;
  const { left, goneAfter } = await outage({ minutes: 3_000 }, { granularityMinutes: 1440 }, { start });
  expect(left).toEqual([]);
  expect(goneAfter).toBeLessThanOrEqual(1);
});

test('what one tick cannot sweep is gone after several, of which each begins where the one before it ended', async () => {
  const simulation = new Simulation({
    start: START,
    model: expiryModel({ partitionKey: 'id', granularityMinutes: 1440 }),
    callMs: 4_000,
  });
  await sweptUpTo(simulation, START - 7_200);
  // A page of a thousand takes eight seconds.
  const written = 60_000;
  for (let item = 0; item < written; item += 1)
    simulation.table.write(`${item}`, START - 7_000 + (item % 6_900));
  const left: number[] = [];
  for (let minute = 0; minute < 5; minute += 1) {
    simulation.tick(START + minute * MINUTE, 5);
    simulation.clock.schedule((minute * MINUTE + 59) * 1000, () => left.push(simulation.table.size));
  }
  await simulation.finish();
  expect(left[0]).toBeGreaterThan(0);
  expect(left.at(-1)).toBe(0);
  expect(simulation.deleted).toHaveLength(written);
  const reports = simulation.reportsOf();
  expect(reports[0]?.leftForLater).toBe(8);
  expect(reports.reduce((sum, { deleted }) => sum + deleted, 0)).toBe(written);
  // A second tick does not sweep again what the first one has.
  expect(reports.reduce((sum, { notFound }) => sum + notFound, 0)).toBe(0);
  expectSucceeded(simulation);
});

test('with a limit an outage is made up for at that pace', async () => {
  const { simulation, left, behind } = await outage(
    { minutes: 30, ticksAfter: 8, every: 1 },
    { granularityMinutes: 1440 },
    { props: { maxDeletesPerSecond: 20 } },
  );
  expect(left).toEqual([]);
  const perSecond = Map.groupBy(simulation.deleted, ({ deletedAt }) => Math.floor(deletedAt / 1000));
  expect(Math.max(...[...perSecond.values()].map(({ length }) => length))).toBeLessThanOrEqual(21);
  expect(behind).toBeLessThanOrEqual(4 * MINUTE);
});

test('a key that DynamoDB refuses for good is told by each tick that passes it, and holds up nothing', async () => {
  const refusedId = `${START + 970}`;
  const { simulation, left, behind } = await outage(
    { minutes: 30, ticksAfter: 6 },
    { granularityMinutes: 1 },
    { refused: id => id === refusedId },
  );
  expect(left).toEqual([refusedId]);
  const failed = simulation.reportsOf().filter(report => report.failed > 0);
  expect(failed.length).toBeGreaterThan(0);
  for (const { failedKeys } of failed)
    expect(failedKeys).toEqual([expect.objectContaining({ reason: 'ValidationError' })]);
  expect(behind).toBeLessThanOrEqual(2 * MINUTE);
});
