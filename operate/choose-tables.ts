import type { DeploymentConfig } from '../config/config.ts';
import type { PreciseTtlProps } from '../config/props.ts';
import { InputError } from './input-error.ts';

/**
 * The tables that an operation is for: the one that is named, or all of the configuration.
 *
 * @throws {InputError} for one that the configuration does not have
 */
export function chooseTables(
  { tables }: DeploymentConfig,
  chosen: string | undefined,
): readonly PreciseTtlProps[] {
  if (chosen === undefined) return tables;
  const table = tables.find(({ tableName }) => tableName === chosen);
  if (table !== undefined) return [table];
  throw new InputError(
    'table',
    `expected one of ${namesOf(tables)}, got "${chosen}"; the configuration lists them`,
  );
}

/**
 * The table that an operation is for which takes one at a time: the one that is named, or the only one of the configuration.
 *
 * @throws {InputError} for one that the configuration does not have, and for none where it has several
 */
export function chooseTable(config: DeploymentConfig, chosen: string | undefined): PreciseTtlProps {
  const [table, another] = chooseTables(config, chosen);
  if (table !== undefined && another === undefined) return table;
  throw new InputError(
    'table',
    `expected one of ${namesOf(config.tables)}, got none; this is for one table, so name it`,
  );
}

function namesOf(tables: readonly PreciseTtlProps[]): string {
  return tables.map(({ tableName }) => tableName).join(', ');
}
