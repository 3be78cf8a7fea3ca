/** `npm run bench cost`: what a month of sweeping costs, of one table and of a hundred. See `--help`. */
import { writeFileSync } from 'node:fs';
import { billedDeployments } from '../cli/cost/billed-deployments.ts';
import type { FlagValues } from '../cli/flags.ts';
import { runCommand } from '../cli/run-command.ts';
import { resolveProps } from '../config/props.ts';
import { monthlyBill } from '../cost/bill.ts';
import { TICKS_A_MONTH } from '../cost/sweep-usage.ts';
import { type LogBytes, measureLogBytes } from './cost/log-lines.ts';
import { type CostProps, costOfMonth, type MonthlyCost } from './cost/month.ts';
import { resultFile, writeJson } from './live/command.ts';
import { thisMachine } from './live/machine.ts';

const FLAGS = {
  write: {
    type: 'switch',
    help: 'only write what the log lines take to cost/measured.ts, for the calculator',
  },
  only: { type: 'text', value: 'WORDS', help: 'only the months whose description has these words' },
  json: { type: 'text', default: 'bench/results/cost.json', value: 'FILE', help: 'the result' },
} as const;

/** Items that expire in a minute of each table, how many tables, and what is set of them. */
type Month = readonly [rate: number, tables: number, name: string, props: CostProps];

const WAYS: readonly (readonly [string, CostProps])[] = [
  ['by window', {}],
  ['by window, `precisionSeconds: 60`', { precisionSeconds: 60 }],
  ['by window of a minute', { granularityMinutes: 1 }],
  ['by second', { indexedBy: 'second' }],
  ['by second, `pollSeconds: 0`', { indexedBy: 'second', pollSeconds: 0 }],
];

const MONTHS: readonly Month[] = [
  ...[0, 100, 10_000].flatMap(rate => WAYS.map(([name, props]): Month => [rate, 1, name, props])),
  [100, 1, 'by window, 26 shards', { shards: 26 }],
  [0, 100, 'by window', {}],
  [20, 100, 'by window', {}],
  [0, 100, 'by second', { indexedBy: 'second' }],
];

const COLUMNS = [
  ...['tables', 'items a minute, each', 'indexed'],
  ...['starts, $', 'Express, $', 'functions, $', 'DynamoDB, $', 'scans, $', 'sweep, $'],
  ...['whole bill, $', 'Standard transitions'],
];

const help = (flags: string) => `npm run bench cost -- [flags]

Counts what a month of sweeping costs on AWS: a steady stream of expiring items, the real definition on a virtual clock,
some minutes of ticks scaled to a month of 43,200, and a scan of each index a day, of items that live for a day. Prints the table of
executions in docs/cost.md; takes some minutes. The whole bill is that, and what the calculator (npx precise-ttl cost) counts besides it.

${flags}`;

const MEASURED = new URL('../cost/measured.ts', import.meta.url);

function measuredFile({ planned, swept, metrics }: Omit<LogBytes, 'idle'>): string {
  return `/**
 * Written by \`npm run bench cost -- --write\`, from what the functions print: do not change it by hand. Bytes of the lines of a sweep
 * that deleted 100 items. A tick that finds nothing prints nothing.
 */
export const LOG_BYTES = {
  planned: ${planned},
  swept: ${swept},
  metrics: { all: ${metrics.all}, essential: ${metrics.essential} },
} as const;
`;
}

/** What the calculator has besides the sweep: all that watches it, and the indexes and deletes. */
function besidesSweep([rate, tables, , props]: Month): number {
  const resolved = Array.from({ length: tables }, (_unused, table) =>
    resolveProps({ tableName: `SessionData-${table + 1}`, partitionKey: 'id', ...props }),
  );
  const load = {
    ...{ itemsPerMonth: rate * TICKS_A_MONTH, itemBytes: 1000 },
    ...{ renewalsPerItem: 0, lifetimeHours: 24 },
  };
  const { total, byPart } = monthlyBill(billedDeployments(resolved, load));
  return total - byPart.sweep;
}

const row = (cells: readonly string[]) => console.log(`| ${cells.join(' | ')} |`);
const dollars = (value: number) => value.toFixed(2);

function cellsOf([rate, tables, name]: Month, cost: MonthlyCost, whole: number): string[] {
  const { parts } = cost.ticks;
  return [
    ...[String(tables), rate.toLocaleString('en-US'), name, dollars(cost.starts)],
    dollars(parts.expressRequests + parts.expressGbSeconds),
    dollars(parts.functionInvocations + parts.functionGbSeconds),
    dollars(parts.dynamoDbReadUnits + parts.dynamoDbWriteUnits),
    ...[dollars(cost.scans.total), `**${dollars(cost.total)}**`, dollars(whole)],
    String(cost.standardTransitions),
  ];
}

async function run({ write, only = '', json }: FlagValues<typeof FLAGS>): Promise<number> {
  if (write) {
    const { idle: _none, ...bytes } = await measureLogBytes();
    writeFileSync(MEASURED, measuredFile(bytes));
    console.log('cost/measured.ts');
    return 0;
  }
  const file = resultFile('json', json);
  const machine = thisMachine();
  row(COLUMNS);
  console.log(`|${COLUMNS.map(column => (column === 'indexed' ? '---' : '--:')).join('|')}|`);
  const months: object[] = [];
  let isWhole = true;
  for (const month of MONTHS) {
    const [itemsPerMinute, tables, name, props] = month;
    if (!`${tables} tables ${itemsPerMinute} items ${name}`.includes(only)) continue;
    const cost = await costOfMonth(Array.from({ length: tables }, () => ({ props, itemsPerMinute })));
    const whole = cost.total + besidesSweep(month);
    isWhole &&= cost.deletedShare === 1;
    months.push({ tables, itemsPerMinute, indexed: name, ...cost, whole });
    row(cellsOf(month, cost, whole));
    writeJson(file, { machine, months });
  }
  if (!isWhole) console.log('✗ Some items were not deleted in the minutes that were counted.');
  return isWhole ? 0 : 1;
}

await runCommand({ flags: FLAGS, help, run });
