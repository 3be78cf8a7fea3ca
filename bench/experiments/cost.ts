import { textFlag } from '../../cli/command.ts';
import { CALL_MS, JOURNAL_MS, READ_MS, TICK_LATE_SECONDS } from '../../cost/assumptions.ts';
import { PRICES } from '../../cost/prices.ts';
import { TICKS_A_MONTH } from '../../cost/sweep-usage.ts';
import { DEFAULT_SHARDS } from '../../expiry/model.ts';
import { deploymentOf, modelOf } from '../../stacks/config/deployments.ts';
import { type FlatProps, resolveProps } from '../../stacks/config/props.ts';
import { Simulation } from '../../test/support/simulation/simulation.ts';
import { defineExperiment, markdownRow, markdownTable } from './support/experiment.ts';

export type CostProps = Pick<
  FlatProps,
  'indexedBy' | 'granularityMinutes' | 'precision' | 'pollSeconds' | 'shards'
>;

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
];

export default defineExperiment({
  name: 'cost',
  about: `
Counts what a month of sweeping costs on AWS: a steady stream of expiring items, the real definition on a virtual clock,
some minutes of ticks scaled to a month of 43,200. Takes some minutes. npx precise-ttl cost counts what comes besides.`,
  flags: {
    only: { ...textFlag('WORDS', 'words', 'only the months whose description has these words'), default: '' },
  },
  holds: 'counted, and all items were deleted in the minutes that were counted',
  async run({ flags: { only }, print }) {
    print(markdownTable(HEAD, []));
    const months = [];
    for (const [itemsPerMinute, tables, indexed, props] of MONTHS) {
      if (!`${tables} tables ${itemsPerMinute} items ${indexed}`.includes(only)) continue;
      const cost = await costOfMonth(itemsPerMinute, tables, props);
      months.push({ tables, itemsPerMinute, indexed, ...cost });
      const cells = [String(tables), itemsPerMinute.toLocaleString('en-US'), indexed, ...amountsIn(cost)];
      print(markdownRow(cells));
    }
    return {
      data: { months },
      problems: months.flatMap(({ indexed, deletedShare }) =>
        deletedShare === 1
          ? []
          : [`${indexed}: some items were not deleted in the minutes that were counted`],
      ),
    };
  },
});

function amountsIn({ parts, starts, total }: MonthlyCost): string[] {
  const dollars = (value: number) => value.toFixed(2);
  return [
    dollars(starts),
    dollars(parts.expressRequests + parts.expressGbSeconds),
    dollars(parts.functionInvocations + parts.functionGbSeconds),
    dollars(parts.dynamoDbReadUnits + parts.dynamoDbWriteUnits),
    `**${dollars(total)}**`,
  ];
}

/** Index of the first tick that is counted. Ticks at the start and the end of the run are not counted: they may have less work. */
const FIRST_TICK = 3;
const TICKS = 10;
const START = Date.parse('2026-11-20T09:00:00Z') / 1000;

export const COUNTERS = [
  ...['expressRequests', 'expressGbSeconds', 'functionInvocations', 'functionGbSeconds'],
  ...['dynamoDbReadUnits', 'dynamoDbWriteUnits'],
] as const satisfies readonly (keyof typeof PRICES)[];

/** Cost of the sweep in a month, dollars. */
export interface MonthlyCost {
  readonly parts: Readonly<Record<(typeof COUNTERS)[number], number>>;
  readonly starts: number;
  readonly total: number;
  /** Deleted share of the items that the counted ticks had to delete; 1 without such items. */
  readonly deletedShare: number;
}

/**
 * Calculates the cost of a sweep for a month from ten simulated ticks: items expire at a constant rate, so these ticks have the same work.
 */
export async function costOfMonth(
  itemsPerMinute: number,
  tables: number,
  props: CostProps,
): Promise<MonthlyCost> {
  const deployment = deploymentOf(
    Array.from({ length: tables }, (_unused, index) =>
      resolveProps({ tableName: `SessionData-${index + 1}`, partitionKey: 'id', ...props }),
    ),
  );
  const simulation = new Simulation({
    start: START,
    tables: deployment.tables.map(resolved => ({
      name: resolved.tableName,
      props: resolved,
      model: modelOf(resolved),
      read: READ_MS,
    })),
    callMs: CALL_MS,
    journalMs: JOURNAL_MS,
  });
  // Without a watermark, the first ticks would also search the two days before the run, which would cost more than usual.
  const at = new Date((START - 60) * 1000).toISOString();
  const mark = { since: START - 61, gone: START - 61, at };
  const marks = deployment.tables.map(({ tableName, shards }) => [tableName, { ...mark, shards }] as const);
  await simulation.journal.writeWatermarks(at, Object.fromEntries(marks));
  const minutes = FIRST_TICK + TICKS + 3;
  for (const [index, { items }] of simulation.tables.entries()) {
    for (let item = 0; item < itemsPerMinute * minutes; item += 1) {
      const ttl = START + 60 + Math.floor(((item + index / tables) * 60) / itemsPerMinute);
      items.write(`item-${item}`, ttl, item % (props.shards ?? DEFAULT_SHARDS));
    }
  }
  for (let minute = 0; minute < minutes; minute += 1) simulation.tick(START + minute * 60, TICK_LATE_SECONDS);
  await simulation.finish();
  const from = START + FIRST_TICK * 60;
  const counted = simulation.executions
    .filter(({ startDate }) => startDate >= from * 1000 && startDate < (from + TICKS * 60) * 1000)
    .map(({ billing: { usage, ...others } }): Readonly<Record<string, number>> => ({ ...usage, ...others }));
  const expired = itemsPerMinute * tables * TICKS;
  const deleted = simulation.tables
    .flatMap(table => table.deleted)
    .filter(({ ttl }) => ttl >= from + 60 && ttl < from + 60 + TICKS * 60).length;

  const parts = Object.fromEntries(
    COUNTERS.map(counter => {
      const amount = counted.reduce((sum, amounts) => sum + (amounts[counter] ?? 0), 0);
      return [counter, amount * (TICKS_A_MONTH / TICKS) * PRICES[counter]];
    }),
  ) as MonthlyCost['parts'];
  const starts = TICKS_A_MONTH * PRICES.schedulerInvocations;
  return {
    ...{ parts, starts },
    total: Object.values(parts).reduce((sum, dollars) => sum + dollars, starts),
    deletedShare: expired === 0 ? 1 : deleted / expired,
  };
}
