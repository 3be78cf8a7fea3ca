import { advanced } from '../functions/journal/layout.ts';
import type { With } from './aws/clients.ts';
import type { ResumeResult } from './changes.ts';
import { chooseTables } from './deployment/subject.ts';
import { inJournal, readJournals } from './journals.ts';
import type { OperateOptions, Prepared } from './options.ts';
import { type KnownPause, knownPauses, resumeTable } from './pauses.ts';
import { isoSeconds } from './times.ts';

/**
 * Prepares the end of the pauses of tables. The next tick of a table begins at its watermark, so the ticks delete what expired during the
 * pause.
 *
 * @returns the prepared change; its facts are the current pause of each table
 * @throws {InputError}, {JournalNotFoundError}, {MissingPermissionError}, or the SDK's error
 */
export async function prepareResume(
  options: OperateOptions & With<'dynamoDb'>,
): Promise<Prepared<readonly KnownPause[], ResumeResult>> {
  const { config, clients, now = Date.now } = options;
  const found = await readJournals(clients.dynamoDb, config.region, chooseTables(config, options.table));
  return {
    facts: knownPauses(found, now()),
    async apply() {
      const tables: ResumeResult['tables'][number][] = [];
      for (const { props, journal, state } of found) {
        const { tableName: table } = props;
        const was = await inJournal('dynamodb:UpdateItem', journal, () => resumeTable(journal, table, now()));
        const watermark = state.watermarks.tables[table];
        const left = was && watermark && since(advanced(watermark).gone + 1, now());
        tables.push({ table, was: was ?? null, left: left ?? null });
      }
      return { tables };
    },
  };
}

const since = (seconds: number, nowMs: number) => ({
  from: isoSeconds(seconds * 1000),
  to: isoSeconds(nowMs),
});
