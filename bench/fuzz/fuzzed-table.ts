import type { Clock, RandomSource } from 'stepfunctions-emulator';
import { readSettings, type SweepSettings } from '../../functions/runtime/environment.ts';
import { keyAttributeNames } from '../../functions/table/item-key.ts';
import type { FollowedPipe } from '../ledger/deliveries.ts';
import type { Violation } from '../ledger/ledger.ts';
import { Oracle } from './oracle.ts';
import { isWithin, type Span, type TableScenario, type Trouble } from './scenario.ts';
import { type Change, MemoryTable, type MemoryTableOptions } from './table.ts';
import { usersOf } from './users.ts';
import type { Resolved, Variant } from './variants.ts';

export interface FuzzedTableOptions extends Pick<MemoryTableOptions, 'asServerHasIt' | 'indexLagMs'> {
  readonly variant: Variant;
  readonly resolved: Resolved;
  readonly scenario: TableScenario;
  readonly pipes: readonly FollowedPipe[];
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly items: number;
  /** Range of the TTLs that items get at their first write, epoch milliseconds, [from, to). */
  readonly ttls: Span;
  readonly shardLessAt: number | undefined;
  readonly onChange?: ((change: Change) => void) | undefined;
}

/** Longest time from the beginning of a pause to the last delete, milliseconds. */
const PAUSE_MS = 5_000;

/** In a second, the sweep may delete this many times the limit: a tick sweeps lookback and own minute together, and limits are rounded. */
const LIMIT_TOLERANCE = 2;

export class FuzzedTable {
  readonly name: string;
  readonly settings: SweepSettings;
  readonly scenario: TableScenario;
  readonly table: MemoryTable;
  readonly oracle: Oracle;
  readonly users: ReturnType<typeof usersOf>;
  readonly #perSecond = new Map<number, number>();
  readonly #clock: Clock;
  #inPause = 0;

  constructor({ resolved, scenario, pipes, clock, ttls, onChange, ...options }: FuzzedTableOptions) {
    this.settings = readSettings(resolved.carried);
    this.scenario = scenario;
    this.#clock = clock;
    const { model, tableName, indexName } = this.settings;
    const keyNames = keyAttributeNames(model);
    this.name = tableName;
    const { ttlAttribute, windowAttribute } = model;
    this.oracle = new Oracle({ keyNames, ttlAttribute, windowAttribute, pipes });
    this.table = new MemoryTable({
      ...{ tableName, indexName, keyNames, ttlAttribute, windowAttribute, clock },
      ...options,
      onChange: change => {
        this.oracle.saw(change);
        onChange?.(change);
      },
    });
    this.users = usersOf({
      ...{ table: this.table, settings: this.settings, clock },
      ...options,
      from: ttls.from / 1000,
      before: ttls.to / 1000,
      calmAt: scenario.calmAt / 1000,
    });
  }

  troubleAt(nowMs: number): Trouble | undefined {
    const { trouble } = this.scenario;
    return isWithin(trouble, nowMs) ? trouble?.kind : undefined;
  }

  /** Counts deletes that DynamoDB has just applied for the sweep. @param sentAt time of the request, epoch milliseconds */
  deleted(count: number, sentAt: number): void {
    const isPaused = this.scenario.pauses.some(({ from, to }) =>
      isWithin({ from: from + PAUSE_MS, to }, sentAt),
    );
    if (isPaused) this.#inPause += count;
    const second = Math.floor(this.#clock.now() / 1000);
    this.#perSecond.set(second, (this.#perSecond.get(second) ?? 0) + count);
  }

  /** All violations of the table. @param endMs end of the run, epoch milliseconds: items that expired earlier must be gone */
  verdict(endMs: number): Violation[] {
    const { maxDeletesPerSecond: limit } = this.settings;
    const most = Math.max(
      0,
      ...[...this.#perSecond].flatMap(([second, count]) =>
        second * 1000 >= this.scenario.calmAt ? count : [],
      ),
    );
    return [
      ...this.oracle.verdict(this.table, endMs),
      ...(this.#inPause > 0 ? [said('deletedInPause', `${this.#inPause} of ${this.name}`)] : []),
      ...(limit > 0 && most > limit * LIMIT_TOLERANCE
        ? [said('overLimit', `${most} deletes in a second of ${this.name}, whose limit is ${limit}`)]
        : []),
    ];
  }
}

export function said(finding: Violation['finding'], sentence: string): Violation {
  return { finding, id: sentence, history: [] };
}
