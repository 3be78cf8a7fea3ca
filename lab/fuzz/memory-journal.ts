import {
  type DeploymentState,
  isPaused,
  liveHandOver,
  RENEWED_SECONDS,
  type SweepRow,
  TAKEN_SECONDS,
  type Watermark,
} from '../../functions/journal/layout.ts';

type Changeable<Of> = { -readonly [Name in keyof Of]: Of[Name] };
type Entries<Of> = Record<string, Of extends Readonly<Record<string, infer Entry>> ? Entry : never>;

/** A journal in memory, which behaves like the real one. */
export class MemoryJournal {
  readonly rows: SweepRow[] = [];
  readonly pauses: Entries<DeploymentState['control']['pauses']> = {};
  readonly handOvers: Entries<DeploymentState['control']['handOvers']> = {};
  /** Total of throttled deletes by table. */
  readonly throttled: Record<string, number> = {};
  readonly #watermarks: Changeable<DeploymentState['watermarks']> = { tables: {} };
  readonly #now: () => number;

  /** @param now epoch milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  get state(): DeploymentState {
    const { pauses, handOvers } = this;
    return structuredClone({ control: { pauses, handOvers }, watermarks: this.#watermarks });
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

  async noteThrottled(table: string, keys: number): Promise<void> {
    this.throttled[table] = (this.throttled[table] ?? 0) + keys;
  }

  #secondsFromNow(seconds: number): number {
    return Math.floor(this.#now() / 1000) + seconds;
  }
}
