import type { EventImage } from '../../expiry/expiry-event.ts';
import { isLive, itemText, type RemovalRecord } from './item.ts';
import type { Ledger, SeenRemoval } from './ledger.ts';
import type { Violation } from './verdict.ts';

/** An event of a deletion, as it arrived. */
export interface Arrival {
  /** The id of the stream's record. */
  readonly id: string;
  /** Key in DynamoDB JSON. */
  readonly key: unknown;
  readonly expiredAt: string | null;
  /** ISO time of the record by which the removal was classified. */
  readonly deletedAt: string;
  /** The item in DynamoDB JSON; undefined when it was not requested. */
  readonly oldImage?: unknown;
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
   * Number of items reported as expiries that the application deleted earlier, but whose record has a later time: locally that is the time
   * of the read, so this machine was too slow to decide.
   */
  readonly doubtful: number;
  /** Items that arrived with other content than was deleted. */
  readonly altered: number;
}

/** Rules for the deletions that must arrive. */
export interface ArrivalRules {
  /** Whether arrivals contain the items. */
  readonly oldImage: boolean;
}

export interface Judged {
  readonly counts: ArrivalCounts;
  /** Whether all expected removals have arrived. */
  readonly isComplete: boolean;
  readonly violations: readonly Violation[];
}

/** Compares arrivals with the observed deletions. */
export function judgeArrivals(
  arrived: readonly Arrival[],
  ledger: Pick<Ledger, 'removals' | 'violation'>,
  rules: ArrivalRules,
): Judged {
  const removals = new Map(
    ledger.removals.flatMap(({ record, ...removal }) =>
      record === undefined ? [] : [[record.id, { ...removal, record }] as const],
    ),
  );
  /** Whether a record was altered, by its id. */
  const known = new Map<string, boolean>();
  const strays: string[] = [];
  let again = 0;
  let doubtful = 0;
  for (const arrival of arrived) {
    const removal = removals.get(arrival.id);
    if (removal === undefined) {
      strays.push(`record ${arrival.id}`);
      continue;
    }
    const sense = senseOf(arrival, removal);
    if (sense === 'stray') strays.push(removal.id);
    else if (sense === 'doubtful') doubtful += 1;
    // Items that a sweep deletes too early must arrive, too.
    else if (!removal.ours && known.has(arrival.id)) again += 1;
    const isAltered = sense === undefined && !isAsDeleted(arrival, removal, rules);
    known.set(arrival.id, isAltered || known.get(arrival.id) === true);
  }
  const wanted = [...removals].filter(([, { ours }]) => !ours);
  const lost = wanted.filter(([id]) => !known.has(id));
  const changed = [...known].flatMap(([id, isAltered]) => (isAltered ? (removals.get(id)?.id ?? []) : []));
  return {
    counts: {
      items: wanted.length - lost.length,
      again,
      strays: strays.length,
      doubtful,
      altered: changed.length,
    },
    isComplete: lost.length === 0,
    violations: [
      ...lost.map(([, { id }]) => ledger.violation('notDelivered', id)),
      ...changed.map(id => ledger.violation('deliveredOtherwise', id)),
      ...strays.map(id => ledger.violation('deliveredWrongly', id)),
    ],
  };
}

type Recorded = SeenRemoval & { readonly record: RemovalRecord };

/** Whether an arrival wrongly reports an expiry; undefined when it is right. */
function senseOf(
  { deletedAt }: Arrival,
  { ttl, seenAt, ours, record }: Recorded,
): 'stray' | 'doubtful' | undefined {
  const hadExpired = (epochMs: number) => !isLive(ttl, Math.floor(epochMs / 1000));
  if (hadExpired(record.madeAt ?? seenAt)) return undefined;
  return ours && record.madeAt === undefined && hadExpired(Date.parse(deletedAt)) ? 'doubtful' : 'stray';
}

function isAsDeleted(
  { key, expiredAt, deletedAt, oldImage }: Arrival,
  { ttl: expiry, record: { key: itsKey, image, madeAt } }: Recorded,
  rules: ArrivalRules,
): boolean {
  return (
    (rules.oldImage ? isSame(oldImage, image) : oldImage === undefined) &&
    isSame(key, itsKey) &&
    expiredAt === (expiry === undefined ? null : new Date(Math.floor(expiry * 1000)).toISOString()) &&
    (madeAt === undefined || deletedAt === new Date(Math.floor(madeAt / 1000) * 1000).toISOString())
  );
}

const isSame = (arrived: unknown, image: EventImage): boolean =>
  arrived !== undefined && itemText(arrived as EventImage) === itemText(image);
