import { readDeployment } from '../runtime/deployment.ts';
import { createDocuments } from '../table/dynamodb.ts';
import type { Journal } from './journal.ts';
import { keptPauses } from './kept-pauses.ts';
import { isPaused } from './layout.ts';
import { readControl, readState } from './read-state.ts';
import { putRows } from './sweep-rows.ts';
import type { JournalTable } from './update-entry.ts';
import { noteReplayed, noteSwept, writeWatermarks } from './write-watermarks.ts';

/** Attempts per command: the journal is one small table, and everything waits for its answers. */
const ATTEMPTS = 3;

/**
 * Makes the journal with a clock: {@link readState} and its neighbours describe each call and its errors.
 * @param clock epoch milliseconds
 */
export function journalOf(journal: JournalTable, clock: () => number): Journal {
  const kept = keptPauses(clock);
  return {
    read: () => readState(journal),
    writeWatermarks: (tick, tables) => writeWatermarks(journal, tick, tables),
    isPaused: async table => isPaused({ control: await kept(() => readControl(journal)) }, table, clock()),
    noteSwept: (table, span) => noteSwept(journal, table, span),
    putRows: rows => putRows(journal, rows),
    replayed: (table, from, to, endedAt) => noteReplayed(journal, table, from, to, endedAt),
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
