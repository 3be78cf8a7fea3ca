import { COUNTERS, type CostProps, costOfMonth, type MonthlyCost } from '../../../bench/experiments/cost.ts';
import { billedDeployment } from '../../../cli/cost.ts';
import { PRICES } from '../../../cost/prices.ts';
import { type SweepUsage, type SweptTable, usageOfMonth } from '../../../cost/sweep-usage.ts';
import { resolveProps } from '../../../stacks/config/props.ts';

const months = new Map<string, Promise<MonthlyCost>>();

/** Each is run once. */
function month(itemsPerMinute: number, props: CostProps, tables = 1): Promise<MonthlyCost> {
  const key = JSON.stringify([itemsPerMinute, props, tables]);
  const made = months.get(key) ?? costOfMonth(itemsPerMinute, tables, props);
  months.set(key, made);
  return made;
}

function billed(itemsPerMinute: number, props: CostProps, tables = 1): readonly SweptTable[] {
  const resolved = Array.from({ length: tables }, (_unused, table) =>
    resolveProps({ tableName: `SessionData-${table + 1}`, partitionKey: 'id', ...props }),
  );
  const load = {
    itemsPerMonth: itemsPerMinute * 43_200,
    itemBytes: 400,
    renewalsPerItem: 0,
    lifetimeHours: 24,
  };
  return billedDeployment(resolved, load).tables;
}

const PARTS = COUNTERS satisfies readonly (keyof SweepUsage)[];

/** Where little is paid for, a cent is nothing. */
const TOLERANCE = { share: 0.02, dollars: 0.03 };

test.each([
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
] as const)(
  'what the calculator counts is what the real definition takes: %d a minute, %j, %d tables',
  async (rate, props, tables) => {
    const { parts, deletedShare } = await month(rate, props, tables);
    expect(deletedShare).toBe(1);
    const counted = usageOfMonth(billed(rate, props, tables));
    const off = PARTS.flatMap(part => {
      const [real, ours] = [parts[part], counted[part] * PRICES[part]];
      const isClose = Math.abs(ours - real) <= TOLERANCE.dollars + TOLERANCE.share * real;
      return isClose ? [] : [{ part, real, ours }];
    });
    expect(off).toEqual([]);
  },
);

test('the calculator counts as many starts as there are', async () => {
  const { starts } = await month(0, { indexedBy: 'window' });
  const usage = usageOfMonth(billed(0, { indexedBy: 'window' }));
  expect(usage.starts * PRICES.schedulerInvocations).toBeCloseTo(starts, 9);
});
