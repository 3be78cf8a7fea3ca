import fc from 'fast-check';
import { type BilledTable, type BillLine, monthlyBill } from '../../cost/bill.ts';
import { LOG_BYTES } from '../../cost/measured.ts';

/** By window with the defaults, idle, with nothing that watches it. */
const IDLE: BilledTable = {
  ...{ indexedBy: 'window', granularityMinutes: 1, shards: 1, precisionSeconds: 1, pollSeconds: 0 },
  ...{ lookbackMinutes: 10, reconcileHours: 24, reconcileParts: 1, misfiledProbes: 714 },
  ...{ functionMemoryMb: 512, itemsPerMonth: 0, itemBytes: 400, renewalsPerItem: 0, lifetimeHours: 24 },
  ...{ customMetrics: { deleting: 12, watching: 11 }, metricSet: 'all', alarms: 0, hasDashboard: false },
  ...{ isTraced: false, logRetentionDays: 30, isRecoverable: false, archiveBatchSeconds: undefined },
};
const MONTH_OF_100_A_MINUTE = 100 * 43_200;

function line(name: string, change: Partial<BilledTable>, tables = 1): BillLine {
  const found = monthlyBill({ ...IDLE, ...change }, tables).lines.find(each => each.name.startsWith(name));
  if (found === undefined) throw new Error(`${name} is no line of a bill`);
  return found;
}

test.each<[string, Partial<BilledTable>, number, number]>([
  ['starts by EventBridge', {}, 43_200 + 720, 0.04392],
  ['state transitions', {}, 3 * 43_920, 3.294],
  ['state transitions', { itemsPerMonth: 43_200 }, 6 * 43_200 + 3 * 720, 6.534],
  ['state transitions', { itemsPerMonth: 21_600 }, 4.5 * 43_200 + 3 * 720, 4.914],
  ['state transitions', { itemsPerMonth: 43_200, precisionSeconds: 60 }, 6 * 43_200 + 3 * 720, 6.534],
  ['state transitions', { itemsPerMonth: 2 * 43_200, precisionSeconds: 60 }, 7 * 43_200 + 3 * 720, 7.614],
  ['state transitions', { itemsPerMonth: MONTH_OF_100_A_MINUTE, shards: 4 }, 9 * 43_200 + 3 * 720, 9.774],
  ['reads of the index', {}, 43_200 * 13 * 0.5 + 720 * (1441 + 714) * 0.5, 0.132075],
  ['custom metrics', {}, 0, 0],
  ['custom metrics', { pollSeconds: 5 }, 11, 3.3],
  ['custom metrics', { itemsPerMonth: MONTH_OF_100_A_MINUTE }, 12, 3.6],
  ['custom metrics', { itemsPerMonth: 360 }, 6, 1.8],
  ['alarms', { alarms: 8 }, 8, 0.8],
  ['dashboard', { hasDashboard: true }, 1, 3],
  ['traces', { isTraced: true }, 43_920, 0.2196],
  ['index entries of puts', { itemsPerMonth: 1e6 }, 1e6, 0.625],
  ['index entries moved', { itemsPerMonth: 1e6, renewalsPerItem: 2 }, 4e6, 2.5],
  ['deletes', { itemsPerMonth: 1e6, itemBytes: 1024 }, 2e6, 1.25],
  ['deletes', { itemsPerMonth: 1e6, itemBytes: 1025 }, 3e6, 1.875],
  ['storage of the index', { itemsPerMonth: 30e9, lifetimeHours: 24 }, 200, 50],
  ['point-in-time', { itemsPerMonth: 30e6, itemBytes: 1000, isRecoverable: true }, 1, 0.2],
  ['notifications', {}, 0, 0],
])('%s: %j is %d a month, $%d', (name, change, amount, dollars) => {
  const found = line(name, change);
  expect(found.amount).toBeCloseTo(amount, 6);
  expect(found.dollars).toBeCloseTo(dollars, 6);
});

const ARCHIVED = { archiveBatchSeconds: 60 } as const;

test.each<[string, Partial<BilledTable>, number, number]>([
  ['archiving: calls', { itemsPerMonth: 0 }, 0, 0],
  // Fewer than one in each minute: each is an object of its own.
  ['archiving: calls', { itemsPerMonth: 1000 }, 1000, 0.0002],
  ['archiving: calls', { itemsPerMonth: 1e6 }, 43_200, 0.00864],
  ['archiving: calls', { itemsPerMonth: 1e6, archiveBatchSeconds: 300 }, 8640, 0.001728],
  // More than 1,000 in each minute, and more than 6 MB.
  ['archiving: calls', { itemsPerMonth: 1e9 }, 1e6, 0.2],
  ['archiving: calls', { itemsPerMonth: 1e9, itemBytes: 5700 }, 1e6, 0.2],
  ['archiving: calls', { itemsPerMonth: 1e9, itemBytes: 11_700 }, 2e6, 0.4],
  ['objects written to S3', { itemsPerMonth: 1e6 }, 43_200, 0.216],
  ["a month's objects", { itemsPerMonth: 3e9, itemBytes: 1000 }, 1000, 23],
  ['archiving: time', { itemsPerMonth: 1e6 }, (43_200 * 0.055 + 130) / 2, 0.0167],
])('archived, %s: %j is %d a month, $%d', (name, change, amount, dollars) => {
  const found = line(name, { ...ARCHIVED, ...change });
  expect(found.amount).toBeCloseTo(amount, 6);
  expect(found.dollars).toBeCloseTo(dollars, 4);
});

test('a table without an archive has no lines of one', () => {
  expect(monthlyBill(IDLE).lines.filter(({ part }) => part === 'archive')).toEqual([]);
});

test('a tick that finds nothing logs nothing; one that deletes logs its three lines', () => {
  expect(line('log lines', {}).amount).toBe(0);
  const bytes = LOG_BYTES.planned + LOG_BYTES.swept + LOG_BYTES.metrics.all + 3 * 26;
  const { amount, dollars } = line('log lines', {
    itemsPerMonth: MONTH_OF_100_A_MINUTE,
    logRetentionDays: 60,
  });
  expect(amount).toBeCloseTo((43_200 * bytes) / 1e9, 9);
  expect(dollars).toBeCloseTo(amount * (0.5 + 2 * 0.03), 9);
});

test('the parts are the sum of their lines, and the whole of the parts', () => {
  const bill = monthlyBill({ ...IDLE, itemsPerMonth: 1e6, hasDashboard: true }, 3);
  const sum = bill.lines.reduce((total, { dollars }) => total + dollars, 0);
  expect(bill.total).toBeCloseTo(sum, 9);
  expect(Object.values(bill.byPart).reduce((one, other) => one + other, 0)).toBeCloseTo(sum, 9);
});

test('more items, more renewals, larger items and more tables never cost less', () => {
  const whole = fc.integer({ min: 0, max: 1e8 });
  fc.assert(
    fc.property(
      fc.constantFrom('window' as const, 'second' as const),
      fc.constantFrom(1, 10, 60),
      whole,
      fc.integer({ min: 1, max: 4e5 }),
      fc.integer({ min: 0, max: 10 }),
      (indexedBy, precisionSeconds, itemsPerMonth, itemBytes, renewalsPerItem) => {
        const table = { ...IDLE, indexedBy, precisionSeconds, itemsPerMonth, itemBytes, renewalsPerItem };
        const { total } = monthlyBill(table);
        expect(monthlyBill(table, 2).total).toBeCloseTo(2 * total, 6);
        expect(monthlyBill({ ...table, itemBytes: itemBytes * 2 }).total).toBeGreaterThanOrEqual(total);
        expect(monthlyBill({ ...table, renewalsPerItem: renewalsPerItem + 1 }).total).toBeGreaterThanOrEqual(
          total,
        );
        expect(monthlyBill({ ...table, itemsPerMonth: itemsPerMonth * 2 }).total).toBeGreaterThanOrEqual(
          total,
        );
      },
    ),
  );
});
