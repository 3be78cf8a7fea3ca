import { isExpiry } from '../../expiry/is-expiry.ts';
import { expiryModel } from '../../expiry/model.ts';
import { OLDEST_EXPIRY_AGE_SECONDS } from '../../expiry/ttl.ts';
import { Simulation, type SimulationOptions } from '../support/simulation/simulation.ts';
import { sweepReports } from '../support/sweep-reports.ts';

/*
 * The clocks of Step Functions and of the functions against DynamoDB's, which times the records of the stream, rounded down to the
 * second. An item is deleted early if it lives by DynamoDB's clock, and its record is then no expiry.
 */

const iso = (seconds: number) => new Date(seconds * 1000).toISOString();

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
const SKEWS = [-5, -0.2, 0, 0.1, 0.2, 5];
const FIRST = START + 130;
const LAST = START + 200;
const TICKS = 5;

const MODELS = {
  'by window': expiryModel({ partitionKey: 'id' }),
  'by second': expiryModel({ partitionKey: 'id', indexedBy: 'second' }),
};

/** An item each second by DynamoDB's clock, and the ticks. */
async function sweep(options: Omit<SimulationOptions, 'definition' | 'start'>) {
  const simulation = new Simulation({ start: START, ...options });
  for (let ttl = FIRST; ttl <= LAST; ttl += 1) simulation.table.write(String(ttl), ttl);
  for (let minute = 0; minute < TICKS; minute += 1) simulation.tick(START + minute * 60);
  await simulation.finish();
  return { simulation, reports: sweepReports(simulation) };
}

const lateMs = (simulation: Simulation) =>
  simulation.deleted.map(({ id, deletedAt }) => deletedAt - Number(id) * 1000);

/** The fuzzer has more of them, with what goes wrong besides. */
test.each([
  ['by window', -5, 1],
  ['by window', 0, 0],
  ['by window', 5, 0],
  ['by second', -5, 0],
  ['by second', 0.2, 1],
  ['by second', 5, 1],
])('%s, Step Functions ahead by %d s, margin %d s', async (name, skew, marginSeconds) => {
  const { simulation, reports } = await sweep({
    model: MODELS[name as keyof typeof MODELS],
    props: { pollSeconds: name === 'by second' ? 1 : 0 },
    dynamoDbAheadMs: -skew * 1000,
    functionsAheadMs: skew * 1000,
    marginSeconds,
  });
  const late = lateMs(simulation);
  expect(late).toHaveLength(LAST - FIRST + 1);
  expect(Math.min(...late)).toBeGreaterThanOrEqual(marginSeconds * 1000);
  // A child sees how the clocks differ at its first poll: what expires in the first seconds of a minute waits for it.
  const settled = simulation.deleted.filter(({ id }) => (Number(id) + marginSeconds - START) % 60 > 10);
  // A planned delete waits for the functions' clock, too.
  const behindMs = Math.max(0, -2 * skew) * 1000;
  for (const { id, deletedAt } of settled)
    expect(deletedAt - Number(id) * 1000).toBeLessThan((marginSeconds + 1) * 1000 + 200 + behindMs);
  for (const { status } of simulation.executions) expect(status).toBe('SUCCEEDED');
  for (const { renewed, failed } of reports) expect([renewed, failed]).toEqual([0, 0]);
});

/** A call begins 30 ms after its second, and a read takes 5 ms more. */
test.each([0, 0.029, 0.031, 0.034, 0.036, 0.1])(
  'what is planned ahead is not early by milliseconds either, Step Functions ahead by %d s',
  async skew => {
    const { simulation } = await sweep({
      dynamoDbAheadMs: -skew * 1000,
      functionsAheadMs: -skew * 1000,
      callMs: 30,
      read: { ms: 5, processorMs: 3 },
    });
    const late = lateMs(simulation);
    expect(late).toHaveLength(LAST - FIRST + 1);
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
    // Far fewer polls than seconds: most of the deletes were planned.
    expect(simulation.calls['query-expired']).toBeLessThan(20);
  },
);

test.each(SKEWS)('once a minute, and by a replay: Step Functions ahead by %d s', async skew => {
  const simulation = new Simulation({
    start: START,
    props: { precision: 'minute' },
    dynamoDbAheadMs: -skew * 1000,
    functionsAheadMs: skew * 1000,
    marginSeconds: 1,
  });
  // Around the second in which the tick sweeps what has expired, and later than any sweep.
  for (let due = START + 50; due <= START + 70; due += 1) simulation.table.write(String(due), due);
  simulation.table.write(String(START + 200), START + 200);
  for (const minute of [1, 2]) simulation.tick(START + minute * 60);
  simulation.replay({ from: iso(START - 3600), to: iso(START + 150) }, START + 150);
  await simulation.finish();
  const late = lateMs(simulation);
  expect(late).toHaveLength(21);
  expect(Math.min(...late)).toBeGreaterThanOrEqual(1000);
  expect(simulation.table.ids()).toEqual([String(START + 200)]);
  for (const { status } of simulation.executions) expect(status).toBe('SUCCEEDED');
});

test('what is deleted at five years is still an expiry when its record is made', async () => {
  const model = expiryModel({ partitionKey: 'id', granularityMinutes: 1440 });
  const simulation = new Simulation({
    start: START,
    model,
  });
  const bound = START - OLDEST_EXPIRY_AGE_SECONDS;
  // In the window of an item that is due, where a writer has stamped them wrong, or by their own five years ago.
  const ttls = [-600, 0, 1, 300, 599, 600, 605, 700, 1200].map(offset => bound + offset);
  for (const ttl of ttls) simulation.table.write(String(ttl), ttl);
  simulation.replay({ from: iso(bound + 1), to: iso(bound + 3600) });
  await simulation.finish();
  expect(simulation.deleted.map(({ ttl }) => ttl - bound)).toEqual([605, 700, 1200]);
  for (const { ttl, deletedAt } of simulation.deleted) {
    const record = { eventName: 'REMOVE', dynamodb: { OldImage: { ttl: { N: String(ttl) } } } };
    const ApproximateCreationDateTime = Math.floor(deletedAt / 1000);
    const dynamodb = { ...record.dynamodb, ApproximateCreationDateTime };
    expect(isExpiry(model, { ...record, dynamodb })).toBe(true);
  }
});
