import { type ExpiryModel, expiryAttributes } from '../../expiry/index.ts';
import { windowKey } from '../../expiry/window.ts';

/** The expiry attributes of an item. */
export type Stamped = Readonly<Record<string, number | string>>;

/** Returns the expiry attributes for a TTL. */
export type Stamp = (key: Readonly<Record<string, unknown>>, ttl: number) => Stamped;

/** Sets the attributes of the model. @param now epoch milliseconds */
export function modelStamp(model: ExpiryModel, now: () => number): Stamp {
  return (key, expiresAt) => expiryAttributes(model, key, { expiresAt, nowMs: now() });
}

/** Sets the window (start, end] of shard 0, as applications did before this project. By second there are no windows. */
export function olderStamp({ granularitySeconds, ttlAttribute, windowAttribute }: ExpiryModel): Stamp {
  return (_key, ttl) => {
    if (windowAttribute === undefined) return { [ttlAttribute]: ttl };
    const start = Math.ceil(ttl / granularitySeconds) * granularitySeconds - granularitySeconds;
    return { [ttlAttribute]: ttl, [windowAttribute]: windowKey(start, granularitySeconds) };
  };
}
