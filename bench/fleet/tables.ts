import { expiryModel } from '../../expiry/model.ts';
import { type LagPercentiles, lagPercentiles } from '../../lab/report/lag.ts';
import type { Trouble } from '../../test/support/simulation/simulated-table.ts';
import { lagMsOf, Simulation } from '../../test/support/simulation/simulation.ts';

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;

const TROUBLES: readonly Trouble[] = [
  'throttled',
  'throttled',
  'throttled',
  'throttled',
  'throttled',
  'deleted',
  'forbidden',
  'hanging',
];
const TABLES = 100;
const BUSY = TABLES - TROUBLES.length;
/** Tables with 20 items a second; the others have 20 a minute. */
const FAST = 5;

export interface FleetResult {
  readonly minutes: number;
  /** Of the tables without trouble. */
  readonly deleted: number;
  readonly left: number;
  readonly lagMs: LagPercentiles;
  readonly executions: number;
  /** Executions that ended as neither a success nor an incomplete sweep does. */
  readonly otherwise: number;
}

/** A hundred tables, some in trouble, swept by the ticks of one deployment. */
export async function runFleet(minutes: number): Promise<FleetResult> {
  const simulation = new Simulation({
    start: START,
    callMs: 20,
    tables: Array.from({ length: TABLES }, (_unused, index) => {
      const trouble = TROUBLES[index - BUSY];
      return {
        name: `table-${index}`,
        model: expiryModel({ partitionKey: 'id', granularityMinutes: 1440 }),
        ...(trouble && { trouble: () => trouble }),
      };
    }),
  });
  for (const [index, { items }] of simulation.tables.entries()) {
    const aMinute = index < FAST ? 1200 : 20;
    for (let item = 0; item < aMinute * minutes; item += 1) {
      // Each table at seconds of its own.
      const second = Math.floor((item * 60) / aMinute + (index % 3));
      items.write(`item-${item}`, START + 60 + Math.min(second, minutes * 60 - 1));
    }
  }
  for (let minute = 0; minute <= minutes + 1; minute += 1) simulation.tick(START + minute * 60);
  await simulation.finish();
  const busy = simulation.tables.slice(0, BUSY);
  const lags = busy.flatMap(({ deleted }) => deleted.map(lagMsOf));
  return {
    minutes,
    deleted: lags.length,
    left: busy.reduce((sum, { items }) => sum + items.size, 0),
    lagMs: lagPercentiles(lags),
    executions: simulation.executions.length,
    otherwise: simulation.executions.filter(
      ({ status, error }) => status !== 'SUCCEEDED' && error !== 'SweepIncompleteError',
    ).length,
  };
}
