import type { Execution } from 'stepfunctions-emulator';
import { billedDeployment } from '../../cli/cost.ts';
import { CALL_MS, JOURNAL_MS, READ_MS, TICK_LATE_SECONDS } from '../../cost/assumptions.ts';
import { PRICES } from '../../cost/prices.ts';
import { type SweepUsage, TICKS_A_MONTH, usageOfMonth } from '../../cost/sweep-usage.ts';
import { modelOf } from '../../stacks/config/deployments.ts';
import { type FlatProps, type ResolvedProps, resolveProps } from '../../stacks/config/props.ts';
import { Simulation } from '../support/simulation/simulation.ts';

const COUNTERS = [
  ...['expressRequests', 'expressGbSeconds', 'functionInvocations', 'functionGbSeconds'],
  ...['dynamoDbReadUnits', 'dynamoDbWriteUnits'],
] as const satisfies readonly (keyof SweepUsage)[];

/** Only the ticks in the middle of a run are counted: the first and the last ticks may have less work. */
const FIRST_TICK = 3;
const TICKS = 10;
const MINUTES = FIRST_TICK + TICKS + 3;
const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
const FROM = START + FIRST_TICK * 60;

/** Ten ticks of the real definition, while items expire at a constant rate: all ticks have the same work. */
async function tenTicks(itemsPerMinute: number, tables: readonly ResolvedProps[]) {
  const simulation = new Simulation({
    start: START,
    tables: tables.map(props => ({ name: props.tableName, props, model: modelOf(props), read: READ_MS })),
    callMs: CALL_MS,
    journalMs: JOURNAL_MS,
  });
  // Without a watermark, the first ticks would search the last two days.
  const at = new Date((START - 60) * 1000).toISOString();
  const mark = { since: START - 61, gone: START - 61, at };
  const marks = tables.map(({ tableName, shards }) => [tableName, { ...mark, shards }] as const);
  await simulation.journal.writeWatermarks(at, Object.fromEntries(marks));
  for (const [index, { tableName, shards }] of tables.entries()) {
    const { items } = simulation.named(tableName);
    for (let item = 0; item < itemsPerMinute * MINUTES; item += 1) {
      const after = Math.floor(((item + index / tables.length) * 60) / itemsPerMinute);
      items.write(`item-${item}`, START + 60 + after, item % shards);
    }
  }
  for (let minute = 0; minute < MINUTES; minute += 1) simulation.tick(START + minute * 60, TICK_LATE_SECONDS);
  await simulation.finish();
  const deleted = simulation.tables.flatMap(table => table.deleted);
  return {
    executions: simulation.executions.filter(
      ({ startDate }) => startDate >= FROM * 1000 && startDate < (FROM + TICKS * 60) * 1000,
    ),
    deleted: deleted.filter(({ ttl }) => ttl >= FROM + 60 && ttl < FROM + 60 + TICKS * 60).length,
  };
}

function amountOf(counter: (typeof COUNTERS)[number], executions: readonly Execution[]): number {
  return executions.reduce((sum, { billing: { usage, ...counted } }) => {
    const amounts: Readonly<Record<string, number>> = { ...usage, ...counted };
    return sum + (amounts[counter] ?? 0);
  }, 0);
}

/** Where little is paid for, a cent is nothing. */
const TOLERANCE = { share: 0.02, dollars: 0.03 };

test.each<[number, Partial<FlatProps>, number]>([
  [0, { indexedBy: 'window' }, 1],
  [0, { indexedBy: 'second' }, 1],
  [100, { indexedBy: 'window' }, 1],
  [100, { indexedBy: 'window', granularityMinutes: 1 }, 1],
  [100, { indexedBy: 'second' }, 1],
  [100, { indexedBy: 'window', precision: 'minute' }, 1],
  [5, { indexedBy: 'window', pollSeconds: 5 }, 1],
  [6, { indexedBy: 'window', shards: 2 }, 1],
  [100, { indexedBy: 'window', shards: 26 }, 1],
  [5, { indexedBy: 'second' }, 1],
  [0, { indexedBy: 'window' }, 100],
  // With two shards and two items a minute, whose seconds decide what is left for the next tick to find, it is one query in six off.
  [2, { indexedBy: 'window', shards: 1 }, 10],
  // Several deletes begin in the same second.
  [20, { indexedBy: 'window' }, 10],
])(
  'what the calculator counts is what the real definition takes: %d a minute, %j, %d tables',
  async (itemsPerMinute, props, count) => {
    const tables = Array.from({ length: count }, (_unused, table) =>
      resolveProps({ tableName: `SessionData-${table + 1}`, partitionKey: 'id', ...props }),
    );
    const { executions, deleted } = await tenTicks(itemsPerMinute, tables);
    expect(deleted).toBe(count * itemsPerMinute * TICKS);
    const itemsPerMonth = itemsPerMinute * TICKS_A_MONTH;
    const load = { itemsPerMonth, itemBytes: 400, renewalsPerItem: 0, lifetimeHours: 24 };
    const counted = usageOfMonth(billedDeployment(tables, load).tables);
    const off = COUNTERS.flatMap(part => {
      const real = amountOf(part, executions) * (TICKS_A_MONTH / TICKS) * PRICES[part];
      const ours = counted[part] * PRICES[part];
      const isClose = Math.abs(ours - real) <= TOLERANCE.dollars + TOLERANCE.share * real;
      return isClose ? [] : [{ part, real, ours }];
    });
    expect(off).toEqual([]);
    expect(counted.starts).toBe(TICKS_A_MONTH);
  },
);
