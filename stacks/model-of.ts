import type { ExpiryModel } from '../expiry/model.ts';
import { modelOfSettings } from '../functions/runtime/environment.ts';
import { type PreciseTtlProps, resolveProps } from './props.ts';

/** The model of a deployed table: what its writers and readers make with `expiryModel`, without a default TTL. */
export function modelOf(props: PreciseTtlProps): ExpiryModel {
  return modelOfSettings(resolveProps(props));
}
