import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AMOUNT, describeBill, monthlyCost } from '../../cli/cost.ts';
import { adviseShards, type IndexLoad, NEW_TABLE_UNITS } from '../../cli/partition-rule.ts';
import { MAX_SHARDS } from '../../expiry/model.ts';
import { SWEEP_METRICS } from '../../functions/record-metrics/metrics.ts';
import { ALARMS } from '../../stacks/config/alarms.ts';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';
import { configOf } from '../support/configs.ts';
import { executed } from '../support/executed.ts';
import { folderWith } from '../support/folder.ts';

const TABLES: readonly PreciseTtlProps[] = [
  { tableName: 'Tokens', partitionKey: 'id', index: { shards: 3 }, dashboard: true },
  {
    ...{ tableName: 'Carts', partitionKey: 'id' },
    ...{ index: { by: 'second' }, precision: 'minute', dashboard: true },
  },
];
const CONFIG = join(folderWith({ 'config.json': JSON.stringify(configOf(...TABLES)) }), 'config.json');
const cost = (...args: readonly string[]) => executed(['cost', ...args]);

const LOAD = { itemBytes: 1000, renewalsPerItem: 0, lifetimeHours: 24, itemsPerMonth: 0 };
/** Asks for the cost of copies of a table. */
const ask = ({
  props = { tableName: 'table', partitionKey: 'id' },
  copies = 1,
  ...load
}: Partial<typeof LOAD> & { readonly copies?: number; readonly props?: PreciseTtlProps }) =>
  monthlyCost([props], { ...LOAD, ...load }, copies);

test('a number of items is read as people write it', () => {
  const read = (text: string) => AMOUNT.fromText(text);
  expect(['50M', '1.5k', '50_000_000', '100B'].map(read)).toEqual([5e7, 1_500, 5e7, 1e11]);
  const none = ['', '-1', '1,5', '50 M', '5e7', 'M', '1__0', '_1', '101B', '1.5.2k', 'Infinity'];
  expect(none.filter(text => AMOUNT.is(read(text)))).toEqual([]);
});

const IDLE = { tableName: 'table', partitionKey: 'id' } as const;

test('an archive has an alarm more, and polling metrics in each hour', () => {
  const metrics = Object.values(ALARMS).flatMap(({ names }) => names);
  const amountOf = (name: string, more: object) =>
    ask({ props: { ...IDLE, ...more } }).bill.lines.find(line => line.name === name)?.amount;
  expect([amountOf('alarms', {}), amountOf('alarms', { archive: true })]).toEqual([
    metrics.length - 1,
    metrics.length,
  ]);
  expect([amountOf('dashboard', {}), amountOf('dashboard', { dashboard: true })]).toEqual([0, 1]);
  const piped = (more: object) => ask({ itemsPerMonth: 1e6, props: { ...IDLE, ...more } }).bill.byPart.pipes;
  expect([piped({}), piped({ archive: true }) > 0]).toEqual([0, true]);
  expect([amountOf('custom metrics', {}), amountOf('custom metrics', { pollSeconds: 5 })]).toEqual([
    0,
    SWEEP_METRICS.filter(({ onlyAboveZero, name }) => !onlyAboveZero && name !== 'DeletionLag').length,
  ]);
});

test.each<[string, number, PreciseTtlProps, digits?: number]>([
  ['| an idle table, by window | $% |', 1, IDLE],
  ['as `adopt` makes it | $% |', 1, { ...IDLE, index: { by: 'second' } }],
  ['| a hundred idle tables by window, in one deployment | $% |', 100, IDLE],
  ['$% a month for an idle table with `pollSeconds: 5`', 1, { ...IDLE, pollSeconds: 5 }, 0],
])('the README says what idle tables cost: %s', (sentence, copies, props, digits = 2) => {
  const dollars = ask({ props, copies }).bill.total.toFixed(digits);
  expect(readFileSync('README.md', 'utf8')).toContain(sentence.replace('%', dollars));
});

test('of tables with several settings it is said which have which, and which one has too few shards', () => {
  const others = ['Tokens', 'Sessions', 'Links', 'Orders', 'Mails'].map(tableName => ({
    ...IDLE,
    tableName,
  }));
  const tables = [{ ...IDLE, tableName: 'Carts', index: { shards: 1000 } }, ...others];
  const { bill, facts } = monthlyCost(tables, { ...LOAD, itemsPerMonth: 43.2e9 });
  const text = describeBill(bill, facts);
  expect(text).toMatch(/^Carts: indexed by window, .*1000 shards/m);
  expect(text).toMatch(/^5 tables, such as Tokens: indexed by window, /m);
  expect(text).toContain(' puts and deletes a second in the index of Tokens, on 2 shards');
});

test.each<[readonly string[], ReturnType<typeof monthlyCost>]>([
  [
    ['--items-per-month=50M', '--size=400', '--renewals', '2', '--tables', '3'],
    ask({ itemsPerMonth: 5e7, itemBytes: 400, renewalsPerItem: 2, copies: 3 }),
  ],
  [
    ['--table', 'Tokens', '--config', CONFIG, '--precision', 'minute', '--lifetime-hours=1'],
    ask({ lifetimeHours: 1, props: { ...TABLES[0], precision: 'minute' } as PreciseTtlProps }),
  ],
  [['--table=Carts', '--config', CONFIG], monthlyCost(TABLES.slice(1), LOAD)],
  [
    ['--by=second', '--precision=second', '--poll=5'],
    ask({ props: { ...IDLE, index: { by: 'second' }, precision: 'second', pollSeconds: 5 } }),
  ],
  [['--shards', '7'], ask({ props: { ...IDLE, index: { shards: 7 } } })],
  [['--archive'], ask({ props: { ...IDLE, archive: {} } })],
  [['--config', CONFIG], monthlyCost(TABLES, LOAD)],
])('%j', async (args, { bill, facts }) => {
  const { status, stdout, stderr } = await cost(...args, '--json');
  expect([status, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify({ ...facts, ...bill })));
});

test.each<[number, Partial<PreciseTtlProps>, string | RegExp]>([
  [1e9, {}, /^[^✗]*$/],
  [
    43.2e9,
    { index: { granularityMinutes: 1, shards: 1 } },
    '✗ This cannot be: 33,333 puts and deletes a second in the index of each table, on 1 shard. DynamoDB takes 1,000 a second of a shard.\n' +
      '  It takes shards: 164, and an index that is warm for 84,000 write units a second: docs/reference/configuration.md, "How many shards".\n',
  ],
  [
    43.2e9,
    { index: { by: 'second' } },
    /This cannot be: .* on 1 shard\..*\n {2}It takes an index by window, which has shards, or more tables: /,
  ],
])('%d items a month on %j: whether the index takes them', (itemsPerMonth, props, said) => {
  const { bill, facts } = ask({ itemsPerMonth, props: { ...IDLE, ...props } });
  if (typeof said === 'string') expect(describeBill(bill, facts)).toContain(said);
  else expect(describeBill(bill, facts)).toMatch(said);
});

test('says it line by line', async () => {
  const { stdout, status } = await cost('--items-per-month', '1.5k', '--size', '400');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^1,500 items expire a month, evenly, in one table: 400 bytes each, not renewed/);
  for (const { name } of ask({}).bill.lines) expect(stdout).toContain(`\n  ${name} `);
  expect(stdout).toMatch(/\n {2}A month with precise-ttl +\$\d+\.\d\d\n/);
  expect(stdout).toContain('8 to 28 minutes');
  expect(stdout).toContain('us-east-1');
  const much = await cost('--items-per-month', '43.2B');
  expect([much.status, much.stdout]).toEqual([1, expect.stringContaining('✗ This cannot be: 33,333')]);
});

const DAY = 1440;

const load = (perSecond: number, others: Partial<IndexLoad> = {}): IndexLoad => ({
  ...{ indexedBy: 'window', granularityMinutes: 1, shards: 1, perSecond },
  ...others,
});

test.each<[string, IndexLoad, ReturnType<typeof adviseShards>]>([
  ['little, on one shard', load(300), { verdict: 'holds', shards: 1, warmUnits: 4_000 }],
  ['more than a partition takes by chance', load(700), { verdict: 'late', shards: 6, warmUnits: 4_000 }],
  ['more than one key takes', load(1_001), { verdict: 'impossible', shards: 7, warmUnits: 6_000 }],
  [
    'a day, whose keys take puts and deletes at once',
    load(600, { granularityMinutes: DAY }),
    { verdict: 'impossible', shards: 7, warmUnits: 4_000 },
  ],
  [
    'a million a minute on one shard',
    load(16_667, { granularityMinutes: DAY }),
    { verdict: 'impossible', shards: 328, warmUnits: 84_000 },
  ],
  [
    'enough shards on an index that is too small',
    load(16_667, { shards: 300 }),
    { verdict: 'late', shards: 164, warmUnits: 84_000 },
  ],
  [
    'a warmer index, which needs fewer',
    load(1_500, { shards: 3, warmUnits: 40_000 }),
    { verdict: 'holds', shards: 2, warmUnits: 40_000 },
  ],
  [
    'by second, more than a second can take',
    load(2_000, { indexedBy: 'second' }),
    { verdict: 'impossible', shards: undefined, warmUnits: 10_000 },
  ],
  [
    'more than any number of shards holds',
    load(60_000, { granularityMinutes: DAY }),
    { verdict: 'impossible', shards: undefined, warmUnits: 300_000 },
  ],
])('%s', (_case, given, expected) => expect(adviseShards(given)).toEqual(expected));

test('what is advised holds, at any rate up to what a table takes by default', () => {
  for (let rate = 1; rate <= 20_000; rate += 37) {
    for (const granularityMinutes of [1, 60, DAY]) {
      const { shards = Number.NaN, warmUnits } = adviseShards(load(rate, { granularityMinutes }));
      const advised = load(rate, { granularityMinutes, shards, warmUnits });
      expect(shards).toBeLessThanOrEqual(MAX_SHARDS);
      expect(warmUnits).toBeGreaterThanOrEqual(NEW_TABLE_UNITS);
      expect(adviseShards(advised)).toEqual({ verdict: 'holds', shards, warmUnits });
    }
  }
});
