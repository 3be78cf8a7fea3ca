import type { Execution } from 'stepfunctions-emulator';
import type { DeleteMode } from '../../functions/runtime/environment.ts';
import type { LocalCloud } from '../../local/cloud.ts';
import { reportsOf } from '../ledger/accounts.ts';
import type { FollowedPipe } from '../ledger/followers.ts';
import { count, seconds, timeOfDay } from '../report/numbers.ts';
import { machinesOf } from '../watch/executions.ts';
import type { Action } from '../workload/plan.ts';
import { type Pace, promisedLagMs } from './deadline.ts';
import { describePromise, NO_RENEWALS } from './report.ts';

/** The described settings of a sweep. */
export interface Sweep extends Pace {
  readonly deleteMode: DeleteMode;
}

/** The sweep's promise in words. `rate`: items that expire in a second. */
function promiseOf(sweep: Pace, rate: number): string {
  const { precision, pollSeconds } = sweep;
  const within = describePromise(promisedLagMs(sweep, rate));
  if (precision === 'minute') return `${within}, with the next tick: one sweep a minute`;
  const late =
    pollSeconds > 0
      ? `items written later: at the next read, at most ${pollSeconds} s later`
      : 'items written later: with the next tick';
  return `${within}, if written before the minute in which they expire; ${late}`;
}

export interface Start {
  readonly cloud: LocalCloud;
  /** Address of the page that shows the executions of the run. */
  readonly page: string;
  /** The address of the page of the sweep. @default there is none */
  readonly sweepPage?: string | undefined;
  /** The table of this run. */
  readonly tableName: string;
  /** The table of the configuration whose settings it has. */
  readonly standsFor: string;
  readonly sweep: Sweep;
  readonly actions: readonly Action[];
  readonly rate: number;
  readonly minutes: number;
  readonly seed: number;
  readonly pipes: readonly FollowedPipe[];
}

/** The text before the first session is written. */
export function describeStart({
  cloud,
  page,
  sweepPage,
  tableName,
  standsFor,
  sweep,
  actions,
  pipes,
  ...run
}: Start): string {
  const { synthesized, dynamoDb } = cloud;
  const { tick, replay } = machinesOf(cloud);
  // The prefix that functions share with the tick is left out.
  const functions = synthesized.functions.map(({ name }) => name.replace(`${tick}-`, ''));
  const counted = (kind: Action['kind']) => count(actions.filter(action => action.kind === kind).length);
  const schedules = cloud.upcoming().map(({ schedule, at }) => `${schedule.name} (next ${timeOfDay(at)})`);
  const where = dynamoDb.startedHere
    ? 'DynamoDB Local, in memory, open to the network'
    : 'which was running; the table is removed again at the end (DynamoDB forgets its disabled stream a day later)';
  const renewals = renews(sweep)
    ? `${counted('renew')} renewed and ${counted('makePermanent')} made permanent in their last seconds`
    : `renewed: ${NO_RENEWALS}`;
  const deleted = actions.some(({ kind }) => kind === 'delete')
    ? `; ${counted('delete')} deleted by the application before`
    : '';
  const rows = [
    ['table', `${tableName}, a table of this run's own, made and swept as ${standsFor}`],
    ['DynamoDB', `${dynamoDb.endpoint}, ${where}`],
    ['functions', `${functions.join(', ')}: the bundles, in worker threads`],
    ['state machines', `${tick} (ticks, Express), ${replay} (replays, Standard)`],
    ['', `${page}/ in a browser shows their executions while they run`],
    ['schedules', schedules.join(', ')],
    [
      'sessions',
      `${counted('write')}, ${run.rate} a second, expiring for ${run.minutes} min; ${renewals}${deleted} (seed ${run.seed})`,
    ],
    ['promised', promiseOf(sweep, run.rate)],
    ...pipes.map(({ target }) => ['events', `to ${target}, for which this run stands`] as const),
  ] as const;
  return [
    'What a deployment would provision, running on this machine:',
    '',
    ...rows.map(([name, text]) => `  ${name.padEnd(15)} ${text}`),
    '',
    // With its token it is too long for a row.
    ...(sweepPage === undefined ? [] : [`The page of the sweep, for a browser: ${sweepPage}`, '']),
    `Watch "overdue": ${whatOverdueDoes(sweep)}`,
    '"lag" is p50/max, from expiry to deletion, as seen in the table\'s stream. Ctrl-C stops.',
    ...(sweep.precision === 'minute'
      ? []
      : ['A tick owns the minute after its own and waits for it, so it runs for up to two minutes.']),
    '',
  ].join('\n');
}

function whatOverdueDoes({ precision }: Pace): string {
  return precision === 'minute'
    ? 'it grows as sessions expire, and falls to 0 with every sweep, once a minute.'
    : 'it stays near 0, for what expires is gone within a second.';
}

/** Whether sessions may be renewed once they have a TTL. */
export function renews({ deleteMode }: Sweep): boolean {
  return deleteMode === 'guarded';
}

/**
 * Describes a successful execution on one line: `09:02:00Z  tick  1,013 deleted  p99 0.1 s`.
 */
export function describeSweep(execution: Execution): string {
  const { output, startDate, stopDate = startDate } = execution;
  const [report] = reportsOf(output) ?? [];
  const deleted = report && (report.deleted === 0 ? 'nothing to delete' : `${count(report.deleted)} deleted`);
  const late = report?.lagMs ? `  p99 ${seconds(report.lagMs.p99)}` : '';
  const what = deleted ?? `succeeded in ${seconds(stopDate - startDate)}`;
  return `${timeOfDay(startDate)}  tick  ${what}${late}`;
}

export function describeFailure({ startDate, status, error, cause }: Execution): string {
  return `the sweep of ${timeOfDay(startDate)} ended ${status}: ${error ?? 'no error name'}${cause ? `: ${cause.slice(0, 300)}` : ''}`;
}

export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
