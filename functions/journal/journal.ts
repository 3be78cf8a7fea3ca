import type { DeploymentState, SweepRow, Watermark } from './layout.ts';

/** The journal of a deployment, as the functions use it. */
export interface Journal {
  /** @throws JournalUnreadableError */
  read(): Promise<DeploymentState>;
  writeWatermarks(tick: string, tables: Readonly<Record<string, Watermark>>): Promise<void>;
  putRows(rows: readonly SweepRow[]): Promise<void>;
  takeHandOver(table: string, before: number, execution: string): Promise<boolean>;
  renewHandOver(table: string, execution: string): Promise<boolean>;
  endHandOver(table: string, execution: string): Promise<void>;
  replayed(table: string, from: number, to: number, endedAt: string): Promise<void>;
  noteThrottled(table: string, keys: number): Promise<void>;
}
