import { RENEWED_SECONDS, TAKEN_SECONDS, tableEntry } from './layout.ts';
import { type JournalTable, updateEntry } from './update-entry.ts';

const NOT_PAUSED = '(attribute_not_exists(pause) OR pause.#until <= :nowIso)';

/**
 * Hands all TTLs below `before` (epoch seconds) over to an execution: while it runs, the ticks leave them to it. A table has at most one
 * hand-over, and a paused table has none.
 *
 * @returns whether this execution has the hand-over now
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
    // A repeated call of the function by the same execution succeeds.
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
 * Renews the hand-over of an execution that is still running.
 *
 * @param forSeconds seconds until the hand-over expires without a further renewal
 * @returns false when another execution has it now, or the table is paused
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
 * Ends the execution's hand-over, so that the ticks sweep these TTLs again; does nothing when another execution has it now.
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
