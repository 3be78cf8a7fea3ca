import { readSettings, type SweepSettings, toEnvironment } from '../../functions/runtime/environment.ts';
import { functionSettings, type PreciseTtlProps, resolveProps } from '../../stacks/props.ts';

/** What the functions of a table with these props know of it: by way of their environment, as when it is deployed. */
export function settingsOf(props: PreciseTtlProps): SweepSettings {
  return readSettings(toEnvironment(functionSettings(resolveProps(props)), value => value));
}
