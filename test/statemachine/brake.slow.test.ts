import { type ExpiryModelProps, expiryModel } from '../../expiry/model.ts';
import type { SweepReport } from '../../statemachine/contract/report.ts';
import { machinesWith } from '../support/run-sweep.ts';
import { Simulation, type SimulationOptions } from '../support/simulation/simulation.ts';
import { sweepReport } from '../support/sweep-reports.ts';
import { countsOfTenSeconds } from '../support/ten-seconds.ts';

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
const FIRST = START + 120;

const BY: readonly (readonly [string, Partial<ExpiryModelProps>])[] = [
  ['window', { indexedBy: 'window' }],
  ['second', { indexedBy: 'second' }],
];

function simulate(model: Partial<ExpiryModelProps>, more: Partial<SimulationOptions> = {}): Simulation {
  return new Simulation({
    definition: machinesWith({}),
    start: START,
    model: expiryModel({ partitionKey: 'id', ...model }),
    pace: { precisionSeconds: 1, pollSeconds: model.indexedBy === 'second' ? 1 : 0 },
    ...more,
  });
}

function fill({ table }: Simulation, perSecond: number, seconds: number, from = FIRST): number {
  for (let index = 0; index < perSecond * seconds; index += 1) {
    table.write(`${from}-${index}`, from + Math.floor(index / perSecond));
  }
  return perSecond * seconds;
}

const reportsOf = ({ executions }: Simulation) =>
  executions.map(execution => {
    const { status, cause } = execution;
    expect({ status, cause }).toEqual({ status: 'SUCCEEDED', cause: undefined });
    return sweepReport(execution);
  });

function expectSound(simulation: Simulation, items: number): readonly SweepReport[] {
  expect(simulation.table.ids()).toEqual([]);
  expect(simulation.deleted).toHaveLength(items);
  for (const { ttl, deletedAt } of simulation.deleted) expect(deletedAt).toBeGreaterThanOrEqual(ttl * 1000);
  const reports = reportsOf(simulation);
  for (const { found, deleted, renewed, notFound, failed } of reports) {
    expect(deleted + renewed + notFound + failed).toBe(found);
  }
  expect(reports.reduce((sum, { deleted }) => sum + deleted, 0)).toBe(items);
  return reports;
}

describe.each(BY)('by %s', (_by, model) => {
  test('a limit is kept within 10% in any ten seconds, and nothing is lost', async () => {
    const simulation = simulate(model);
    const items = fill(simulation, 20, 180);
    // Whenever within its minute a tick comes.
    for (let minute = 0; minute < 7; minute += 1) {
      simulation.tick(START + minute * 60, (minute * 23) % 60, minute < 5 ? { maxDeletesPerSecond: 10 } : {});
    }
    await simulation.finish();
    const reports = expectSound(simulation, items);
    const moments = simulation.deleted.map(({ deletedAt }) => deletedAt);
    const { most, fewest } = countsOfTenSeconds(moments, FIRST * 1000, (START + 300) * 1000);
    expect(most).toBeLessThanOrEqual(110);
    expect(fewest).toBeGreaterThanOrEqual(90);
    // It is late, and says so.
    expect(reports.some(({ leftForLater }) => leftForLater > 0)).toBe(true);
    expect(Math.max(...reports.map(each => each.oldestOverdueSeconds))).toBeGreaterThan(100);
    // A query for each second and child, not more.
    expect(simulation.calls['query-expired']).toBeLessThan(1200);
  });

  test('what is left when nothing more expires goes on at the limit, although it lies behind a gap', async () => {
    const simulation = simulate(model, { lookbackMinutes: 2 });
    // Two minutes of 40 a second, and then nothing: at ten a second that takes eight minutes.
    const items = fill(simulation, 40, 120);
    for (let minute = 0; minute < 12; minute += 1) {
      simulation.tick(START + minute * 60, 5, { maxDeletesPerSecond: 10 });
    }
    await simulation.finish();
    expectSound(simulation, items);
    const last = Math.max(...simulation.deleted.map(({ deletedAt }) => deletedAt)) / 1000;
    expect(last).toBeLessThan(FIRST + 540);
  });

  test('a limit that is not reached changes nothing: no brake, no lag', async () => {
    const simulation = simulate(model);
    const items = fill(simulation, 3, 100);
    for (let minute = 0; minute < 4; minute += 1) {
      simulation.tick(START + minute * 60, 5, { maxDeletesPerSecond: 50 });
    }
    await simulation.finish();
    const reports = expectSound(simulation, items);
    expect(reports.every(({ braked, leftForLater }) => braked === 0 && leftForLater === 0)).toBe(true);
    for (const { ttl, deletedAt } of simulation.deleted) expect(deletedAt - ttl * 1000).toBeLessThan(1000);
  });

  test('a child that DynamoDB throttles slows down and says so; one that it does not is as fast as ever', async () => {
    const busy = (nowMs: number) => nowMs >= FIRST * 1000 && nowMs < (FIRST + 25) * 1000;
    const run = async (adaptive: boolean) => {
      let throttled = 0;
      const simulation = simulate(model, {
        adaptive,
        throttled: (_id, nowMs) => {
          if (busy(nowMs)) throttled += 1;
          return busy(nowMs);
        },
      });
      const items = fill(simulation, 40, 60);
      for (let minute = 0; minute < 4; minute += 1) simulation.tick(START + minute * 60, 5);
      await simulation.finish();
      const reports = expectSound(simulation, items);
      return { throttled, reports, deleted: simulation.deleted };
    };
    const [braked, free] = [await run(true), await run(false)];
    expect(braked.throttled).toBeLessThan(free.throttled / 4);
    expect(braked.reports.reduce((sum, report) => sum + report.braked, 0)).toBeGreaterThan(10);
    expect(braked.reports.reduce((sum, report) => sum + report.throttled, 0)).toBe(braked.throttled);
    expect(free.reports.every(report => report.braked === 0)).toBe(true);
    // Not long after, what expires is gone in time again.
    for (const { ttl, deletedAt } of braked.deleted) {
      if (ttl >= FIRST + 55) expect(deletedAt - ttl * 1000).toBeLessThan(2000);
    }
  });
});
