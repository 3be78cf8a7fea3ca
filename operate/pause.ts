import type { With } from './aws/clients.ts';
import type { PauseOptions, PauseResult } from './changes.ts';
import { chooseTables } from './deployment/subject.ts';
import { inJournal, readJournals } from './journals.ts';
import type { Prepared } from './options.ts';
import { type KnownPause, knownPauses, pauseTable } from './pauses.ts';
import { isoSeconds } from './times.ts';

/**
 * Prepares a pause of some tables. They are paused one after the other: if that fails, the same pause again pauses the remaining ones.
 *
 * @returns the prepared change; its facts are the current pause of each table
 * @throws {InputError}, {JournalNotFoundError}, {MissingPermissionError}, or the SDK's error
 */
export async function preparePause(
  options: PauseOptions & With<'dynamoDb'>,
): Promise<Prepared<readonly KnownPause[], PauseResult>> {
  const { config, forMs, clients, now = Date.now } = options;
  const found = await readJournals(clients.dynamoDb, config.region, chooseTables(config, options.table));
  return {
    facts: knownPauses(found, now()),
    async apply() {
      const pausedAt = now();
      const since = new Date(pausedAt).toISOString();
      const until = forMs === undefined ? undefined : new Date(Math.ceil((pausedAt + forMs) / 1000) * 1000);
      const pause = { since, ...(until !== undefined && { until: until.toISOString() }) };
      for (const { props, journal } of found) {
        await inJournal('dynamodb:UpdateItem', journal, () => pauseTable(journal, props.tableName, pause));
      }
      return {
        pausedAt: isoSeconds(pausedAt),
        tables: found.map(({ props }) => ({
          table: props.tableName,
          until: until === undefined ? null : isoSeconds(until),
        })),
      };
    },
  };
}
