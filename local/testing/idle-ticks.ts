import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { type DeploymentState, journalName, type Watermark } from '../../functions/journal/layout.ts';
import { type JournalTable, readState } from '../../functions/journal/read-state.ts';
import { writeWatermarks } from '../../functions/journal/write-entries.ts';
import { FIRST_LOOKBACK_SECONDS, planTick } from '../../functions/plan-sweep/plan-tick.ts';
import { readTickInput } from '../../functions/plan-sweep/sweep-input.ts';
import { readSettings, type SweepSettings } from '../../functions/runtime/environment.ts';
import { indexReader, type ReadIndex } from '../../functions/table/index-query.ts';
import { tablesInDefinition } from '../../stacks/config/deployments.ts';
import type { PlanSweepInput, PlanSweepOutput } from '../../statemachine/contract/execution.ts';
import type { CarriedSettings, TickInput } from '../../statemachine/contract/inputs.ts';
import type { LocalCloud } from '../cloud.ts';

/** Time after which an index is scanned again, milliseconds. */
const KEPT_MS = 600_000;

type Ttls = Map<unknown, number[]>;

/**
 * Finds ticks that have nothing to do: a virtual clock skips these ticks. PlanSweep's code plans each tick with copies of the journal and
 * the indexes.
 */
export class IdleTicks {
  readonly #cloud: LocalCloud;
  readonly #tables: readonly CarriedSettings[];
  readonly #documents: DynamoDBDocumentClient;
  readonly #journal: JournalTable;
  #state: DeploymentState | undefined;
  #unwritten: DeploymentState['watermarks'] | undefined;
  #plan: { readonly tick: string; readonly output: PlanSweepOutput } | undefined;
  readonly #entries = new Map<string, { readonly readAtMs: number; readonly ttls: Promise<Ttls> }>();

  constructor(cloud: LocalCloud, deployment: string, documents: DynamoDBDocumentClient) {
    const machine = cloud.synthesized.stateMachines.find(({ name }) => name === deployment);
    this.#cloud = cloud;
    this.#tables = tablesInDefinition(machine?.definition ?? '');
    this.#documents = documents;
    this.#journal = { documents, tableName: journalName(deployment) };
  }

  async isNeeded(input: TickInput, nowMs: number): Promise<boolean> {
    // A tick that cannot be planned is started, and reports the error itself.
    const plan = await this.#planOf(input, nowMs).catch(() => undefined);
    if (plan?.next === 'end') return false;
    await this.#write();
    return true;
  }

  /** The plan that `isNeeded` made for this tick, so that PlanSweep does not plan a second time. Undefined for any other tick. */
  planOf({ executionInput, startedAt }: PlanSweepInput): PlanSweepOutput | undefined {
    const tick = JSON.stringify({ executionInput, startedAt });
    return this.#plan?.tick === tick ? this.#plan.output : undefined;
  }

  /** Forgets the copy of the journal, because an execution may have changed the journal. */
  forgetJournal(): void {
    this.#state = undefined;
  }

  async prepare(input: TickInput, nowMs: number): Promise<void> {
    await this.#read(input, nowMs).catch(() => {});
    await this.settle();
  }

  /** Writes the pending watermarks, and forgets the copies of journal and indexes, because the user's test may now change both. */
  async settle(): Promise<void> {
    await this.#write();
    this.#state = undefined;
    this.#entries.clear();
  }

  async #planOf(executionInput: TickInput, nowMs: number): Promise<PlanSweepOutput | undefined> {
    const state = await this.#read(executionInput, nowMs);
    let { watermarks } = state;
    let isSilent = true;
    const speak = () => {
      isSilent = false;
    };
    const startedAt = new Date(nowMs).toISOString();
    const output = await planTick(
      { machine: 'tick', tables: this.#tables, executionInput, startedAt, soFar: null },
      {
        journal: {
          read: async () => state,
          writeWatermarks: async (tick, marks) => {
            watermarks = withMarks(watermarks, tick, marks);
          },
        },
        readIndexOf: settings => this.#readerOf(settings, nowMs),
        record: speak,
        logger: { error: speak },
        clock: () => nowMs,
        // This sleep is the time limit for a table's index queries. `clock` stands still during this call, so the sleep never ends.
        sleep: () => new Promise(() => {}),
      },
    );
    if (!isSilent) return undefined;
    if (watermarks !== state.watermarks) this.#unwritten = watermarks;
    this.#plan = { tick: JSON.stringify({ executionInput, startedAt }), output };
    this.#state = { ...state, watermarks };
    // A running execution cannot write its swept expiry times into the journal before the table's watermark is there.
    if (this.#cloud.running.length > 0) await this.#write();
    return output;
  }

  /**
   * Reads the journal. If a table indexed by second has no watermark, it gets one from the entries of its index: its first tick would
   * otherwise query each second of two days.
   */
  async #read(input: TickInput, nowMs: number): Promise<DeploymentState> {
    if (this.#state !== undefined) return this.#state;
    const state = await readState(this.#journal);
    const at = new Date(nowMs).toISOString();
    const marks: Record<string, Watermark> = {};
    for (const carried of this.#tables) {
      const settings = readSettings(carried);
      const isBegun = state.watermarks.tables[settings.tableName] !== undefined;
      if (isBegun || settings.model.indexedBy === 'window') continue;
      const { cutoff } = readTickInput(input, nowMs, settings);
      const since = cutoff - FIRST_LOOKBACK_SECONDS;
      let first = cutoff;
      for (const [ttl] of (await this.#entriesOf(settings, nowMs)).values())
        if (ttl !== undefined && ttl >= since) first = Math.min(first, ttl);
      marks[settings.tableName] = { since, gone: first - 1, at, shards: 1 };
    }
    if (Object.keys(marks).length === 0) return state;
    this.#unwritten = withMarks(state.watermarks, state.watermarks.tick ?? at, marks);
    return { ...state, watermarks: this.#unwritten };
  }

  async #write(): Promise<void> {
    const { tick, tables = {} } = this.#unwritten ?? {};
    this.#unwritten = undefined;
    // A failed write is ignored, as PlanSweep does: a later tick then begins at the older watermark in the journal.
    if (tick !== undefined) await writeWatermarks(this.#journal, tick, tables).catch(() => {});
  }

  #readerOf(settings: SweepSettings, nowMs: number): ReadIndex {
    const read = indexReader(this.#documents, settings);
    return async (key, range, limit) => {
      const entries = await this.#entriesOf(settings, nowMs);
      const ttls = entries.get(key.value) ?? [];
      const isInRange = (ttl: number) => ttl >= range.from && ttl <= range.upTo;
      if (!ttls.some(isInRange)) return { entries: [], more: false };
      const page = await read(key, range, limit);
      const left = ttls.filter(ttl => page.entries.length > 0 || !isInRange(ttl));
      entries.set(key.value, left);
      return page;
    };
  }

  #entriesOf(settings: SweepSettings, nowMs: number): Promise<Ttls> {
    const { tableName } = settings;
    const known = this.#entries.get(tableName);
    if (known !== undefined && nowMs - known.readAtMs < KEPT_MS) return known.ttls;
    const ttls = this.#scan(settings);
    this.#entries.set(tableName, { readAtMs: nowMs, ttls });
    return ttls;
  }

  async #scan({ tableName, indexName, model }: SweepSettings): Promise<Ttls> {
    const ttls: Ttls = new Map();
    const pages = paginateScan({ client: this.#documents }, { TableName: tableName, IndexName: indexName });
    for await (const { Items = [] } of pages) {
      for (const item of Items) {
        const ttl = Number(item[model.ttlAttribute]);
        const key = model.windowAttribute === undefined ? ttl : item[model.windowAttribute];
        const others = ttls.get(key);
        if (others === undefined) ttls.set(key, [ttl]);
        else others.push(ttl);
      }
    }
    return ttls;
  }
}

function withMarks(
  { tables }: DeploymentState['watermarks'],
  tick: string,
  marks: Readonly<Record<string, Watermark>>,
): DeploymentState['watermarks'] {
  // An object without a prototype, because a table may have the name of an inherited property.
  return { tick, tables: Object.assign(Object.create(null), tables, marks) };
}
