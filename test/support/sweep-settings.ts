import { functionSettings, type PreciseTtlProps, resolveProps, tuned } from '../../config/props.ts';
import {
  carriedSettings,
  readSettings,
  type Settings,
  type SweepSettings,
} from '../../functions/runtime/environment.ts';
import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import type { Tuning } from './with-settings.ts';

/** What the functions of a table with these props know of it: as an execution carries it. */
export function settingsOf(props: PreciseTtlProps & Tuning): SweepSettings {
  return readSettings(carriedOf(props));
}

/** What an execution carries of a table with these props. */
export function carriedOf(props: PreciseTtlProps & Tuning): Settings & CarriedSettings {
  const resolved = resolveProps(props);
  const names = Object.keys(tuned(resolved)) as (keyof Tuning)[];
  const tuning = Object.fromEntries(names.map(name => [name, props[name] ?? resolved[name]]));
  return { ...carriedSettings({ ...functionSettings(resolved), ...tuning }) };
}
