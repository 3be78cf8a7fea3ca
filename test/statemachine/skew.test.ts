import { expiryModel } from '../../expiry/model.ts';
import type { SweepReport } from '../../statemachine/contract.ts';
import { definitionWith } from '../support/run-sweep.ts';
import { Simulation, type SimulationOptions } from '../support/simulation/simulation.ts';

/*
 * The clocks of Step Functions and of the functions against DynamoDB's, which times the records of the stream, rounded down to the
 * second. An item is deleted early if it lives by DynamoDB's clock, and its record is then no expiry.
 */

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
const SKEWS = [-5, -0.2, 0, 0.1, 0.2, 5];
const FIRST = START + 130;
const LAST = START + 290;
const TICKS = 7;

const MODELS = {
  'by window': expiryModel({ partitionKey: 'id' }),
  'in windows of an hour': expiryModel({ partitionKey: 'id', granularityMinutes: 60 }),
  'by second': expiryModel({ partitionKey: 'id', indexedBy: 'second' }),
};

/** An item each second by DynamoDB's clock, and the ticks. */
async function sweep(options: Omit<SimulationOptions, 'definition' | 'start'>) {
  const simulation = new Simulation({ definition: definitionWith({}), start: START, ...options });
  const { graceSeconds = 0 } = options;
  for (let ttl = FIRST; ttl <= LAST; ttl += 1) simulation.table.write(String(ttl), ttl - graceSeconds);
  for (let minute = 0; minute < TICKS; minute += 1) simulation.tick(START + minute * 60);
  await simulation.finish();
  const reports = simulation.executions.map(({ output }) => output as unknown as SweepReport);
  return { simulation, reports };
}

const lateMs = (simulation: Simulation) =>
  simulation.deleted.map(({ id, deletedAt }) => deletedAt - Number(id) * 1000);

const cases = Object.keys(MODELS).flatMap(name =>
  SKEWS.flatMap(skew => [0, 1].map(marginSeconds => [name, skew, marginSeconds] as const)),
);

test.each(cases)('%s, Step Functions ahead by %d s, margin %d s', async (name, skew, marginSeconds) => {
  const { simulation, reports } = await sweep({
    model: MODELS[name as keyof typeof MODELS],
    pace: { precisionSeconds: 1, pollSeconds: name === 'by second' ? 1 : 0 },
    dynamoDbAheadMs: -skew * 1000,
    functionsAheadMs: skew * 1000,
    marginSeconds,
  });
  const late = lateMs(simulation);
  expect(late).toHaveLength(LAST - FIRST + 1);
  expect(Math.min(...late)).toBeGreaterThanOrEqual(marginSeconds * 1000);
  for (const { status } of simulation.executions) expect(status).toBe('SUCCEEDED');
  for (const { renewed, failed } of reports) expect([renewed, failed]).toEqual([0, 0]);
});
