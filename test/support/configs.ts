import {
  carriedSettings,
  readSettings,
  type Settings,
  type SweepSettings,
} from '../../functions/runtime/environment.ts';
import type { DeploymentConfig } from '../../stacks/config/config.ts';
import { functionSettings, type PreciseTtlProps, resolveProps } from '../../stacks/config/props.ts';
import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import { type FunctionArns, TASKS } from '../../statemachine/contract/machines.ts';

/** The table that the shipped configuration has. */
export const SESSION_DATA: PreciseTtlProps = {
  tableName: 'SessionData',
  partitionKey: 'UserName',
  sortKey: 'SessionId',
  ttlAttribute: 'ExpirationTime',
};

export const FUNCTION_ARNS = Object.fromEntries(
  Object.entries(TASKS).map(([task, file]) => [
    task,
    `arn:aws:lambda:us-east-1:123456789012:function:${file}`,
  ]),
) as FunctionArns;

export function configOf(...tables: PreciseTtlProps[]): DeploymentConfig {
  return { region: 'us-east-1', tables };
}

/** What the functions of a table with these props know of it: as an execution carries it. */
export function settingsOf(props: PreciseTtlProps): SweepSettings {
  return readSettings(carriedOf(props));
}

/** What an execution carries of a table with these props. */
export function carriedOf(props: PreciseTtlProps): Settings & CarriedSettings {
  return carriedSettings(functionSettings(resolveProps(props)));
}
