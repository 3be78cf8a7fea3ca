import { clockSeconds } from './clock.ts';
import { InvalidTtlError } from './errors.ts';
import { checkOptions } from './fields.ts';
import type { ItemLike } from './item.ts';
import { checkModel, type ExpiryModel } from './model.ts';
import { shardOf } from './shard.ts';
import { checkTtl, MAX_TTL_SECONDS } from './ttl.ts';
import { windowKey, windowStart } from './window.ts';

export interface ExpiryOptions {
  /** Lifetime of the item in seconds from now; 0: the item never expires. @default the model's `defaultTtlSeconds` */
  readonly ttlSeconds?: number;
  /** The moment of expiry, epoch seconds: give either `expiresAt` or `ttlSeconds`. */
  readonly expiresAt?: number;
  /** The writer's clock, epoch milliseconds. @default Date.now() */
  readonly nowMs?: number;
}

const OPTIONS = ['ttlSeconds', 'expiresAt', 'nowMs'] as const satisfies (keyof ExpiryOptions)[];

/**
 * Returns the attributes that make an item expire: the TTL and, in a table indexed by window, the window. Put these attributes into the
 * item on every write, so that a renewed item moves to its new window. The result is empty if the item never expires. To make a stored item
 * permanent, use {@link withExpiry}: the update removes the old attributes.
 * @param key the item's primary key, or the whole item, in the form of the document client
 * @returns e.g. `{ ttl: 1658266020, expirationWindow: '2022-07-19T21:27:00.000Z_2022-07-19T21:28:00.000Z' }`
 * @throws InvalidModelError for a model that `expiryModel()` did not make, InvalidTtlError for a TTL that must not be written,
 * InvalidKeyError for an incomplete key, InvalidArgumentError for an unknown option and for a clock in another unit
 */
export function expiryAttributes<Key extends ItemLike>(
  model: ExpiryModel,
  key: Key,
  options: ExpiryOptions = {},
): Record<string, number | string> {
  checkModel(model);
  checkOptions(options, OPTIONS);
  const ttl = expiryTime(model, options);
  if (ttl === undefined) return {};
  // The shard is computed even if the table has no windows, so that a malformed key is an error in every table.
  const shard = shardOf(key, model, model.shards);
  const { granularitySeconds, ttlAttribute, windowAttribute } = model;
  if (windowAttribute === undefined) return { [ttlAttribute]: ttl };
  return {
    [ttlAttribute]: ttl,
    [windowAttribute]: windowKey(windowStart(ttl, granularitySeconds), granularitySeconds, shard),
  };
}

function expiryTime(
  model: ExpiryModel,
  { ttlSeconds, expiresAt, nowMs = Date.now() }: ExpiryOptions,
): number | undefined {
  const now = clockSeconds(nowMs);
  if (expiresAt !== undefined) {
    if (ttlSeconds !== undefined) {
      throw new InvalidTtlError({
        field: 'ttlSeconds',
        expected: 'either ttlSeconds or expiresAt',
        got: { ttlSeconds, expiresAt },
        remedy: 'Pass one of the two.',
      });
    }
    return checkTtl(model.ttlAttribute, expiresAt, now);
  }
  const seconds = ttlSeconds === undefined ? model.defaultTtlSeconds : ttlSeconds;
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > MAX_TTL_SECONDS) {
    throw new InvalidTtlError({
      field: 'ttlSeconds',
      expected: `a whole number of seconds from 0 to ${MAX_TTL_SECONDS} (20 years)`,
      got: seconds,
      remedy:
        typeof seconds === 'number' && seconds > now
          ? 'It looks like a point in time: pass it as expiresAt.'
          : 'Pass the seconds the item may live from now; 0 for an item that does not expire.',
    });
  }
  return seconds === 0 ? undefined : now + seconds;
}
