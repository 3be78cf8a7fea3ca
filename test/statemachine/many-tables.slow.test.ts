import { type ExpiryModelProps, expiryModel } from '../../expiry/model.ts';
import { SWEEP_INCOMPLETE } from '../../statemachine/contract/machines.ts';
import { simulatedMachines } from '../support/simulation/definition.ts';
import type {
  SimulatedTable,
  SimulatedTableOptions,
  Trouble,
} from '../support/simulation/simulated-table.ts';
import { Simulation, type SimulationOptions } from '../support/simulation/simulation.ts';

/* Many tables of one deployment, on a virtual clock: one tick for all of them. */

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;

const modelOf = (props: Omit<ExpiryModelProps, 'partitionKey'> = {}) =>
  expiryModel({ partitionKey: 'id', granularityMinutes: 1440, ...props });

function tablesOf(count: number, more: (index: number) => Partial<SimulatedTableOptions> = () => ({})) {
  return Array.from({ length: count }, (_unused, index) => ({
    name: `table-${index}`,
    model: modelOf(),
    ...more(index),
  }));
}

const simulate = (options: Omit<SimulationOptions, 'start'>) =>
  new Simulation({ start: START, callMs: 20, ...options });

/** Items that expire in the minute that the tick at START owns, one every so many seconds. */
function fill({ items }: SimulatedTable, every = 30, shards = 1): number {
  let written = 0;
  for (let second = 60; second < 120; second += every) {
    for (let shard = 0; shard < shards; shard += 1) {
      items.write(`${second}-${shard}`, START + second, shard);
      written += 1;
    }
  }
  return written;
}

function lagsOf(tables: readonly SimulatedTable[]): number[] {
  return tables
    .flatMap(({ deleted }) => deleted.map(({ ttl, deletedAt }) => deletedAt - ttl * 1000))
    .toSorted((one, other) => one - other);
}

test('a hundred tables that are all busy in the same minute are swept as one is', async () => {
  const one = simulate({ tables: tablesOf(1) });
  const all = simulate({ tables: tablesOf(100) });
  for (const simulation of [one, all]) {
    for (const table of simulation.tables) fill(table);
    simulation.tick(START);
    await simulation.finish();
    for (const { items } of simulation.tables) expect(items.ids()).toEqual([]);
    for (const { status } of simulation.executions) expect(status).toBe('SUCCEEDED');
  }
  expect(lagsOf(all.tables)).toHaveLength(200);
  expect(lagsOf(all.tables).at(-1)).toBe(lagsOf(one.tables).at(-1));
  expect(all.executions).toHaveLength(1);
});

describe('one table in trouble costs the others nothing', () => {
  test.each<[Trouble, number]>([
    // A table that does not answer in time may have something everywhere: a child of its minute, and eight of its lookback.
    ['throttled', 9],
    ['hanging', 9],
    ['deleted', 1],
    ['forbidden', 1],
  ])('%s', async (trouble, failures) => {
    const simulation = simulate({
      tables: tablesOf(6, index => (index === 2 ? { trouble: () => trouble } : {})),
    });
    for (const table of simulation.tables) fill(table);
    // As late as a tick can be: the minute begins a second later.
    simulation.tick(START, 59);
    await simulation.finish();
    const others = simulation.tables.filter(({ name }) => name !== 'table-2');
    for (const { items } of others) expect(items.ids()).toEqual([]);
    expect(lagsOf(others).at(-1)).toBeLessThan(1000);
    for (const { name } of others)
      expect(simulation.reportsOf(name)).toMatchObject([{ deleted: 2, shardsFailed: 0 }]);
    const [report] = simulation.reportsOf('table-2');
    expect((report?.tablesFailed ?? 0) + (report?.shardsFailed ?? 0)).toBe(failures);
    expect(simulation.named('table-2').items.ids()).toHaveLength(2);
    // What is due of it is still due: the tick says that it left something, and the journal of which table.
    expect(simulation.executions[0]).toMatchObject({ status: 'FAILED', error: SWEEP_INCOMPLETE });
    expect(simulation.journal.rows.map(({ table }) => table)).toContain('table-2');
  });
});

test('a table with settings that cannot be read fails alone', async () => {
  const simulation = simulate({ tables: tablesOf(3) });
  Object.assign(simulation.named('table-1').carried, { deleteMode: 'nonsense', metrics: 5 });
  simulation.deploy(simulatedMachines(simulation.tables.map(({ carried }) => carried)));
  for (const table of simulation.tables) fill(table);
  simulation.tick(START);
  await simulation.finish();
  for (const name of ['table-0', 'table-2']) {
    expect(simulation.named(name).items.ids()).toEqual([]);
    expect(simulation.reportsOf(name)).toMatchObject([{ deleted: 2 }]);
  }
  expect(simulation.reportsOf('table-1')).toMatchObject([
    { tablesFailed: 1, failure: { error: 'InvalidSettingsError' } },
  ]);
});

describe('one table of many shards', () => {
  test.each([300, 1000])('%i: no more children than an execution has room for', async shards => {
    const simulation = simulate({ tables: [{ name: 'wide', model: modelOf({ shards }) }, ...tablesOf(3)] });
    const [wide, ...others] = simulation.tables;
    const written = wide === undefined ? 0 : fill(wide, 60, shards);
    for (const table of others) fill(table);
    simulation.tick(START);
    await simulation.finish();
    expect(wide?.deleted).toHaveLength(written);
    for (const { items } of simulation.tables) expect(items.ids()).toEqual([]);
    expect(lagsOf(others).at(-1)).toBeLessThan(1000);
    expect(lagsOf(simulation.tables).at(-1)).toBeLessThan(1500);
    for (const { status } of simulation.executions) expect(status).toBe('SUCCEEDED');
  });
});

describe('what a tick hands on stays below 256 KiB', () => {
  const LONG = 'n'.repeat(240);
  const long = (count: number) =>
    Array.from({ length: count }, (_unused, index): SimulatedTableOptions => {
      const tail = `${index}`.padStart(15, '-');
      return {
        name: `${LONG}${tail}`,
        model: modelOf({
          ttlAttribute: `t${LONG}${tail.slice(1)}`,
          windowAttribute: `w${LONG}${tail.slice(1)}`,
        }),
        props: { index: { name: `i${LONG}${tail.slice(1)}` } },
      };
    });

  async function planOf(tables: readonly SimulatedTableOptions[], late: boolean) {
    let plan: unknown;
    const simulation = simulate({
      tables,
      answering: (answer, { name }) => {
        if (name === 'plan-sweep') plan = answer;
        return answer;
      },
    });
    for (const table of simulation.tables) {
      fill(table);
      if (late) table.items.write('late', START - 100);
    }
    simulation.tick(START);
    await simulation.finish();
    return { simulation, bytes: Buffer.byteLength(JSON.stringify(plan)) };
  }

  test('with a hundred of them, what it has no room for is told, and found by the ticks that follow', async () => {
    const { simulation, bytes } = await planOf(long(100), false);
    expect(bytes).toBeLessThan(262_144);
    const left = simulation.tables.filter(({ items }) => items.ids().length > 0);
    for (const { name } of left) {
      expect(simulation.reportsOf(name)).toContainEqual(
        expect.objectContaining({
          tablesFailed: 1,
          failure: expect.objectContaining({ error: 'TickTooLargeError' }),
        }),
      );
    }
    for (const { error, status } of simulation.executions)
      expect(error ?? status).toMatch(/^(SUCCEEDED|SweepIncompleteError)$/);
    const swept = simulation.tables.filter(table => !left.includes(table));
    expect(swept.length).toBeGreaterThan(50);
    for (const { name } of swept) {
      for (const report of simulation.reportsOf(name))
        expect(report).toMatchObject({ shardsFailed: 0, failed: 0 });
    }
  });
});
