import type { DeploymentConfig } from '../../config/config.ts';
import { type Deployment, deploymentOf, modelOf } from '../../config/deployments.ts';
import { type PreciseTtlProps, type ResolvedProps, resolveProps } from '../../config/props.ts';
import type { ExpiryModel } from '../../expiry/model.ts';
import { InputError } from '../errors.ts';

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

/** The subject of a look: a table of the configuration, with its region and the deployment that sweeps it. */
export interface Subject {
  readonly props: ResolvedProps;
  readonly model: ExpiryModel;
  /** The deployment that sweeps the table, with all its tables. */
  readonly deployment: Deployment;
  readonly region: string;
}

/** The subjects for these tables of a configuration. */
export function subjectsOf(config: DeploymentConfig, tables: readonly PreciseTtlProps[]): Subject[] {
  const all = config.tables.map(resolveProps);
  return tables.map(table => {
    const props = resolveProps(table);
    const deployment = deploymentOf(all.filter(({ sweep }) => sweep === props.sweep));
    return { props, model: modelOf(table), deployment, region: config.region };
  });
}
