import type { ExpiryModel } from '../expiry/model.ts';
import { modelOfSettings } from '../functions/runtime/environment.ts';
import { type PreciseTtlProps, resolveProps } from './props.ts';

/** The model of a deployed table, without a default TTL: the one that its writers and readers make with `expiryModel`. */
export function modelOf(props: PreciseTtlProps): ExpiryModel {
  return modelOfSettings(resolveProps(props));
}
