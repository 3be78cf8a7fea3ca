import type { Pause, Watermark } from '../../functions/journal/layout.ts';
import type { LagSummary } from '../../statemachine/contract/report.ts';
import type { CountName } from '../../statemachine/counts.ts';

/** What is known about a table. Numbers that are a TTL or a point in time are epoch seconds. Null means: not known, or none. */
export interface Facts {
  readonly table: string;
  readonly deployment: string;
  /** All items with TTLs from `since` to `by` are deleted, as far as the index shows. */
  readonly gone: { readonly since: number; readonly by: number } | null;
  readonly overdue: IndexLook | null;
  readonly left: TableLook | null;
  readonly isLate: boolean;
  /**
   * An item that was written at least two minutes before its TTL is deleted within this time after its TTL, any other item within
   * `lateAfterSeconds`.
   */
  readonly promisedSeconds: number;
  readonly lateAfterSeconds: number;
  readonly watermark: Pick<Watermark, 'since' | 'gone'> | null;
  readonly tick: string | null;
  readonly pause: Pause | null;
  readonly isScheduled: boolean | null;
  readonly sweeps: readonly Sweep[] | null;
  /** Why the last recorded sweep failed. Null also if the sweep ended long ago, and all items that were due at its end are deleted. */
  readonly failing: string | null;
  readonly alarms: readonly Alarm[] | null;
  readonly notKnown: readonly string[];
}

/** Expired entries of the index: all with TTLs from `from` to `readAt`, and some older ones if the reading ended early. */
export interface IndexLook {
  readonly readAt: number;
  readonly from: number;
  readonly items: number;
  readonly oldest: number | null;
  readonly newest: number | null;
  readonly keys: readonly string[];
  readonly queries: number;
  /** Why the reading of the index ended early: more items may then be overdue. Null: the reading was complete. */
  readonly short: string | null;
}

export interface TableLook {
  readonly readAt: number;
  readonly read: number;
  readonly isAll: boolean;
  readonly before: number;
  /** Number of items with TTLs in `Facts.gone`, at least three minutes ago. The index does not show these, so no sweep finds them. */
  readonly unseen: number;
  /** Number of those with TTLs in the last three minutes. A tick will still delete such an item if it was written just before its TTL. */
  readonly recent: number;
}

export interface Sweep {
  readonly execution: string;
  readonly kind: 'tick' | 'replay';
  readonly startedAt: string;
  readonly endedAt: string;
  readonly counts: Partial<Readonly<Record<CountName, number>>>;
  readonly lagMs: LagSummary | null;
  readonly failure: string | null;
  readonly failedKeys: readonly string[];
}

export interface Alarm {
  readonly name: string;
  readonly since: string | null;
}

export type Verdict = 'fine' | 'warnings' | 'broken' | 'unknown';

export interface Remark {
  readonly severity: 'broken' | 'warning' | 'note';
  readonly text: string;
}

/** The facts of a table, and what `status` says about them. */
export interface Looked {
  readonly facts: Facts;
  readonly verdict: Verdict;
  readonly remarks: readonly Remark[];
  /** In words: the time up to which all due items are gone. */
  readonly gone: string;
  /** In words: how late an item may be deleted. */
  readonly promise: string;
}

/** The result of one reading of all tables. */
export interface Look {
  /** When this reading of the tables began, ISO-8601. */
  readonly at: string;
  readonly isLocal: boolean;
  readonly tables: readonly Looked[];
}

/** Name of a part of a table's facts → function that says whether a reading of the table found this part. */
const PARTS = {
  'the journal': ({ notKnown }: Facts) => !notKnown.some(each => each.startsWith('the journal')),
  'what is gone': ({ gone }: Facts) => gone !== null,
  'what is overdue': ({ overdue }: Facts) => overdue !== null,
  'the schedule': ({ isScheduled }: Facts) => isScheduled !== null,
  alarms: ({ alarms }: Facts) => alarms !== null,
} as const;
export type Part = keyof typeof PARTS;

/** How long a table's sweeps are kept and shown, and their maximum number: enough for ten sweeps per minute. */
export const SHOWN_MINUTES = 180;
const MAX_SWEEPS = 2_000;
const MINUTE_MS = 60_000;

export class TableMemory {
  /** For each part, the last reading of the table that found the part, and when this reading began (ISO-8601). */
  readonly known = new Map<Part, Looked & { readonly at: string }>();
  /** The table's sweeps of the last SHOWN_MINUTES, the oldest first. */
  sweeps: readonly Sweep[] = [];
  latest: Looked;

  constructor(latest: Looked) {
    this.latest = latest;
  }

  /** @param at when the reading of the table began, ISO-8601 */
  add(looked: Looked, at: string): void {
    this.latest = looked;
    for (const [part, isKnown] of Object.entries(PARTS)) {
      if (isKnown(looked.facts)) this.known.set(part as Part, { ...looked, at });
    }
    const since = new Date(Date.parse(at) - SHOWN_MINUTES * MINUTE_MS).toISOString();
    const byName = new Map(
      [...this.sweeps, ...(looked.facts.sweeps ?? [])].map(sweep => [sweep.execution, sweep]),
    );
    this.sweeps = [...byName.values()]
      .filter(({ endedAt }) => endedAt >= since)
      .toSorted((one, other) => Date.parse(one.endedAt) - Date.parse(other.endedAt))
      .slice(-MAX_SWEEPS);
  }

  /** The sums of `sweeps` by minute, the oldest first. Minutes without recorded sweeps are left out. */
  get minutes(): Minute[] {
    return [...Map.groupBy(this.sweeps, sweptMinute)].map(([at, sweeps]) => minuteOf(at, sweeps));
  }
}

/** Returns the minute for which a sweep counts: 30 seconds before its end, because a tick may end just after the minute it swept. */
function sweptMinute({ endedAt }: Sweep): string {
  const middle = new Date(Date.parse(endedAt) - MINUTE_MS / 2);
  return `${middle.toISOString().slice(0, 16)}:00.000Z`;
}

/** The items that the sweeps of a minute found, counted by result. `due` is the sum of the other counts. */
export type Minute = ReturnType<typeof minuteOf>;

/** @param at ISO-8601 */
function minuteOf(at: string, sweeps: readonly Sweep[]) {
  const sum = (name: CountName) => sweeps.reduce((all, { counts }) => all + (counts[name] ?? 0), 0);
  return {
    ...{ at, due: sum('found'), deleted: sum('deleted'), renewed: sum('renewed') },
    // `notFound` counts items that somebody else had deleted; `left`: items that could not be deleted.
    ...{ notFound: sum('notFound'), left: sum('failed') },
  };
}

export interface LooksOptions {
  /** Reads every table's facts. @param most maximum number of sweeps per table */
  readonly look: (most: number, signal: AbortSignal) => Promise<Look>;
  readonly signal: AbortSignal;
  /** Epoch milliseconds. @default the real clock */
  readonly now?: () => number;
}

/** Minimum time from the start of one reading of the tables to the start of the next, milliseconds. */
const EVERY_MS = 10_000;
/** Maximum number of sweeps in a reading of a table. The first reading and every 60th reading after the first have more sweeps. */
const MOST = { first: 400, later: 20, firstEvery: 60 } as const;

/** Reads all tables when asked, one reading at a time, and keeps the results. */
export class Looks {
  /** The tables by name, in the order of the configuration. */
  readonly tables = new Map<string, TableMemory>();
  last: Look | undefined;
  /** When the running reading of the tables began, epoch milliseconds; undefined if no reading runs. */
  askingSince: number | undefined;
  /** Why the last reading of the tables failed; undefined if the reading succeeded. */
  failure: string | undefined;
  readonly #options: LooksOptions;
  readonly now: () => number;
  #askedAt = Number.NEGATIVE_INFINITY;
  #looks = 0;

  constructor(options: LooksOptions) {
    this.#options = options;
    this.now = options.now ?? Date.now;
  }

  /** Begins to read the tables, unless a reading is running, or the last one began less than `EVERY_MS` ago, or `signal` is aborted. */
  ask(): void {
    const isEarly = this.now() - this.#askedAt < EVERY_MS;
    if (isEarly || this.askingSince !== undefined || this.#options.signal.aborted) return;
    this.#askedAt = this.now();
    this.askingSince = this.#askedAt;
    void this.#look();
  }

  async #look(): Promise<void> {
    const { look, signal } = this.#options;
    try {
      const seen = await look(this.#looks % MOST.firstEvery === 0 ? MOST.first : MOST.later, signal);
      this.#looks += 1;
      this.last = seen;
      this.failure = undefined;
      for (const looked of seen.tables) {
        const { table } = looked.facts;
        const memory = this.tables.get(table) ?? new TableMemory(looked);
        this.tables.set(table, memory);
        memory.add(looked, seen.at);
      }
    } catch (error) {
      this.failure = error instanceof Error ? error.message : String(error);
    } finally {
      this.askingSince = undefined;
    }
  }
}
