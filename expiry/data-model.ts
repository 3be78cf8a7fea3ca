/**
 * The module `precise-ttl/data-model`: windows, shards, limits and error classes, for tools that write or find expiry attributes.
 * Applications only need the module `precise-ttl`.
 */
export {
  describeProblem,
  InvalidArgumentError,
  InvalidFieldError,
  InvalidKeyError,
  InvalidModelError,
  InvalidRequestError,
  InvalidTtlError,
} from './errors.ts';
export {
  DEFAULT_GRANULARITY_MINUTES,
  DEFAULT_SHARDS,
  DEFAULT_TTL_ATTRIBUTE,
  DEFAULT_WINDOW_ATTRIBUTE,
  MAX_SHARDS,
  modelProblems,
} from './model.ts';
export { type KeyNames, shardOf } from './shard.ts';
export {
  checkTtl,
  type ExpiredRange,
  expiredRange,
  MAX_TTL_SECONDS,
  OLDEST_EXPIRY_AGE_SECONDS,
  toEpochSeconds,
} from './ttl.ts';
export { MINUTES_PER_DAY, windowKey, windowStart } from './window.ts';
