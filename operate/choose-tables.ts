import type { DeploymentConfig } from '../config/config.ts';
import { type PreciseTtlProps, resolveProps } from '../config/props.ts';
import { BackfillError, InputError } from './errors.ts';

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

/** @throws {BackfillError} for a table that needs no backfill, or that has no state machine for it */
export function requireBackfill(table: PreciseTtlProps): void {
  const { tableName, indexedBy, backfill } = resolveProps(table);
  if (indexedBy === 'second') {
    throw new BackfillError(
      `table ${tableName}: expected one that is indexed by window, got index: { by: 'second' }; nothing is to be done there: ` +
        'DynamoDB puts the items that are there into the index by itself',
    );
  }
  if (backfill) return;
  throw new BackfillError(
    `table ${tableName}: expected index: { backfill: true } in the configuration, got false; add it and deploy, which provisions the ` +
      'state machine that this command starts',
  );
}
