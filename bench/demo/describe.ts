import type { Execution } from 'stepfunctions-emulator';
import { count, timeOfDay } from '../../cli/dashboard/words.ts';
import { aligned } from '../../cli/format.ts';
import { readExecutionReport } from '../../functions/report/sweep-totals.ts';
import type { SweepSettings } from '../../functions/runtime/environment.ts';
import type { DynamoDbEndpoint } from '../../local/dynamodb/dynamodb-local.ts';
import type { FollowedPipe } from '../ledger/deliveries.ts';
import { seconds } from '../report/numbers.ts';
import { describePromise, promisedLagMs } from './judge.ts';

function promiseOf({ settings, rate }: Job): string {
  const { precision, pollSeconds } = settings;
  const within = describePromise(promisedLagMs(settings, rate));
  if (precision === 'minute') return `${within}, with the next tick: one sweep a minute`;
  const late = pollSeconds > 0 ? `at the next read, at most ${pollSeconds} s later` : 'with the next tick';
  return `${within}, if written before the minute in which they expire; items written later: ${late}`;
}

export interface Job {
  /** The table has a unique name, and exists only during the run. */
  readonly settings: SweepSettings;
  readonly deployment: string;
  readonly standsFor: string;
  readonly rate: number;
  readonly minutes: number;
  readonly seed: number;
}

interface Start extends Job {
  readonly dynamoDb: DynamoDbEndpoint;
  readonly page: string;
  readonly sweepPageAddress: string | undefined;
  readonly pipes: readonly FollowedPipe[];
}

export function describeStart(start: Start): string {
  const { dynamoDb, deployment, page, sweepPageAddress, settings, rate, minutes, seed, pipes } = start;
  const where = dynamoDb.startedHere
    ? 'in memory, open to the network'
    : 'which was running; the table is removed again at the end (DynamoDB forgets its disabled stream a day later)';
  const renewals = renews(settings)
    ? 'some are renewed or made permanent in their last seconds'
    : "none is renewed: deleteMode 'batch' is for keys that are never written again";
  const rows = [
    ['table', `${settings.tableName}, a table of this run's own, made and swept as ${start.standsFor}`],
    ['DynamoDB', `${dynamoDb.endpoint}, ${where}`],
    [
      'state machines',
      `${deployment} (ticks, Express), ${deployment}-replay (Standard): ${page}/ in a browser`,
    ],
    ['sessions', `${rate} a second expire for ${minutes} min; ${renewals} (seed ${seed})`],
    ['promised', promiseOf(start)],
    ...pipes.map(({ target }) => ['events', `to ${target}, for which this run stands`] as const),
  ] as const;
  return [
    'What a deployment would provision, running on this machine:',
    '',
    aligned(rows),
    '',
    // `sweepPageAddress` contains a long token, and is too long for a row of the printed table.
    ...(sweepPageAddress === undefined
      ? []
      : [`The page of the sweep, for a browser: ${sweepPageAddress}`, '']),
    "Lags are from expiry to deletion, as seen in the table's stream. Ctrl-C stops.",
    '',
  ].join('\n');
}

export function renews({ deleteMode }: SweepSettings): boolean {
  return deleteMode === 'guarded';
}

/** Describes a successful execution on one line: `09:02:00Z  tick  1,013 deleted  p99 0.1 s`. */
export function describeSweep({ output, startDate }: Execution): string {
  const [report] = Object.values(readExecutionReport(output)?.tables ?? {});
  const deleted = report && report.deleted > 0 ? `${count(report.deleted)} deleted` : 'nothing to delete';
  const late = report?.lagMs ? `  p99 ${seconds(report.lagMs.p99)}` : '';
  return `${timeOfDay(startDate)}  tick  ${deleted}${late}`;
}

export function describeFailure({ startDate, status, error, cause }: Execution): string {
  return `the sweep of ${timeOfDay(startDate)} ended ${status}: ${error ?? 'no error name'}${cause ? `: ${cause.slice(0, 300)}` : ''}`;
}
