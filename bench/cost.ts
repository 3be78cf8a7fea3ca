/**
 * `npm run bench:cost`: what a month of sweeping costs, in both ways to be indexed. See `--help`.
 *
 * What else is billed is not in it: cli/cost.ts is the calculator that has everything.
 */
import { writeFileSync } from 'node:fs';
import type { FlagValues } from '../cli/flags.ts';
import { runCommand } from '../cli/run-command.ts';
import { type LogBytes, measureLogBytes } from './cost/log-lines.ts';
import { type CostProps, costOfLookingBack, costOfMonth } from './cost/month.ts';

const FLAGS = {
  write: {
    type: 'switch',
    help: 'only write what the log lines take to cost/measured.ts, for the calculator',
  },
} as const;

const RATES = [0, 100, 10_000];
const MODES: readonly (readonly [string, string, CostProps])[] = [
  ['window', '`precisionSeconds: 1` (default)', { precisionSeconds: 1 }],
  ['window', '`precisionSeconds: 10`', { precisionSeconds: 10 }],
  ['window', '`precisionSeconds: 60` (plain)', { precisionSeconds: 60 }],
  ['window', '`precisionSeconds: 1`, `pollSeconds: 5`', { precisionSeconds: 1, pollSeconds: 5 }],
  ['second', '`precisionSeconds: 1` (default)', { indexedBy: 'second', precisionSeconds: 1 }],
  [
    'second',
    '`precisionSeconds: 1`, `pollSeconds: 0`',
    { indexedBy: 'second', precisionSeconds: 1, pollSeconds: 0 },
  ],
  ['second', '`precisionSeconds: 10`', { indexedBy: 'second', precisionSeconds: 10 }],
  ['second', '`precisionSeconds: 60` (plain)', { indexedBy: 'second', precisionSeconds: 60 }],
];

const COLUMNS = [
  'items a minute',
  'indexed by',
  'mode',
  'transitions a tick',
  'transitions, $',
  'children, $',
  'functions, $',
  'reads, $',
  'reconcile, $',
  'a month, $',
];

const help = (flags: string) => `npm run bench:cost -- [flags]

Counts what a month of sweeping costs on AWS: a steady stream of expiring items, the real definition on a virtual clock,
some minutes of ticks scaled to a month of 43,200, and 720 reconciles. Prints the table of executions in docs/cost.md; takes about a
minute. What else is billed is in the table above it, which is the calculator's: npm run cost.

${flags}`;

const MEASURED = new URL('../cost/measured.ts', import.meta.url);

function measuredFile({ planned, swept, metrics }: Omit<LogBytes, 'idle'>): string {
  return `/**
 * Written by \`npm run bench:cost -- --write\`, from what the functions print: do not change it by hand. Bytes of the lines of a sweep
 * that deleted 100 items. A tick that finds nothing prints nothing.
 */
export const LOG_BYTES = {
  planned: ${planned},
  swept: ${swept},
  metrics: { all: ${metrics.all}, essential: ${metrics.essential} },
} as const;
`;
}

const row = (cells: readonly string[]) => console.log(`| ${cells.join(' | ')} |`);
const dollars = (value: number) => value.toFixed(2);

async function run({ write }: FlagValues<typeof FLAGS>): Promise<number> {
  if (write) {
    const { idle: _none, ...bytes } = await measureLogBytes();
    writeFileSync(MEASURED, measuredFile(bytes));
    console.log('cost/measured.ts');
    return 0;
  }
  row(COLUMNS);
  console.log(
    `|${COLUMNS.map(column => (column === 'mode' || column === 'indexed by' ? '---' : '--:')).join('|')}|`,
  );
  for (const rate of RATES) {
    for (const [indexedBy, name, props] of MODES) {
      const { ticks, reconcile, transitionsPerTick } = await costOfMonth(rate, props);
      const { parts } = ticks;
      row([
        rate.toLocaleString('en-US'),
        indexedBy,
        name,
        transitionsPerTick.toFixed(1),
        dollars(parts.stateTransitions),
        dollars(parts.expressRequests + parts.expressGbSeconds),
        dollars(parts.functionInvocations + parts.functionGbSeconds),
        dollars(parts.dynamoDbReadUnits),
        dollars(reconcile.total),
        `**${dollars(ticks.total + reconcile.total)}**`,
      ]);
    }
  }
  for (const indexedBy of ['window', 'second'] as const) {
    const total = dollars(await costOfLookingBack(indexedBy));
    console.log(`By ${indexedBy}, the lookback and the reconcile of an idle table cost $${total} a month.`);
  }
  return 0;
}

await runCommand({ flags: FLAGS, help, run });
