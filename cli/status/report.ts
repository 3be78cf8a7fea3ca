import { seenOf } from '../deployment/check.ts';
import type { SeenSchedule } from '../deployment/observe-deployment.ts';
import { type SweepReport, sweepReport } from '../deployment/sweep-report.ts';
import type { Gone } from './gone.ts';
import type { Status, TableStatus } from './job.ts';
import type { Remark, Verdict } from './judge.ts';

/** A status as JSON. Null: it is not there, or is not known; the remarks then say which. Times are ISO-8601. */
export interface StatusReport {
  readonly verdict: Verdict;
  readonly region: string;
  readonly isLocal: boolean;
  readonly checkedAt: string;
  readonly tables: readonly TableReport[];
}

export interface TableReport {
  readonly tableName: string;
  /** Of its deployment, and the beginning of the other names. */
  readonly name: string;
  readonly verdict: Verdict;
  readonly remarks: readonly Remark[];
  /** Everything that was due from `since` to `by` is gone. */
  readonly gone: { readonly since: string; readonly by: string } | null;
  /** When the last tick planned. */
  readonly tick: string | null;
  /** Up to when the ticks have left nothing. */
  readonly watermark: string | null;
  /** Set by hand. */
  readonly pause: { readonly since: string; readonly until: string | null } | null;
  readonly maxDeletesPerSecond: number | null;
  /** An execution of the replays has what was due before. */
  readonly handOver: { readonly execution: string; readonly before: string } | null;
  readonly overdue: {
    readonly items: number;
    /** There may be more: `why` says why not all was read, where that is the reason. */
    readonly atLeast: boolean;
    readonly why: string | null;
    /** Expired items that are held, and so not overdue, as far as they were come upon. */
    readonly held: number;
    /** Some of `items` may be held: DynamoDB did not say. */
    readonly heldUnknown: boolean;
    readonly oldest: string | null;
    /** The expiry times that were looked at. */
    readonly from: string | null;
    readonly to: string | null;
    readonly queries: number;
  } | null;
  readonly schedules: readonly {
    readonly name: string;
    /** `on`, `off`, `missing`; null: not known. */
    readonly state: string | null;
  }[];
  /** Those that did something or left something, the newest first. */
  readonly sweeps: readonly SweepReport[] | null;
  /** Executions of the replays. */
  readonly open: readonly { readonly name: string; readonly startedAt: string }[] | null;
  readonly lastFailure: SweepReport | null;
  readonly deadLetters: number | null;
  readonly alarms:
    | readonly { readonly name: string; readonly state: string; readonly since: string | null }[]
    | null;
}

export function statusReport({ verdict, region, isLocal, at, tables }: Status): StatusReport {
  return {
    verdict,
    region,
    isLocal,
    checkedAt: new Date(at).toISOString(),
    tables: tables.map(tableReport),
  };
}

function tableReport({ subject: { props }, seen, judged }: TableStatus): TableReport {
  const { tick, watermark, pause, limit, handOver, last, failures } = seenOf(seen.journal) ?? {};
  const [lastFailure] = failures ?? [];
  const look = seenOf(seen.overdue);
  const overdue = look?.read == null ? null : look;
  return {
    tableName: props.tableName,
    name: props.sweep,
    ...judged,
    gone: goneReport(seen.gone),
    tick: tick?.toISOString() ?? null,
    watermark: watermark === undefined ? null : fromSeconds(watermark.gone),
    pause: pause === undefined ? null : { since: pause.since, until: pause.until ?? null },
    maxDeletesPerSecond: limit ?? null,
    handOver:
      handOver === undefined ? null : { execution: handOver.execution, before: fromSeconds(handOver.before) },
    overdue: overdue && {
      items: overdue.overdue,
      atLeast: overdue.atLeast,
      why: overdue.why,
      held: overdue.held,
      heldUnknown: overdue.heldUnknown,
      oldest: overdue.oldest === null ? null : fromSeconds(overdue.oldest),
      from: overdue.read && fromSeconds(overdue.read.from),
      to: overdue.read && fromSeconds(overdue.read.upTo),
      queries: overdue.queries,
    },
    schedules: [...seen.schedules].map(([name, schedule]) => ({
      name,
      state: 'seen' in schedule ? scheduleState(schedule.seen) : null,
    })),
    sweeps: last?.map(sweepReport) ?? null,
    open:
      seenOf(seen.open)?.map(({ name, startedAt }) => ({ name, startedAt: startedAt.toISOString() })) ?? null,
    lastFailure: lastFailure === undefined ? null : sweepReport(lastFailure),
    deadLetters: seenOf(seen.deadLetters) ?? null,
    alarms:
      seenOf(seen.alarms)?.map(({ name, state, since }) => ({
        name,
        state,
        since: since?.toISOString() ?? null,
      })) ?? null,
  };
}

function goneReport(gone: Gone): TableReport['gone'] {
  return gone.known ? { since: fromSeconds(gone.since), by: fromSeconds(gone.by) } : null;
}

/** How a schedule stands; one that is not there is missing. */
export function scheduleState(seen: SeenSchedule | undefined): 'on' | 'off' | 'missing' {
  if (seen === undefined) return 'missing';
  return seen.state === 'ENABLED' ? 'on' : 'off';
}

const fromSeconds = (seconds: number): string => new Date(seconds * 1000).toISOString();
