import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import {
  type Account,
  type AccountLimits,
  type AccountSpan,
  compareBooks,
} from '../../functions/journal/accounts.ts';
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
import { type BookEntries, rowItems } from '../../functions/journal/ledger.ts';
import { nextScanAt, SCAN_TAKEN_SECONDS } from '../../functions/journal/scan-turn.ts';
import type { Documents } from '../../functions/table/dynamodb.ts';
import type { IndexScan, PagePosition, ScanRecord } from '../../statemachine/contract/targets.ts';

type Changeable<Of> = { -readonly [Name in keyof Of]: Of[Name] };
type Entries<Of> = Record<string, Of extends Readonly<Record<string, infer Entry>> ? Entry : never>;

/** A journal in memory, which behaves like the real one; the real code writes and compares the books. */
export class MemoryJournal {
  readonly rows: SweepRow[] = [];
  readonly pauses: Entries<DeploymentState['control']['pauses']> = {};
  readonly handOvers: Entries<DeploymentState['control']['handOvers']> = {};
  readonly scansAt: Entries<DeploymentState['scansAt']> = {};
  readonly finishedScans: Record<string, FinishedScan> = {};
  /** Total of throttled deletes by table. */
  readonly throttled: Record<string, number> = {};
  /** The rows of each book by their sort keys. */
  readonly #books = new Map<string, Map<string, object>>();
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

  async writeEntries(entered: Omit<BookEntries, 'nowMs'>): Promise<void> {
    for (const { id, at, ...row } of rowItems({ ...entered, nowMs: this.#now() })) {
      const rows = this.#books.get(String(id)) ?? new Map<string, object>();
      this.#books.set(String(id), rows.set(String(at), row));
    }
  }

  takeAccount(
    { table, reader, from }: Pick<AccountSpan, 'table' | 'reader' | 'from'>,
    limits?: AccountLimits,
  ): Promise<Account> {
    return compareBooks(
      { documents: this.#bookRows, tableName: '' },
      { table, reader, from, before: from + 60 },
      limits,
    );
  }

  /**
   * Answers a query of one span of the archive's or events' book, a part of the table's ledger. The comparison of books sends no other
   * query.
   */
  readonly #bookRows = {
    send: async ({ input }: { readonly input: Pick<QueryCommandInput, 'ExpressionAttributeValues'> }) => {
      const { ':id': id, ':from': from, ':before': before } = input.ExpressionAttributeValues ?? {};
      const rows = [...(this.#books.get(id) ?? [])].sort(([one], [other]) => (one < other ? -1 : 1));
      return { Items: rows.flatMap(([at, row]) => (at >= from && at <= before ? [row] : [])) };
    },
  } as unknown as Documents;

  #secondsFromNow(seconds: number): number {
    return Math.floor(this.#now() / 1000) + seconds;
  }
}
