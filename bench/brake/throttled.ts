import { seededRandom } from 'stepfunctions-emulator';
import { TICK_LATE_SECONDS } from '../../cost/assumptions.ts';
import { ITEM_UNITS, WriteCapacity } from '../../lab/faults/index.ts';
import { lagPercentiles } from '../../lab/report/lag.ts';
import { lagMsOf, Simulation } from '../../test/support/simulation/simulation.ts';
import { sumExecutions } from '../ticks/executions.ts';
import type { ThrottledHalf } from './result.ts';

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;

/** Minutes before the first item expires, and ticks after the table has room again. */
const LEAD = 2;
const FOLLOWING = 6;

/** What the application writes, items a second, one after the other. */
const WRITES_PER_SECOND = 100;

/** Expiring items a second. */
const EXPIRING_PER_SECOND = 100;

/** A table for which the writer, and three fifths of what expires, are enough. */
const UNITS_PER_SECOND = (WRITES_PER_SECOND + 0.6 * EXPIRING_PER_SECOND) * ITEM_UNITS;

/** Afterwards: more than anything here takes. */
const ROOMY = 40_000;

export interface ThrottledRun {
  /** How long the table is too small. */
  readonly minutes: number;
  readonly seed: number;
  /** Share of the sweep's calls that are refused besides, 0 to 1, whatever the table has room for. */
  readonly randomShare: number;
  readonly adaptive: boolean;
}

/** A table that is too small for what expires in it, beside a writer that needs the most part of it. */
export async function runThrottled(run: ThrottledRun): Promise<ThrottledHalf> {
  const { minutes, seed, randomShare, adaptive } = run;
  const random = seededRandom(seed);
  const fromMs = (START + LEAD * 60) * 1000;
  const untilMs = fromMs + minutes * 60_000;
  const small = new WriteCapacity({ unitsPerSecond: UNITS_PER_SECOND });
  const roomy = new WriteCapacity({ unitsPerSecond: ROOMY });
  const isSmall = (nowMs: number) => nowMs >= fromMs && nowMs < untilMs;
  const take = (nowMs: number) => (isSmall(nowMs) ? small : roomy).take(ITEM_UNITS, nowMs);
  const simulation = new Simulation({
    start: START,
    adaptive,
    throttled: (_id, nowMs) => !take(nowMs),
    throttledCall: nowMs => isSmall(nowMs) && random.next() < randomShare,
  });
  const { clock, table } = simulation;

  const seconds = minutes * 60;
  for (let index = 0; index < EXPIRING_PER_SECOND * seconds; index += 1) {
    table.write(`item-${index}`, START + LEAD * 60 + Math.floor(index / EXPIRING_PER_SECOND));
  }
  const writes = WRITES_PER_SECOND * seconds;
  let writesThrottled = 0;
  for (let write = 0; write < writes; write += 1) {
    // Not in the very millisecond in which the sweep begins: neither comes always first.
    const at = fromMs + ((write + random.next()) * 1000) / WRITES_PER_SECOND;
    clock.schedule(at - clock.now(), () => {
      if (!take(clock.now())) writesThrottled += 1;
    });
  }
  for (let minute = 0; minute < LEAD + minutes + FOLLOWING; minute += 1) {
    simulation.tick(START + minute * 60, TICK_LATE_SECONDS);
  }
  await simulation.finish();

  const lastMs = simulation.deleted.reduce((last, { deletedAt }) => Math.max(last, deletedAt), 0);
  return {
    items: EXPIRING_PER_SECOND * seconds,
    left: table.ids().length,
    goneAfterMs: lastMs - untilMs,
    lagMs: lagPercentiles(simulation.deleted.map(lagMsOf)),
    writes,
    writesThrottled,
    sums: sumExecutions(simulation.executions),
    braked: simulation.reportsOf().reduce((sum, { braked }) => sum + braked, 0),
  };
}
