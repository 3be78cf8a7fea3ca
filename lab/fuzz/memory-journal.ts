import type { FinishedScan, RunningScan } from '../../functions/journal/index-scans.ts';
import {
  type DeploymentState,
  isPaused,
  liveHandOver,
  RENEWED_SECONDS,
  type SweepRow,
  TAKEN_SECONDS,
  type Watermark,
} from '../../functions/journal/layout.ts';
import { nextScanAt, SCAN_TAKEN_SECONDS } from '../../functions/journal/scan-turn.ts';
import type { IndexScan, PagePosition, ScanRecord } from '../../statemachine/contract/targets.ts';

type Changeable<Of> = { -readonly [Name in keyof Of]: Of[Name] };
type Entries<Of> = Record<string, Of extends Readonly<Record<string, infer Entry>> ? Entry : never>;

/** A journal in memory, which behaves like the real one. */
export class MemoryJournal {
  readonly rows: SweepRow[] = [];
  readonly pauses: Entries<DeploymentState['control']['pauses']> = {};
  readonly handOvers: Entries<DeploymentState['control']['handOvers']> = {};
  readonly scansAt: Entries<DeploymentState['scansAt']> = {};
  readonly finishedScans: Record<string, FinishedScan> = {};
  /** Total of throttled deletes by table. */
  readonly throttled: Record<string, number> = {};
  readonly #scans: Record<string, RunningScan & { readonly execution: string }> = {};
  readonly #watermarks: Changeable<DeploymentState['watermarks']> = { tables: {} };
  readonly #now: () => number;

  /** @param now epoch milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  get state(): DeploymentState {
    const { pauses, handOvers, scansAt } = this;
    return structuredClone({ control: { pauses, handOvers }, scansAt, watermarks: this.#watermarks });
  }

  async read(): Promise<DeploymentState> {
    return this.state;
  }

  async writeWatermarks(tick: string, tables: Readonly<Record<string, Watermark>>): Promise<void> {
    this.#watermarks.tick = tick;
    this.#watermarks.tables = { ...this.#watermarks.tables, ...tables };
  }

  async putRows(rows: readonly SweepRow[]): Promise<void> {
    this.rows.push(...rows);
  }

  async takeHandOver(table: string, before: number, execution: string): Promise<boolean> {
    const live = liveHandOver(this.state, table, this.#now());
    if ((live !== undefined && live.execution !== execution) || isPaused(this.state, table, this.#now()))
      return false;
    this.handOvers[table] = { before, until: this.#secondsFromNow(TAKEN_SECONDS), execution };
    return true;
  }

  async renewHandOver(table: string, execution: string): Promise<boolean> {
    const own = this.handOvers[table];
    if (own?.execution !== execution || isPaused(this.state, table, this.#now())) return false;
    this.handOvers[table] = { ...own, until: this.#secondsFromNow(RENEWED_SECONDS) };
    return true;
  }

  async endHandOver(table: string, execution: string): Promise<void> {
    if (this.handOvers[table]?.execution === execution) delete this.handOvers[table];
  }

  async replayed(table: string, from: number, to: number, endedAt: string): Promise<void> {
    const known = this.#watermarks.tables[table];
    if (known === undefined || from > known.gone + 1 || known.gone >= to - 1) return;
    this.#watermarks.tables = {
      ...this.#watermarks.tables,
      [table]: { ...known, gone: to - 1, at: endedAt },
    };
  }

  async takeScanTurn(table: string): Promise<boolean> {
    if ((this.scansAt[table] ?? 0) > this.#secondsFromNow(0)) return false;
    this.scansAt[table] = this.#secondsFromNow(SCAN_TAKEN_SECONDS);
    return true;
  }

  async takeScan(table: string, execution: string): Promise<RunningScan> {
    this.scansAt[table] = this.#secondsFromNow(SCAN_TAKEN_SECONDS);
    const under = this.#scans[table];
    const isUnder = under !== undefined && (under.position !== null || under.record === null);
    const { beganAt, position, record } = isUnder
      ? under
      : { beganAt: new Date(this.#now()).toISOString(), position: null, record: null };
    this.#scans[table] = { beganAt, position, record, execution };
    return { beganAt, position, record };
  }

  async checkpointScan(
    table: string,
    { execution }: IndexScan,
    position: PagePosition | null,
    record: ScanRecord,
  ): Promise<boolean> {
    const under = this.#scans[table];
    if (under?.execution !== execution || (under.record?.scanned ?? 0) > record.scanned) return false;
    this.#scans[table] = { ...under, position, record };
    return true;
  }

  async finishScan(table: string, { execution, beganAt }: IndexScan, record: ScanRecord): Promise<void> {
    this.finishedScans[table] = { beganAt, endedAt: new Date(this.#now()).toISOString(), record };
    this.scansAt[table] = nextScanAt(table, Math.floor(Date.parse(beganAt) / 1000));
    if (this.#scans[table]?.execution === execution) delete this.#scans[table];
  }

  async noteThrottled(table: string, keys: number): Promise<void> {
    this.throttled[table] = (this.throttled[table] ?? 0) + keys;
  }

  #secondsFromNow(seconds: number): number {
    return Math.floor(this.#now() / 1000) + seconds;
  }
}
