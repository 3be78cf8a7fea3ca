import {
  carriedSettings,
  readSettings,
  type Settings,
  type SweepSettings,
} from '../../functions/runtime/environment.ts';
import { functionSettings, type PreciseTtlProps, resolveProps } from '../../stacks/config/props.ts';
import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';

/** What the functions of a table with these props know of it: as an execution carries it. */
export function settingsOf(props: PreciseTtlProps): SweepSettings {
  return readSettings(carriedOf(props));
}

/** What an execution carries of a table with these props. */
export function carriedOf(props: PreciseTtlProps): Settings & CarriedSettings {
  return carriedSettings(functionSettings(resolveProps(props)));
}
