import { archiveOfMonth } from './archive-usage.ts';
import { ENTRY_BYTES, STORED_ENTRY_BYTES } from './assumptions.ts';
import { writeUnits } from './item-size.ts';
import { LOG_BYTES } from './measured.ts';
import { BILL_PRICES, PRICES } from './prices.ts';
import { reconcilesOfMonth, type SweepShape, type SweepUsage, ticksOfMonth } from './sweep-usage.ts';

/** A table, what is monitored of it, and its items: all that a bill depends on. Amounts are of one table. */
export interface BilledTable extends SweepShape {
  readonly itemsPerMonth: number;
  /** Of an item, with the names of its attributes. */
  readonly itemBytes: number;
  /** How often an item gets another TTL before it expires. */
  readonly renewalsPerItem: number;
  /** How long an item lives, hours: how many are stored at a time. */
  readonly lifetimeHours: number;
  /** Metrics of its own: in an hour in which something is deleted, and in one in which the table is only watched. */
  readonly customMetrics: { readonly deleting: number; readonly watching: number };
  readonly metricSet: keyof (typeof LOG_BYTES)['metrics'];
  readonly alarms: number;
  readonly hasDashboard: boolean;
  readonly isTraced: boolean;
  readonly logRetentionDays: number;
  /** The table is ours, and has point-in-time recovery. */
  readonly isRecoverable: boolean;
  /** How long removals are gathered for one object of the archive, seconds; undefined: nothing is archived. */
  readonly archiveBatchSeconds: number | undefined;
}

/** Who pays for what: the sweep itself, what watches it, the table that it deletes from, the archive if there is one. */
export const BILL_PARTS = ['sweep', 'monitoring', 'table', 'archive'] as const;
export type BillPart = (typeof BILL_PARTS)[number];

export interface BillLine {
  readonly part: BillPart;
  readonly name: string;
  /** What there is of it in a month, e.g. `43,920 × 3`, in words. */
  readonly amount: number;
  readonly unit: string;
  /** Dollars a month. */
  readonly dollars: number;
  /** What of it is free in each account; it is not taken off. */
  readonly free?: string;
}

export interface Bill {
  readonly lines: readonly BillLine[];
  /** Dollars a month. */
  readonly total: number;
  readonly byPart: Readonly<Record<BillPart, number>>;
}

/** Of a month as the ticks are counted, 30 days. */
const MINUTES = 43_200;
const HOURS = 720;
const GB = 1e9;

/** What CloudWatch adds to each event of a log, bytes. Source: CloudWatch Logs API reference, PutLogEvents. */
const EVENT_BYTES = 26;

/** A month of so many tables that are alike. Everything that a bill has is a line, those that cost nothing too. */
export function monthlyBill(table: BilledTable, tables = 1): Bill {
  const lines = [
    ...linesOfSweep(table),
    ...linesOfMonitoring(table),
    ...linesOfTable(table),
    ...linesOfArchive(table),
  ].map(line => ({ ...line, amount: line.amount * tables, dollars: line.dollars * tables }));
  const sum = (those: readonly BillLine[]) => those.reduce((total, { dollars }) => total + dollars, 0);
  const byPart = BILL_PARTS.map(part => [part, sum(lines.filter(line => line.part === part))] as const);
  return { lines, total: sum(lines), byPart: Object.fromEntries(byPart) as Record<BillPart, number> };
}

/** Ticks and reconciles together. */
export function usageOfMonth(table: BilledTable): SweepUsage {
  const ticks = ticksOfMonth(table, table.itemsPerMonth / MINUTES);
  const reconciles = reconcilesOfMonth(table);
  const names = Object.keys(ticks) as (keyof SweepUsage)[];
  return Object.fromEntries(
    names.map(name => [name, ticks[name] + reconciles[name]]),
  ) as unknown as SweepUsage;
}

function linesOfSweep(table: BilledTable): BillLine[] {
  const usage = usageOfMonth(table);
  const line = (name: string, amount: number, unit: string, dollars: number, free?: string): BillLine => ({
    ...{ part: 'sweep', name, amount, unit, dollars },
    ...(free !== undefined && { free }),
  });
  const priced = (counter: Exclude<keyof SweepUsage, 'executions' | 'recordedSweeps'>) =>
    usage[counter] * PRICES[counter];
  return [
    line(
      'starts by EventBridge Scheduler',
      usage.executions,
      'starts',
      usage.executions * BILL_PRICES.schedulerInvocations,
      '14 million',
    ),
    line('state transitions', usage.stateTransitions, 'transitions', priced('stateTransitions'), '4,000'),
    line(
      'children: Express executions',
      usage.expressGbSeconds,
      'GB-seconds',
      priced('expressRequests') + priced('expressGbSeconds'),
    ),
    line('functions: calls', usage.functionInvocations, 'calls', priced('functionInvocations'), '1 million'),
    line('functions: time', usage.functionGbSeconds, 'GB-seconds', priced('functionGbSeconds'), '400,000'),
    line('reads of the index', usage.dynamoDbReadUnits, 'read units', priced('dynamoDbReadUnits')),
  ];
}

function linesOfMonitoring(table: BilledTable): BillLine[] {
  const { executions, recordedSweeps } = usageOfMonth(table);
  const logged = (recordedSweeps * bytesOfSweep(table)) / GB;
  const kept = (logged * table.logRetentionDays) / 30;
  const deletingHours = Math.min(1, table.itemsPerMonth / HOURS);
  const watchingHours = table.pollSeconds > 0 ? 1 - deletingHours : 0;
  const { deleting, watching } = table.customMetrics;
  const metrics = deleting * deletingHours + watching * watchingHours;
  const traces = table.isTraced ? executions : 0;
  const line = (name: string, amount: number, unit: string, dollars: number, free?: string): BillLine => ({
    ...{ part: 'monitoring', name, amount, unit, dollars },
    ...(free !== undefined && { free }),
  });
  return [
    line(
      'log lines, taken in and kept',
      logged,
      'GB',
      logged * BILL_PRICES.logGb + kept * BILL_PRICES.logGbMonths,
      '5 GB',
    ),
    line('custom metrics', metrics, 'metrics', metrics * BILL_PRICES.customMetrics, '10'),
    line('alarms', table.alarms, 'metrics', table.alarms * BILL_PRICES.alarmMetrics, '10'),
    line(
      'dashboard',
      table.hasDashboard ? 1 : 0,
      'dashboards',
      table.hasDashboard ? BILL_PRICES.dashboards : 0,
      '3',
    ),
    line('traces in X-Ray', traces, 'traces', traces * BILL_PRICES.traces, '100,000'),
    // Messages and dead letters are of a sweep that something is wrong with.
    line('notifications (SNS) and dead letters (SQS)', 0, 'messages', 0, '1,000 e-mails, 1 million'),
  ];
}

/** Lambda's own lines of calls that went well are not logged. */
function bytesOfSweep({ metricSet, itemsPerMonth }: BilledTable): number {
  const documents = metricSet === 'all' || itemsPerMonth > 0 ? [LOG_BYTES.metrics[metricSet]] : [];
  return [LOG_BYTES.planned, LOG_BYTES.swept, ...documents].reduce(
    (sum, bytes) => sum + bytes + EVENT_BYTES,
    0,
  );
}

function linesOfTable(table: BilledTable): BillLine[] {
  const { itemsPerMonth, itemBytes, renewalsPerItem, lifetimeHours, isRecoverable } = table;
  const ofEntry = writeUnits(ENTRY_BYTES);
  const stored = (itemsPerMonth * lifetimeHours) / HOURS;
  const indexGb = (stored * (ENTRY_BYTES + STORED_ENTRY_BYTES)) / GB;
  const recoverableGb = isRecoverable ? (stored * itemBytes) / GB : 0;
  const written = (name: string, units: number): BillLine => ({
    ...{ part: 'table', name, amount: units, unit: 'write units' },
    dollars: units * PRICES.dynamoDbWriteUnits,
  });
  return [
    written('index entries of puts', itemsPerMonth * ofEntry),
    // The entry is deleted under the one key, and written under the other.
    written('index entries moved by renewals', itemsPerMonth * renewalsPerItem * 2 * ofEntry),
    written('deletes of items and their entries', itemsPerMonth * (writeUnits(itemBytes) + ofEntry)),
    {
      ...{ part: 'table', name: 'storage of the index', amount: indexGb, unit: 'GB' },
      ...{ dollars: indexGb * BILL_PRICES.storedGbMonths, free: '25 GB' },
    },
    {
      ...{ part: 'table', name: 'point-in-time recovery', amount: recoverableGb, unit: 'GB' },
      dollars: recoverableGb * BILL_PRICES.recoverableGbMonths,
    },
  ];
}

/** Lambda's reads of a table's stream are free. Source: https://aws.amazon.com/dynamodb/pricing/on-demand/, "DynamoDB Streams". */
function linesOfArchive({ archiveBatchSeconds, logRetentionDays, ...table }: BilledTable): BillLine[] {
  if (archiveBatchSeconds === undefined) return [];
  const { calls, gbSeconds, puts, storedGb, loggedGb } = archiveOfMonth({
    ...table,
    batchSeconds: archiveBatchSeconds,
  });
  const line = (name: string, amount: number, unit: string, dollars: number, free?: string): BillLine => ({
    ...{ part: 'archive', name, amount, unit, dollars },
    ...(free !== undefined && { free }),
  });
  const logDollars = loggedGb * (BILL_PRICES.logGb + (BILL_PRICES.logGbMonths * logRetentionDays) / 30);
  return [
    line('archiving: calls', calls, 'calls', calls * PRICES.functionInvocations, '1 million'),
    line('archiving: time', gbSeconds, 'GB-seconds', gbSeconds * PRICES.functionGbSeconds, '400,000'),
    line('objects written to S3', puts, 'puts', puts * BILL_PRICES.s3Puts),
    line("a month's objects, each month", storedGb, 'GB', storedGb * BILL_PRICES.s3GbMonths),
    line('its log lines, taken in and kept', loggedGb, 'GB', logDollars, '5 GB'),
  ];
}
