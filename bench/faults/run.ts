import { seededRandom } from 'stepfunctions-emulator';
import { TICK_LATE_SECONDS } from '../../cost/assumptions.ts';
import { lagPercentiles } from '../../lab/report/lag.ts';
import { lagMsOf, Simulation } from '../../test/support/simulation/simulation.ts';
import { sumExecutions } from '../ticks/executions.ts';
import type { FaultsResult } from './result.ts';
import { LATE_MS, type Scenario, type StreamItem } from './scenarios.ts';

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;

/** Minutes before the first item expires: the tick that owns its minute is the one before. */
const LEAD = 2;

/** Ticks after the last minute, which find what was left of it. */
const FOLLOWING = 3;

export interface FaultsRun {
  /** How long items keep expiring. */
  readonly minutes: number;
  /** Makes the same faults again. */
  readonly seed: number;
}

/** Runs the ticks of a steady stream of items through a DynamoDB that misbehaves, on a virtual clock. */
export async function runScenario(
  { id, title, rate, faults, bounds }: Scenario,
  { minutes, seed }: FaultsRun,
): Promise<FaultsResult> {
  const from = START + LEAD * 60;
  const items = Array.from({ length: rate * minutes * 60 }, (_unused, index): StreamItem => {
    const ttl = from + Math.floor(index / rate);
    return { id: `${ttl}-${index % rate}`, ttl };
  });
  const { struck = new Set(), ...misbehaviour } = faults?.(items, seededRandom(seed)) ?? {};
  const simulation = new Simulation({ start: START, ...misbehaviour });
  for (const item of items) simulation.table.write(item.id, item.ttl);
  for (let minute = 0; minute < LEAD + minutes + FOLLOWING; minute += 1) {
    simulation.tick(START + minute * 60, TICK_LATE_SECONDS);
  }
  await simulation.finish();

  const deleted = simulation.deleted.map(fate => ({ id: fate.id, lag: lagMsOf(fate) }));
  const others = deleted.filter(fate => !struck.has(fate.id));
  const late = others.filter(({ lag }) => lag > LATE_MS).length;
  return {
    id,
    title,
    rate,
    bounds,
    written: items.length,
    deleted: deleted.length,
    early: deleted.filter(({ lag }) => lag < 0).length,
    struck: struck.size,
    lagMs: lagPercentiles(deleted.map(({ lag }) => lag)),
    lateShare: others.length === 0 ? 0 : late / others.length,
    sums: sumExecutions(simulation.executions),
  };
}
