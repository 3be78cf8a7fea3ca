import { RENEWED_SECONDS, TAKEN_SECONDS, tableEntry } from './layout.ts';
import { type JournalTable, updateEntry } from './update-entry.ts';

const NOT_PAUSED = '(attribute_not_exists(pause) OR pause.#until <= :nowIso)';

/**
 * Leaves all TTLs below `before`, epoch seconds, to an execution. One at a time has them of a table, and a paused table has none.
 *
 * @returns whether it is this execution's now
 * @throws JournalUnwritableError
 */
export async function takeHandOver(
  journal: JournalTable,
  table: string,
  { before, execution, nowMs }: { before: number; execution: string; nowMs: number },
): Promise<boolean> {
  const now = Math.floor(nowMs / 1_000);
  const taken = await updateEntry(journal, tableEntry(table), {
    UpdateExpression: 'SET handOver = :handOver',
    // The same one again: the function was called once more.
    ConditionExpression: `(attribute_not_exists(handOver) OR handOver.#until <= :now OR handOver.execution = :execution) AND ${NOT_PAUSED}`,
    ExpressionAttributeNames: { '#until': 'until' },
    ExpressionAttributeValues: {
      ':handOver': { before, until: now + TAKEN_SECONDS, execution },
      ':execution': execution,
      ':now': now,
      ':nowIso': new Date(nowMs).toISOString(),
    },
  });
  return taken !== undefined;
}

/**
 * Says that the execution still sweeps what was left to it.
 *
 * @param forSeconds how long it lives without a further word
 * @returns false when it is another one's by now, or the table is paused
 * @throws JournalUnwritableError
 */
export async function renewHandOver(
  journal: JournalTable,
  table: string,
  {
    execution,
    nowMs,
    forSeconds = RENEWED_SECONDS,
  }: { execution: string; nowMs: number; forSeconds?: number },
): Promise<boolean> {
  const renewed = await updateEntry(journal, tableEntry(table), {
    UpdateExpression: 'SET handOver.#until = :until',
    ConditionExpression: `handOver.execution = :execution AND ${NOT_PAUSED}`,
    ExpressionAttributeNames: { '#until': 'until' },
    ExpressionAttributeValues: {
      ':until': Math.floor(nowMs / 1_000) + forSeconds,
      ':execution': execution,
      ':nowIso': new Date(nowMs).toISOString(),
    },
  });
  return renewed !== undefined;
}

/**
 * Gives back to the ticks what was left to the execution; nothing happens when it is another one's by now.
 *
 * @throws JournalUnwritableError
 */
export async function endHandOver(journal: JournalTable, table: string, execution: string): Promise<void> {
  await updateEntry(journal, tableEntry(table), {
    UpdateExpression: 'REMOVE handOver',
    ConditionExpression: 'handOver.execution = :execution',
    ExpressionAttributeValues: { ':execution': execution },
  });
}
