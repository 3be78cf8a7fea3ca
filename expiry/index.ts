/**
 * precise-ttl for applications: stamp items with an expiry when you write them, leave out expired items when you read. The module has no
 * AWS client and no dependency. Its clock is Date.now(), or the clock that you pass. Node 22.12 or later and browsers run it. The rules
 * behind it, for tools and migrations, are in `precise-ttl/data-model`.
 */
export { type ExpiryOptions, expiryAttributes } from './attributes.ts';
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
export { type UpdateAdditions, type UpdateRequest, withExpiry } from './update.ts';
export { type FilterOptions, type SdkClient, type TableModels, withoutExpired } from './without-expired.ts';
