import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { toEpochSeconds } from '../../expiry/ttl.ts';
import type { RecordMetricsInput } from '../../statemachine/contract/execution.ts';
import type { ReplayInput } from '../../statemachine/contract/inputs.ts';
import type { HandOver, RecordMetricsOutput } from '../../statemachine/contract/report.ts';
import { secondsBehind } from '../child/swept-range.ts';
import { lambdaJournal } from '../journal/lambda-journal.ts';
import type { SweepRow } from '../journal/layout.ts';
import { leftNothing } from '../report/sweep-totals.ts';
import { waitUntil } from '../retry/backoff.ts';
import { readDeployment } from '../runtime/deployment.ts';
import { readSettings } from '../runtime/environment.ts';
import { JournalUnwritableError } from '../runtime/errors.ts';
import { indexLayout, reachSeconds } from '../table/index-layout.ts';
import { embeddedMetrics } from './embedded-metrics.ts';
import {
  didAnything,
  isHandOver,
  leaveForLater,
  sumOfTables,
  type TableRecord,
  tableRecords,
} from './table-record.ts';
import { toldTables } from './told-tables.ts';

/**
 * Milliseconds reserved for printing. The journal's client may retry until the function's timeout, and a function that times out after it
 * has printed its metrics is called again, and prints them again.
 */
const PRINTING_MS = 3_000;

/** Dependencies of recording. */
export interface RecordSurroundings {
  readonly deployment: string;
  readonly logger: Pick<Logger, 'info' | 'error'>;
  readonly metrics: Metrics;
  /** Prints a line of metrics. */
  readonly print: (line: string) => void;
  /** Resolves when the time for waiting on the journal is up. */
  readonly timeIsUp: () => Promise<void>;
  readonly journal: {
    /** @throws JournalUnwritableError */
    readonly putRows: (rows: readonly SweepRow[]) => Promise<void>;
    /** @returns false when the table already has a hand-over */
    readonly takeHandOver: (table: string, before: number, execution: string) => Promise<boolean>;
    readonly endHandOver: (table: string, execution: string) => Promise<void>;
    /** Records that a replay has swept these expiry times and left nothing. */
    readonly replayed: (table: string, from: number, to: number, endedAt: string) => Promise<void>;
  };
}

/**
 * Adds up an execution: records it as CloudWatch metrics in the embedded metric format, as a log line for each table and in the journal,
 * and returns its reports. A dry run records no metrics: it deleted nothing.
 *
 * 1. Work that a tick could not finish is handed over. If another execution has the table's hand-over, it is left to a later tick and
 *    counted as left: the other execution may be sweeping older items.
 * 2. The log and the metrics are printed last, since a call that ends before its answer is repeated. They are printed even when the
 *    journal cannot be written, or does not answer in time: then the execution fails without a retry, which raises an alarm.
 *
 * @throws JournalUnwritableError
 */
export async function recordMetrics(
  input: RecordMetricsInput,
  { deployment, logger, metrics, print, timeIsUp, journal }: RecordSurroundings,
): Promise<RecordMetricsOutput> {
  const { machine, startedAt, endedAt } = input;
  const durationMs = Date.parse(endedAt) - Date.parse(startedAt);
  const tooSlow = timeIsUp().then((): never => {
    throw new JournalUnwritableError('Journal: expected an answer in the time of RecordMetrics, got none.');
  });
  tooSlow.catch(() => undefined);
  let records = tableRecords(input);
  const told = () => (machine === 'replay' ? records : records.filter(didAnything));
  try {
    const { handOvers, refused } = await Promise.race([takeHandOvers(input, records, journal), tooSlow]);
    records = records.map(record => (refused.includes(record.table) ? leaveForLater(record) : record));
    await Promise.race([writeJournal(input, records, told(), journal), tooSlow]);
    return {
      complete: records.every(({ totals }) => leftNothing(totals)),
      ...toldTables(machine, told()),
      handOvers,
    };
  } finally {
    for (const { table, report } of told()) logger.info('swept', { table, ...report, durationMs });
    printMetrics(records, { deployment, durationMs, metrics, print });
  }
}

/**
 * Claims the hand-overs of the tables.
 *
 * @returns the hand-overs to start, and the tables that are handed over to another execution already
 */
async function takeHandOvers(
  { execution, endedAt }: RecordMetricsInput,
  records: readonly TableRecord[],
  journal: RecordSurroundings['journal'],
): Promise<{ handOvers: HandOver[]; refused: string[] }> {
  const handOvers: HandOver[] = [];
  const refused: string[] = [];
  const nextName = () =>
    `${execution.slice(0, 40)}-${toEpochSeconds(Date.parse(endedAt))}-${handOvers.length}`;
  for (const { table, leftOver } of records) {
    if (leftOver === undefined) continue;
    const name = nextName();
    if (await journal.takeHandOver(table, leftOver.to, name)) {
      const { from, to, ...limit } = leftOver;
      const span = { from: waitUntil(from), to: waitUntil(to) };
      handOvers.push({ name, input: { table, ...span, ...limit, handOver: true } });
    } else {
      refused.push(table);
    }
  }
  return { handOvers, refused };
}

async function writeJournal(
  input: RecordMetricsInput,
  records: readonly TableRecord[],
  told: readonly TableRecord[],
  journal: RecordSurroundings['journal'],
): Promise<void> {
  const { machine, executionInput, execution, startedAt, endedAt } = input;
  const isHandedOver = isHandOver(machine, executionInput);
  const kind = machine === 'tick' ? 'tick' : isHandedOver ? 'handOver' : 'replay';
  await journal.putRows(
    told
      .filter(({ totals }) => !totals.dryRun)
      .map(({ table, report }) => ({ table, kind, execution, startedAt, endedAt, report })),
  );
  if (isHandedOver) await endHandOvers(input, records, journal);
  if (machine === 'replay') await noteReplayed(input, records, journal);
}

interface Printing extends Pick<RecordSurroundings, 'deployment' | 'metrics' | 'print'> {
  readonly durationMs: number;
}

/** Prints one line, of the sums over the tables. */
function printMetrics(records: readonly TableRecord[], { deployment, durationMs, metrics, print }: Printing) {
  const recorded = records.filter(({ totals }) => !totals.dryRun);
  if (recorded.length === 0) return;
  const totals = sumOfTables(recorded.map(each => each.totals));
  const late = recorded.reduce((sum, each) => sum + each.late, 0);
  const document = embeddedMetrics(metrics, { Deployment: deployment }, totals, { durationMs, late });
  if (document !== undefined) print(JSON.stringify(document));
}

/**
 * Ends the hand-overs, so that the ticks sweep the tables again. If an execution has left items further back than a tick reaches, its
 * hand-over is not ended, but expires: these items keep the watermark where it is, and the next tick would hand the same over again.
 */
async function endHandOvers(
  { execution, executionInput, startedAt, soFar }: RecordMetricsInput,
  records: readonly TableRecord[],
  journal: RecordSurroundings['journal'],
): Promise<void> {
  const { from = startedAt } = executionInput as Partial<ReplayInput>;
  const backSeconds = (Date.parse(startedAt) - Date.parse(from)) / 1000;
  for (const { table, totals } of records) {
    const layout = indexLayout(readSettings(soFar.sweeps[table]?.settings).model);
    if (backSeconds > reachSeconds(layout) && !leftNothing(totals)) continue;
    await journal.endHandOver(table, execution);
  }
}

async function noteReplayed(
  { executionInput, startedAt, endedAt, soFar }: RecordMetricsInput,
  records: readonly TableRecord[],
  journal: RecordSurroundings['journal'],
): Promise<void> {
  const { from, to } = executionInput as Partial<ReplayInput>;
  for (const { table, totals } of records) {
    const isWhole = leftNothing(totals) && totals.leftForLater === 0 && !totals.dryRun;
    if (!isWhole || from === undefined || to === undefined) continue;
    // Items that expire after its start are not swept, even if its input's span includes them.
    const settings = readSettings(soFar.sweeps[table]?.settings);
    const expired = toEpochSeconds(Date.parse(startedAt)) - secondsBehind(settings) + 1;
    const before = Math.min(toEpochSeconds(Date.parse(to)), expired);
    await journal.replayed(table, toEpochSeconds(Date.parse(from)), before, endedAt);
  }
}

// Powertools reads namespace, service and log level from its own environment variables.
const logger = new Logger();
const metrics = new Metrics();

/**
 * Prints to stdout directly. With JSON logging Lambda wraps the output of `console.log` into a document, and CloudWatch finds embedded
 * metrics only at the root.
 */
const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

export const handler = (
  event: RecordMetricsInput,
  context: { getRemainingTimeInMillis(): number },
): Promise<RecordMetricsOutput> => {
  const { deploymentName: deployment } = readDeployment(process.env);
  // The timer does not keep the process alive.
  const timeIsUp = () =>
    sleep(Math.max(0, context.getRemainingTimeInMillis() - PRINTING_MS), undefined, { ref: false });
  return recordMetrics(event, { deployment, logger, metrics, print, timeIsUp, journal: lambdaJournal() });
};
