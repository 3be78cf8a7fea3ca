import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import { SETTING_KINDS, type Settings } from '../runtime/environment.ts';

/** The settings of a table that its record needs. */
export type RecordedSettings = Pick<Settings, 'precision'>;

/** Used for a table whose settings cannot be read; its record reports that they cannot. */
const DEFAULTS: RecordedSettings = { precision: 'second' };

/** The part of a table's settings that an execution carries if it does not sweep the table. */
export function recordedPart(carried: CarriedSettings): CarriedSettings {
  const { tableName } = carried;
  const names = Object.keys(DEFAULTS).filter(name => name in carried);
  return { tableName, ...Object.fromEntries(names.map(name => [name, carried[name]])) };
}

/** The settings that are carried, with defaults for the rest. */
export function recordedSettings(carried: CarriedSettings): RecordedSettings {
  const { precision } = carried;
  return { precision: SETTING_KINDS.precision.is(precision) ? precision : DEFAULTS.precision };
}
