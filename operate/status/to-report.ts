import type { ResolvedProps } from '../../config/props.ts';
import type { ItemKey } from '../../statemachine/contract/keys.ts';
import { seenOf } from '../deployment/check.ts';
import type { SeenSchedule } from '../deployment/observe-deployment.ts';
import { sweepReport } from '../deployment/sweep.ts';
import { keyText } from '../table/key-text.ts';
import type { Gone } from './gone.ts';
import type { StatusReport, TableReport } from './report.ts';
import type { SeenTable } from './seen-table.ts';
import type { Status, TableStatus } from './status.ts';

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
  const { tick, watermark, pause, last, failures } = seenOf(seen.journal) ?? {};
  const [lastFailure] = failures ?? [];
  return {
    tableName: props.tableName,
    name: props.sweep,
    verdict: judged.verdict,
    cause: judged.cause && { id: judged.cause.id, text: judged.cause.text },
    remarks: judged.remarks,
    gone: goneReport(seen.gone, props),
    tick: tick?.toISOString() ?? null,
    watermark: watermark === undefined ? null : fromSeconds(watermark.gone),
    pause: pause === undefined ? null : { since: pause.since, until: pause.until ?? null },
    overdue: overdueReport(seen),
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

function goneReport(gone: Gone, props: ResolvedProps): TableReport['gone'] {
  if (!gone.known) return null;
  const { since, by, gapUntil, left } = gone;
  return {
    since: fromSeconds(since),
    by: fromSeconds(by),
    gapUntil: gapUntil === null ? null : fromSeconds(gapUntil),
    left: left.map(({ key, ttl }) => {
      const shown = shownKey(key, props);
      return { ...(shown !== undefined && { key: shown }), due: fromSeconds(ttl) };
    }),
  };
}

function overdueReport({ overdue, trend }: SeenTable): TableReport['overdue'] {
  const look = seenOf(overdue);
  if (look === null) return null;
  const { unseen, named, read, queries } = look;
  const [oldest] = named;
  const latest = read.at(-1);
  return {
    items: unseen !== null && look.overdue === 0 ? null : look.overdue,
    atLeast: unseen !== null,
    why: unseen?.text ?? null,
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

/** A key, as far as the table's `logKeys` lets it be shown. */
export function shownKey(
  key: ItemKey,
  { tableName, partitionKey, sortKey, logKeys }: ResolvedProps,
): string | undefined {
  const keyNames = sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
  return keyText(key, { tableName, keyNames, logKeys });
}

/** The state of a schedule; `missing` if it does not exist. */
export function scheduleState(seen: SeenSchedule | undefined): 'on' | 'off' | 'missing' {
  if (seen === undefined) return 'missing';
  return seen.state === 'ENABLED' ? 'on' : 'off';
}

const fromSeconds = (seconds: number): string => new Date(seconds * 1000).toISOString();
