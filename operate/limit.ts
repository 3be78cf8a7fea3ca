import { limitTable } from '../functions/journal/operator-settings.ts';
import type { With } from './aws/clients.ts';
import type { LimitOptions, LimitResult } from './changes.ts';
import { chooseTable } from './choose-tables.ts';
import { inJournal, readJournals } from './journals.ts';
import type { Prepared } from './options.ts';

/**
 * Prepares a change of a table's delete limit.
 *
 * @returns the prepared change; its facts have the current limit
 * @throws {InputError}, {JournalNotFoundError}, {MissingPermissionError}, or the SDK's error
 */
export async function prepareLimit(
  options: LimitOptions & With<'dynamoDb'>,
): Promise<Prepared<{ table: string; was: number | undefined }, LimitResult>> {
  const { config, perSecond, clients } = options;
  const chosen = chooseTable(config, options.table);
  const { tableName: table } = chosen;
  const [found] = await readJournals(clients.dynamoDb, config.region, [chosen]);
  if (found === undefined) throw new TypeError('readJournals answers for each table');
  const { journal, state } = found;
  return {
    facts: { table, was: state.control.limits[table] },
    async apply() {
      const was = await inJournal('dynamodb:UpdateItem', journal, () =>
        limitTable(journal, table, perSecond),
      );
      return { table, maxDeletesPerSecond: perSecond ?? null, was: was ?? null };
    },
  };
}
