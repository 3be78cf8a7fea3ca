import { Simulation } from '../support/simulation/simulation.ts';

/*
 * Ticks that are killed or doubled, and plans that answer late: how much is late for it. That nothing that lives is deleted and nothing that
 * is due is left, whatever goes wrong, is the fuzzer's.
 */

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
/** A tick that comes in time, with some reads and deletes of 30 ms each, and the seconds between two polls. */
const CALM_LAG_MS = 1_500;

/** Two items a second for six minutes, and the ticks that own them; `disturb` may end some. */
async function stream(
  disturb: (simulation: Simulation) => void = () => undefined,
  options: Partial<ConstructorParameters<typeof Simulation>[0]> = {},
) {
  const simulation = new Simulation({ start: START, ...options });
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
