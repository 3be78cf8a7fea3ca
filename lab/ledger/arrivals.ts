import { imageText } from '../../functions/archive/image-text.ts';
import type { ArchiveFormat } from '../../functions/archive/settings.ts';
import type { ItemImage } from '../../functions/stream/event.ts';
import { type LagPercentiles, lagPercentiles } from '../report/numbers.ts';
import { isEarly, isLive, itemText, type RemovalRecord } from './item.ts';
import type { Ledger, SeenRemoval } from './ledger.ts';
import type { Finding, Violation } from './verdict.ts';

/** A message about a deletion: a line of an archive, or an event. */
export interface Arrival {
  /** The id of the stream's record. */
  readonly id: string;
  /** Key in JSON, in the format of the arrivals. */
  readonly key: unknown;
  readonly expiredAt: string | null;
  /** ISO time of the record by which the removal was classified. */
  readonly deletedAt: string;
  /** The item's old image; undefined when it was not requested. */
  readonly item?: unknown;
  /** Kind of the removal, only in an archive. @default 'expiry' */
  readonly removal?: 'expiry' | 'other';
}

/** An arrival with its place and time. */
export interface Arrived {
  readonly arrival: Arrival;
  /** The object in the archive, a new one for each copy; undefined for an event. */
  readonly object?: { readonly key: string };
  /** Epoch milliseconds. */
  readonly atMs: number;
}

/** Counts of the deletions that should arrive. */
export interface ArrivalCounts {
  /** Deletions that arrived, each counted once. */
  readonly items: number;
  /** Number of repeated arrivals. */
  readonly again: number;
  /** Arrivals that report another removal as an expiry, or an item that was not deleted. */
  readonly strays: number;
  /**
   * Number of items archived as expiries that the application deleted earlier, but whose record has a later time: locally that is the time
   * of the read, so this machine was too slow to decide.
   */
  readonly doubtful: number;
  /** Items that arrived with other content than was deleted. */
  readonly altered: number;
  /** Time from the moment at which an item is due to its first arrival, milliseconds. */
  readonly lagMs: LagPercentiles;
}

/** Rules for the deletions that must arrive. */
export interface ArrivalRules {
  readonly sink: 'archive' | 'events';
  /** Whether the application's deletes must arrive, too. @default false */
  readonly all?: boolean | undefined;
  readonly format: ArchiveFormat;
  /** Whether arrivals contain the items. @default both are allowed */
  readonly images?: boolean | undefined;
}

/**
 * Tolerance for users' deletes just before the expiry, which are archived as expiries. That harms nobody; consumers of events act on them,
 * so there is none for events.
 */
const TOLERANCE_SECONDS = { archive: 2, events: 0 } as const;

const FINDINGS = {
  archive: { missing: 'notArchived', altered: 'archivedOtherwise', stray: 'archivedWrongly' },
  events: { missing: 'notPublished', altered: 'publishedOtherwise', stray: 'publishedWrongly' },
} as const satisfies Record<string, Record<string, Finding>>;

export interface Judged {
  readonly counts: ArrivalCounts;
  /** Whether all expected removals have arrived. */
  readonly isComplete: boolean;
  readonly violations: readonly Violation[];
}

/** Compares arrivals with the observed deletions. */
export function judgeArrivals(
  arrived: readonly Arrived[],
  ledger: Pick<Ledger, 'removals' | 'violation'>,
  rules: ArrivalRules,
): Judged {
  const removals = new Map(
    ledger.removals.flatMap(({ record, ...removal }) =>
      record === undefined ? [] : [[record.id, { ...removal, record }] as const],
    ),
  );
  // Items that a sweep deletes too early must arrive, too.
  const isWanted = ({ ours }: SeenRemoval) => rules.all === true || !ours;
  /** Objects by the record's id, and whether the record was altered. */
  const known = new Map<string, { readonly objects: object[]; isAltered: boolean }>();
  const strays: string[] = [];
  const lags: number[] = [];
  let again = 0;
  let doubtful = 0;
  for (const each of arrived) {
    const { arrival, object, atMs } = each;
    const removal = removals.get(arrival.id);
    if (removal === undefined) {
      strays.push(`record ${arrival.id}`);
      continue;
    }
    const before = known.get(arrival.id) ?? { objects: [], isAltered: false };
    const isTwice = object !== undefined && before.objects.includes(object);
    const sense = senseOf(arrival, removal, rules);
    if (sense === 'stray') strays.push(removal.id);
    else if (sense === 'doubtful') doubtful += 1;
    else if (isWanted(removal)) {
      if (known.has(arrival.id)) again += 1;
      else if (!removal.ours) lags.push(atMs - Number(removal.ttl) * 1000);
    }
    known.set(arrival.id, {
      objects: [...before.objects, ...(object ? [object] : [])],
      isAltered: before.isAltered || isTwice || (sense === undefined && !isAsDeleted(each, removal, rules)),
    });
  }
  const { missing, altered, stray } = FINDINGS[rules.sink];
  const wanted = [...removals].filter(([, removal]) => isWanted(removal));
  const lost = wanted.filter(([id]) => !known.has(id));
  const changed = [...known].flatMap(([id, { isAltered }]) =>
    isAltered ? (removals.get(id)?.id ?? []) : [],
  );
  return {
    counts: {
      items: wanted.length - lost.length,
      again,
      strays: strays.length,
      doubtful,
      altered: changed.length,
      lagMs: lagPercentiles(lags),
    },
    isComplete: lost.length === 0,
    violations: [
      ...lost.map(([, { id }]) => ledger.violation(missing, id)),
      ...changed.map(id => ledger.violation(altered, id)),
      ...strays.map(id => ledger.violation(stray, id)),
    ],
  };
}

type Recorded = SeenRemoval & { readonly record: RemovalRecord };

/** Whether an arrival wrongly reports an expiry; undefined when it is right. */
function senseOf(
  { removal = 'expiry', deletedAt }: Arrival,
  { ttl, seenAt, ours, record }: Recorded,
  { sink }: ArrivalRules,
): 'stray' | 'doubtful' | undefined {
  const hadExpired = (epochMs: number) => !isLive(ttl, Math.floor(epochMs / 1000) + TOLERANCE_SECONDS[sink]);
  if (removal === 'other' || hadExpired(record.madeAt ?? seenAt)) return undefined;
  return ours && record.madeAt === undefined && hadExpired(Date.parse(deletedAt)) ? 'doubtful' : 'stray';
}

function isAsDeleted(
  { arrival, object }: Arrived,
  removal: Recorded,
  { format, images, sink }: ArrivalRules,
): boolean {
  const { key, expiredAt, deletedAt, item, removal: kind = 'expiry' } = arrival;
  const { id: _id, key: itsKey, image, madeAt } = removal.record;
  const { ttl: expiry } = removal;
  const isImage =
    item === undefined
      ? sink === 'events' && images !== true
      : isSame(item, image, format) && images !== false;
  return (
    isImage &&
    isSame(key, itsKey, format) &&
    expiredAt === (expiry === undefined ? null : new Date(Math.floor(expiry * 1000)).toISOString()) &&
    (madeAt === undefined || deletedAt === new Date(Math.floor(madeAt / 1000) * 1000).toISOString()) &&
    (kind === 'expiry' || removal.ours || isEarly(removal)) &&
    (object === undefined || object.key.includes(partitionOf(kind, expiredAt ?? deletedAt, deletedAt)))
  );
}

function partitionOf(kind: 'expiry' | 'other', expiredAt: string, deletedAt: string): string {
  return kind === 'expiry'
    ? `/expired_date=${expiredAt.slice(0, 10)}/`
    : `/removed_date=${deletedAt.slice(0, 10)}/`;
}

/** A number can be written in several ways, so the arrived item is parsed before the comparison. */
function isSame(arrived: unknown, image: ItemImage, format: ArchiveFormat): boolean {
  return format === 'dynamodb-json'
    ? itemText(arrived as ItemImage) === itemText(image)
    : JSON.stringify(arrived) === JSON.stringify(JSON.parse(imageText(image, format)));
}
