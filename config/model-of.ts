import type { ExpiryModel, ExpiryModelProps } from '../expiry/model.ts';
import { modelOfSettings, modelPropsOfSettings } from '../functions/runtime/environment.ts';
import { type PreciseTtlProps, resolveProps } from './props.ts';

/** The model of a deployed table, without a default TTL: the one that its writers and readers make with `expiryModel`. */
export function modelOf(props: PreciseTtlProps): ExpiryModel {
  return modelOfSettings(resolveProps(props));
}

/**
 * The props from which `expiryModel` makes the model of a deployed table, without defaults: as JSON they describe to writers in any
 * language how to stamp the table's items.
 */
export function modelPropsOf(props: PreciseTtlProps): ExpiryModelProps {
  return modelPropsOfSettings(resolveProps(props));
}
