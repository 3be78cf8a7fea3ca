import { expiryModel } from '../../expiry/model.ts';
import { type Fate, Simulation } from '../support/simulation/simulation.ts';
import { sweepReports } from '../support/sweep-reports.ts';

const MORNING = Date.parse('2026-11-20T09:00:00Z') / 1000;
const MIDNIGHT = Date.parse('2026-11-21T00:00:00Z') / 1000;

const simulate = (start: number, deleteMs = 0, model = expiryModel({ partitionKey: 'id' })) =>
  new Simulation({ start, model, callMs: 20, hangingDelete: () => deleteMs });

const lag = ({ ttl, deletedAt }: Fate) => deletedAt - ttl * 1000;
const worst = (fates: readonly Fate[]) => fates.map(lag).reduce((most, each) => Math.max(most, each), 0);
/** Deletes of what another child had deleted already. */
const twice = (simulation: Simulation) =>
  sweepReports(simulation).reduce((sum, { notFound }) => sum + notFound, 0);

/** So many items a second, from two minutes after the start on. */
function stream({ table, clock }: Simulation, rate: number, minutes: number): void {
  const from = clock.now() / 1000 + 120;
  for (let item = 0; item < rate * minutes * 60; item += 1) {
    table.write(`new ${item}`, from + Math.floor(item / rate));
  }
}

function tickAll(
  simulation: Simulation,
  minutes: number,
  lateSeconds = 0,
  skipped: readonly number[] = [],
): void {
  const start = simulation.clock.now() / 1000;
  for (let minute = 0; minute < minutes; minute += 1) {
    if (!skipped.includes(minute)) simulation.tick(start + minute * 60, lateSeconds);
  }
}

test.each([
  ['ticks in time', 0],
  ['ticks that come 59 s late', 59],
])('a backlog keeps nothing waiting, and nothing is deleted twice: %s', async (_name, lateSeconds) => {
  const simulation = simulate(MORNING, 280);
  stream(simulation, 20, 2);
  for (let item = 0; item < 10_000; item += 1) simulation.table.write(`old ${item}`, MORNING - 1 - item);
  tickAll(simulation, 5, lateSeconds);
  await simulation.finish();
  expect(simulation.table.ids()).toEqual([]);
  expect(twice(simulation)).toBe(0);
  const fresh = simulation.deleted.filter(({ id }) => id.startsWith('new'));
  expect(worst(fresh)).toBeLessThan(1000);
  const old = simulation.deleted.filter(({ id }) => id.startsWith('old'));
  expect(Math.max(...old.map(({ deletedAt }) => deletedAt / 1000 - MORNING))).toBeLessThan(lateSeconds + 15);
});

test('across midnight every item is gone in its second, stamped either way', async () => {
  const simulation = simulate(MIDNIGHT - 180);
  stream(simulation, 20, 2);
  simulation.table.write('on the edge', MIDNIGHT, 0, MIDNIGHT - 1);
  tickAll(simulation, 6, 5);
  await simulation.finish();
  expect(simulation.table.ids()).toEqual([]);
  expect(twice(simulation)).toBe(0);
  expect(worst(simulation.deleted)).toBeLessThan(1000);
});
