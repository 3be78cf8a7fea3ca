/**
 * The module `precise-ttl` for applications: writers give items an expiry, and readers leave out expired items. The module has no
 * dependency, and runs in Node 22.12 or later and in browsers.
 */
export {
  type ExpiryOptions,
  expiryAttributes,
  type UpdateAdditions,
  type UpdateRequest,
  withExpiry,
} from './attributes.ts';
export { type FieldProblem, PreciseTtlError } from './errors.ts';
export type { EventImage, EventValue, ExpiryEvent } from './expiry-event.ts';
export type { StreamChange, StreamRecord } from './is-expiry.ts';
export { isExpiry } from './is-expiry.ts';
export type { ItemLike } from './item.ts';
export {
  type ExpiryModel,
  type ExpiryModelProps,
  expiryModel,
  type IndexedBy,
  type WindowModel,
} from './model.ts';
export {
  notExpired,
  type ReadAdditions,
  type ReadOptions,
  type ReadRequest,
  unlessExpired,
} from './not-expired.ts';
export { isExpired } from './ttl.ts';
export { type FilterOptions, type SdkClient, type TableModels, withoutExpired } from './without-expired.ts';
