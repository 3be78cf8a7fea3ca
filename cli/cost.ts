import { loadConfig } from '../config/config-file.ts';
import type { PreciseTtlProps } from '../config/props.ts';
import { DEFAULT_SHARDS, MAX_SHARDS } from '../expiry/model.ts';
import { PRECISIONS } from '../functions/runtime/environment.ts';
import { monthlyCost } from '../operate/cost.ts';
import { chooseTables } from '../operate/deployment/subject.ts';
import { describeBill } from './cost/text.ts';
import { BY, CONFIG, FlagError, type FlagValues, switchFlag, textFlag, wholeNumber } from './flags.ts';
import { print, printData } from './print.ts';
import { defineCommand } from './run-command.ts';

/** `precise-ttl cost`: calculates the cost of a month for the user's own numbers. See `--help`. */

/** The only region whose prices are known. */
const REGIONS = ['us-east-1'] as const;

const FLAGS = {
  'items-per-month': textFlag(
    'N',
    'items that expire in a month, in all tables: 50M, 1.5k, 50_000_000 (default 0)',
  ),
  size: {
    ...wholeNumber(1, 409_600, 'of an item, with the names of its attributes', 'BYTES'),
    default: 1000,
  },
  renewals: {
    type: 'number',
    min: 0,
    max: 1_000_000,
    default: 0,
    value: 'N',
    help: 'how often an item gets another expiry before it expires',
  },
  'lifetime-hours': {
    type: 'number',
    min: 0.01,
    max: 87_600,
    default: 24,
    value: 'N',
    help: 'how long an item is in the table',
  },
  tables: {
    ...wholeNumber(
      1,
      10_000,
      'tables like each that is counted, in the same deployment, with the items spread evenly',
    ),
    default: 1,
  },
  table: textFlag('NAME', 'count this table of the configuration alone'),
  all: switchFlag('count all tables of the configuration, with what they share'),
  config: CONFIG,
  by: { ...BY, help: 'how the table is indexed (default window)' },
  precision: { type: 'text', values: PRECISIONS, value: 'PRECISION', help: 'precision (default second)' },
  poll: wholeNumber(0, 60, 'pollSeconds (default 0)', 'SECONDS'),
  shards: wholeNumber(1, MAX_SHARDS, `shards (default ${DEFAULT_SHARDS} by window)`),
  archive: switchFlag('with an archive of what expires'),
  'no-alarms': switchFlag('without the alarms'),
  'no-dashboard': switchFlag('without the dashboard'),
  region: {
    type: 'text',
    values: REGIONS,
    default: 'us-east-1',
    value: 'REGION',
    help: 'whose prices: only those of us-east-1 are known',
  },
  json: switchFlag('print the bill as JSON'),
} as const;

const help = (flags: string) => `npx precise-ttl cost --items-per-month N [flags]

Says what a month costs with your own numbers, line by line: the sweep, what watches it, and what the index and the deletes take of
each table. Tables of one deployment share the sweep and what watches it. Everything that a bill would have is a line, also what is free.
It asks nobody and changes nothing.

${flags}

It also says whether the index takes that on so many shards, when the items expire evenly: what comes in bursts needs more.

With --table or --all the settings are those of the configuration, and the flags change single ones; without them there needs to be no
configuration. How it counts, and against what that is held: docs/use.md.

Exit status: 0 answered, 1 settings that do not go together, or more items than the shards can take; 2 wrong flags.`;

/** An example table, for a calculation without a configuration. */
const SOME_TABLE: PreciseTtlProps = { tableName: 'table', partitionKey: 'id' };

async function run(flags: FlagValues<typeof FLAGS>): Promise<number> {
  if (flags.config !== undefined && flags.table === undefined && !flags.all) {
    throw new FlagError(
      '--config: expected it with --table or --all, got it alone; write --table NAME or --all too',
    );
  }
  if (flags.table !== undefined && flags.all) {
    throw new FlagError('--all: expected it without --table, got both; leave one of them out');
  }
  const itemsPerMonth = readAmount('items-per-month', flags['items-per-month'] ?? '0');
  const { size, renewals, tables: copies } = flags;
  const { bill, facts } = monthlyCost({
    itemsPerMonth,
    itemBytes: size,
    renewalsPerItem: renewals,
    lifetimeHours: flags['lifetime-hours'],
    copies,
    tables: (await tablesOf(flags)).map(table => changed(table, flags)),
  });
  if (flags.json) printData(JSON.stringify({ ...facts, ...bill }, null, 2));
  else print(describeBill(bill, facts));
  return facts.shardAdvice.verdict === 'impossible' ? 1 : 0;
}

async function tablesOf({
  table,
  all,
  config,
}: FlagValues<typeof FLAGS>): Promise<readonly PreciseTtlProps[]> {
  if (table === undefined && !all) return [SOME_TABLE];
  return chooseTables(await loadConfig(config), table);
}

/** The table's props, changed by the flags. */
function changed(base: PreciseTtlProps, flags: FlagValues<typeof FLAGS>): PreciseTtlProps {
  const { by, precision, poll, shards } = flags;
  const index = { ...(by !== undefined && { by }), ...(shards !== undefined && { shards }) };
  return {
    ...base,
    index: { ...base.index, ...index },
    ...(precision !== undefined && { precision }),
    ...(poll !== undefined && { pollSeconds: poll }),
    ...(flags.archive && { archive: base.archive || true }),
    ...(flags['no-alarms'] && { alarms: false }),
    ...(flags['no-dashboard'] && { dashboard: false }),
  };
}

export const command = defineCommand({ flags: FLAGS, help, run });

const FACTORS = { '': 1, k: 1e3, m: 1e6, b: 1e9 } as const;
const PATTERN = /^(?<digits>\d+(?:_\d+)*(?:\.\d+)?)(?<unit>[kmb]?)$/i;

/** The most items a month: 40,000 a second, the rate that a table takes by default. */
const MOST = 1e11;

/**
 * Reads a number of items: `50M`, `1.5k`, `50_000_000`.
 * @throws {FlagError} for anything else
 */
export function readAmount(flag: string, text: string): number {
  const { digits, unit = '' } = PATTERN.exec(text)?.groups ?? {};
  const factor = FACTORS[unit.toLowerCase() as keyof typeof FACTORS];
  const amount = digits === undefined ? Number.NaN : Number(digits.replaceAll('_', '')) * factor;
  if (amount <= MOST) return amount;
  throw new FlagError(
    `--${flag}: expected a number from 0 to 100B, such as 50M, 1.5k or 50_000_000, got "${text}"; write it without signs, commas and blanks`,
  );
}
