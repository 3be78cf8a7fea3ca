import { expiryModel } from '../../expiry/model.ts';
import { Simulation } from '../../test/support/simulation/simulation.ts';

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
/** The backlog has expired over so many seconds. */
const SPAN = 6 * 3600;

export interface BacklogResult {
  readonly items: number;
  /** Seconds from the first tick to the last of them. */
  readonly tickSeconds: number;
  /** The same of one execution of the replay machine. */
  readonly replaySeconds: number;
  readonly ratio: number;
  readonly left: number;
  /** Deletes that found nothing any more. */
  readonly twice: number;
  readonly handOvers: number;
}

/** A backlog in one window of a day, left to the ticks, and to a replay by hand. */
export async function runBacklog(items: number): Promise<BacklogResult> {
  const byTicks = simulationWith(items);
  for (let minute = 0; minute <= 5; minute += 1) byTicks.tick(START + minute * 60);
  await byTicks.finish();
  const byHand = simulationWith(items);
  byHand.replay({
    from: new Date((START - SPAN - 120) * 1000).toISOString(),
    to: new Date(START * 1000).toISOString(),
  });
  await byHand.finish();
  const tickSeconds = secondsOf(byTicks);
  const replaySeconds = secondsOf(byHand);
  return {
    items,
    tickSeconds,
    replaySeconds,
    ratio: Number((tickSeconds / replaySeconds).toFixed(3)),
    left: byTicks.table.size + byHand.table.size,
    twice: byTicks.reportsOf().reduce((sum, { notFound }) => sum + notFound, 0),
    handOvers: byTicks.executionsOf('replay').length,
  };
}

function simulationWith(items: number): Simulation {
  const model = expiryModel({ partitionKey: 'id', granularityMinutes: 1440 });
  const simulation = new Simulation({ start: START, callMs: 20, model });
  for (let item = 0; item < items; item += 1) {
    simulation.table.write(`item-${item}`, START - 60 - Math.floor((item * SPAN) / items));
  }
  return simulation;
}

function secondsOf({ deleted }: Simulation): number {
  const last = deleted.reduce((latest, { deletedAt }) => Math.max(latest, deletedAt), START * 1000);
  return Number((last / 1000 - START).toFixed(2));
}
