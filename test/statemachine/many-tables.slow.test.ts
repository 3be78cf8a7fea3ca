import { expiryModel } from '../../expiry/model.ts';
import type { SimulatedTableOptions } from '../support/simulation/simulated-table.ts';
import { lagMsOf, Simulation } from '../support/simulation/simulation.ts';

/* What the fuzzer's few tables do not reach: the room that an execution has. */

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
const LONG = 'n'.repeat(240);

/** A table with two items in the minute that the tick at START owns, and one of its settings as long as DynamoDB allows. */
function longTable(number: number): SimulatedTableOptions {
  const tail = `${number}`.padStart(15, '-');
  const name = (first: string) => `${first}${LONG}${tail.slice(1)}`;
  const index = { name: name('i'), attribute: name('w'), granularityMinutes: 1440, shards: 1 } as const;
  return { name: `${LONG}${tail}`, props: { ttlAttribute: name('t'), index } };
}

async function tickOf(tables: readonly SimulatedTableOptions[], shards = 1) {
  let bytes = 0;
  const simulation = new Simulation({
    ...{ start: START, callMs: 20, tables },
    answering: (answer, { name }) => {
      if (name === 'plan-sweep') bytes = Buffer.byteLength(JSON.stringify(answer));
      return answer;
    },
  });
  for (const { items } of simulation.tables) {
    for (let shard = 0; shard < shards; shard += 1) {
      for (const second of [60, 90]) items.write(`${second}-${shard}`, START + second, shard);
    }
  }
  simulation.tick(START);
  await simulation.finish();
  expect(simulation.executions).toHaveLength(1);
  expect(bytes).toBeLessThan(262_144);
  const late = simulation.tables.flatMap(({ deleted }) => deleted).filter(fate => lagMsOf(fate) > 1_000);
  expect(late).toEqual([]);
  return simulation;
}

test('of 140 tables with long names the tick sweeps to the second what it has room for, and tells the others', async () => {
  const { tables, journal, executions } = await tickOf(
    Array.from({ length: 140 }, (_none, number) => longTable(number)),
  );
  const left = tables.filter(({ items }) => items.size > 0);
  expect(left.length).toBeGreaterThan(0);
  expect(left.length).toBeLessThan(90);
  const told = journal.rows.filter(({ report }) => report.failure?.error === 'TickTooLargeError');
  expect(told.map(({ table }) => table).sort()).toEqual(left.map(({ name }) => name).sort());
  expect(executions[0]?.error).toBe('SweepIncompleteError');
});

test('a thousand shards of one table are swept to the second by no more children than an execution has room for', async () => {
  const model = expiryModel({ partitionKey: 'id', granularityMinutes: 1440, shards: 1_000 });
  const { table, executions } = await tickOf([{ model }], 1_000);
  expect([table.size, executions[0]?.status]).toEqual([0, 'SUCCEEDED']);
});
