import fc from 'fast-check';
import { type ExpiryModelProps, expiryModel } from '../../expiry/model.ts';
import { machinesWith } from '../support/run-sweep.ts';
import { Simulation } from '../support/simulation/simulation.ts';

/*
 * Ticks that are killed, doubled, late or never come, and plans that answer late: nothing that lives is ever deleted, and everything that is
 * due is gone after the ticks that follow.
 */

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
/** Items expire from minute 1 to 5; ticks are disturbed up to minute 6, and in time from then on. */
const FIRST_TTL = START + 60;
const LAST_TTL = START + 359;
const DISTURBED = 7;
const CALM = 4;
const FAR = START + 86_400;
/** A tick that comes in time, with some reads and deletes of 30 ms each, and the seconds between two polls. */
const CALM_LAG_MS = 1_500;

/** Seconds after which an execution is ended from outside. The tick's own time limit comes before the last one. */
const KILLS = [60, 180, 299] as const;

const item = fc.record({
  ttl: fc.integer({ min: FIRST_TTL, max: LAST_TTL }),
  shard: fc.nat(2),
  /** Seconds before it expires. */
  written: fc.integer({ min: 1, max: 300 }),
  /** Seconds after its expiry, or before; not at all for null. */
  renewed: fc.option(fc.integer({ min: -5, max: 60 }), { freq: 2 }),
  /** Seconds after its expiry: what keeps a child beyond its minute. */
  throttledFor: fc.constantFrom(0, 0, 0, 5, 100, 400),
});

const tick = fc.record({
  /** Seconds after its time; one for each delivery. */
  deliveries: fc.oneof(
    { weight: 4, arbitrary: fc.constant([0]) },
    { weight: 1, arbitrary: fc.constant([] as number[]) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 59 }).map(late => [late]) },
    { weight: 2, arbitrary: fc.tuple(fc.constant(0), fc.integer({ min: 0, max: 59 })) },
  ),
  killedAfter: fc.constantFrom(null, null, null, ...KILLS, 1, 65),
  /** Seconds that its plan takes: the last ones are beyond the minute that it owns, and the function's time. */
  planTakes: fc.constantFrom(0, 0, 0, 0, 20, 70, 110),
});

const run = fc.record({
  items: fc.array(item, { minLength: 1, maxLength: 30 }),
  ticks: fc.array(tick, { minLength: DISTURBED, maxLength: DISTURBED }),
  model: fc.constantFrom<Omit<ExpiryModelProps, 'partitionKey'>>(
    { granularityMinutes: 1, shards: 3 },
    { granularityMinutes: 1440, shards: 3 },
    { granularityMinutes: 1440 },
    { indexedBy: 'second' },
  ),
  maxDeletesPerSecond: fc.constantFrom(0, 0, 0, 2),
});

/** KILL_RUNS=1000 looks longer. */
const RUNS = Number(process.env['KILL_RUNS'] ?? 6);

test('nothing that lives is deleted, and all that is due is gone after the ticks that follow', async () => {
  await fc.assert(
    fc.asyncProperty(run, async ({ items, ticks, model: props, maxDeletesPerSecond }) => {
      const model = expiryModel({ partitionKey: 'id', ...props });
      const minuteOf = (startedAt: unknown) =>
        Math.floor((Date.parse(String(startedAt)) / 1000 - START) / 60);
      const simulation = new Simulation({
        definition: machinesWith({}),
        start: START,
        model,
        pace: { precisionSeconds: 1, pollSeconds: 1 },
        throttled: (id, nowMs) => {
          const { ttl = 0, throttledFor = 0 } = items[Number(id)] ?? {};
          return nowMs < (ttl + throttledFor) * 1000 && throttledFor > 0;
        },
        failingCall: (name, { input }) => {
          const { machine, startedAt } = input as { machine?: string; startedAt?: string };
          if (name !== 'plan-sweep' || machine !== 'tick') return undefined;
          return { hangsMs: (ticks[minuteOf(startedAt)]?.planTakes ?? 0) * 1000 };
        },
      });
      const { clock, table } = simulation;
      const at = (epochSeconds: number, action: () => void) =>
        clock.schedule(Math.max(0, epochSeconds * 1000 - clock.now()), action);
      const renewed = new Set<string>();
      for (const [index, { ttl, shard, written, renewed: after }] of items.entries()) {
        const id = String(index);
        const writtenAt = Math.max(START, ttl - written);
        at(writtenAt, () => table.write(id, ttl, model.indexedBy === 'window' ? shard % model.shards : 0));
        if (after === null) continue;
        at(Math.max(writtenAt, ttl + after) + 0.5, () => {
          if (!table.ids().includes(id)) return;
          table.write(id, FAR);
          renewed.add(id);
        });
      }
      for (const [minute, { deliveries, killedAfter }] of ticks.entries()) {
        for (const late of deliveries) simulation.tick(START + minute * 60, late, { maxDeletesPerSecond });
        if (killedAfter === null) continue;
        at(START + minute * 60 + killedAfter, () => {
          const own = simulation
            .executionsOf('tick')
            .filter(({ startDate }) => minuteOf(new Date(startDate).toISOString()) === minute);
          for (const execution of own) execution.stop();
        });
      }
      for (let minute = DISTURBED; minute < DISTURBED + CALM; minute += 1)
        simulation.tick(START + minute * 60);
      await simulation.finish();
      // What a hand-over that then failed kept from the ticks, and what was throttled for longer than they look back.
      const later = Math.ceil(clock.now() / 60_000) * 60 + 1_860;
      simulation.tick(later);
      await simulation.finish();

      expect(table.ids()).toEqual([...renewed].sort());
      expect(simulation.deleted).toHaveLength(items.length - renewed.size);
      for (const { ttl, deletedAt } of simulation.deleted)
        expect(deletedAt).toBeGreaterThanOrEqual(ttl * 1000);
    }),
    { numRuns: RUNS },
  );
});

/** Two items a second for six minutes, and the ticks that own them; `disturb` may end some. */
async function stream(
  disturb: (simulation: Simulation) => void = () => undefined,
  options: Partial<ConstructorParameters<typeof Simulation>[0]> = {},
) {
  const simulation = new Simulation({ definition: machinesWith({}), start: START, ...options });
  for (let ttl = START + 120; ttl < START + 480; ttl += 1)
    for (const half of [0, 1]) simulation.table.write(`${ttl}-${half}`, ttl);
  for (let minute = 0; minute < 10; minute += 1) simulation.tick(START + minute * 60);
  disturb(simulation);
  await simulation.finish();
  // A second delivery of the last one may be yet to come.
  await simulation.clock.sleep(60_000);
  await simulation.finish();
  expect(simulation.table.ids()).toEqual([]);
  expect(simulation.deleted).toHaveLength(720);
  const lagOf = ({ ttl, deletedAt }: { ttl: number; deletedAt: number }) => deletedAt - ttl * 1000;
  for (const fate of simulation.deleted) expect(lagOf(fate)).toBeGreaterThanOrEqual(0);
  const late = simulation.deleted.filter(fate => lagOf(fate) > CALM_LAG_MS);
  return { simulation, late, worst: Math.max(...simulation.deleted.map(lagOf)) };
}

describe('a tick that is ended', () => {
  /** The tick of minute 2, which owns minute 3. */
  const killed = (seconds: number) => (simulation: Simulation) => {
    simulation.clock.schedule((120 + seconds) * 1000, () => simulation.executions[2]?.stop());
  };

  test.each([
    // Minute 3 begins 60 seconds after the tick, and the tick of minute 4 finds what it left.
    [60, 62_000, 125],
    [90, 31_500, 65],
    // It has done all that is its own by then.
    [180, CALM_LAG_MS, 0],
    [299, CALM_LAG_MS, 0],
  ])(
    'after %d s leaves nothing that the next ones do not find, at most %d ms late',
    async (seconds, ms, most) => {
      const { simulation, late, worst } = await stream(killed(seconds));
      expect(worst).toBeLessThanOrEqual(ms);
      expect(late.length).toBeLessThanOrEqual(most);
      if (most > 0) {
        expect(late.length).toBeGreaterThan(0);
        expect(simulation.executions[2]?.status).toBe('ABORTED');
      }
      for (const { ttl } of late) expect(Math.floor((ttl - START) / 60)).toBe(3);
    },
  );

  test('for a function that never answers ends with its time limit, and keeps no other from its own', async () => {
    const { simulation, late } = await stream(undefined, {
      failingCall: (name, { input }) => {
        const { startedAt } = input as { startedAt?: string };
        const isThird = startedAt === new Date((START + 120) * 1000).toISOString();
        return name === 'plan-sweep' && isThird ? { hangsMs: 1_000_000 } : undefined;
      },
    });
    const [, , third] = simulation.executions;
    expect(third).toMatchObject({ status: 'TIMED_OUT' });
    expect((third?.stopDate ?? 0) - (third?.startDate ?? 0)).toBe(290_000);
    for (const { ttl } of late) expect(Math.floor((ttl - START) / 60)).toBe(3);
  });
});

test.each([[20], [70], [110]])(
  'a plan that answers %d s late costs its own minute at most',
  async seconds => {
    const { simulation, late } = await stream(undefined, {
      failingCall: (name, { input }) => {
        const { startedAt } = input as { startedAt?: string };
        const isThird = startedAt === new Date((START + 120) * 1000).toISOString();
        return name === 'plan-sweep' && isThird ? { hangsMs: seconds * 1000 } : undefined;
      },
    });
    for (const { status } of simulation.executions) expect(status).toBe('SUCCEEDED');
    for (const { ttl } of late) expect(Math.floor((ttl - START) / 60)).toBe(3);
    expect(late.length > 0).toBe(seconds > 60);
  },
);

test('a tick that is delivered twice deletes nothing twice, counts each item once, and is billed twice', async () => {
  const once = await stream();
  const { simulation, late } = await stream(undefined, { deliveries: () => [0, 12_000] });
  expect(late).toEqual([]);
  expect(simulation.executions).toHaveLength(20);
  for (const { status } of simulation.executions) expect(status).toBe('SUCCEEDED');
  const sum = (count: 'deleted' | 'failed') =>
    simulation.reportsOf().reduce((total, report) => total + report[count], 0);
  expect([sum('deleted'), sum('failed')]).toEqual([720, 0]);
  expect(simulation.billing.expressRequests).toBe(2 * once.simulation.billing.expressRequests);
});
