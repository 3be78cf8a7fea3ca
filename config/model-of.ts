import type { ExpiryModel, ExpiryModelProps } from '../expiry/model.ts';
import { modelOfSettings, modelPropsOfSettings } from '../functions/runtime/environment.ts';
import { type PreciseTtlProps, resolveProps } from './props.ts';

/** The model of a deployed table: what its writers and readers make with `expiryModel`, without a default TTL. */
export function modelOf(props: PreciseTtlProps): ExpiryModel {
  return modelOfSettings(resolveProps(props));
}

/**
 * The props of `expiryModel` for that model, without defaults: as JSON they tell writers in any language how to stamp the table's items.
 */
export function modelPropsOf(props: PreciseTtlProps): ExpiryModelProps {
  return modelPropsOfSettings(resolveProps(props));
}
