import { expiryModel } from '../../expiry/model.ts';
import { machinesWith } from '../support/run-sweep.ts';
import { Simulation } from '../support/simulation/simulation.ts';

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
const MINUTES = 15;

test('held items do not use up the limit of those behind them', async () => {
  const simulation = new Simulation({
    definition: machinesWith({}),
    start: START,
    model: expiryModel({ partitionKey: 'id' }),
    lookbackMinutes: 10,
    pace: { precisionSeconds: 1, pollSeconds: 0 },
  });
  // More than a tick may delete in its minute.
  for (let held = 0; held < 900; held += 1) {
    simulation.table.write(`held ${held}`, START + 180 + (held % 60));
    simulation.table.held.add(`held ${held}`);
  }
  const due = (MINUTES - 2) * 6;
  for (let item = 0; item < due; item += 1) simulation.table.write(`due ${item}`, START + 120 + item * 10);
  for (let minute = 0; minute < MINUTES + 2; minute += 1) {
    simulation.tick(START + minute * 60, 5, { maxDeletesPerSecond: 10 });
  }
  await simulation.finish();
  const lags = simulation.deleted.map(({ deletedAt, ttl }) => deletedAt / 1000 - ttl);
  expect(lags).toHaveLength(due);
  expect(Math.max(...lags)).toBeLessThan(30);
  expect(simulation.executions.map(({ status }) => status)).not.toContain('FAILED');
});
