import type { SFNClient } from '@aws-sdk/client-sfn';
import { replayName } from '../config/names.ts';
import { type Pause, pauseOf } from '../functions/journal/layout.ts';
import { pauseTable } from '../functions/journal/operator-settings.ts';
import type { With } from './aws/clients.ts';
import { NoAnswerError } from './aws/errors.ts';
import { findStateMachines, openExecutions } from './aws/executions.ts';
import { executionsOfTable } from './aws/executions-of-table.ts';
import type { OpenExecution, PauseOptions, PauseResult } from './changes.ts';
import { chooseTables } from './deployment/subject.ts';
import { inJournal, type JournaledTable, readJournals } from './journals.ts';
import type { Prepared } from './options.ts';
import { isoSeconds } from './times.ts';

/**
 * Prepares a pause of some tables. They are paused one after the other: if that fails, the same pause again pauses the remaining ones.
 *
 * @returns the prepared change; its facts are the current pause of each table
 * @throws {InputError}, {JournalNotFoundError}, {StateMachineNotFoundError}, {MissingPermissionError}, or the SDK's error
 */
export async function preparePause(
  options: PauseOptions & With<'dynamoDb' | 'sfn' | 'where'>,
): Promise<Prepared<readonly { table: string; was: Pause | undefined }[], PauseResult>> {
  const { config, forMs, clients, now = Date.now } = options;
  const { sfn } = clients;
  const found = await readJournals(clients.dynamoDb, config.region, chooseTables(config, options.table));
  const machines = await findStateMachines(sfn, replayMachines(found), clients.where);
  return {
    facts: found.map(({ props: { tableName: table }, state }) => ({
      table,
      was: pauseOf(state.control.pauses[table], now()),
    })),
    async apply() {
      const pausedAt = now();
      const since = new Date(pausedAt).toISOString();
      const until = forMs === undefined ? undefined : new Date(Math.ceil((pausedAt + forMs) / 1000) * 1000);
      const pause = { since, ...(until !== undefined && { until: until.toISOString() }) };
      for (const { props, journal } of found) {
        await inJournal('dynamodb:UpdateItem', journal, () => pauseTable(journal, props.tableName, pause));
      }
      const names = config.tables.map(({ tableName }) => tableName);
      const tables = await Promise.all(
        found.map(async ({ props: { tableName: table, sweep }, state }) => {
          const all = await openOrUnknown(sfn, machines.get(replayName(sweep)) ?? '');
          const open = all && executionsOfTable(all, table, names, state.control.handOvers);
          return { table, until: until === undefined ? null : isoSeconds(until), open };
        }),
      );
      return { pausedAt: isoSeconds(pausedAt), tables };
    },
  };
}

/** The state machines that replay these tables. */
export function replayMachines(tables: readonly JournaledTable[]): string[] {
  return [...new Set(tables.map(({ props }) => replayName(props.sweep)))];
}

/** The running replays; null if Step Functions does not answer. The tables are already paused, and an error here must not hide that. */
async function openOrUnknown(sfn: SFNClient, stateMachineArn: string): Promise<OpenExecution[] | null> {
  try {
    return await openExecutions(sfn, stateMachineArn);
  } catch (error) {
    if (error instanceof NoAnswerError) return null;
    throw error;
  }
}
