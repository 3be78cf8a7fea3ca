import { writeFileSync } from 'node:fs';
import { checkConfig } from '../../config/config.ts';
import { limitTable } from '../../functions/journal/operator-settings.ts';
import type { OperatingClients } from '../aws/operating-clients.ts';
import { chooseTable } from '../choose-tables.ts';
import { inJournal, readJournals } from '../journals.ts';

export interface LimitOptions {
  /** What `precise-ttl.config.ts` exports. */
  readonly config: unknown;
  /** @default the only table of the configuration */
  readonly table: string | undefined;
  /** Deletes a second at most; undefined for what the configuration says. */
  readonly perSecond: number | undefined;
  readonly resultFile: string | undefined;
  /** Called when all of the above has been found right. */
  readonly connect: (region: string) => OperatingClients;
  /** Asked before anything is changed anywhere but on this machine. */
  readonly confirm: () => Promise<boolean>;
  readonly print: (text: string) => void;
}

/**
 * Limits the deletes of a table.
 *
 * @returns false when it was declined
 * @throws {FlagError}, {JournalNotFoundError}, {MissingPermissionError}, or the SDK's error
 */
export async function limitDeletes(options: LimitOptions): Promise<boolean> {
  const { print, perSecond } = options;
  const config = checkConfig(options.config);
  const { region } = config;
  const table = chooseTable(config, options.table);
  const { tableName } = table;
  const clients = options.connect(region);
  try {
    const [found] = await readJournals(clients.dynamoDb, region, [table]);
    if (found === undefined) throw new TypeError('readJournals answers for each table');
    const { journal, state } = found;
    print(`Limit of ${tableName}: ${describe(perSecond)}`);
    print(`  so far      ${describe(state.control.limits[tableName])}`);
    print(`  endpoint    ${clients.where()}, region ${region}`);
    if (!clients.isLocal() && !(await options.confirm())) return false;
    const was = await inJournal('dynamodb:UpdateItem', journal, () =>
      limitTable(journal, tableName, perSecond),
    );
    print(
      was === perSecond
        ? `\n${tableName}: it was so already.`
        : `\n${tableName}: ${describe(perSecond)}, from the next tick on. What runs keeps its own limit.`,
    );
    if (options.resultFile !== undefined) {
      const json = { table: tableName, maxDeletesPerSecond: perSecond ?? null, was: was ?? null };
      writeFileSync(options.resultFile, `${JSON.stringify(json, null, 2)}\n`);
    }
    return true;
  } finally {
    clients.destroy();
  }
}

function describe(perSecond: number | undefined): string {
  return perSecond === undefined
    ? 'what the configuration says'
    : `at most ${perSecond.toLocaleString('en-US')} deletes a second`;
}
