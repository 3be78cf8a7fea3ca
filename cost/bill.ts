import { ENTRY_BYTES, FUNCTION_MEMORY_MB, PIPED, STORED_ENTRY_BYTES } from './assumptions.ts';
import { writeUnits } from './item-size.ts';
import { LOG_BYTES } from './measured.ts';
import { BILL_PRICES, PRICES } from './prices.ts';
import { type SweepUsage, type SweptDeployment, type SweptTable, usageOfMonth } from './sweep-usage.ts';

/** A table and its items: all values on which its part of a bill depends. */
export interface BilledTable extends SweptTable {
  readonly itemBytes: number;
  /** What its pipes deliver to. */
  readonly pipes: readonly ('archive' | 'events')[];
  /** How often an item gets another TTL before it expires. */
  readonly renewalsPerItem: number;
  /** Whether the table is created by the deployment, with point-in-time recovery. */
  readonly isRecoverable: boolean;
}

/** A deployment with its tables and its monitoring. */
export interface BilledDeployment extends SweptDeployment {
  readonly tables: readonly BilledTable[];
  /** Number of custom metrics: in an hour with deletes, and in one in which tables are only polled. */
  readonly customMetrics: { readonly deleting: number; readonly watching: number };
  /** Number of metrics that its alarms watch. */
  readonly alarmMetrics: number;
  readonly hasDashboard: boolean;
}

/** The parts of a bill: the sweep itself, its monitoring, the tables that it sweeps, and their pipes if there are any. */
export const BILL_PARTS = ['sweep', 'monitoring', 'table', 'pipes'] as const;
export type BillPart = (typeof BILL_PARTS)[number];

export interface BillLine {
  readonly part: BillPart;
  readonly name: string;
  /** The amount per month. */
  readonly amount: number;
  readonly unit: string;
  /** Dollars per month. */
  readonly dollars: number;
  /** The free tier of each account, which is not subtracted. */
  readonly free?: string;
}

export interface Bill {
  readonly lines: readonly BillLine[];
  /** Dollars per month. */
  readonly total: number;
  readonly byPart: Readonly<Record<BillPart, number>>;
}

/** Hours of a month of 30 days, for which the ticks are counted too. */
const HOURS = 720;
const GB = 1e9;

/** Bytes that CloudWatch adds to each event of a log. Source: CloudWatch Logs API reference, PutLogEvents. */
const EVENT_BYTES = 26;

/** Bytes of a row of the journal, and days for which it is kept; the watermarks are negligible. */
const ROW = { bytes: 700, days: 90 } as const;

/** The bill of a deployment for a month. All items of the bill are listed, even those that cost nothing. */
export function monthlyBill(deployment: BilledDeployment): Bill {
  const lines = addedUp(linesOf(deployment));
  const sum = (those: readonly BillLine[]) => those.reduce((total, { dollars }) => total + dollars, 0);
  const byPart = BILL_PARTS.map(part => [part, sum(lines.filter(line => line.part === part))] as const);
  return { lines, total: sum(lines), byPart: Object.fromEntries(byPart) as Record<BillPart, number> };
}

/** Joins lines of the same name and part; the result is in the order of the parts. */
function addedUp(lines: readonly BillLine[]): BillLine[] {
  const byName = new Map<string, BillLine>();
  for (const line of lines) {
    const key = `${line.part} ${line.name}`;
    const before = byName.get(key);
    byName.set(key, {
      ...line,
      amount: (before?.amount ?? 0) + line.amount,
      dollars: (before?.dollars ?? 0) + line.dollars,
    });
  }
  return BILL_PARTS.flatMap(part => [...byName.values()].filter(line => line.part === part));
}

function linesOf(deployment: BilledDeployment): BillLine[] {
  const { tables } = deployment;
  return [
    ...linesOfSweep(deployment),
    ...linesOfMonitoring(deployment),
    ...tables.flatMap(linesOfTable),
    ...tables.flatMap(linesOfPipes),
  ];
}

type LineOf = (name: string, amount: number, unit: string, dollars: number, free?: string) => BillLine;

function lineOf(part: BillPart): LineOf {
  return (name, amount, unit, dollars, free) => ({
    ...{ part, name, amount, unit, dollars },
    ...(free !== undefined && { free }),
  });
}

function linesOfSweep(deployment: BilledDeployment): BillLine[] {
  const usage = usageOfMonth(deployment);
  const line = lineOf('sweep');
  const priced = (counter: keyof SweepUsage & keyof typeof PRICES) => usage[counter] * PRICES[counter];
  const rowGb = (usage.sweptTables * ROW.bytes * (ROW.days / 30)) / GB;
  return [
    line(
      'starts by EventBridge Scheduler',
      usage.starts,
      'starts',
      usage.starts * BILL_PRICES.schedulerInvocations,
      '14 million',
    ),
    line('Express executions', usage.expressRequests, 'executions', priced('expressRequests')),
    line('Express executions: time', usage.expressGbSeconds, 'GB-seconds', priced('expressGbSeconds')),
    // Replays by hand, and the lookback after an outage, are not counted.
    line('functions: calls', usage.functionInvocations, 'calls', priced('functionInvocations'), '1 million'),
    line('functions: time', usage.functionGbSeconds, 'GB-seconds', priced('functionGbSeconds'), '400,000'),
    line('reads of indexes and journal', usage.dynamoDbReadUnits, 'read units', priced('dynamoDbReadUnits')),
    line('writes of the journal', usage.dynamoDbWriteUnits, 'write units', priced('dynamoDbWriteUnits')),
    line('storage of the journal', rowGb, 'GB', rowGb * BILL_PRICES.storedGbMonths, '25 GB'),
  ];
}

function linesOfMonitoring(deployment: BilledDeployment): BillLine[] {
  const { alarmMetrics, hasDashboard } = deployment;
  const usage = usageOfMonth(deployment);
  const logged = bytesLogged(usage) / GB;
  // Kept for 30 days.
  const kept = logged;
  const metrics = metricsOf(deployment);
  const line = lineOf('monitoring');
  return [
    line(
      'log lines, taken in and kept',
      logged,
      'GB',
      logged * BILL_PRICES.logGb + kept * BILL_PRICES.logGbMonths,
      '5 GB',
    ),
    line('custom metrics', metrics, 'metrics', metrics * BILL_PRICES.customMetrics, '10'),
    line('alarms', alarmMetrics, 'metrics', alarmMetrics * BILL_PRICES.alarmMetrics, '10'),
    line('dashboard', hasDashboard ? 1 : 0, 'dashboards', hasDashboard ? BILL_PRICES.dashboards : 0, '3'),
    // Messages and dead letters exist only when a sweep has failed.
    line('notifications (SNS) and dead letters (SQS)', 0, 'messages', 0, '1,000 e-mails, 1 million'),
  ];
}

/** Average number of metrics per hour with a datapoint. */
function metricsOf({ tables, customMetrics }: BilledDeployment): number {
  const items = tables.reduce((sum, { itemsPerMonth }) => sum + itemsPerMonth, 0);
  const deletingHours = Math.min(1, items / HOURS);
  const watchingHours = tables.some(({ pollSeconds }) => pollSeconds > 0) ? 1 - deletingHours : 0;
  return customMetrics.deleting * deletingHours + customMetrics.watching * watchingHours;
}

/** Bytes of our own log lines. Lambda's lines of successful calls are not logged. */
function bytesLogged(usage: SweepUsage): number {
  const ofExecution = LOG_BYTES.metrics + EVENT_BYTES;
  const ofTable = LOG_BYTES.swept + EVENT_BYTES;
  return usage.recordedSweeps * ofExecution + usage.sweptTables * ofTable;
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
    // A renewal deletes the entry under one index key and writes it under another.
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

/**
 * The lines of the bill for archive and events, in full batches. Users' own deletes pass the filter of a pipe too, and cost the same; they
 * are not counted, as are not the targets of events. Reads of a table's stream by Pipes are free. Source:
 * https://aws.amazon.com/dynamodb/pricing/on-demand/, "DynamoDB Streams".
 */
function linesOfPipes({ pipes, itemsPerMonth, itemBytes }: BilledTable): BillLine[] {
  const line = lineOf('pipes');
  return pipes.flatMap(to => {
    const calls = itemsPerMonth / PIPED[to].batch;
    const gbSeconds = (calls * PIPED.callMs * FUNCTION_MEMORY_MB) / 1024 / 1000;
    const requests = itemsPerMonth * Math.ceil((itemBytes + PIPED.lineBytes) / PIPED.requestBytes);
    const lines = [
      line('pipes: removals in 64 KB', requests, 'requests', requests * BILL_PRICES.pipeRequests),
      line('OnlyExpiries: calls', calls, 'calls', calls * PRICES.functionInvocations, '1 million'),
      line('OnlyExpiries: time', gbSeconds, 'GB-seconds', gbSeconds * PRICES.functionGbSeconds, '400,000'),
    ];
    if (to === 'events') return lines;
    const steps = Math.ceil((itemBytes + PIPED.lineBytes) / PIPED.stepBytes);
    const deliveredGb = (itemsPerMonth * steps * PIPED.stepBytes) / GB;
    const storedGb = (itemsPerMonth * (itemBytes + PIPED.lineBytes) * PIPED.storedShare) / GB;
    // Fewer items than that are an object each.
    const puts = Math.min(itemsPerMonth, (HOURS * 3600) / PIPED.bufferSeconds);
    return [
      ...lines,
      line('Firehose: lines in 5 KB', deliveredGb, 'GB', deliveredGb * BILL_PRICES.firehoseGb),
      line('objects written to S3', puts, 'puts', puts * BILL_PRICES.s3Puts),
      line("a month's objects, each month", storedGb, 'GB', storedGb * BILL_PRICES.s3GbMonths),
    ];
  });
}
