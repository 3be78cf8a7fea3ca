import { TICK_LATE_SECONDS } from '../../cost/assumptions.ts';
import { expiryModel } from '../../expiry/model.ts';
import { lagPercentiles } from '../../lab/report/lag.ts';
import { lagMsOf, Simulation } from '../../test/support/simulation/simulation.ts';
import { sumExecutions } from '../ticks/executions.ts';

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;

/** Items that expire beside a backlog, and what else decides a row of the table. */
export interface WindowsScenario {
  readonly title: string;
  /** Items a second that expire, in the minutes that are measured. */
  readonly rate: number;
  /** Items that expired in the eight hours before, and that nothing has deleted. */
  readonly backlog: number;
  /** Ticks that never come, counted from the first. */
  readonly skipped?: readonly number[];
  /** Milliseconds that a batch of deletes takes longer. */
  readonly deleteMs?: number;
}

export interface WindowsResult {
  readonly title: string;
  readonly granularityMinutes: number;
  readonly written: number;
  readonly deleted: number;
  /** Deletes of what was deleted already: each costs a write unit. */
  readonly twice: number;
  /** Of what expires while the ticks run, milliseconds. */
  readonly lagMs: ReturnType<typeof lagPercentiles>;
  /** When the last of the backlog was deleted, seconds after the first tick. */
  readonly backlogGoneSeconds: number;
  /** Calls of the index and of the journal, for each tick, with those of its children. */
  readonly callsPerTick: number;
  readonly readUnitsPerTick: number;
}

export interface WindowsRun {
  readonly granularityMinutes: number;
  readonly minutes: number;
}

/** Hours in which a backlog expired. */
const BACKLOG_SECONDS = 8 * 60 * 60;

/** Runs ticks over a steady stream of items, and over what earlier ticks have left. */
export async function runWindows(
  { title, rate, backlog, skipped = [], deleteMs = 0 }: WindowsScenario,
  { granularityMinutes, minutes }: WindowsRun,
): Promise<WindowsResult> {
  const model = expiryModel({ partitionKey: 'id', granularityMinutes });
  const simulation = new Simulation({
    start: START,
    model,
    callMs: 20,
    hangingDelete: () => deleteMs,
  });
  const from = START + 120;
  let written = 0;
  for (let item = 0; item < rate * minutes * 60; item += 1, written += 1) {
    simulation.table.write(`new-${item}`, from + Math.floor(item / rate));
  }
  for (let item = 0; item < backlog; item += 1, written += 1) {
    simulation.table.write(`old-${item}`, START - 1 - Math.floor((item * BACKLOG_SECONDS) / backlog));
  }
  const ticks = minutes + 4;
  for (let tick = 0; tick < ticks; tick += 1) {
    if (!skipped.includes(tick)) simulation.tick(START + tick * 60, TICK_LATE_SECONDS);
  }
  await simulation.finish();
  const sums = sumExecutions(simulation.executions);
  const counted = (name: string) =>
    simulation.executions.reduce((sum, { billing }) => sum + (billing.usage[name] ?? 0), 0) / ticks;
  const old = simulation.deleted.filter(({ id }) => id.startsWith('old'));
  const fresh = simulation.deleted.filter(({ id }) => id.startsWith('new'));
  return {
    title,
    granularityMinutes,
    written,
    deleted: simulation.deleted.length,
    twice: sums.notFound,
    lagMs: lagPercentiles(fresh.map(lagMsOf)),
    backlogGoneSeconds: old.reduce((last, { deletedAt }) => Math.max(last, deletedAt / 1000 - START), 0),
    callsPerTick: counted('dynamoDbCalls'),
    readUnitsPerTick: counted('dynamoDbReadUnits'),
  };
}
