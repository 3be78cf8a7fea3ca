import { resolveProps } from '../../config/props.ts';
import { keyAttributeNames } from '../../functions/table/item-key.ts';
import { type ConnectJournal, connectJournal } from '../deployment/clients.ts';
import { newestSweeps } from '../deployment/observe-journal.ts';
import { chooseTables } from '../deployment/subject.ts';
import { type Sweep, sweepReport } from '../deployment/sweep.ts';
import { inJournal, journalAt } from '../journals.ts';
import { NEVER } from '../options.ts';
import { type KeyTextOptions, keysToShow, listedKeyText } from '../table/key-text.ts';
import type { HistoryOptions, HistoryReport, TableHistory } from './report.ts';

/**
 * Reads the results of executions in a time span from the journal. It changes nothing.
 *
 * @throws {InputError}, {JournalNotFoundError}, {MissingPermissionError}, or the SDK's error
 */
export async function readHistory(
  options: HistoryOptions,
  connect: ConnectJournal = connectJournal(options),
): Promise<HistoryReport> {
  const { sinceMs = 86_400_000, failed = false, mask = false, signal = NEVER } = options;
  const { config } = options;
  const { region } = config;
  const chosen = chooseTables(config, options.table).map(resolveProps);
  const since = new Date((options.now ?? Date.now)() - sinceMs).toISOString();
  const { dynamoDb, destroy } = connect(region);
  try {
    const tables: TableHistory[] = [];
    for (const props of chosen) {
      const { tableName, sweep: name } = props;
      const journal = journalAt(dynamoDb, name, region);
      const sweeps = await inJournal('dynamodb:Query', journal, () =>
        newestSweeps(journal, tableName, Number.POSITIVE_INFINITY, { from: since, failed }, signal),
      );
      signal.throwIfAborted();
      const keys = {
        ...{ tableName, keyNames: keyAttributeNames(props) },
        logKeys: keysToShow(props.logKeys, mask),
      };
      tables.push({ tableName, name, sweeps: sweeps.map(sweep => withKeys(sweep, keys)) });
    }
    return { region, since, tables };
  } finally {
    destroy();
  }
}

/** An execution, with the keys that it could not delete, as far as they may be shown. */
export function withKeys(sweep: Sweep, keys: KeyTextOptions): TableHistory['sweeps'][number] {
  const failedKeys = sweep.failedKeys.map(failure => {
    const key = listedKeyText(failure, keys);
    return { ...(key !== undefined && { key }), reason: failure.reason };
  });
  return { ...sweepReport(sweep), failedKeys };
}
