import { keptPauses } from '../../functions/journal/lambda-journal.ts';
import {
  type DeploymentState,
  isPaused,
  type SweepRow,
  type SweptSpan,
  type Watermark,
} from '../../functions/journal/layout.ts';

type Changeable<Of> = { -readonly [Name in keyof Of]: Of[Name] };
type Entries<Of> = Record<string, Of extends Readonly<Record<string, infer Entry>> ? Entry : never>;

export class MemoryJournal {
  readonly rows: SweepRow[] = [];
  readonly pauses: Entries<DeploymentState['pauses']> = {};
  readonly watermarks: Changeable<DeploymentState['watermarks']> = { tables: {} };
  readonly #now: () => number;
  readonly #kept: ReturnType<typeof keptPauses>;
  readonly #answer: (kind: 'read' | 'write') => Promise<void>;

  /**
   * @param now epoch milliseconds
   * @param answer called at each read and write of the journal: the read or write fails if `answer` rejects, and is late if `answer` waits
   */
  constructor(now: () => number, answer: (kind: 'read' | 'write') => Promise<void> = async () => undefined) {
    this.#now = now;
    this.#kept = keptPauses(now);
    this.#answer = answer;
  }

  get state(): DeploymentState {
    return structuredClone({ pauses: this.pauses, watermarks: this.watermarks });
  }

  async read(): Promise<DeploymentState> {
    const { state } = this;
    await this.#answer('read');
    return state;
  }

  /** @param read reads the journal; called only if the cached pauses are missing or old */
  async isPaused(table: string, read = () => this.read()): Promise<boolean> {
    return isPaused(await this.#kept(async () => (await read()).pauses), table, this.#now());
  }

  async writeWatermarks(tick: string, tables: Readonly<Record<string, Watermark>>): Promise<void> {
    await this.#answer('write');
    this.watermarks.tick = tick;
    this.watermarks.tables = { ...this.watermarks.tables, ...tables };
  }

  async noteSwept(table: string, span: SweptSpan): Promise<void> {
    await this.#answer('write');
    const known = this.watermarks.tables[table];
    if (known === undefined) throw new TypeError(`${table}: expected a watermark`);
    this.#move(table, { ...known, swept: [...(known.swept ?? []), span] });
  }

  async putRows(rows: readonly SweepRow[]): Promise<void> {
    await this.#answer('write');
    this.rows.push(...rows);
  }

  async replayed(table: string, from: number, to: number, endedAt: string): Promise<void> {
    await this.#answer('write');
    const known = this.watermarks.tables[table];
    if (known === undefined || from > known.gone + 1 || known.gone >= to - 1) return;
    this.#move(table, { ...known, gone: to - 1, at: endedAt });
  }

  #move(table: string, mark: Watermark): void {
    this.watermarks.tables = { ...this.watermarks.tables, [table]: mark };
  }
}
