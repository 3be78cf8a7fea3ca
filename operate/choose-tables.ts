import type { DeploymentConfig } from '../config/config.ts';
import type { PreciseTtlProps } from '../config/props.ts';
import { InputError } from './errors.ts';

/**
 * The tables for an operation: the given one, or all of the configuration.
 *
 * @throws {InputError} if the configuration does not have the table
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
 * The table for an operation on a single table: the given one, or the only one of the configuration.
 *
 * @throws {InputError} if the configuration does not have the table, and if none is given and there are several
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
