/** `npm run bench cost`: calculates the cost of a month of sweeping, for one table and for a hundred. */
import { writeFileSync } from 'node:fs';
import { billedDeployment } from '../../cli/cost.ts';
import { monthlyBill } from '../../cost/bill.ts';
import { TICKS_A_MONTH } from '../../cost/sweep-usage.ts';
import { resolveProps } from '../../stacks/config/props.ts';
import { type LogBytes, measureLogBytes } from './cost/log-lines.ts';
import { type CostProps, costOfMonth, type MonthlyCost } from './cost/month.ts';
import {
  defineExperiment,
  markdownRow,
  markdownTable,
  type Outcome,
  textFlag,
} from './support/experiment.ts';

/** Items that expire per minute in each table, number of tables, and their props. */
type Month = readonly [rate: number, tables: number, name: string, props: CostProps];

const WAYS: readonly (readonly [string, CostProps])[] = [
  ['by window', {}],
  ["by window, `precision: 'minute'`", { precision: 'minute' }],
  ['by window of a minute', { granularityMinutes: 1 }],
  ['by second', { indexedBy: 'second' }],
  ['by window, `pollSeconds: 5`', { pollSeconds: 5 }],
];

const MONTHS: readonly Month[] = [
  ...[0, 100, 10_000].flatMap(rate => WAYS.map(([name, props]): Month => [rate, 1, name, props])),
  [100, 1, 'by window, 26 shards', { shards: 26 }],
  [0, 100, 'by window', {}],
  [20, 100, 'by window', {}],
  [0, 100, 'by second', { indexedBy: 'second' }],
];

const HEAD = [
  ...['tables', 'items a minute, each', 'indexed'],
  ...['starts, $', 'Express, $', 'functions, $', 'DynamoDB, $', 'sweep, $'],
  ...['whole bill, $', 'Standard transitions'],
];

export default defineExperiment({
  name: 'cost',
  about: `
Counts what a month of sweeping costs on AWS: a steady stream of expiring items, the real definition on a virtual clock,
some minutes of ticks scaled to a month of 43,200. Prints the table of executions; takes some minutes. The whole bill is that, and what the calculator (npx precise-ttl cost)
counts besides it.`,
  flags: {
    write: { help: 'only write what the log lines take to cost/measured.ts, for the calculator' },
    only: textFlag('WORDS', '', 'only the months whose description has these words'),
  },
  holds: 'counted, and all items were deleted in the minutes that were counted',
  async run({ flags: { write, only }, print }): Promise<Outcome> {
    if (write) {
      writeFileSync(MEASURED, measuredFile(await measureLogBytes()));
      return { text: 'cost/measured.ts' };
    }
    print(markdownTable(HEAD, []));
    const months: (MonthlyCost & { readonly [name: string]: unknown })[] = [];
    for (const month of MONTHS) {
      const [itemsPerMinute, tables, indexed, props] = month;
      if (!`${tables} tables ${itemsPerMinute} items ${indexed}`.includes(only)) continue;
      const cost = await costOfMonth(Array.from({ length: tables }, () => ({ props, itemsPerMinute })));
      const whole = cost.total + besidesSweep(month);
      months.push({ tables, itemsPerMinute, indexed, ...cost, whole });
      print(markdownRow(cellsOf(month, cost, whole)));
    }
    return {
      result: { months },
      problems: months.flatMap(({ indexed, deletedShare }) =>
        deletedShare === 1
          ? []
          : [`${indexed}: some items were not deleted in the minutes that were counted`],
      ),
    };
  },
});

const MEASURED = new URL('../../cost/measured.ts', import.meta.url);

function measuredFile({ swept, metrics }: LogBytes): string {
  return `/**
 * Written by \`npm run bench cost -- --write\`, from what the functions print: do not change it by hand. Bytes of the lines of a sweep
 * that deleted 100 items.
 */
export const LOG_BYTES = {
  swept: ${swept},
  metrics: ${metrics},
} as const;
`;
}

/** The calculator's amounts besides the sweep: for monitoring, and for the indexes and deletes. */
function besidesSweep([rate, tables, , props]: Month): number {
  const resolved = Array.from({ length: tables }, (_unused, table) =>
    resolveProps({ tableName: `SessionData-${table + 1}`, partitionKey: 'id', ...props }),
  );
  const load = {
    ...{ itemsPerMonth: rate * TICKS_A_MONTH, itemBytes: 1000 },
    ...{ renewalsPerItem: 0, lifetimeHours: 24 },
  };
  const { total, byPart } = monthlyBill(billedDeployment(resolved, load));
  return total - byPart.sweep;
}

const dollars = (value: number) => value.toFixed(2);

function cellsOf([rate, tables, name]: Month, cost: MonthlyCost, whole: number): string[] {
  const { parts } = cost;
  return [
    ...[String(tables), rate.toLocaleString('en-US'), name, dollars(cost.starts)],
    dollars(parts.expressRequests + parts.expressGbSeconds),
    dollars(parts.functionInvocations + parts.functionGbSeconds),
    dollars(parts.dynamoDbReadUnits + parts.dynamoDbWriteUnits),
    ...[`**${dollars(cost.total)}**`, dollars(whole)],
    String(cost.standardTransitions),
  ];
}
