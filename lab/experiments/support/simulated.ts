import { TICK_LATE_SECONDS } from '../../../cost/assumptions.ts';
import type { Simulation } from '../../../test/support/simulation/simulation.ts';

/** Start of the virtual clock, epoch seconds. */
export const START = Date.parse('2026-11-20T09:00:00Z') / 1000;

/** Minutes before the first item expires: the tick before owns its minute. */
export const LEAD = 2;

/** Expiry of the first item, epoch seconds. */
export const FIRST_TTL = START + LEAD * 60;

/** Starts a tick in each minute, as late as on AWS, and advances time until all have ended. */
export async function runTicks(simulation: Simulation, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    simulation.tick(START + minute * 60, TICK_LATE_SECONDS);
  }
  await simulation.finish();
}
