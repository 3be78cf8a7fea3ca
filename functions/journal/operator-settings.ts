import { type Pause, pauseOf, tableEntry } from './layout.ts';
import { plainValue } from './stored-values.ts';
import { type JournalTable, updateEntry } from './update-entry.ts';

/**
 * Settings that operators make for a table. They hold from the next tick on. Each setting is an attribute of its own and is written alone,
 * so that two operators at once do not undo each other's settings.
 */

/**
 * Pauses a table, or changes until when it is paused: it stays paused since its first time.
 *
 * @returns the pause that it had; undefined when it was not paused
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
  // Somebody has resumed it meanwhile.
  return changed === undefined
    ? pauseTable(journal, table, { since, ...(until !== undefined && { until }) })
    : (plainValue(changed.Attributes?.['pause']) as Pause);
}

/**
 * Ends the pause of a table.
 *
 * @returns the pause; undefined when it was not paused
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

/**
 * Limits the deletes of a table, in place of what it was deployed with.
 *
 * @param perSecond 0 for none; undefined for what it was deployed with
 * @returns what was set before
 * @throws JournalUnwritableError
 */
export async function limitTable(
  journal: JournalTable,
  table: string,
  perSecond: number | undefined,
): Promise<number | undefined> {
  const changed = await updateEntry(journal, tableEntry(table), {
    UpdateExpression: perSecond === undefined ? 'REMOVE #limit' : 'SET #limit = :limit',
    ExpressionAttributeNames: { '#limit': 'limit' },
    ...(perSecond !== undefined && { ExpressionAttributeValues: { ':limit': perSecond } }),
    ReturnValues: 'ALL_OLD',
  });
  return plainValue(changed?.Attributes?.['limit']) as number | undefined;
}
