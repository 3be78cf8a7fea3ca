import type { ExpiryModel } from '../../expiry/index.ts';
import { shardOf } from '../../expiry/shard.ts';
import { LEFT_TO_TICKS_SECONDS } from '../../functions/child/scan.ts';

/** The application's action on an item of an inspected sweep, besides writing it. */
export type Deed =
  /** The item is expired, or expires during the sweep, and must be deleted. */
  | 'none'
  /** The item is renewed for a day, and the index still has its old entry. */
  | 'renewed'
  /** The item is deleted, and the index still has its entry. */
  | 'deleted'
  /** The item is held, and must stay. */
  | 'held'
  /** The item was held when it expired, and is released before the sweep, which must delete it. */
  | 'released'
  /** The item is renewed by a second, in the second in which it expires, between the query and the delete. */
  | 'renewed by a second';

/** DynamoDB's answer to the deletes of an item. */
export type Capacity =
  | 'at once'
  /** The first attempt leaves it unprocessed. */
  | 'the second time'
  /** All attempts leave it unprocessed until the child is too old to continue. */
  | 'after a while';

export interface InspectedItem {
  readonly id: string;
  /** TTL at which it is written, epoch seconds. */
  readonly ttl: number;
  readonly olderStamp: boolean;
  readonly deed: Deed;
  readonly capacity: Capacity;
}

/** A range of TTLs, both ends included, epoch seconds. */
export interface TtlSpan {
  readonly from: number;
  readonly upTo: number;
}

/** A sweep to inspect: its input, the items that are written for it, and the TTLs that it must sweep. */
export interface Inspection {
  readonly name: 'tick' | 'scan';
  /** Scheduled time of a tick, epoch seconds. */
  readonly scheduledTime?: number;
  readonly items: readonly InspectedItem[];
  /** TTL ranges in which no expired item may remain, whoever wrote it. */
  readonly sweeps: readonly TtlSpan[];
}

export interface InspectionOptions {
  /** Time at which the items are written and the sweep is started, epoch seconds. */
  readonly now: number;
  readonly model: ExpiryModel;
  /** Lookback of a tick, minutes. */
  readonly lookbackMinutes: number;
  /** Items are renewed or deleted by the application. */
  readonly guarded: boolean;
  /** Items are held by the application. @default false */
  readonly holds?: boolean;
}

const MINUTE = 60;
/** Age of the oldest item that is written for a scan, seconds: the items lie in more than one window of a day. */
const SCANNED_SECONDS = 2 * 86_400;
/** Number of items of each kind: DynamoDB deletes some at the first attempt, some at the second, and some after a while. */
const ALIKE = 6;
/** Shortest rest of its minute that a tick needs: with less, it would end before its last item expires. */
const MIN_REST_SECONDS = 25;
/** Seconds until the expiry of items for which the tick must wait. */
const SOON = [4, 5, 6, 7] as const;

/** @returns seconds to wait before a tick is inspected, so that the inspection ends within the tick's own minute */
export function secondsUntilInspection(now: number): number {
  const left = MINUTE - (now % MINUTE);
  return left < MIN_REST_SECONDS ? left + 1 : now % MINUTE === 0 ? 1 : 0;
}

/**
 * Plans a tick that starts a minute late, when the minute that it owns has begun. There are items of every kind in that minute and in the
 * tick's lookback.
 */
export function planTick(options: InspectionOptions): Inspection {
  const { now, model, lookbackMinutes } = options;
  const minute = Math.floor(now / MINUTE) * MINUTE;
  const scheduledTime = minute - MINUTE;
  const lookbackFrom = scheduledTime - lookbackMinutes * MINUTE;
  // The two kinds of windows differ at the edge of a window.
  const edge = Math.floor(minute / model.granularitySeconds) * model.granularitySeconds;
  const lookback = [0.1, 0.4, 0.8].map(share =>
    Math.round(lookbackFrom + share * (scheduledTime - 1 - lookbackFrom)),
  );
  const lay = layer('tick', options);
  const shards = Array.from({ length: model.shards }, (_unused, shard) => shard);
  return {
    name: 'tick',
    scheduledTime,
    items: [
      // Each shard has items: a child that deleted nothing before it became too old could be repeated forever.
      ...shards.flatMap(shard => lay(`this minute, shard ${shard}`, now - 1, { shard })),
      // An item on another edge is in a window that only the scan reads.
      ...(edge === minute ? lay('on the edge, older stamp', edge, { olderStamp: true }) : []),
      ...lookback.flatMap((ttl, index) => lay(`written late ${index}`, ttl, { olderStamp: index === 1 })),
      ...SOON.flatMap(seconds => laySoon(now + seconds, options)),
    ],
    sweeps: [
      // By second, each second needs a query: a tick whose minute has begun leaves these to the next ticks when they take too long.
      ...(model.indexedBy === 'window' ? [{ from: lookbackFrom, upTo: scheduledTime - 1 }] : []),
      { from: minute, upTo: now + Math.max(...SOON) + 1 },
    ],
  };
}

/**
 * Plans a daily scan of the index. The scan finds items older than any tick's lookback. It finds none of this fault proxy's old index
 * entries, because only queries return those.
 */
export function planScan(options: InspectionOptions): Inspection {
  const { now, model, lookbackMinutes } = options;
  const from = now - SCANNED_SECONDS;
  const upTo = now - Math.max(LEFT_TO_TICKS_SECONDS, lookbackMinutes * MINUTE) - 3 * MINUTE;
  const firstEdge = Math.ceil(from / model.granularitySeconds) * model.granularitySeconds;
  const lay = layer('scan', options, ['held', 'released']);
  return {
    name: 'scan',
    items: [
      ...lay('on the first edge, older stamp', firstEdge, { olderStamp: true }),
      ...[0.3, 0.6, 1].flatMap((share, index) =>
        lay(`left ${index}`, Math.round(from + share * (upTo - from)), { olderStamp: index === 1 }),
      ),
    ],
    sweeps: [{ from, upTo: now - LEFT_TO_TICKS_SECONDS }],
  };
}

const CAPACITIES = ['at once', 'the second time', 'after a while'] as const;

interface Place {
  /** @default 0, where items of the older stamp are */
  readonly shard?: number;
  /** @default false */
  readonly olderStamp?: boolean;
}

/** Writes items with the same TTL in one shard, one for each kind of event that can affect an item. */
function layer(
  sweep: string,
  { model, guarded, holds = false }: InspectionOptions,
  allDeeds: readonly Deed[] = ['deleted', 'renewed', 'held', 'released'],
) {
  return (name: string, ttl: number, { shard = 0, olderStamp = false }: Place): InspectedItem[] => {
    const item = (what: string) => ({ id: idIn(shard, `${sweep}/${name}/${what}`, model), ttl, olderStamp });
    const expired = Array.from({ length: ALIKE }, (_unused, index): InspectedItem => {
      const capacity = CAPACITIES[index % CAPACITIES.length] ?? 'at once';
      return { ...item(String(index)), deed: 'none', capacity };
    });
    if (!guarded) return expired;
    const deeds = allDeeds.filter(deed => holds || (deed !== 'held' && deed !== 'released'));
    const stale = deeds.map((deed): InspectedItem => ({ ...item(deed), deed, capacity: 'at once' }));
    return [...expired, ...stale];
  };
}

/** First id with this prefix that belongs to the shard. */
function idIn(shard: number, start: string, model: ExpiryModel): string {
  for (let salt = 0; ; salt += 1) {
    const id = `${start}${salt === 0 ? '' : `.${salt}`}`;
    if (shardOf({ [model.partitionKey]: id }, model, model.shards) === shard) return id;
  }
}

/** Writes items for whose expiry the tick must wait. */
function laySoon(ttl: number, { guarded }: InspectionOptions): InspectedItem[] {
  const item = { ttl, olderStamp: false, capacity: 'at once' } as const;
  const waited: InspectedItem = { ...item, id: `tick/soon ${ttl}/waited for`, deed: 'none' };
  if (!guarded) return [waited];
  return [waited, { ...item, id: `tick/soon ${ttl}/renewed by a second`, deed: 'renewed by a second' }];
}
