import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { toEpochSeconds } from '../../expiry/ttl.ts';
import type { RecordMetricsInput, RecordMetricsOutput } from '../../statemachine/contract/execution.ts';
import type { ReplayInput } from '../../statemachine/contract/inputs.ts';
import { type Journal, lambdaJournal } from '../journal/lambda-journal.ts';
import { INDEX_SECONDS } from '../journal/layout.ts';
import { leftNothing } from '../report/sweep-totals.ts';
import { printMetrics, readDeployment } from '../runtime/deployment.ts';
import { readSettings } from '../runtime/environment.ts';
import { JournalUnwritableError } from '../runtime/errors.ts';
import { embeddedMetrics } from './metrics.ts';
import { didAnything, reportedTables, sumOfTables, type TableRecord, tableRecords } from './table-record.ts';

/** The function stops waiting for the journal this long before its timeout, because after the timeout it could not print. */
const PRINTING_MS = 3_000;

export interface RecordDependencies {
  readonly deployment: string;
  readonly logger: Pick<Logger, 'info' | 'error'>;
  readonly metrics: Metrics;
  readonly print: (line: string) => void;
  readonly timeIsUp: () => Promise<void>;
  readonly journal: Pick<Journal, 'putRows' | 'replayed'>;
}

/**
 * Writes the journal, then prints the log and the metrics. In the other order, a retry by Step Functions could print them twice.
 * @throws JournalUnwritableError
 */
export async function recordMetrics(
  input: RecordMetricsInput,
  dependencies: RecordDependencies,
): Promise<RecordMetricsOutput> {
  const { logger, timeIsUp, journal } = dependencies;
  const { machine, startedAt, endedAt } = input;
  const durationMs = Date.parse(endedAt) - Date.parse(startedAt);
  const tooSlow = timeIsUp().then((): never => {
    throw new JournalUnwritableError('Journal: expected an answer in the time of RecordMetrics, got none.');
  });
  tooSlow.catch(() => undefined);
  const records = tableRecords(input);
  const reported = machine === 'replay' ? records : records.filter(didAnything);
  try {
    await Promise.race([writeJournal(input, reported, journal), tooSlow]);
    // The next tick sweeps what a tick left for later. Nothing sweeps what a replay left for later, so that replay is not complete.
    const isDone = ({ totals }: TableRecord) =>
      leftNothing(totals) && (machine === 'tick' || totals.leftForLater === 0);
    return { complete: records.every(isDone), ...reportedTables(reported) };
  } finally {
    for (const { table, report } of reported) logger.info('swept', { table, ...report, durationMs });
    recordSums(records, durationMs, dependencies);
  }
}

async function writeJournal(
  input: RecordMetricsInput,
  reported: readonly TableRecord[],
  journal: RecordDependencies['journal'],
): Promise<void> {
  const { machine: kind, execution, startedAt, endedAt } = input;
  await journal.putRows(
    reported
      .filter(({ totals }) => !totals.dryRun)
      .map(({ table, report }) => ({ table, kind, execution, startedAt, endedAt, report })),
  );
  if (kind === 'replay') await noteReplayed(input, reported, journal);
}

function recordSums(
  records: readonly TableRecord[],
  durationMs: number,
  { deployment, metrics, print }: RecordDependencies,
): void {
  const recorded = records.filter(({ totals }) => !totals.dryRun);
  if (recorded.length === 0) return;
  const totals = sumOfTables(recorded.map(each => each.totals));
  const late = recorded.reduce((sum, each) => sum + each.late, 0);
  const document = embeddedMetrics(metrics, { Deployment: deployment }, totals, { durationMs, late });
  if (document !== undefined) print(JSON.stringify(document));
}

async function noteReplayed(
  { executionInput, startedAt, endedAt, soFar }: RecordMetricsInput,
  records: readonly TableRecord[],
  journal: RecordDependencies['journal'],
): Promise<void> {
  const { from, to } = executionInput as Partial<ReplayInput>;
  for (const { table, totals } of records) {
    const isWhole = leftNothing(totals) && totals.leftForLater === 0 && !totals.dryRun;
    if (!isWhole || from === undefined || to === undefined) continue;
    const settings = readSettings(soFar.sweeps[table]?.settings);
    const expired = toEpochSeconds(Date.parse(startedAt)) - settings.marginSeconds + 1;
    const before = Math.min(toEpochSeconds(Date.parse(to)), expired - INDEX_SECONDS);
    await journal.replayed(table, toEpochSeconds(Date.parse(from)), before, endedAt);
  }
}

const logger = new Logger();
const metrics = new Metrics();

export const handler = (
  event: RecordMetricsInput,
  context: { getRemainingTimeInMillis(): number },
): Promise<RecordMetricsOutput> => {
  const { deploymentName: deployment } = readDeployment(process.env);
  const timeIsUp = () =>
    sleep(Math.max(0, context.getRemainingTimeInMillis() - PRINTING_MS), undefined, { ref: false });
  return recordMetrics(event, {
    ...{ deployment, logger, metrics, print: printMetrics, timeIsUp },
    journal: lambdaJournal(),
  });
};
