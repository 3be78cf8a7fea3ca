import { ARCHIVE, CALL_MS, ENTRY_BYTES, FUNCTION_MEMORY_MB, STORED_ENTRY_BYTES } from './assumptions.ts';
import { writeUnits } from './item-size.ts';
import { LOG_BYTES } from './measured.ts';
import { BILL_PRICES, PRICES } from './prices.ts';
import { type SweepUsage, type SweptDeployment, type SweptTable, usageOfMonth } from './sweep-usage.ts';

/** The settings and items of a table that decide the size and cost of its archive. */
export interface ArchiveShape {
  readonly itemsPerMonth: number;
  readonly itemBytes: number;
  /** Seconds for which removals are collected. */
  readonly batchSeconds: number;
}

/** The archive's usage in a month, in the units that are billed. */
export interface ArchiveUsage {
  readonly calls: number;
  readonly gbSeconds: number;
  readonly puts: number;
  /** Size of the stored objects. */
  readonly storedGb: number;
  readonly loggedGb: number;
}

/** Seconds of a month of 30 days, for which the ticks are counted too. */
const SECONDS = 2_592_000;

/** Lambda polls a shard four times per second. Source: Lambda Developer Guide, "Using AWS Lambda with Amazon DynamoDB". */
const POLL_SECONDS = 0.25;

/** Most records of a call, whose 6 MB are the other limit. Source: Lambda quotas; stacks/parts/archive.ts. */
const MAX_RECORDS = 1000;
const MAX_BYTES = 6e6;

/**
 * Deletions per second of one partition of a table, and so removals per second of one shard of its stream. Source: DynamoDB Developer
 * Guide, "Partitions".
 */
const REMOVALS_PER_SHARD = 1000;

/**
 * The archive's usage in a month in which the same number of items expires in each second. If less than one item expires in each
 * collecting time, each is an object of its own.
 */
function archiveOfMonth(shape: ArchiveShape): ArchiveUsage {
  const { itemsPerMonth, itemBytes, batchSeconds } = shape;
  const shards = Math.max(1, Math.ceil(itemsPerMonth / SECONDS / REMOVALS_PER_SHARD));
  const gathered = (shards * SECONDS) / Math.max(batchSeconds, POLL_SECONDS);
  const lineBytes = itemBytes + ARCHIVE.lineBytes;
  const atMost = Math.max(1, Math.min(MAX_RECORDS, MAX_BYTES / lineBytes));
  const calls = Math.max(Math.min(itemsPerMonth, gathered), itemsPerMonth / atMost);
  // The measured processor time is for items of 1 KB, and mostly depends on their bytes.
  const itemsMs = itemsPerMonth * ARCHIVE.itemMs * Math.max(1, itemBytes / 1000);
  const milliseconds = calls * (CALL_MS + ARCHIVE.putMs) + itemsMs;
  return {
    calls,
    gbSeconds: (milliseconds / 1000) * (FUNCTION_MEMORY_MB / 1024),
    // The items of a call mostly have the same date.
    puts: calls,
    storedGb: (itemsPerMonth * itemBytes * ARCHIVE.storedShare) / GB,
    loggedGb: (calls * ARCHIVE.loggedBytes) / GB,
  };
}

/** A table and its items: all values on which its part of a bill depends. */
export interface BilledTable extends SweptTable {
  readonly itemBytes: number;
  /** Seconds for which removals are collected for one object of the archive; undefined: there is no archive. */
  readonly archiveBatchSeconds: number | undefined;
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

/** The parts of a bill: the sweep itself, its monitoring, the tables that it sweeps, and the archive if there is one. */
export const BILL_PARTS = ['sweep', 'monitoring', 'table', 'archive'] as const;
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

/** The bill of these deployments for a month. All items of the bill are listed, even those that cost nothing. */
export function monthlyBill(deployments: readonly BilledDeployment[]): Bill {
  const lines = addedUp(deployments.flatMap(linesOf));
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
    ...tables.flatMap(table => linesOfArchive(table)),
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
 * The lines of the bill for the archive. Lambda's reads of a table's stream are free. Source:
 * https://aws.amazon.com/dynamodb/pricing/on-demand/, "DynamoDB Streams".
 */
function linesOfArchive({ archiveBatchSeconds, ...table }: BilledTable): BillLine[] {
  if (archiveBatchSeconds === undefined) return [];
  const { calls, gbSeconds, puts, storedGb, loggedGb } = archiveOfMonth({
    ...table,
    batchSeconds: archiveBatchSeconds,
  });
  const line = lineOf('archive');
  const logDollars = loggedGb * (BILL_PRICES.logGb + BILL_PRICES.logGbMonths);
  return [
    line('archiving: calls', calls, 'calls', calls * PRICES.functionInvocations, '1 million'),
    line('archiving: time', gbSeconds, 'GB-seconds', gbSeconds * PRICES.functionGbSeconds, '400,000'),
    line('objects written to S3', puts, 'puts', puts * BILL_PRICES.s3Puts),
    line("a month's objects, each month", storedGb, 'GB', storedGb * BILL_PRICES.s3GbMonths),
    line('its log lines, taken in and kept', loggedGb, 'GB', logDollars, '5 GB'),
  ];
}
