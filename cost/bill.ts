import { ENTRY_BYTES, FUNCTION_MEMORY_MB, LOG_BYTES, PIPED, STORED_ENTRY_BYTES } from './assumptions.ts';
import { PRICES } from './prices.ts';
import { type SweptTable, sum, usageOfMonth, writeUnits } from './sweep-usage.ts';

export interface BilledTable extends SweptTable {
  readonly itemBytes: number;
  readonly pipes: readonly ('archive' | 'events')[];
  readonly renewalsPerItem: number;
  readonly lifetimeHours: number;
  readonly isRecoverable: boolean;
}

export interface BilledDeployment {
  readonly tables: readonly BilledTable[];
  readonly customMetrics: { readonly deleting: number; readonly watching: number };
  readonly alarmMetrics: number;
  readonly hasDashboard: boolean;
}

export const BILL_PARTS = ['sweep', 'monitoring', 'table', 'pipes'] as const;
export type BillPart = (typeof BILL_PARTS)[number];

export interface BillLine {
  readonly part: BillPart;
  readonly name: string;
  readonly amount: number;
  readonly unit: string;
  readonly dollars: number;
  readonly free?: string;
}

export type Bill = ReturnType<typeof monthlyBill>;

const HOURS = 720;
const GB = 1e9;

/** Bytes that CloudWatch adds to each event of a log. Source: CloudWatch Logs API reference, PutLogEvents. */
const EVENT_BYTES = 26;

const ROW = { bytes: 700, days: 90 } as const;

type Row = readonly [name: string, amount: number, unit: string, price: number, free?: string];

export function monthlyBill(deployment: BilledDeployment) {
  const usage = usageOfMonth(deployment.tables);
  const rows = {
    sweep: rowsOfSweep(usage),
    monitoring: rowsOfMonitoring(deployment, usage),
    table: rowsOfTables(deployment.tables),
    pipes: rowsOfPipes(deployment.tables),
  } as const satisfies Record<BillPart, readonly Row[]>;
  const lines = BILL_PARTS.flatMap(part =>
    rows[part].map(([name, amount, unit, price, free]): BillLine => {
      return { part, name, amount, unit, dollars: amount * price, ...(free !== undefined && { free }) };
    }),
  );
  const byPart = BILL_PARTS.map(
    part => [part, sum(lines, line => (line.part === part ? line.dollars : 0))] as const,
  );
  return {
    ...{ lines, total: sum(lines, ({ dollars }) => dollars) },
    byPart: Object.fromEntries(byPart) as Record<BillPart, number>,
  };
}

/** Returns the rows of the sweep. Not counted: replays that a person starts, and the additional reads after an outage. */
function rowsOfSweep(usage: ReturnType<typeof usageOfMonth>): Row[] {
  const rowGb = (usage.sweptTables * ROW.bytes * (ROW.days / 30)) / GB;
  return [
    ['starts by EventBridge Scheduler', usage.starts, 'starts', PRICES.schedulerInvocations, '14 million'],
    ['Express executions', usage.expressRequests, 'executions', PRICES.expressRequests],
    ['Express executions: time', usage.expressGbSeconds, 'GB-seconds', PRICES.expressGbSeconds],
    ['functions: calls', usage.functionInvocations, 'calls', PRICES.functionInvocations, '1 million'],
    ['functions: time', usage.functionGbSeconds, 'GB-seconds', PRICES.functionGbSeconds, '400,000'],
    ['reads of indexes and journal', usage.dynamoDbReadUnits, 'read units', PRICES.dynamoDbReadUnits],
    ['writes of the journal', usage.dynamoDbWriteUnits, 'write units', PRICES.dynamoDbWriteUnits],
    ['storage of the journal', rowGb, 'GB', PRICES.storedGbMonths, '25 GB'],
  ];
}

function rowsOfMonitoring(
  { tables, customMetrics, alarmMetrics, hasDashboard }: BilledDeployment,
  usage: ReturnType<typeof usageOfMonth>,
): Row[] {
  // RecordMetrics writes these log lines, stored for 30 days. The log level WARN suppresses Lambda's own lines about successful calls.
  const logged =
    usage.recordedSweeps * (LOG_BYTES.metrics + EVENT_BYTES) +
    usage.sweptTables * (LOG_BYTES.swept + EVENT_BYTES);
  const logPrice = PRICES.logGb + PRICES.logGbMonths;
  const deletingHours = Math.min(1, sum(tables, ({ itemsPerMonth }) => itemsPerMonth) / HOURS);
  const watchingHours = tables.some(({ pollSeconds }) => pollSeconds > 0) ? 1 - deletingHours : 0;
  const metrics = customMetrics.deleting * deletingHours + customMetrics.watching * watchingHours;
  return [
    ['log lines, taken in and kept', logged / GB, 'GB', logPrice, '5 GB'],
    ['custom metrics', metrics, 'metrics', PRICES.customMetrics, '10'],
    ['alarms', alarmMetrics, 'metrics', PRICES.alarmMetrics, '10'],
    ['dashboard', hasDashboard ? 1 : 0, 'dashboards', PRICES.dashboards, '3'],
    ['notifications (SNS) and dead letters (SQS)', 0, 'messages', 0, '1,000 e-mails, 1 million'],
  ];
}

function rowsOfTables(tables: readonly BilledTable[]): Row[] {
  const ofEntry = writeUnits(ENTRY_BYTES);
  const written = (name: string, units: (table: BilledTable) => number): Row => {
    const amount = sum(tables, table => table.itemsPerMonth * units(table));
    return [name, amount, 'write units', PRICES.dynamoDbWriteUnits];
  };
  const storedGb = (bytes: (table: BilledTable) => number) =>
    sum(tables, table => ((table.itemsPerMonth * table.lifetimeHours) / HOURS) * bytes(table)) / GB;
  const index = storedGb(() => ENTRY_BYTES + STORED_ENTRY_BYTES);
  const recoverable = storedGb(({ isRecoverable, itemBytes }) => (isRecoverable ? itemBytes : 0));
  return [
    written('index entries of puts', () => ofEntry),
    written('index entries moved by renewals', ({ renewalsPerItem }) => renewalsPerItem * 2 * ofEntry),
    written('deletes of items and their entries', ({ itemBytes }) => writeUnits(itemBytes) + ofEntry),
    ['storage of the index', index, 'GB', PRICES.storedGbMonths, '25 GB'],
    ['point-in-time recovery', recoverable, 'GB', PRICES.recoverableGbMonths],
  ];
}

/**
 * Returns the rows of the pipes. Not counted: costs of the targets of `events`; deletes by users' programs, which also pass the pipe's
 * filter. EventBridge Pipes reads a stream for free. Source: https://aws.amazon.com/dynamodb/pricing/on-demand/, "DynamoDB Streams".
 */
function rowsOfPipes(tables: readonly BilledTable[]): Row[] {
  const pipes = tables.flatMap(({ pipes: kinds, itemsPerMonth, itemBytes }) =>
    kinds.map(to => ({ to, items: itemsPerMonth, bytes: itemBytes + PIPED.lineBytes })),
  );
  if (pipes.length === 0) return [];
  const requests = sum(pipes, ({ items, bytes }) => items * Math.ceil(bytes / PIPED.requestBytes));
  const calls = sum(pipes, ({ to, items }) => items / PIPED[to].batch);
  const gbSeconds = (calls * PIPED.callMs * FUNCTION_MEMORY_MB) / 1024 / 1000;
  const archives = pipes.filter(({ to }) => to === 'archive');
  const delivered = ({ items, bytes }: (typeof pipes)[number]) =>
    items * Math.ceil(bytes / PIPED.stepBytes) * PIPED.stepBytes;
  const stored = ({ items, bytes }: (typeof pipes)[number]) => items * bytes * PIPED.storedShare;
  const puts = sum(archives, ({ items }) => Math.min(items, (HOURS * 3600) / PIPED.bufferSeconds));
  const ofArchives: Row[] = [
    ['Firehose: lines in 5 KB', sum(archives, delivered) / GB, 'GB', PRICES.firehoseGb],
    ['objects written to S3', puts, 'puts', PRICES.s3Puts],
    ["a month's objects, each month", sum(archives, stored) / GB, 'GB', PRICES.s3GbMonths],
  ];
  return [
    ['pipes: removals in 64 KB', requests, 'requests', PRICES.pipeRequests],
    ['OnlyExpiries: calls', calls, 'calls', PRICES.functionInvocations, '1 million'],
    ['OnlyExpiries: time', gbSeconds, 'GB-seconds', PRICES.functionGbSeconds, '400,000'],
    ...(archives.length > 0 ? ofArchives : []),
  ];
}
