import { seenOf } from '../deployment/check.ts';
import { type SweepReport, sweepReport } from '../deployment/sweep-report.ts';
import type { Gone } from './gone.ts';
import type { Status, TableStatus } from './job.ts';
import type { Remark, Verdict } from './judge.ts';
import { scheduleState } from './schedule-state.ts';

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
  /** Of its state machine, and the beginning of the other names. */
  readonly name: string;
  readonly verdict: Verdict;
  readonly remarks: readonly Remark[];
  /** Everything that was due from `since` to `by` is gone. */
  readonly gone: { readonly since: string; readonly by: string } | null;
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
    /** `on`, `off`, `paused`, `missing`; null: not known. */
    readonly state: string | null;
    readonly pausedUntil: string | null;
    readonly maxDeletesPerSecond: number | null;
  }[];
  readonly lastSuccess: string | null;
  /** The newest first. */
  readonly sweeps: readonly SweepReport[] | null;
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
    tables: tables.map(table => tableReport(table, at)),
  };
}

function tableReport({ subject: { props }, seen, judged }: TableStatus, now: number): TableReport {
  const sweeps = seenOf(seen.sweeps);
  const look = seenOf(seen.overdue);
  const overdue = look?.read == null ? null : look;
  return {
    tableName: props.tableName,
    name: props.sweep,
    ...judged,
    gone: goneReport(seen.gone),
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
    schedules: [...seen.schedules].map(([name, schedule]) => {
      const state = 'seen' in schedule ? scheduleState(schedule.seen, now) : null;
      return {
        name,
        state: state?.is ?? null,
        pausedUntil: state?.is === 'paused' ? state.until.toISOString() : null,
        maxDeletesPerSecond: (state?.is === 'on' ? state.maxDeletesPerSecond : null) ?? null,
      };
    }),
    lastSuccess: sweeps?.lastSuccess?.toISOString() ?? null,
    sweeps: sweeps?.last.map(sweepReport) ?? null,
    open: sweeps?.open.map(({ name, startedAt }) => ({ name, startedAt: startedAt.toISOString() })) ?? null,
    lastFailure: sweeps?.lastFailure === undefined ? null : sweepReport(sweeps.lastFailure),
    deadLetters: seenOf(seen.deadLetters) ?? null,
    alarms:
      seenOf(seen.alarms)?.map(({ name, state, since }) => ({
        name,
        state,
        since: since?.toISOString() ?? null,
      })) ?? null,
  };
}

function goneReport(gone: Gone | undefined): TableReport['gone'] {
  return gone?.known ? { since: fromSeconds(gone.since), by: fromSeconds(gone.by) } : null;
}

const fromSeconds = (seconds: number): string => new Date(seconds * 1000).toISOString();
