import { readDeployment } from '../runtime/deployment.ts';
import { createDocuments } from '../table/dynamodb.ts';
import { isPaused, type Pauses, type SweepRow, type SweptSpan, type Watermark } from './layout.ts';
import { type JournalTable, readPauses, readState } from './read-state.ts';
import { noteReplayed, noteSwept, putRows, writeWatermarks } from './write-entries.ts';

const ATTEMPTS = 3;

/** Pauses are read anew after this time, because `precise-ttl pause` promises to stop deletes within five seconds. */
const KEPT_MS = 2_000;

export function keptPauses(clock: () => number): (read: () => Promise<Pauses>) => Promise<Pauses> {
  let kept: { readonly pauses: Pauses; readonly readAtMs: number } | undefined;
  return async read => {
    const readAtMs = clock();
    if (kept === undefined || readAtMs - kept.readAtMs >= KEPT_MS) kept = { pauses: await read(), readAtMs };
    return kept.pauses;
  };
}

export type Journal = ReturnType<typeof journalOf>;

export function journalOf(journal: JournalTable, clock: () => number) {
  const kept = keptPauses(clock);
  return {
    read: () => readState(journal),
    isPaused: async (table: string) => isPaused(await kept(() => readPauses(journal)), table, clock()),
    writeWatermarks: (tick: string, tables: Readonly<Record<string, Watermark>>) =>
      writeWatermarks(journal, tick, tables),
    noteSwept: (table: string, span: SweptSpan) => noteSwept(journal, table, span),
    putRows: (rows: readonly SweepRow[]) => putRows(journal, rows),
    replayed: (table: string, from: number, to: number, endedAt: string) =>
      noteReplayed(journal, table, from, to, endedAt),
  };
}

let made: Journal | undefined;

export function lambdaJournal(): Journal {
  if (made !== undefined) return made;
  const { journalTable } = readDeployment(process.env);
  const documents = createDocuments({ maxAttempts: ATTEMPTS });
  made = journalOf({ documents, tableName: journalTable }, Date.now);
  return made;
}
