/** `npm run bench fleet`: sweeps a hundred tables in one tick, and a backlog of a million items in one table. */
import { expiryModel } from '../../expiry/model.ts';
import type { Trouble } from '../../test/support/simulation/simulated-table.ts';
import { lagMsOf, Simulation } from '../../test/support/simulation/simulation.ts';
import { lagPercentiles } from '../report/numbers.ts';
import { defineExperiment, virtualMinutes, whole } from './support/experiment.ts';

const TROUBLES: readonly Trouble[] = [
  ...Array.from({ length: 5 }, () => 'throttled' as const),
  'deleted',
  'forbidden',
  'hanging',
];
/** Start of the virtual clock, epoch seconds. */
const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
const TABLES = 100;
const BUSY = TABLES - TROUBLES.length;
/** Tables with 20 items a second; the others have 20 a minute. */
const FAST = 5;
/** Seconds over which the backlog expired. */
const SPAN = 6 * 3600;

const model = expiryModel({ partitionKey: 'id', granularityMinutes: 1440 });

export default defineExperiment({
  name: 'fleet',
  about: `
Runs the real definitions and all that the functions decide, around tables in memory, on a virtual clock, with calls of 20 ms.

1. ${TABLES} tables in one tick: 87 with 20 items a minute, ${FAST} with 20 a second, 5 throttled, 1 deleted, 1 forbidden, 1 hanging.
2. A backlog on one table, in one window of a day: the ticks and the execution that they hand it over to, beside one execution of the
   replay machine by hand.

The same flags give the same result on every machine. Takes some minutes.`,
  flags: {
    minutes: { ...virtualMinutes(3, 'how long items expire'), max: 10 },
    backlog: whole({ min: 10_000, max: 2_000_000 }, 1_000_000, 'items that lie back on one table'),
  },
  holds: `p99 of the 92 tables at most 1.5 s and all of their items gone, the backlog gone in at most 1.1 of the replay's time, with at
most 1% of its deletes made twice`,
  async run({ flags, print }) {
    const tables = await runFleet(flags.minutes);
    print(`tables ${JSON.stringify(tables)}`);
    const backlog = await runBacklog(flags.backlog);
    return {
      text: `backlog ${JSON.stringify(backlog)}`,
      result: { tables, backlog },
      problems: [
        ...(tables.left > 0 ? [`${tables.left} items of the tables without trouble are left`] : []),
        ...((tables.lagMs.p99 ?? 0) > 1_500 ? [`p99 of their lag is ${tables.lagMs.p99} ms`] : []),
        ...(backlog.left > 0 ? [`${backlog.left} items of the backlog are left`] : []),
        ...(backlog.ratio > 1.1 ? [`the backlog takes ${backlog.ratio} of the time of a replay`] : []),
        ...(backlog.twice > 0.01 * flags.backlog
          ? [`${backlog.twice} deletes of the backlog were made twice`]
          : []),
      ],
    };
  },
});

/** A hundred tables, some with faults, swept by the ticks of one deployment. The counts are those of the tables without faults. */
async function runFleet(minutes: number) {
  const simulation = new Simulation({
    start: START,
    callMs: 20,
    tables: Array.from({ length: TABLES }, (_unused, index) => {
      const trouble = TROUBLES[index - BUSY];
      return { name: `table-${index}`, model, ...(trouble && { trouble: () => trouble }) };
    }),
  });
  for (const [index, { items }] of simulation.tables.entries()) {
    const aMinute = index < FAST ? 1200 : 20;
    for (let item = 0; item < aMinute * minutes; item += 1) {
      // Each table has its own seconds of expiry.
      const second = Math.floor((item * 60) / aMinute + (index % 3));
      items.write(`item-${item}`, START + 60 + Math.min(second, minutes * 60 - 1));
    }
  }
  for (let minute = 0; minute <= minutes + 1; minute += 1) simulation.tick(START + minute * 60);
  await simulation.finish();
  const busy = simulation.tables.slice(0, BUSY);
  const lags = busy.flatMap(({ deleted }) => deleted.map(lagMsOf));
  return {
    deleted: lags.length,
    left: busy.reduce((sum, { items }) => sum + items.size, 0),
    lagMs: lagPercentiles(lags),
    executions: simulation.executions.length,
    /** Executions that ended neither as a success nor as an incomplete sweep. */
    otherwise: simulation.executions.filter(
      ({ status, error }) => status !== 'SUCCEEDED' && error !== 'SweepIncompleteError',
    ).length,
  };
}

/** Sweeps a backlog in one window of a day by ticks, and by a manual replay. */
async function runBacklog(items: number) {
  const [byTicks, byHand] = [simulationWith(items), simulationWith(items)];
  for (let minute = 0; minute <= 5; minute += 1) byTicks.tick(START + minute * 60);
  await byTicks.finish();
  byHand.replay({
    from: new Date((START - SPAN - 120) * 1000).toISOString(),
    to: new Date(START * 1000).toISOString(),
  });
  await byHand.finish();
  const secondsOf = ({ deleted }: Simulation) => {
    const lastMs = deleted.reduce((last, { deletedAt }) => Math.max(last, deletedAt), 0);
    return Number((lastMs / 1000 - START).toFixed(2));
  };
  const [tickSeconds, replaySeconds] = [secondsOf(byTicks), secondsOf(byHand)];
  return {
    items,
    /** Durations from the first tick, or from the start of the replay, to the last deletion. */
    ...{ tickSeconds, replaySeconds },
    ratio: Number((tickSeconds / replaySeconds).toFixed(3)),
    left: byTicks.table.size + byHand.table.size,
    /** Deletes whose item no longer existed. */
    twice: byTicks.reportsOf().reduce((sum, { notFound }) => sum + notFound, 0),
    handOvers: byTicks.executionsOf('replay').length,
  };
}

function simulationWith(items: number): Simulation {
  const simulation = new Simulation({ start: START, callMs: 20, model });
  for (let item = 0; item < items; item += 1) {
    simulation.table.write(`item-${item}`, START - 60 - Math.floor((item * SPAN) / items));
  }
  return simulation;
}
