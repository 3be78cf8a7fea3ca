import type { RandomSource } from 'stepfunctions-emulator';

/** What happens to an item besides the sweep. */
export type Deed =
  | { readonly kind: 'delete'; readonly id: string }
  /** With another TTL, epoch seconds. */
  | { readonly kind: 'renew'; readonly id: string; readonly ttl: number }
  /** Deleted, then written anew with another TTL: a second life of the same key. */
  | { readonly kind: 'again'; readonly id: string; readonly ttl: number }
  /** Written, and deleted seconds before its expiry: an archiver that is dead meanwhile reads of it after its expiry. */
  | { readonly kind: 'brief'; readonly id: string };

export interface ArchivePlan {
  /** TTLs by the item's id, epoch seconds, as they are written first. */
  readonly ttls: ReadonlyMap<string, number>;
  /** Done before the sweep begins, in this order. */
  readonly before: readonly Deed[];
  /** Done while it sweeps. */
  readonly meanwhile: readonly Deed[];
  /** When it was planned, epoch seconds. */
  readonly writtenAt: number;
  /** The spans that the expired TTLs are in, epoch seconds; both ends are in it. */
  readonly spans: readonly { readonly from: number; readonly to: number }[];
}

export interface PlanOptions {
  /** Expired items, each counted with each of its expiries. */
  readonly expiries: number;
  /** Epoch seconds. */
  readonly now: number;
  readonly random: RandomSource;
}

const DAY = 86_400;
/** Expired items are of the last three days, so that a batch has objects of several dates. */
const DAYS = 3;
const SPAN_SECONDS = 600;
/** Seconds since the last of them, at the least. */
const AT_LEAST_AWAY = 10;

/** Besides the expired ones, so many of them. */
const DELETED_BEFORE = 0.1;
const BRIEF = 0.02;
const LIVE = 0.06;
const RENEWED = 0.04;

/** Plans what expires, and what users do to it: most items expire, and the sweep comes. */
export function planArchive({ expiries, now, random }: PlanOptions): ArchivePlan {
  const ttls = new Map<string, number>();
  const deeds: Deed[] = [];
  const spans = Array.from({ length: DAYS }, (_unused, day) => {
    const to = now - AT_LEAST_AWAY - day * DAY;
    return { from: to - SPAN_SECONDS, to };
  });
  const past = () => {
    const { from = 0, to = 0 } = spans[Math.floor(random.next() * spans.length)] ?? {};
    return from + Math.floor(random.next() * (to - from + 1));
  };
  const future = () => now + DAY + Math.floor(random.next() * DAY);
  const write = (ttl: number): string => {
    const id = String(ttls.size);
    ttls.set(id, ttl);
    return id;
  };
  for (let count = 0; count < expiries; count += 1) {
    const id = write(past());
    const drawn = random.next();
    if (drawn < 0.05) deeds.push({ kind: 'delete', id });
    else if (drawn < 0.08) deeds.push({ kind: 'renew', id, ttl: past() });
    else if (drawn < 0.1 && count + 1 < expiries) {
      // Another second than before: a life is a key and an expiry.
      const ttl = past();
      deeds.push({ kind: 'again', id, ttl: ttl === ttls.get(id) ? anotherOf(ttl, spans) : ttl });
      count += 1;
    }
  }
  for (let count = 0; count < expiries * DELETED_BEFORE; count += 1) {
    deeds.push({ kind: 'delete', id: write(future()) });
  }
  for (let count = 0; count < expiries * LIVE; count += 1) write(future());
  for (let count = 0; count < expiries * RENEWED; count += 1) {
    // One in two has expired already: the sweep or the user is first.
    deeds.push({ kind: 'renew', id: write(random.next() < 0.5 ? past() : future()), ttl: future() });
  }
  for (let count = 0; count < expiries * BRIEF; count += 1) {
    deeds.push({ kind: 'brief', id: String(ttls.size + count) });
  }
  const shuffled = shuffle(deeds, random);
  const half = Math.floor(shuffled.length / 2);
  return { ttls, before: shuffled.slice(0, half), meanwhile: shuffled.slice(half), spans, writtenAt: now };
}

export interface RenewalPlan extends Pick<ArchivePlan, 'ttls' | 'meanwhile' | 'spans'> {
  /** About so many are swept; of those that users renew, nobody knows who comes first. */
  readonly expiring: number;
  readonly deedsPerSecond: number;
}

/** Of the expired items. */
const RENEWED_MEANWHILE = 0.2;
const CHANGED_MEANWHILE = 0.1;

/** Plans what expires while users renew expired items, or change them without renewing them. */
export function planRenewals({ expiries, now, random }: PlanOptions): RenewalPlan {
  const to = now - AT_LEAST_AWAY;
  const from = to - SPAN_SECONDS;
  const past = () => from + Math.floor(random.next() * (to - from + 1));
  const ttls = new Map<string, number>();
  const deeds: Deed[] = [];
  for (let count = 0; count < expiries; count += 1) {
    const id = String(count);
    const ttl = past();
    ttls.set(id, ttl);
    const drawn = random.next();
    if (drawn < RENEWED_MEANWHILE) deeds.push({ kind: 'renew', id, ttl: now + DAY });
    // With the same TTL and other attributes.
    else if (drawn < RENEWED_MEANWHILE + CHANGED_MEANWHILE) deeds.push({ kind: 'renew', id, ttl });
  }
  return {
    ttls,
    meanwhile: shuffle(deeds, random),
    spans: [{ from, to }],
    expiring: Math.floor(expiries * (1 - RENEWED_MEANWHILE)),
    deedsPerSecond: 25,
  };
}

/** The next second of the same span. */
function anotherOf(ttl: number, spans: ArchivePlan['spans']): number {
  return spans.some(({ to }) => to === ttl) ? ttl - 1 : ttl + 1;
}

function shuffle<Value>(values: readonly Value[], random: RandomSource): Value[] {
  return values
    .map(value => ({ value, at: random.next() }))
    .sort((one, other) => one.at - other.at)
    .map(({ value }) => value);
}
