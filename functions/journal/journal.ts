import type { DeploymentState, SweepRow, Watermark } from './layout.ts';

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
