import { BILL_PARTS, type Bill, type BilledDeployment, type BilledTable, monthlyBill } from '../cost/bill.ts';
import { kind, number, oneOf, whole } from '../expiry/fields.ts';
import { INDEXED_BY, MAX_SHARDS } from '../expiry/model.ts';
import { PARTITION_UNITS } from '../expiry/window.ts';
import { SWEEP_METRICS } from '../functions/record-metrics/metrics.ts';
import { PRECISIONS } from '../functions/runtime/environment.ts';
import { alarmsOf } from '../stacks/config/alarms.ts';
import { InvalidConfigError } from '../stacks/config/config.ts';
import { loadConfig } from '../stacks/config/config-file.ts';
import { deploymentOf } from '../stacks/config/deployments.ts';
import { pipesOf } from '../stacks/config/pipe-props.ts';
import { propProblems } from '../stacks/config/prop-problems.ts';
import { type PreciseTtlProps, type ResolvedProps, resolveProps } from '../stacks/config/props.ts';
import { CONFIG, chosenTables, defineCommand, EXIT, tableFlag } from './command.ts';
import { adviseShards, NEW_TABLE_UNITS } from './partition-rule.ts';

/** Maximum number of items in a month: about 40,000 items per second, the default limit of writes to a table. */
const MOST = 1e11;
const FACTORS = { '': 1, k: 1e3, m: 1e6, b: 1e9 } as const;

/** A number of items as people write it: `50M`, `1.5k`, `50_000_000`. */
export const AMOUNT = kind<number>(
  value => typeof value === 'number' && value <= MOST,
  'a number from 0 to 100B, such as 50M, 1.5k or 50_000_000',
  {
    fromText(told) {
      const [, digits, unit = ''] = /^(\d+(?:_\d+)*(?:\.\d+)?)([kmb]?)$/i.exec(told) ?? [];
      const factor = FACTORS[unit.toLowerCase() as keyof typeof FACTORS];
      return Number(digits?.replaceAll('_', '')) * factor;
    },
    remedy: () => 'Write it without signs, commas and blanks.',
  },
);

export const command = defineCommand({
  name: 'cost',
  usage: '--items-per-month N [flags]',
  flags: {
    'items-per-month': {
      help: 'items that expire in a month, in all tables: 50M, 1.5k',
      kind: AMOUNT,
      value: 'N',
      default: 0,
    },
    size: {
      help: 'of an item, with the names of its attributes',
      kind: whole(1, 409_600),
      value: 'BYTES',
      default: 1_000,
    },
    renewals: {
      help: 'how often an item gets another expiry before it expires',
      kind: number(0, 1_000_000),
      value: 'N',
      default: 0,
    },
    'lifetime-hours': {
      help: 'how long an item is in the table',
      kind: number(0.01, 87_600),
      value: 'N',
      default: 24,
    },
    tables: {
      help: 'tables like each that is counted, in the same deployment, with the items spread evenly',
      kind: whole(1, 10_000),
      value: 'N',
      default: 1,
    },
    table: tableFlag('count this table alone, of --config or of precise-ttl.config.* in this folder'),
    config: { ...CONFIG, help: 'count all tables of this configuration, with what they share' },
    by: { help: 'how the table is indexed (default: window)', kind: oneOf(INDEXED_BY), value: 'WAY' },
    precision: { help: 'precision (default: second)', kind: oneOf(PRECISIONS), value: 'PRECISION' },
    poll: { help: 'pollSeconds (default: 0)', kind: whole(0, 60), value: 'SECONDS' },
    shards: { help: 'shards (default: 2 by window)', kind: whole(1, MAX_SHARDS), value: 'N' },
    archive: { help: 'with an archive of what expires' },
  },
  about: `Says what a month costs with your own numbers, line by line: the sweep, what watches it, and what the index and the deletes take of
each table. Tables of one deployment share the sweep and what watches it. Everything that a bill would have is a line, also what is free.
It asks nobody and changes nothing. The prices are those of us-east-1: no other region's are known.

It also says whether the index takes that on so many shards, when the items expire evenly: what comes in bursts needs more.

With --table or --config the settings are those of the configuration, and the flags change single ones; without them there needs to be
no configuration. How it counts, and against what that is held: docs/use.md.`,
  exits: '0 answered, 1 more items than the shards can take',
  async run({ flags }) {
    const { by, precision, poll, shards, archive } = flags;
    const index = { ...(by !== undefined && { by }), ...(shards !== undefined && { shards }) };
    const tables = (await tablesOf(flags)).map(
      (table): PreciseTtlProps => ({
        ...table,
        index: { ...table.index, ...index },
        ...(precision !== undefined && { precision }),
        ...(poll !== undefined && { pollSeconds: poll }),
        ...(archive && { archive: table.archive || true }),
      }),
    );
    const load = {
      ...{ itemsPerMonth: flags['items-per-month'], itemBytes: flags.size },
      ...{ renewalsPerItem: flags.renewals, lifetimeHours: flags['lifetime-hours'] },
    };
    const { bill, facts } = monthlyCost(tables, load, flags.tables);
    const isPossible = facts.shardAdvice.verdict !== 'impossible';
    return {
      data: { ...facts, ...bill },
      text: describeBill(bill, facts),
      exit: isPossible ? EXIT.fine : EXIT.notFine,
    };
  },
});

/** Returns the chosen tables of the configuration or, without --table and --config, one table with default settings. */
async function tablesOf({
  table,
  config,
}: Readonly<Record<'table' | 'config', string | undefined>>): Promise<readonly PreciseTtlProps[]> {
  if ((table ?? config) === undefined) return [{ tableName: 'table', partitionKey: 'id' }];
  return chosenTables(await loadConfig(config), table);
}

type ItemLoad = Pick<BilledTable, 'itemsPerMonth' | 'itemBytes' | 'renewalsPerItem' | 'lifetimeHours'>;

type BillFacts = ReturnType<typeof monthlyCost>['facts'];

const SECONDS_PER_MONTH = 30 * 86_400;
const VERDICTS = ['holds', 'late', 'impossible'];

/**
 * Calculates the cost of a month. The items of `load` are spread evenly among all tables.
 * @param copies number of tables that replace each of `tables`
 * @throws {InvalidConfigError}
 */
export function monthlyCost(tables: readonly PreciseTtlProps[], load: ItemLoad, copies = 1) {
  const problems = tables.flatMap(propProblems);
  if (problems.length > 0) throw new InvalidConfigError(problems);
  const nameOf = (name: string, copy: number) => (copies === 1 ? name : `${name}-${copy + 1}`);
  const resolved = tables.flatMap(table =>
    Array.from({ length: copies }, (_unused, copy) =>
      resolveProps({ ...table, tableName: nameOf(table.tableName, copy) }),
    ),
  );
  const itemsEach = load.itemsPerMonth / resolved.length;
  const deployment = billedDeployment(resolved, { ...load, itemsPerMonth: itemsEach });
  // A renewal counts like an item: a put and a delete, because the TTL is part of the index entry's key.
  const perSecond = (itemsEach / SECONDS_PER_MONTH) * (1 + load.renewalsPerItem);
  const advised = resolved.map(props => ({
    ...{ shardTable: props.tableName, shards: props.shards, indexWritesPerSecond: 2 * perSecond },
    shardAdvice: adviseShards({ ...props, perSecond }),
  }));
  const rank = ({ shardAdvice }: (typeof advised)[number]) => VERDICTS.indexOf(shardAdvice.verdict);
  const worst = advised.reduce((one, other) => (rank(other) > rank(one) ? other : one));
  const settings = [...Map.groupBy(resolved, settingsInWords)].map(([words, group]) => ({
    words,
    tables: group.map(({ tableName }) => tableName),
  }));
  const facts = { tables: resolved.length, ...load, settings, ...worst };
  return { bill: monthlyBill(deployment), facts };
}

function settingsInWords(props: ResolvedProps): string {
  const { indexedBy, granularityMinutes, precision, pollSeconds, shards, dashboard, archive } = props;
  const alarms = alarmsOf(deploymentOf([props])).length;
  const windows = granularityMinutes === 1440 ? 'a day' : `${granularityMinutes} min`;
  return [
    `indexed by ${indexedBy}`,
    indexedBy === 'window' && `windows of ${windows}`,
    shards > 1 && `${shards} shards`,
    `precision ${precision}`,
    pollSeconds > 0 && `pollSeconds ${pollSeconds}`,
    alarms === 0 && 'no alarms',
    dashboard && 'a dashboard',
    archive && 'an archive',
    props.events && 'events, counted without what gets them',
  ]
    .filter(Boolean)
    .join(', ');
}

export function billedDeployment(tables: readonly ResolvedProps[], load: ItemLoad): BilledDeployment {
  const deployment = deploymentOf(tables);
  const recorded = SWEEP_METRICS.filter(({ onlyAboveZero }) => !onlyAboveZero);
  return {
    tables: deployment.tables.map(props => ({
      ...{ ...props, ...load, isRecoverable: !props.existingTable },
      pipes: pipesOf(props).map(({ kind: to }) => (to === 'archive' ? to : 'events')),
    })),
    customMetrics: {
      deleting: recorded.length,
      // In hours without deletions DeletionLag has no datapoints, and so costs nothing.
      watching: recorded.filter(({ name }) => name !== 'DeletionLag').length,
    },
    alarmMetrics: alarmsOf(deployment).reduce((sum, { metrics }) => sum + metrics.length, 0),
    hasDashboard: deployment.dashboard,
  };
}

const TITLES = {
  sweep: 'The sweep',
  monitoring: 'What watches it',
  table: 'The index of each table, and its deletes',
  pipes: 'Archives and events',
} as const satisfies Readonly<Record<(typeof BILL_PARTS)[number], string>>;

export function describeBill({ lines, byPart, total }: Bill, facts: BillFacts): string {
  const amountOf = ({ amount, unit }: Bill['lines'][number]) =>
    `${count(amount)} ${amount === 1 ? unit.replace(/s$/, '') : unit}`;
  const counted = Math.max(...lines.map(line => `${line.name}  ${amountOf(line)}`.length));
  const row = (name: string, amount: string, dollars: number, free = '') =>
    `  ${name}${amount.padStart(counted - name.length)}  ${money(dollars).padStart(money(total).length)}  ${free}`.trimEnd();
  const parts = BILL_PARTS.filter(part => lines.some(line => line.part === part)).flatMap(part => [
    '',
    `${TITLES[part]}: ${money(byPart[part])}`,
    ...lines
      .filter(line => line.part === part)
      .map(line =>
        row(line.name, amountOf(line), line.dollars, line.free && `free per account: ${line.free}`),
      ),
  ]);
  return [
    describeFacts(facts),
    ...parts,
    '',
    row('A month with precise-ttl', '', total),
    '',
    'Native TTL alone costs nothing, and deletes within days: 8 to 28 minutes were measured (https://bahr.dev/2019/05/29/ddb-ttl-analysis/). ' +
      "Prices: us-east-1, on demand, 30 days; what is free per account is not taken off. The table's own reads, writes and storage are not in it.",
  ].join('\n');
}

function describeFacts({
  tables,
  settings,
  shardAdvice: { verdict, shards, warmUnits },
  ...facts
}: BillFacts): string {
  const among = tables === 1 ? 'in one table' : `spread evenly over ${count(tables)} tables, swept together`;
  const renewals =
    facts.renewalsPerItem === 0 ? 'not renewed' : `renewed ${count(facts.renewalsPerItem)} times`;
  const namesOf = ([first = '', ...more]: readonly string[]) =>
    more.length === 0 ? first : `${count(more.length + 1)} tables, such as ${first}`;
  const where = settings.length === 1 ? 'each table' : facts.shardTable;
  const writes = `${count(Math.round(facts.indexWritesPerSecond))} puts and deletes a second in the index of ${where}, on ${count(facts.shards)} ${facts.shards === 1 ? 'shard' : 'shards'}`;
  const limit =
    verdict === 'impossible'
      ? `✗ This cannot be: ${writes}. DynamoDB takes ${count(PARTITION_UNITS)} a second of a shard.`
      : `✗ Items will be late, and your own writes throttled: ${writes} and an index that is warm for ${count(NEW_TABLE_UNITS)}, as a new one is.`;
  const advice =
    shards === undefined
      ? 'an index by window, which has shards, or more tables'
      : `shards: ${shards}, and an index that is warm for ${warmUnits.toLocaleString('en-US')} write units a second`;
  return [
    `${count(facts.itemsPerMonth)} items expire a month, evenly, ${among}: ${count(facts.itemBytes)} bytes each, ${renewals}, ${count(facts.lifetimeHours)} hours in the table.`,
    ...settings.map(each => `${settings.length === 1 ? 'Each table' : namesOf(each.tables)}: ${each.words}.`),
    ...(verdict === 'holds'
      ? []
      : ['', limit, `  It takes ${advice}: docs/reference/configuration.md, "How many shards".`]),
  ].join('\n');
}

const count = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 2 : 0 });

const money = (dollars: number): string =>
  `$${dollars.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
