/**
 * The data model of precise-ttl for applications: stamp items with an expiry as you write them, leave expired
 * ones out as you read. Pure: no AWS client, no clock but the one you pass.
 */
export { type ExpiryOptions, expiryAttributes } from './attributes.ts';
export {
  describeProblem,
  type FieldProblem,
  InvalidArgumentError,
  InvalidFieldError,
  InvalidKeyError,
  InvalidModelError,
  InvalidRequestError,
  InvalidTtlError,
  PreciseTtlError,
} from './errors.ts';
export type { ItemLike } from './item.ts';
export {
  DEFAULT_GRANULARITY_MINUTES,
  DEFAULT_SHARDS,
  DEFAULT_TTL_ATTRIBUTE,
  DEFAULT_WINDOW_ATTRIBUTE,
  type ExpiryModel,
  type ExpiryModelProps,
  expiryModel,
  MOST_SHARDS,
  modelProblems,
} from './model.ts';
export {
  notExpired,
  type ReadAdditions,
  type ReadOptions,
  type ReadRequest,
  unlessExpired,
} from './not-expired.ts';
export { type KeyNames, type KeyValue, shardOf } from './shard.ts';
export {
  checkTtl,
  type ExpiredRange,
  expiredRange,
  isExpired,
  LONGEST_TTL_SECONDS,
  OLDEST_EXPIRY_AGE_SECONDS,
  toEpochSeconds,
} from './ttl.ts';
export { type UpdateAdditions, type UpdateRequest, withExpiry } from './update.ts';
export { MINUTES_PER_DAY, windowKey, windowStart, windowStarts } from './window.ts';
