import { type ExpiryModelProps, expiryModel } from '../../expiry/model.ts';
import { Simulation, type SimulationOptions } from '../support/simulation/simulation.ts';
import { sweepReport } from '../support/sweep-reports.ts';

/*
 * A backlog that a tick cannot finish: the replay machine goes on with it, and the ticks beside it with what expires now. Calls that take
 * seconds stand for a backlog that is larger than a test has time for.
 */

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;

/** In one shard: a tick gets through twice as much of two. */
const BY_DAY = { granularityMinutes: 1440, shards: 1 };

interface Backlog extends Omit<SimulationOptions, 'start' | 'model'> {
  readonly items: number;
  readonly minutes: number;
  readonly model?: Omit<ExpiryModelProps, 'partitionKey'>;
  /** When each minute's ticks come, seconds after it. @default once, in time */
  readonly late?: readonly number[];
}

/** Items of the last two hours, and some that expire in each minute that comes. */
function simulate({ items, minutes, model = BY_DAY, late = [0], ...options }: Backlog): Simulation {
  const simulation = new Simulation({
    start: START,
    callMs: 20,
    model: expiryModel({ partitionKey: 'id', ...model }),
    ...options,
  });
  for (let item = 0; item < items; item += 1) {
    simulation.table.write(`back-${item}`, START - 60 - Math.floor((item * 7_200) / items));
  }
  for (let second = 60; second < minutes * 60; second += 20)
    simulation.table.write(`now-${second}`, START + second);
  for (let minute = 0; minute < minutes; minute += 1) {
    for (const seconds of late) simulation.tick(START + minute * 60, seconds);
  }
  return simulation;
}

const SLOW: Pick<SimulationOptions, 'failingCall'> = {
  failingCall: (name, { input }) => {
    const { chunk } = input as { readonly chunk?: { readonly once: boolean } };
    return name === 'delete-chunk' && chunk?.once === false ? { hangsMs: 2_000 } : undefined;
  },
};

function worstLagOfNow({ deleted }: Simulation): number {
  const lags = deleted
    .filter(({ id }) => id.startsWith('now-'))
    .map(({ ttl, deletedAt }) => deletedAt - ttl * 1000);
  return Math.max(0, ...lags);
}

const twiceOf = (simulation: Simulation) =>
  simulation.reportsOf().reduce((sum, { notFound }) => sum + notFound, 0);

describe('a backlog that a tick can finish is not handed over', () => {
  test.each<[string, Backlog['model']]>([
    ['in a window of a day', BY_DAY],
    ['in windows of a minute', { granularityMinutes: 1 }],
    ['by second', { indexedBy: 'second' }],
  ])('%s', async (_name, model) => {
    const simulation = simulate({ items: 6_000, minutes: 3, ...(model && { model }) });
    await simulation.finish();
    expect(simulation.table.ids()).toEqual([]);
    // By second the watermark is far back until a replay has looked: it finds nothing.
    const replays = simulation.executionsOf('replay');
    for (const replay of replays) expect(sweepReport(replay)).toMatchObject({ found: 0 });
    if (model?.indexedBy !== 'second') expect(replays).toEqual([]);
    for (const { status } of simulation.executions) expect(status).toBe('SUCCEEDED');
    // By second two targets could have had the same seconds: 2% of the deletes were made twice.
    expect(twiceOf(simulation)).toBe(0);
  });
});

describe('a backlog that is too much for a tick', () => {
  test.each<[string, readonly number[]]>([
    ['ticks in time', [0]],
    ['ticks that come twice', [0, 7]],
    ['ticks that come late by turns', [59]],
  ])('%s: it is handed over once, and the ticks go on with what expires now', async (_name, late) => {
    const simulation = simulate({ items: 8_000, minutes: 4, late, ...SLOW });
    await simulation.finish();
    expect(simulation.table.ids()).toEqual([]);
    expect(worstLagOfNow(simulation)).toBeLessThan(1000);
    const [handOver, ...others] = simulation.executionsOf('replay');
    expect(handOver?.status).toBe('SUCCEEDED');
    expect(others).toEqual([]);
    for (const { status } of simulation.executions) expect(status).toBe('SUCCEEDED');
    // Two ticks of one minute find what expires in it together.
    const now = simulation.deleted.filter(({ id }) => id.startsWith('now-')).length;
    expect(twiceOf(simulation)).toBeLessThanOrEqual(0.01 * 8_000 + (late.length - 1) * now);
    expect(simulation.journal.state.control.handOvers).toEqual({});
  });

  test('one that died is followed by another when its lease has ended', async () => {
    const simulation = simulate({ items: 8_000, minutes: 45, ...SLOW });
    // As late as it may be: its children have just begun.
    const stop = setIntervalOn(simulation, () => {
      const [handOver] = simulation.executionsOf('replay');
      if (handOver?.status !== 'RUNNING') return false;
      handOver.stop('Stopped', 'by an operator');
      return true;
    });
    await simulation.finish();
    await stop;
    expect(simulation.table.ids()).toEqual([]);
    const [stopped, next] = simulation.executionsOf('replay');
    expect(stopped?.status).toBe('ABORTED');
    expect(next?.status ?? 'none needed').toMatch(/SUCCEEDED|none needed/);
    expect(worstLagOfNow(simulation)).toBeLessThan(1000);
  });

  test('one that cannot be started fails the tick, and is tried again', async () => {
    let refused = 0;
    const simulation = simulate({
      items: 8_000,
      minutes: 9,
      ...SLOW,
      failingStart: machine => {
        if (machine === 'tick' || refused >= 1) return undefined;
        refused += 1;
        return 'StepFunctions.ExecutionLimitExceeded';
      },
    });
    await simulation.finish();
    expect(refused).toBeGreaterThan(0);
    expect(simulation.executionsOf('tick').some(({ error }) => error === 'SweepIncompleteError')).toBe(true);
    expect(simulation.table.ids()).toEqual([]);
    expect(worstLagOfNow(simulation)).toBeLessThan(1000);
  });

  test('a table that is paused meanwhile is left, and gone on with later', async () => {
    const simulation = simulate({ items: 8_000, minutes: 6, ...SLOW });
    simulation.clock.schedule(65_000, () => {
      simulation.journal.pauses['simulated'] = { since: new Date(simulation.clock.now()).toISOString() };
    });
    await simulation.finish();
    for (const { status } of simulation.executionsOf('replay')) expect(status).toBe('SUCCEEDED');
    // What was under way when the pause began is finished, and nothing begins after it.
    const lastBegun = START + 65 + 195;
    expect(simulation.deleted.filter(({ deletedAt }) => deletedAt > lastBegun * 1000)).toEqual([]);
  });
});

/** Asks every second of the clock until the answer is true. */
async function setIntervalOn({ clock }: Simulation, ask: () => boolean): Promise<void> {
  for (let second = 0; second < 600; second += 1) {
    await clock.sleep(1000);
    if (ask()) return;
  }
}
