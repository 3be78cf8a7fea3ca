import { type ExpiryModel, expiryModel } from '../expiry/model.ts';
import { type PreciseTtlProps, resolveProps } from './props.ts';

/** The model of a deployed table: what its writers and readers make with `expiryModel`, without a default TTL. */
export function modelOf(props: PreciseTtlProps): ExpiryModel {
  const { partitionKey, sortKey, ttlAttribute, windowAttribute, granularityMinutes, shards } =
    resolveProps(props);
  return expiryModel({
    partitionKey,
    ...(sortKey === undefined ? {} : { sortKey }),
    ttlAttribute,
    windowAttribute,
    granularityMinutes,
    shards,
  });
}
