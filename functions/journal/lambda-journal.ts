import { readDeployment } from '../runtime/deployment.ts';
import { createDocuments } from '../table/dynamodb.ts';
import { endHandOver, renewHandOver, takeHandOver } from './hand-overs.ts';
import type { Journal } from './journal.ts';
import { readState } from './read-state.ts';
import { putRows } from './sweep-rows.ts';
import { noteThrottled } from './throttling.ts';
import type { JournalTable } from './update-entry.ts';
import { noteReplayed, writeWatermarks } from './write-watermarks.ts';

/** Attempts per command: the journal is one small table, and everything waits for its answers. */
const ATTEMPTS = 3;

/**
 * Makes the journal with a clock: {@link readState} and its neighbours describe each call and its errors.
 * @param clock epoch milliseconds
 */
export function journalOf(journal: JournalTable, clock: () => number): Journal {
  return {
    read: () => readState(journal),
    writeWatermarks: (tick, tables) => writeWatermarks(journal, tick, tables),
    putRows: rows => putRows(journal, rows),
    takeHandOver: (table, before, execution) =>
      takeHandOver(journal, table, { before, execution, nowMs: clock() }),
    renewHandOver: (table, execution) => renewHandOver(journal, table, { execution, nowMs: clock() }),
    endHandOver: (table, execution) => endHandOver(journal, table, execution),
    replayed: (table, from, to, endedAt) => noteReplayed(journal, table, from, to, endedAt),
    noteThrottled: (table, keys) => noteThrottled(journal, table, { keys, nowMs: clock() }),
  };
}

let made: Journal | undefined;

/**
 * The journal of the function's deployment, made at the first call and reused while the execution environment lives.
 * @throws InvalidEnvironmentError
 */
export function lambdaJournal(): Journal {
  if (made !== undefined) return made;
  const { journalTable } = readDeployment(process.env);
  const documents = createDocuments({ maxAttempts: ATTEMPTS });
  made = journalOf({ documents, tableName: journalTable }, Date.now);
  return made;
}
