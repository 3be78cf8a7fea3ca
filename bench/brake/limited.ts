import { TICK_LATE_SECONDS } from '../../cost/assumptions.ts';
import type { IndexedBy } from '../../expiry/model.ts';
import { expiryModel } from '../../expiry/model.ts';
import { lagPercentiles } from '../../lab/report/lag.ts';
import { lagMsOf, Simulation } from '../../test/support/simulation/simulation.ts';
import { sumExecutions } from '../ticks/executions.ts';
import type { LimitedResult } from './result.ts';
import { countsOfTenSeconds } from './ten-seconds.ts';

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;

/** Minutes before the first item expires, and ticks after the limit is gone. */
const LEAD = 2;
const FOLLOWING = 4;

export interface LimitedRun {
  readonly indexedBy: IndexedBy;
  /** Expiring items a second. */
  readonly rate: number;
  readonly maxDeletesPerSecond: number;
  /** How long items expire under the limit. */
  readonly minutes: number;
}

/** A stream of items that expire faster than the limit lets the ticks delete them; then the limit is taken away. */
export async function runLimited(run: LimitedRun): Promise<LimitedResult> {
  const { indexedBy, rate, maxDeletesPerSecond, minutes } = run;
  const simulation = new Simulation({
    start: START,
    model: expiryModel({ partitionKey: 'id', indexedBy }),
    pace: { precisionSeconds: 1, pollSeconds: indexedBy === 'second' ? 1 : 0 },
  });
  const from = START + LEAD * 60;
  const items = rate * minutes * 60;
  for (let index = 0; index < items; index += 1) {
    simulation.table.write(`item-${index}`, from + Math.floor(index / rate));
  }
  // The tick of a minute has its limit for the minute after it; the first without one begins with what is left at once.
  const limited = LEAD - 1 + minutes;
  for (let minute = 0; minute < limited + FOLLOWING; minute += 1) {
    simulation.tick(START + minute * 60, TICK_LATE_SECONDS, minute < limited ? { maxDeletesPerSecond } : {});
  }
  await simulation.finish();

  const releasedMs = (START + limited * 60 + TICK_LATE_SECONDS) * 1000;
  const deletedAt = simulation.deleted.map(each => each.deletedAt);
  const last = deletedAt.reduce((latest, at) => Math.max(latest, at), 0);
  const { most, fewest } = countsOfTenSeconds(deletedAt, from * 1000, releasedMs);
  return {
    indexedBy,
    rate,
    maxDeletesPerSecond,
    items,
    left: simulation.table.ids().length,
    mostPerSecond: most / 10,
    fewestPerSecond: fewest / 10,
    goneAfterMs: last - releasedMs,
    lagMs: lagPercentiles(simulation.deleted.map(lagMsOf)),
    sums: sumExecutions(simulation.executions),
  };
}
