import { checkConfig } from '../../config/config.ts';
import { resolveProps } from '../../config/props.ts';
import { keyAttributeNames } from '../../functions/table/item-key.ts';
import type { OperatingClients } from '../aws/operating-clients.ts';
import { chooseTables } from '../choose-tables.ts';
import { newestSweeps } from '../deployment/observe-journal.ts';
import type { Sweep } from '../deployment/sweep.ts';
import { inJournal, journalAt } from '../journals.ts';
import type { KeyTextOptions } from '../table/key-text.ts';

export interface HistoryJobOptions {
  /** What the configuration file exports. */
  readonly config: unknown;
  /** @default all tables of the configuration */
  readonly table: string | undefined;
  /** Milliseconds back from now. */
  readonly sinceMs: number;
  /** Only executions that left something. */
  readonly failed: boolean;
  /** Most executions of a table that are listed. */
  readonly limit: number;
  /** Called when all of the above has been found right. */
  readonly connect: (region: string) => OperatingClients;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

export interface TableHistory {
  readonly tableName: string;
  /** Of its deployment. */
  readonly name: string;
  /** The newest first. */
  readonly sweeps: readonly Sweep[];
  /** There are older ones in the time span. */
  readonly more: boolean;
  /** How its keys may be shown. */
  readonly keys: KeyTextOptions;
}

export interface History {
  readonly region: string;
  /** Epoch milliseconds. */
  readonly since: number;
  readonly tables: readonly TableHistory[];
}

/**
 * What executions came to in a time span. It changes nothing.
 *
 * @returns undefined when it was interrupted
 * @throws {FlagError}, {InvalidConfigError}, {JournalNotFoundError}, {MissingPermissionError}, or the SDK's error
 */
export async function runHistory(options: HistoryJobOptions): Promise<History | undefined> {
  const { failed, limit, signal } = options;
  const config = checkConfig(options.config);
  const { region } = config;
  const tables = chooseTables(config, options.table);
  const since = options.now() - options.sinceMs;
  const clients = options.connect(region);
  try {
    const found: TableHistory[] = [];
    for (const table of tables) {
      const props = resolveProps(table);
      const { tableName, sweep: name } = props;
      const journal = journalAt(clients.dynamoDb, name, region);
      const span = { from: new Date(since).toISOString(), failed };
      // One more than the limit tells that there are more.
      const sweeps = await inJournal('dynamodb:Query', journal, () =>
        newestSweeps(journal, tableName, limit + 1, span, signal),
      );
      if (signal.aborted) return undefined;
      const keys = { tableName, keyNames: keyAttributeNames(props), logKeys: props.logKeys };
      found.push({ tableName, name, sweeps: sweeps.slice(0, limit), more: sweeps.length > limit, keys });
    }
    return { region, since, tables: found };
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    clients.destroy();
  }
}
