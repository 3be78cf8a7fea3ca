import { type Pause, pauseOf, tableEntry } from '../functions/journal/layout.ts';
import { plainValue } from '../functions/journal/stored-values.ts';
import { type JournalTable, updateEntry } from '../functions/journal/update-entry.ts';
import type { JournaledTable } from './journals.ts';

/** A table and its pause; undefined when it is not paused. */
export interface KnownPause {
  readonly table: string;
  readonly was: Pause | undefined;
}

export function knownPauses(tables: readonly JournaledTable[], nowMs: number): KnownPause[] {
  return tables.map(({ props: { tableName: table }, state }) => ({
    table,
    was: pauseOf(state.control.pauses[table], nowMs),
  }));
}

/**
 * Pauses a table. If it is paused already, only the end of the pause changes, not its start.
 *
 * @returns the previous pause; undefined when it was not paused
 * @throws JournalUnwritableError
 */
export async function pauseTable(
  journal: JournalTable,
  table: string,
  { since, until }: Pause,
): Promise<Pause | undefined> {
  const begun = await updateEntry(journal, tableEntry(table), {
    UpdateExpression: 'SET pause = :pause',
    ConditionExpression: 'attribute_not_exists(pause) OR pause.#until <= :since',
    ExpressionAttributeNames: { '#until': 'until' },
    ExpressionAttributeValues: {
      ':pause': { since, ...(until !== undefined && { until }) },
      ':since': since,
    },
  });
  if (begun !== undefined) return undefined;
  const changed = await updateEntry(journal, tableEntry(table), {
    UpdateExpression: until === undefined ? 'REMOVE pause.#until' : 'SET pause.#until = :until',
    ConditionExpression: 'attribute_exists(pause)',
    ExpressionAttributeNames: { '#until': 'until' },
    ...(until !== undefined && { ExpressionAttributeValues: { ':until': until } }),
    ReturnValues: 'ALL_OLD',
  });
  // Somebody has resumed the table in the meantime.
  return changed === undefined
    ? pauseTable(journal, table, { since, ...(until !== undefined && { until }) })
    : (plainValue(changed.Attributes?.['pause']) as Pause);
}

/**
 * Ends the pause of a table.
 *
 * @returns the ended pause; undefined when it was not paused
 * @throws JournalUnwritableError
 */
export async function resumeTable(
  journal: JournalTable,
  table: string,
  nowMs: number,
): Promise<Pause | undefined> {
  const ended = await updateEntry(journal, tableEntry(table), {
    UpdateExpression: 'REMOVE pause',
    ConditionExpression: 'attribute_exists(pause)',
    ReturnValues: 'ALL_OLD',
  });
  return pauseOf(plainValue(ended?.Attributes?.['pause']) as Pause | undefined, nowMs);
}
