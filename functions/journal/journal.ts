import { endHandOver, renewHandOver, takeHandOver } from './hand-overs.ts';
import type { DeploymentState, SweepRow, Watermark } from './layout.ts';
import { readState } from './read-state.ts';
import { putRows } from './sweep-rows.ts';
import type { JournalTable } from './update-entry.ts';
import { noteReplayed, writeWatermarks } from './write-watermarks.ts';

/** What the functions do with the journal of their deployment. */
export interface Journal {
  /** @throws JournalUnreadableError */
  read(): Promise<DeploymentState>;
  writeWatermarks(tick: string, tables: Readonly<Record<string, Watermark>>): Promise<void>;
  putRows(rows: readonly SweepRow[]): Promise<void>;
  takeHandOver(table: string, before: number, execution: string): Promise<boolean>;
  renewHandOver(table: string, execution: string): Promise<boolean>;
  endHandOver(table: string, execution: string): Promise<void>;
  replayed(table: string, from: number, to: number, endedAt: string): Promise<void>;
}

/**
 * The journal, by a clock: {@link readState} and its neighbours say what each does, and what it throws.
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
  };
}
