import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import fc from 'fast-check';
import { MemoryJournal } from '../../bench/fuzz/memory-journal.ts';
import { LOG_BYTES } from '../../cost/assumptions.ts';
import {
  type Bill,
  type BilledDeployment,
  type BilledTable,
  type BillLine,
  monthlyBill,
} from '../../cost/bill.ts';
import { recordMetrics } from '../../functions/record-metrics/handler.ts';
import { lagOf } from '../../functions/report/lag.ts';
import { startTotals } from '../../functions/report/sweep-totals.ts';
import { carriedOf } from '../support/configs.ts';

/** By window with the defaults, idle. */
const IDLE: BilledTable = {
  ...{ indexedBy: 'window', granularityMinutes: 1440, shards: 1, precision: 'second', pollSeconds: 0 },
  deleteMode: 'guarded',
  ...{ itemsPerMonth: 0, itemBytes: 400, renewalsPerItem: 0, lifetimeHours: 24 },
  ...{ isRecoverable: false, pipes: [] },
};

/** Nothing watches it. */
const DEPLOYMENT: BilledDeployment = {
  ...{ tables: [IDLE] },
  ...{ customMetrics: { deleting: 12, watching: 11 } },
  ...{ alarmMetrics: 0, hasDashboard: false },
};
const MONTH_OF_100_A_MINUTE = 100 * 43_200;

type Change = Partial<BilledTable> & Partial<Omit<BilledDeployment, 'tables'>>;

function bill(change: Change, tables = 1): Bill {
  const table = { ...IDLE, ...change };
  const all = Array.from({ length: tables }, () => table);
  return monthlyBill({ ...DEPLOYMENT, ...change, tables: all });
}

function line(name: string, change: Change, tables = 1): BillLine {
  const found = bill(change, tables).lines.find(each => each.name.startsWith(name));
  if (found === undefined) throw new Error(`${name} is no line of a bill`);
  return found;
}

/** 10,000 a minute. */
const BUSY = { itemsPerMonth: 432e6, itemBytes: 400 } as const;
const BUCKET = { pipes: ['archive'] } as const;
const TARGET = { pipes: ['events'] } as const;

/** An idle tick asks today's window, yesterday's in the first ten minutes of a day, and both sides of midnight in the minutes around it. */
const PROBES = 43_200 * (1 + (10 + 1.5 + 2) / 1440);

test.each<[string, Change, number, number]>([
  ['starts by EventBridge', {}, 43_200, 0.0432],
  ['Express executions', {}, 43_200, 0.0432],
  ['Express executions', { itemsPerMonth: MONTH_OF_100_A_MINUTE, shards: 40 }, 43_200, 0.0432],
  ['Express executions: time', {}, 43_200 * 0.1 * 0.0625, 0.0045],
  ['functions: calls', {}, 43_200, 0.00864],
  ['functions: time', {}, 810.6675, 0.01081],
  ['reads of indexes', {}, 43_200 + PROBES * 0.5, 0.008119],
  ['writes of the journal', {}, 43_200 / 2, 0.0135],
  ['writes of the journal', { itemsPerMonth: 43_200 }, 2 * 43_200, 0.054],
  // The child of a minute notes what it swept.
  ['writes of the journal', { itemsPerMonth: 43_200, precision: 'minute' }, 3 * 43_200, 0.081],
  ['storage of the journal', { itemsPerMonth: 43_200 }, (43_200 * 700 * 3) / 1e9, 0.02268],
  ['custom metrics', {}, 0, 0],
  ['custom metrics', { pollSeconds: 5 }, 11, 3.3],
  ['custom metrics', { itemsPerMonth: MONTH_OF_100_A_MINUTE }, 12, 3.6],
  ['custom metrics', { itemsPerMonth: 360 }, 6, 1.8],
  ['alarms', { alarmMetrics: 8 }, 8, 0.8],
  ['dashboard', { hasDashboard: true }, 1, 3],
  ['index entries of puts', { itemsPerMonth: 1e6 }, 1e6, 0.625],
  ['index entries moved', { itemsPerMonth: 1e6, renewalsPerItem: 2 }, 4e6, 2.5],
  ['deletes', { itemsPerMonth: 1e6, itemBytes: 1024 }, 2e6, 1.25],
  ['deletes', { itemsPerMonth: 1e6, itemBytes: 1025 }, 3e6, 1.875],
  ['storage of the index', { itemsPerMonth: 30e9, lifetimeHours: 24 }, 200, 50],
  ['point-in-time', { itemsPerMonth: 30e6, itemBytes: 1000 }, 0, 0],
  ['point-in-time', { itemsPerMonth: 30e6, itemBytes: 1000, isRecoverable: true }, 1, 0.2],
  ['pipes', { ...TARGET, ...BUSY }, 432e6, 172.8],
  ['pipes', { ...TARGET, itemsPerMonth: 1e6, itemBytes: 65_236 }, 1e6, 0.4],
  ['pipes', { ...TARGET, itemsPerMonth: 1e6, itemBytes: 65_237 }, 2e6, 0.8],
  ['pipes', { pipes: ['archive', 'events'], ...BUSY }, 864e6, 345.6],
  ['OnlyExpiries: calls', { ...TARGET, ...BUSY }, 43.2e6, 8.64],
  ['OnlyExpiries: calls', { ...BUCKET, ...BUSY }, 4.32e6, 0.864],
  ['OnlyExpiries: time', { ...TARGET, ...BUSY }, 216_000, 2.88],
  ['Firehose', { ...BUCKET, ...BUSY }, 2211.84, 64.1434],
  ['objects written to S3', { ...BUCKET, itemsPerMonth: 1000 }, 1000, 0.005],
  ['objects written to S3', { ...BUCKET, ...BUSY }, 8640, 0.0432],
  ["a month's objects", { ...BUCKET, itemsPerMonth: 3e9, itemBytes: 700 }, 1000, 23],
])('%s: %j is %d a month, $%d', (name, change, amount, dollars) => {
  const found = line(name, change);
  expect(found.amount).toBeCloseTo(amount, 6);
  expect(found.dollars).toBeCloseTo(dollars, 3);
});

test('a table without a pipe has no lines of one, and events none of Firehose', () => {
  expect(bill(BUSY).lines.filter(({ part }) => part === 'pipes')).toEqual([]);
  expect(bill({ ...BUSY, ...TARGET }).lines.filter(({ name }) => /Firehose|S3/.test(name))).toEqual([]);
});

test.each([
  ['one that deletes', MONTH_OF_100_A_MINUTE, 1],
  ['one that deletes in two tables', 43_200, 2],
])(
  'a tick that finds nothing logs nothing; %s logs a line, and one for each table',
  (_what, items, tables) => {
    expect(line('log lines', {}).amount).toBe(0);
    const bytes = LOG_BYTES.metrics + 26 + tables * (LOG_BYTES.swept + 26);
    const { amount, dollars } = line('log lines', { itemsPerMonth: items }, tables);
    expect(amount).toBeCloseTo((43_200 * bytes) / 1e9, 9);
    expect(dollars).toBeCloseTo(amount * (0.5 + 0.03), 9);
  },
);

test('tables that are swept together share the starts, the executions and what watches them', () => {
  const change = { alarmMetrics: 9, hasDashboard: true };
  const shared = ['starts by', 'Express executions', 'alarms', 'dashboard', 'custom metrics'];
  for (const name of shared) expect(line(name, change, 100).amount).toBe(line(name, change).amount);
  const [one, many] = [bill(change).total, bill(change, 100).total];
  expect(many).toBeGreaterThan(one);
  expect(many).toBeLessThan(2 * one);
});

test('a tick has 400 children at most: one of more shards takes twice as many of them', () => {
  const calls = (shards: number) => line('functions: calls', { ...BUSY, shards }).amount;
  expect(calls(1_604)).toBeLessThan(0.6 * calls(1_600));
});

test('the parts are the sum of their lines, and the whole of the parts', () => {
  const { lines, byPart, total } = bill({ itemsPerMonth: 1e6, hasDashboard: true }, 3);
  const sum = lines.reduce((all, { dollars }) => all + dollars, 0);
  const parts = Object.values(byPart).reduce((one, other) => one + other, 0);
  expect([total, parts].map(each => each.toFixed(9))).toEqual([sum.toFixed(9), sum.toFixed(9)]);
});

test('more items, more renewals, larger items and more tables never cost less', () => {
  fc.assert(
    fc.property(
      fc.record({
        ...{ indexedBy: fc.constantFrom('window', 'second'), precision: fc.constantFrom('second', 'minute') },
        ...{ itemsPerMonth: fc.integer({ min: 0, max: 1e8 }), itemBytes: fc.integer({ min: 1, max: 4e5 }) },
        renewalsPerItem: fc.integer({ min: 0, max: 10 }),
      }),
      change => {
        const { itemsPerMonth, itemBytes, renewalsPerItem } = change;
        const { total } = bill(change);
        const more = [
          bill(change, 2),
          bill({ ...change, itemBytes: itemBytes * 2 }),
          bill({ ...change, renewalsPerItem: renewalsPerItem + 1 }),
          bill({ ...change, itemsPerMonth: itemsPerMonth * 2 }),
        ];
        for (const other of more) expect(other.total).toBeGreaterThanOrEqual(total - 1e-9);
      },
    ),
  );
});

const MINUTE = Date.parse('2026-11-20T09:00:00Z') / 1000;

/** A sweep that deleted 100 items in a minute, with about as many lag buckets as a real one. */
const TOTALS = {
  ...startTotals(false),
  ...{ found: 100, deleted: 100, shardsSwept: 1 },
  ...lagOf(
    Array.from({ length: 100 }, (_unused, item) => MINUTE + 60 + item / 200),
    (MINUTE + 60.6) * 1000,
  ),
};

/** What a sweep prints, by the real function and logger; a line's end is not part of a log event. */
async function printedBytes(): Promise<number[]> {
  let swept = 0;
  let metrics = 0;
  const written = jest.spyOn(process.stdout, 'write').mockImplementation(chunk => {
    swept += Buffer.byteLength(String(chunk).trimEnd());
    return true;
  });
  // Lambda sets it for every call, and the logger puts it into each line.
  process.env['_X_AMZN_TRACE_ID'] = 'Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=0';
  const settings = carriedOf({ tableName: 'SessionData', partitionKey: 'id' });
  const sweeps = { SessionData: { settings, targets: 0, oldestOverdueSeconds: 0, totals: TOTALS } };
  await recordMetrics(
    {
      machine: 'tick',
      executionInput: { scheduledTime: '2026-11-20T09:00:00Z' },
      // As long as the execution names that Step Functions makes for Scheduler.
      execution: '12345678-90ab-cdef-1234-567890abcdef_12345678-90ab-cdef-1234-567890abcdef',
      ...{ startedAt: '2026-11-20T09:00:05.000Z', endedAt: '2026-11-20T09:02:00.250Z' },
      soFar: { sweeps, results: [] },
    },
    {
      deployment: 'precise-ttl',
      logger: new Logger({ serviceName: 'record-metrics' }),
      metrics: new Metrics({ namespace: 'PreciseTtl', serviceName: 'record-metrics' }),
      timeIsUp: () => new Promise(() => undefined),
      print: line => {
        metrics += Buffer.byteLength(line);
      },
      journal: new MemoryJournal(() => MINUTE * 1000),
    },
  );
  written.mockRestore();
  return [swept, metrics];
}

test('the calculator knows the bytes of the log lines, to a tenth', async () => {
  const off = (await printedBytes()).flatMap((bytes, line) => {
    const known = Object.values(LOG_BYTES)[line] ?? 0;
    return Math.abs(bytes / known - 1) < 0.1 ? [] : [{ bytes, known }];
  });
  expect(off).toEqual([]);
});
