/** `npm run bench windows`: measures sweeps with windows of a day, and checks that nothing is deleted twice. */
import { TICK_LATE_SECONDS } from '../../cost/assumptions.ts';
import { expiryModel } from '../../expiry/model.ts';
import { lagMsOf, Simulation } from '../../test/support/simulation/simulation.ts';
import { lagPercentiles } from '../report/lag.ts';
import { count } from '../report/numbers.ts';
import { defineExperiment } from './support/experiment.ts';
import { virtualMinutes } from './support/flags.ts';
import { FIRST_TTL, START } from './support/simulated.ts';
import { sumExecutions } from './support/sums.ts';
import { markdownTable, seconds } from './support/table.ts';

/** Hours in which a backlog expired. */
const BACKLOG_SECONDS = 8 * 60 * 60;

/** With this delay of a batch, a child with ten concurrent batches deletes about 3,000 items a second. */
const SLOW = { deleteMs: 60 };

interface Scenario {
  readonly title: string;
  /** Items a second that expire, in the minutes that are measured. */
  readonly rate: number;
  /** Number of items that expired in the eight hours before and were not deleted. */
  readonly backlog: number;
  /** Number of a tick that is missed, counted from the first. */
  readonly skipped?: number;
  /** Additional duration of a batch of deletes, milliseconds. */
  readonly deleteMs?: number;
}

const SCENARIOS: readonly Scenario[] = [
  { title: 'idle', rate: 0, backlog: 0 },
  { title: '20/s', rate: 20, backlog: 0 },
  { title: '300/s', rate: 300, backlog: 0 },
  { title: '300/s, one tick skipped', rate: 300, backlog: 0, skipped: 2, ...SLOW },
  { title: '20/s, 30,000 left of eight hours', rate: 20, backlog: 30_000, ...SLOW },
  { title: '20/s, 300,000 left of eight hours', rate: 20, backlog: 300_000, ...SLOW },
];

const HEAD = ['', 'windows of', 'deleted', 'twice', 'lag p50, s', 'p99', 'max'];
const MORE_HEAD = ['backlog gone, s', 'calls a tick', 'read units a tick'];

export default defineExperiment({
  name: 'windows',
  about: `
Runs ticks, 5 s late, over a table in windows of a minute and of a day: idle, with a steady stream of items, after a tick that was
skipped, and with a backlog of eight hours. The real definition and all that the functions decide, around a table in memory, on a
virtual clock. The same flags give the same result on every machine. Takes about a minute. The calls and the read units are those of the
index and of the journal, with those of the children.`,
  flags: { minutes: virtualMinutes(3, 'how long items keep expiring') },
  holds: 'simulated',
  async run({ flags: { minutes } }) {
    const rows = [];
    for (const scenario of SCENARIOS) {
      for (const granularityMinutes of [1, 1440]) {
        rows.push(await runWindows(scenario, granularityMinutes, minutes));
      }
    }
    return { text: markdownTable([...HEAD, ...MORE_HEAD], rows) };
  },
});

/** Runs ticks over a steady stream of items, and over the remains of earlier ticks. @returns a row of the table */
async function runWindows(
  { title, rate, backlog, skipped, deleteMs = 0 }: Scenario,
  granularityMinutes: number,
  minutes: number,
): Promise<string[]> {
  const model = expiryModel({ partitionKey: 'id', granularityMinutes });
  const simulation = new Simulation({ start: START, model, callMs: 20, hangingDelete: () => deleteMs });
  const fresh = rate * minutes * 60;
  for (let item = 0; item < fresh; item += 1) {
    simulation.table.write(`new-${item}`, FIRST_TTL + Math.floor(item / rate));
  }
  for (let item = 0; item < backlog; item += 1) {
    simulation.table.write(`old-${item}`, START - 1 - Math.floor((item * BACKLOG_SECONDS) / backlog));
  }
  const ticks = minutes + 4;
  for (let tick = 0; tick < ticks; tick += 1) {
    if (tick !== skipped) simulation.tick(START + tick * 60, TICK_LATE_SECONDS);
  }
  await simulation.finish();
  const { deleted, executions } = simulation;
  const perTick = (name: string) =>
    executions.reduce((sum, { billing }) => sum + (billing.usage[name] ?? 0), 0) / ticks;
  const lagMs = lagPercentiles(deleted.filter(({ id }) => id.startsWith('new')).map(lagMsOf));
  const old = deleted.filter(({ id }) => id.startsWith('old'));
  const goneMs = old.reduce((last, { deletedAt }) => Math.max(last, deletedAt), 0) - START * 1000;
  const gone = deleted.length === fresh + backlog ? seconds(goneMs) : 'partly';
  return [
    ...[title, granularityMinutes === 1 ? 'a minute' : 'a day'],
    `${count(deleted.length)} of ${count(fresh + backlog)}`,
    count(sumExecutions(executions).notFound),
    ...[lagMs.p50, lagMs.p99, lagMs.max].map(seconds),
    old.length === 0 ? '–' : gone,
    perTick('dynamoDbCalls').toFixed(1),
    perTick('dynamoDbReadUnits').toFixed(1),
  ];
}
