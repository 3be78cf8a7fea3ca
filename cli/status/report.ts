import type { ResolvedProps } from '../../config/props.ts';
import type { Reader } from '../../functions/journal/books.ts';
import type { ItemKey, ScanRecord } from '../../statemachine/contract.ts';
import { seenOf } from '../deployment/check.ts';
import type { SeenSchedule } from '../deployment/observe-deployment.ts';
import { type SweepReport, sweepReport } from '../deployment/sweep-report.ts';
import { keyText } from '../table/key-text.ts';
import type { Gone } from './gone.ts';
import type { Status, TableStatus } from './job.ts';
import type { Verdict } from './judge.ts';
import type { Remark } from './remarks.ts';
import { exceptionsOf } from './scan-exceptions.ts';
import type { SeenTable } from './seen-table.ts';

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
  /** Why something is overdue, or nothing is deleted; null where nothing is wrong, or only other things are. */
  readonly cause: Pick<Remark, 'id' | 'text'> | null;
  readonly remarks: readonly Remark[];
  /** Everything that was due from `since` to `by` is gone, but for `left`. */
  readonly gone: {
    /** Null: since ever, by the scan of the whole index. */
    readonly since: string | null;
    readonly by: string;
    /** Nobody has looked for what was due from `by` until then; null: there is no such gap. */
    readonly gapUntil: string | null;
    /** Entries that the last scan found and no tick deletes: they may be due by now, and may be gone. */
    readonly exceptions: number;
    /** What is still there of it, the oldest first; keys as the table's `logKeys` shows them. */
    readonly left: readonly { readonly key?: string; readonly due: string }[];
  } | null;
  /** The last scan of the whole index that has come to its end. */
  readonly scan: (ScanRecord & { readonly beganAt: string; readonly endedAt: string }) | null;
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
    /** Null: none was seen, and not all was looked at. */
    readonly items: number | null;
    /** There may be more: `why` says why not all was counted. */
    readonly atLeast: boolean;
    readonly why: string | null;
    /** Expired items that are held, and so not overdue, as far as they were come upon. */
    readonly held: number;
    /** Some of `items` may be held: DynamoDB did not say. */
    readonly heldUnknown: boolean;
    readonly oldest: string | null;
    /** The latest expiry times that were looked at without a gap; null: there were none. */
    readonly from: string | null;
    readonly to: string | null;
    readonly queries: number;
    /** How `items` became less, measured; null: too little is known. */
    readonly trend: {
      /** Below 0 they become more. */
      readonly fewerPerSecond: number;
      readonly measuredSeconds: number;
      /** When nothing is overdue any more if it goes on like that; null: never. */
      readonly caughtUpAt: string | null;
    } | null;
  } | null;
  /** What was archived and published of the last hour's deletions, as far as the ticks have compared that; null: not known. */
  readonly ledger:
    | readonly {
        readonly reader: Reader;
        readonly deleted: number;
        readonly missing: number;
        /** The first minute in which something is missing. */
        readonly missingFrom: string | null;
        /** The last minute that was compared and in which something was deleted. */
        readonly upTo: string | null;
        /** Whether `missing` is what is missing now; else it is from when a tick compared. */
        readonly isNow: boolean;
      }[]
    | null;
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
  const scan = seenOf(seen.scans)?.finished;
  return {
    tableName: props.tableName,
    name: props.sweep,
    verdict: judged.verdict,
    cause: judged.cause && { id: judged.cause.id, text: judged.cause.text },
    remarks: judged.remarks,
    gone: goneReport(seen.gone, exceptionsOf(scan), props),
    scan: scan === undefined ? null : { beganAt: scan.beganAt, endedAt: scan.endedAt, ...scan.record },
    tick: tick?.toISOString() ?? null,
    watermark: watermark === undefined ? null : fromSeconds(watermark.gone),
    pause: pause === undefined ? null : { since: pause.since, until: pause.until ?? null },
    maxDeletesPerSecond: limit ?? null,
    handOver:
      handOver === undefined ? null : { execution: handOver.execution, before: fromSeconds(handOver.before) },
    overdue: overdueReport(seen),
    ledger:
      seenOf(seen.ledger)?.map(({ missingFrom, upTo, ...look }) => ({
        ...look,
        missingFrom: missingFrom === null ? null : fromSeconds(missingFrom),
        upTo: upTo === null ? null : fromSeconds(upTo),
      })) ?? null,
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

function goneReport(gone: Gone, exceptions: number, props: ResolvedProps): TableReport['gone'] {
  if (!gone.known) return null;
  const { since, by, gapUntil, left } = gone;
  return {
    since: since === null ? null : fromSeconds(since),
    by: fromSeconds(by),
    gapUntil: gapUntil === null ? null : fromSeconds(gapUntil),
    exceptions,
    left: left.map(({ key, ttl }) => {
      const shown = shownKey(key, props);
      return { ...(shown !== undefined && { key: shown }), due: fromSeconds(ttl) };
    }),
  };
}

function overdueReport({ overdue, trend }: SeenTable): TableReport['overdue'] {
  const look = seenOf(overdue);
  if (look === null) return null;
  const { unseen, held, heldUnknown, named, read, queries } = look;
  const [oldest] = named;
  const latest = read.at(-1);
  return {
    items: unseen !== null && look.overdue === 0 ? null : look.overdue,
    atLeast: unseen !== null,
    why: unseen?.text ?? null,
    held,
    heldUnknown,
    oldest: oldest === undefined ? null : fromSeconds(oldest.ttl),
    from: latest === undefined ? null : fromSeconds(latest.from),
    to: latest === undefined ? null : fromSeconds(latest.upTo),
    queries,
    trend:
      trend === undefined
        ? null
        : {
            ...trend,
            caughtUpAt: trend.caughtUpAt === null ? null : new Date(trend.caughtUpAt).toISOString(),
          },
  };
}

/** A key as the table's own setting lets it be shown. */
export function shownKey(
  key: ItemKey,
  { tableName, partitionKey, sortKey, logKeys }: ResolvedProps,
): string | undefined {
  const keyNames = sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
  return keyText(key, { tableName, keyNames, logKeys });
}

/** How a schedule stands; one that is not there is missing. */
export function scheduleState(seen: SeenSchedule | undefined): 'on' | 'off' | 'missing' {
  if (seen === undefined) return 'missing';
  return seen.state === 'ENABLED' ? 'on' : 'off';
}

const fromSeconds = (seconds: number): string => new Date(seconds * 1000).toISOString();
