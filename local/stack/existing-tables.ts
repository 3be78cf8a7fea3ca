import type { DeploymentConfig } from '../../stacks/config/config.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import type { TableResource } from '../dynamodb/table.ts';
import { synthesizedCloud } from './synthesized.ts';

/**
 * Schemas of the tables with `existingTable: true`: the schemas with which the stack would create these tables.
 * @throws {InvalidConfigError} with a message for the user
 */
export function existingTablesAsMade(config: DeploymentConfig): readonly TableResource[] {
  const tables = config.tables
    .filter(({ existingTable }) => existingTable === true)
    .map(table => ({ ...table, existingTable: false }));
  return tables.length === 0 ? [] : synthesizedCloud(plainStack({ ...config, tables })).tables;
}
