import type { DeploymentConfig } from '../stacks/config.ts';
import { FlagError } from './flags.ts';

/**
 * The tables that a command is for: what `--table` names, or all of the configuration.
 *
 * @throws {FlagError} for one that the configuration does not have
 */
export function chooseTables({ region, tables }: DeploymentConfig, chosen: string | undefined) {
  if (chosen === undefined) return { region, tables };
  const table = tables.find(({ tableName }) => tableName === chosen);
  if (table !== undefined) return { region, tables: [table] };
  const known = tables.map(({ tableName }) => tableName).join(', ');
  throw new FlagError(`--table: expected one of ${known}, got "${chosen}"; the configuration lists them`);
}
