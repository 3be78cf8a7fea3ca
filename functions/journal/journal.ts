import type { IndexScan, PagePosition, ScanRecord } from '../../statemachine/contract/targets.ts';
import type { RunningScan } from './index-scans.ts';
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
  takeScanTurn(table: string): Promise<boolean>;
  takeScan(table: string, execution: string): Promise<RunningScan>;
  checkpointScan(
    table: string,
    scan: IndexScan,
    position: PagePosition | null,
    record: ScanRecord,
  ): Promise<boolean>;
  finishScan(table: string, scan: IndexScan, record: ScanRecord): Promise<void>;
  noteThrottled(table: string, keys: number): Promise<void>;
}
