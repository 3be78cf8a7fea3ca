import type { EventImage } from '../../expiry/expiry-event.ts';
import { isLive, itemText, type RemovalRecord } from './item.ts';
import type { Ledger, SeenRemoval, Violation } from './ledger.ts';

export interface FollowedPipe {
  readonly name: string;
  /** The pipe's target as the demo prints it, such as `event-bus/default`. */
  readonly target: string;
  readonly oldImage: boolean;
}

export interface Delivery {
  readonly id: string;
  /** Key in DynamoDB JSON. */
  readonly key: unknown;
  readonly expiredAt: string | null;
  /** ISO time of the stream's record. */
  readonly deletedAt: string;
  /** The deleted item in DynamoDB JSON; undefined if the pipe's `oldImage` is false. */
  readonly oldImage?: unknown;
}

/** Collects the events of pipes. Compares the events with the ledger (list of writes and deletions). */
export class Deliveries {
  readonly pipes: readonly FollowedPipe[];
  readonly #events: ReadonlyMap<string, Delivery[]>;

  constructor(pipes: readonly FollowedPipe[]) {
    this.pipes = pipes;
    this.#events = new Map(pipes.map(({ name }) => [name, []]));
  }

  delivered(pipe: string, event: Delivery): void {
    this.#events.get(pipe)?.push(event);
  }

  get counts(): readonly number[] {
    return [...this.#events.values()].map(({ length }) => length);
  }

  /** Missing and wrong events of each pipe, compared with the deletions. A pipe may deliver an event more than once. */
  violations(ledger: Pick<Ledger, 'removals' | 'violation'>): Violation[] {
    if (this.pipes.length === 0) return [];
    const recorded = ledger.removals.flatMap(removal =>
      removal.record === undefined ? [] : [{ ...removal, record: removal.record }],
    );
    const removals = new Map(recorded.map(removal => [removal.record.id, removal]));
    return this.pipes.flatMap(pipe => {
      const events = this.#events.get(pipe.name) ?? [];
      const delivered = new Set(events.map(({ id }) => id));
      const found = new Map<string, Violation>();
      // Every deletion by the sweep needs an event. An event for a deletion before the expiry is wrong.
      for (const [id, { byApplication, id: item }] of removals)
        if (!byApplication && !delivered.has(id)) found.set(id, ledger.violation('notDelivered', item));
      for (const event of events) {
        const removal = removals.get(event.id);
        if (removal === undefined || !hadExpired(removal)) {
          const item = removal?.id ?? `record ${event.id}`;
          found.set(event.id, ledger.violation('deliveredWrongly', item));
        } else if (!isAsDeleted(event, removal, pipe)) {
          found.set(event.id, ledger.violation('deliveredOtherwise', removal.id));
        }
      }
      return [...found.values()];
    });
  }
}

type Recorded = SeenRemoval & { readonly record: RemovalRecord };

function hadExpired({ ttl, seenAt, record }: Recorded): boolean {
  return !isLive(ttl, Math.floor((record.madeAt ?? seenAt) / 1000));
}

function isAsDeleted(
  { key, expiredAt, deletedAt, oldImage }: Delivery,
  { ttl, record: { key: itsKey, image, madeAt } }: Recorded,
  pipe: FollowedPipe,
): boolean {
  return (
    (pipe.oldImage ? isSame(oldImage, image) : oldImage === undefined) &&
    isSame(key, itsKey) &&
    expiredAt === (ttl === undefined ? null : new Date(Math.floor(ttl * 1000)).toISOString()) &&
    (madeAt === undefined || deletedAt === new Date(Math.floor(madeAt / 1000) * 1000).toISOString())
  );
}

const isSame = (delivered: unknown, image: EventImage): boolean =>
  delivered !== undefined && itemText(delivered as EventImage) === itemText(image);
