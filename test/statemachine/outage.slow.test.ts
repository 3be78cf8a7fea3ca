import { expiryModel } from '../../expiry/model.ts';
import { Simulation, type SimulationOptions } from '../support/simulation/simulation.ts';

/*
 * A tick looks back some minutes, and as far as the watermark where that is near. What lay still for longer is swept by the replay machine, to
 * which the next tick hands it over.
 */

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
const MINUTE = 60;

interface Outage {
  /** Minutes without a tick, from the fifth on. */
  readonly minutes: number;
  /** Ticks after it. @default 10 */
  readonly ticksAfter?: number;
}

/** An item every 97 seconds: there are minutes without any. */
async function outage({ minutes, ticksAfter = 10 }: Outage, options: Partial<SimulationOptions> = {}) {
  const simulation = new Simulation({
    start: START,
    model: expiryModel({ partitionKey: 'id', indexedBy: 'second' }),
    ...options,
  });
  const back = (5 + minutes) * MINUTE;
  const { start = START } = options;
  for (let second = 0; second < back; second += 97) simulation.table.write(`item-${second}`, start + second);
  for (let minute = 0; minute < 5; minute += 1) simulation.tick(start + minute * MINUTE, 5);
  for (let minute = 0; minute < ticksAfter; minute += 1) simulation.tick(start + back + minute * MINUTE, 5);
  await simulation.finish();
  return { simulation, backAt: start + back };
}

const goneOf = ({ journal }: Simulation) => journal.state.watermarks.tables['simulated']?.gone ?? 0;

test.each([3, 30, 600])(
  'an outage of %d minutes is made up for within minutes, and the watermark moves on',
  async minutes => {
    const { simulation, backAt } = await outage({ minutes });
    expect(simulation.table.ids()).toEqual([]);
    const last = Math.max(...simulation.deleted.map(({ deletedAt }) => deletedAt));
    expect(last).toBeLessThan((backAt + 5 * MINUTE) * 1000);
    expect(goneOf(simulation)).toBeGreaterThanOrEqual(backAt + 8 * MINUTE);
    expect(simulation.journal.handOvers).toEqual({});
    expect(simulation.executionsOf('replay').length).toBeLessThanOrEqual(3);
    for (const { status } of simulation.executions) expect(status).toBe('SUCCEEDED');
  },
);

test.each([
  [1440, '09:00', 600],
  [1440, '23:50', 30],
  [1440, '23:50', 3_000],
  [1, '09:00', 600],
])('so it is in windows of %d minutes, of one from %s on for %d', async (granularityMinutes, at, minutes) => {
  const start = Date.parse(`2026-11-20T${at}:00Z`) / 1000;
  const model = expiryModel({ partitionKey: 'id', granularityMinutes });
  const { simulation, backAt } = await outage({ minutes }, { start, model });
  expect(simulation.table.ids()).toEqual([]);
  // It is written every other minute while nothing is due.
  expect(goneOf(simulation)).toBeGreaterThanOrEqual(backAt + 7 * MINUTE);
  expect(simulation.journal.handOvers).toEqual({});
});

test('nothing is handed over as long as ticks come', async () => {
  const { simulation } = await outage({ minutes: 0 });
  expect(simulation.executionsOf('replay')).toEqual([]);
});

test('nor is one tick that is skipped', async () => {
  const { simulation } = await outage({ minutes: 1 });
  expect(simulation.executionsOf('replay')).toEqual([]);
  expect(simulation.table.ids()).toEqual([]);
});

test('with a limit it is made up for at a tenth of it', async () => {
  const { simulation, backAt } = await outage({ minutes: 30 }, { props: { maxDeletesPerSecond: 20 } });
  expect(simulation.table.ids()).toEqual([]);
  expect(goneOf(simulation)).toBeGreaterThanOrEqual(backAt + 8 * MINUTE);
  const [first] = simulation.executionsOf('replay');
  expect(first?.input).toMatchObject({ handOver: true, maxDeletesPerSecond: 2 });
});

test('what DynamoDB refuses for good is not handed over again and again', async () => {
  const refused = (id: string) => id === 'item-970';
  const model = expiryModel({ partitionKey: 'id', granularityMinutes: 1 });
  const { simulation } = await outage({ minutes: 600, ticksAfter: 60 }, { refused, model });
  expect(simulation.table.ids()).toEqual(['item-970']);
  // The lease of one that left something lives for half an hour.
  expect(simulation.executionsOf('replay').length).toBeLessThanOrEqual(3);
});

test('an outage of more than a day is a matter for a person', async () => {
  const { simulation } = await outage({ minutes: 1_500, ticksAfter: 3 });
  expect(simulation.executionsOf('replay')).toEqual([]);
});
