import { schedulerTime } from 'aws-on-loopback/scheduler/scheduler';
import type { ExpiryModel } from '../../expiry/index.ts';
import { shardOf } from '../../expiry/shard.ts';
import { LEFT_TO_TICKS_SECONDS } from '../../functions/child/scan.ts';
import type { LocalCloud } from '../../local/cloud.ts';
import { CHUNK_KEYS } from '../../statemachine/contract/limits.ts';
import { type Ended, reportsOf } from '../ledger/accounts.ts';
import { named } from '../ledger/verdict.ts';
import { machinesOf, untilIdle } from '../watch/executions.ts';
import type { WatchedTable } from '../watch/watched-table.ts';

export interface InspectedItem {
  readonly id: string;
  /** Epoch seconds. */
  readonly ttl: number;
  readonly olderStamp: boolean;
}

/** A sweep to inspect: the items that are written for it, and the TTLs that it must sweep. */
export interface Inspection {
  readonly name: 'tick' | 'scan';
  /** Scheduled time of a tick, epoch seconds. */
  readonly scheduledTime?: number;
  readonly items: readonly InspectedItem[];
  /** TTL ranges, both ends included, in which no expired item may remain, whoever wrote it. */
  readonly sweeps: readonly { readonly from: number; readonly upTo: number }[];
}

export interface InspectionOptions {
  /** Time at which the items are written and the sweep is started, epoch seconds. */
  readonly now: number;
  readonly model: ExpiryModel;
  /** How far a tick looks back for expired items, minutes. */
  readonly lookbackMinutes: number;
}

const MINUTE = 60;
/** Age of the oldest item that is written for a scan, seconds: the items lie in more than one window of a day. */
const SCANNED_SECONDS = 2 * 86_400;
/** Number of items with the same TTL. */
const ALIKE = 6;
/** Shortest rest of its minute that a tick needs: with less, it would end before its last item expires. */
const MIN_REST_SECONDS = 25;
/** How often a tick is started that leaves something for later. */
const MAX_SWEEPS = 3;
/** Seconds until the expiry of items for which the tick must wait. */
const SOON = [4, 5, 6, 7] as const;

/** Seconds to wait before a tick is inspected: the minute that it sweeps must have begun, and must last until its last item expires. */
export function secondsUntilInspection(now: number): number {
  const left = MINUTE - (now % MINUTE);
  return left < MIN_REST_SECONDS ? left + 1 : now % MINUTE === 0 ? 1 : 0;
}

/**
 * Plans a tick that starts a minute late, when the minute that it owns has begun. There are items in each shard of that minute, in the
 * tick's lookback, and items for which it must wait.
 */
export function planTick({ now, model, lookbackMinutes }: InspectionOptions): Inspection {
  const minute = Math.floor(now / MINUTE) * MINUTE;
  const scheduledTime = minute - MINUTE;
  const lookbackFrom = scheduledTime - lookbackMinutes * MINUTE;
  // The two kinds of windows differ at the edge of a window.
  const isEdge = minute % model.granularitySeconds === 0;
  const shards = Array.from({ length: model.shards }, (_unused, shard) => shard);
  return {
    name: 'tick',
    scheduledTime,
    items: [
      ...shards.flatMap(shard => alike(`tick/this minute/${shard}`, now - 1, { model, shard })),
      // An item on another edge is in a window that only the scan reads.
      ...(isEdge ? alike('tick/on the edge, older stamp', minute, { model, olderStamp: true }) : []),
      ...[0.1, 0.4, 0.8].flatMap((share, index) =>
        alike(
          `tick/written late ${index}`,
          Math.round(lookbackFrom + share * (scheduledTime - 1 - lookbackFrom)),
          { model, olderStamp: index === 1 },
        ),
      ),
      ...SOON.map(seconds => ({ id: `tick/soon ${seconds}`, ttl: now + seconds, olderStamp: false })),
    ],
    sweeps: [
      // By second, each second needs a query: a tick whose minute has begun leaves these to the next ticks when they take too long.
      ...(model.indexedBy === 'window' ? [{ from: lookbackFrom, upTo: scheduledTime - 1 }] : []),
      { from: minute, upTo: now + Math.max(...SOON) },
    ],
  };
}

/** Plans a daily scan of the index, over items that are older than any tick's lookback. */
export function planScan({ now, model, lookbackMinutes }: InspectionOptions): Inspection {
  const from = now - SCANNED_SECONDS;
  const upTo = now - Math.max(LEFT_TO_TICKS_SECONDS, lookbackMinutes * MINUTE) - 3 * MINUTE;
  const firstEdge = Math.ceil(from / model.granularitySeconds) * model.granularitySeconds;
  return {
    name: 'scan',
    items: [
      ...alike('scan/on the first edge, older stamp', firstEdge, { model, olderStamp: true }),
      ...[0.3, 0.6, 1].flatMap((share, index) =>
        alike(`scan/left ${index}`, Math.round(from + share * (upTo - from)), {
          model,
          olderStamp: index === 1,
        }),
      ),
    ],
    sweeps: [{ from, upTo: now - LEFT_TO_TICKS_SECONDS }],
  };
}

interface Place {
  readonly model: ExpiryModel;
  /** @default 0, where items of the older stamp are */
  readonly shard?: number;
  /** @default false */
  readonly olderStamp?: boolean;
}

/** Some items with the same TTL in one shard. */
function alike(
  prefix: string,
  ttl: number,
  { model, shard = 0, olderStamp = false }: Place,
): InspectedItem[] {
  const items: InspectedItem[] = [];
  for (let salt = 0; items.length < ALIKE; salt += 1) {
    const id = `${prefix}/${salt}`;
    if (shardOf({ [model.partitionKey]: id }, model, model.shards) === shard)
      items.push({ id, ttl, olderStamp });
  }
  return items;
}

export interface InspectionContext {
  /** Cloud without faults, in which no other sweep of the table runs meanwhile. */
  readonly cloud: LocalCloud;
  /** Ended executions of that cloud. */
  readonly ended: readonly Ended[];
  readonly table: WatchedTable;
  /** Resolves when no other sweep is at the table. */
  readonly quiet: () => Promise<void>;
  /** Aborts the inspection. */
  readonly until: AbortSignal;
}

/** Writes the items, runs the sweep over them and all other items, and reports what it left. */
export async function inspect(
  { name, scheduledTime, items, sweeps }: Inspection,
  { cloud, ended, table, quiet, until }: InspectionContext,
): Promise<InspectedSweep> {
  const written = items.map(({ id, ...item }) => table.act({ kind: 'write', item: id, ...item }));
  await Promise.all(written);
  await table.caughtUp();
  const [sweptBefore, endedBefore] = [table.ledger.counts.swept, ended.length];
  const { tick, replay } = machinesOf(cloud);
  for (let times = 0; times < MAX_SWEEPS && !until.aborted; times += 1) {
    await quiet();
    const before = ended.length;
    if (scheduledTime === undefined) cloud.startExecution(replay, { scanIndex: true });
    else cloud.startExecution(tick, { scheduledTime: schedulerTime(scheduledTime * 1000) });
    await untilIdle(() => cloud.running.length === 0, { signal: until });
    if (!ended.slice(before).some(leftForLater)) break;
  }
  await table.caughtUp();
  const isSwept = (ttl: number) => sweeps.some(({ from, upTo }) => ttl >= from && ttl <= upTo);
  return {
    name,
    ended: ended.slice(endedBefore),
    laidOut: items.length,
    left: table.ledger.left(await table.readAll(), Math.floor(Date.now() / 1000), isSwept),
    removed: table.ledger.counts.swept - sweptBefore,
  };
}

/**
 * Whether a tick reports that it left something to the next tick. It may: only one of its parts can hand over its unfinished work to
 * another execution.
 */
function leftForLater({ text }: Ended): boolean {
  return (reportsOf(text) ?? []).some(report => report.leftForLater > 0);
}

/** The result of an inspected sweep. */
export interface InspectedSweep {
  readonly name: string;
  /** The sweep, and the executions to which it handed over. */
  readonly ended: readonly Ended[];
  /** Number of items that were written for it. */
  readonly laidOut: number;
  /** Ids of items that should have been deleted. */
  readonly left: readonly string[];
  /** Number of items deleted meanwhile, by the table's stream. */
  readonly removed: number;
}

/** Faults of a sweep, one sentence each. */
export function wrongWith({ name, ended, laidOut, left, removed }: InspectedSweep): string[] {
  const reports = ended.flatMap(({ text }) => reportsOf(text) ?? []);
  const sum = (field: 'deleted' | 'retries') => reports.reduce((total, report) => total + report[field], 0);
  const uncounted = removed - sum('deleted');
  return [
    ...(left.length > 0
      ? [`the ${name} left ${left.length} expired items (${laidOut} were laid out for it): ${named(left)}`]
      : []),
    ...ended.flatMap(({ status, error, text }) =>
      status === 'SUCCEEDED' ? [] : [`the ${name} ended ${status}: ${error} ${text}`],
    ),
    // Items of a call whose answer was lost are not counted as deleted: no other difference is allowed.
    ...(uncounted < 0 || uncounted > sum('retries') * CHUNK_KEYS
      ? [`the ${name} reports deleted ${sum('deleted')}, but ${removed} went by the stream`]
      : []),
  ];
}
