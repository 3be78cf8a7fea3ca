import type { DeploymentState, SweepRow, SweptSpan, Watermark } from './layout.ts';

/** The journal of a deployment, as the functions use it. */
export interface Journal {
  /** @throws JournalUnreadableError */
  read(): Promise<DeploymentState>;
  /**
   * What it reads may be up to two seconds old.
   *
   * @throws JournalUnreadableError
   */
  isPaused(table: string): Promise<boolean>;
  writeWatermarks(tick: string, tables: Readonly<Record<string, Watermark>>): Promise<void>;
  noteSwept(table: string, span: SweptSpan): Promise<void>;
  putRows(rows: readonly SweepRow[]): Promise<void>;
  replayed(table: string, from: number, to: number, endedAt: string): Promise<void>;
}
