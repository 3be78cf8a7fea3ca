import { randomInt, randomUUID } from 'node:crypto';
import { chosenTables, EXIT } from '../../cli/command.ts';
import type { IndexedBy } from '../../expiry/model.ts';
import { readSettings } from '../../functions/runtime/environment.ts';
import { checkConfig, type DeploymentConfig } from '../../stacks/config/config.ts';
import { functionSettings, type PreciseTtlProps, resolveProps } from '../../stacks/config/props.ts';
import type { Judged, Verdict } from './judge.ts';
import { type DemoOptions, runDemo } from './run.ts';

export interface MainJobOptions
  extends Omit<DemoOptions, 'config' | 'settings' | 'deployment' | 'standsFor' | 'seed'> {
  readonly config: unknown;
  /** Name of a table in the configuration. @default the first table */
  readonly table?: string | undefined;
  readonly by?: IndexedBy | undefined;
  readonly archive?: boolean;
  readonly seed?: number | undefined;
}

export const EXIT_STATUS: Readonly<Record<Exclude<Verdict, 'interrupted'>, number>> = {
  kept: EXIT.fine,
  broken: EXIT.notFine,
  undecided: EXIT.notKnown,
};

/**
 * Runs the demonstration on a new table, configured like a table of `options.config`.
 * @throws {InvalidFieldError}, {InvalidConfigError} or {LocalCloudError}, with a message for the user
 */
export async function runMainJob(options: MainJobOptions): Promise<Judged> {
  const config = checkConfig(options.config);
  const [configured] = chosenTables(config, options.table);
  const chosen = withPipes(indexedBy(configured, options.by), options.archive ?? false, config.region);
  // The run gets new names, because at its end it removes its table and the journal of its deployment.
  const deployment = `demo-${randomUUID().slice(0, 8)}`;
  const tableName = `${chosen.tableName.slice(0, MAX_PREFIX_LENGTH)}-${deployment}`;
  const table: PreciseTtlProps = { ...chosen, tableName, deployment };
  return runDemo({
    ...options,
    seed: options.seed ?? randomInt(2 ** 32),
    ...{ config: { ...config, tables: [table] }, deployment },
    settings: readSettings(functionSettings(resolveProps(table))),
    standsFor: inWords(configured, config),
  });
}

/** Maximum length of the configured name within the new name, characters: a name in DynamoDB has at most 255 characters. */
const MAX_PREFIX_LENGTH = 220;

function withPipes(table: PreciseTtlProps, wanted: boolean, region: string): PreciseTtlProps {
  const to = `arn:aws:events:${region}:123456789012:event-bus/default`;
  return wanted ? { archive: true, events: { to }, ...table } : table;
}

/** Returns the table with `by` as the kind of its index. A change drops `pollSeconds` and `index`, which suit the former kind. */
function indexedBy(table: PreciseTtlProps, by: IndexedBy | undefined): PreciseTtlProps {
  if (by === undefined || by === resolveProps(table).indexedBy) return table;
  const { index: _index, pollSeconds: _pollSeconds, ...others } = table;
  return { ...others, index: { by } };
}

function inWords(table: PreciseTtlProps, { tables }: DeploymentConfig): string {
  const which =
    tables.length > 1 ? `, one of the ${tables.length} tables of the configuration (--table)` : '';
  return `${table.existingTable ? 'the existing ' : ''}${table.tableName}${which}`;
}
