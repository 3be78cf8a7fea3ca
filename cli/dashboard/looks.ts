import type { CountName } from '../../statemachine/counts.ts';
import type { Facts, Sweep } from './facts.ts';

export type Verdict = 'fine' | 'warnings' | 'broken' | 'unknown';

/** A line about something that is not as it should be, or not known. */
export interface Remark {
  readonly severity: 'broken' | 'warning' | 'note';
  readonly text: string;
}

/** The facts of a table, and what `status` says about them. */
export interface Looked {
  readonly facts: Facts;
  readonly verdict: Verdict;
  readonly remarks: readonly Remark[];
  /** Up to when everything that was due is gone. */
  readonly gone: string;
  /** How late an item may be deleted. */
  readonly promise: string;
}

/** A look at all tables, as `status` makes it. */
export interface Look {
  /** When it began, ISO-8601. */
  readonly at: string;
  readonly isLocal: boolean;
  readonly tables: readonly Looked[];
}

/** Whether a look knows a part of the facts, by the words for that part. */
const PARTS = {
  'the journal': ({ notKnown }: Facts) => !notKnown.some(each => each.startsWith('the journal')),
  'what is gone': ({ gone }: Facts) => gone !== null,
  'what is overdue': ({ overdue }: Facts) => overdue !== null,
  'the schedule': ({ isScheduled }: Facts) => isScheduled !== null,
  alarms: ({ alarms }: Facts) => alarms !== null,
} as const;
export type Part = keyof typeof PARTS;

/** The last look that knew a part, and when it began. */
export interface Known extends Looked {
  readonly at: string;
}

/** The items that the sweeps of a minute found, by their fate. */
export interface Minute {
  /** ISO-8601. */
  readonly at: string;
  /** Items that had expired: the sum of the other counts. */
  readonly due: number;
  readonly deleted: number;
  readonly renewed: number;
  /** Items that somebody else had deleted. */
  readonly notFound: number;
  /** Items that should have been deleted, and were not. */
  readonly left: number;
}

/** Minutes of sweeps that are kept, and most sweeps: a busy table has a few per minute. */
export const SHOWN_MINUTES = 180;
const MAX_SWEEPS = 2_000;
const MINUTE_MS = 60_000;

/** What the looks at a table came to. */
export class TableMemory {
  /** The parts that a look has known, by the last one that did. */
  readonly known = new Map<Part, Known>();
  /** The sweeps of the last hours, the oldest first. */
  sweeps: readonly Sweep[] = [];
  latest: Looked;

  constructor(latest: Looked) {
    this.latest = latest;
  }

  /** @param at when the look began, ISO-8601 */
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

  /** The minutes in which the table was swept, the oldest first. */
  get minutes(): Minute[] {
    return [...Map.groupBy(this.sweeps, sweptMinute)].map(([at, sweeps]) => minuteOf(at, sweeps));
  }
}

/** The minute that a tick swept. A tick ends shortly before or after the end of that minute. */
function sweptMinute({ endedAt }: Sweep): string {
  const middle = new Date(Date.parse(endedAt) - MINUTE_MS / 2);
  return `${middle.toISOString().slice(0, 16)}:00.000Z`;
}

function minuteOf(at: string, sweeps: readonly Sweep[]): Minute {
  const sum = (name: CountName) => sweeps.reduce((all, { counts }) => all + (counts[name] ?? 0), 0);
  return {
    ...{ at, due: sum('found'), deleted: sum('deleted'), renewed: sum('renewed') },
    ...{ notFound: sum('notFound'), left: sum('failed') },
  };
}

export interface LooksOptions {
  /** Looks at all tables. @param most sweeps of each table */
  readonly look: (most: number, signal: AbortSignal) => Promise<Look>;
  /** Cancels all requests. */
  readonly signal: AbortSignal;
  /** Epoch milliseconds. @default the real clock */
  readonly now?: () => number;
}

/** From one look to the next while somebody has the page open, milliseconds. */
const EVERY_MS = 10_000;
/** Sweeps that a look reads: each 60th one, so each tenth minute, those of the hours that are shown. */
const MOST = { first: 400, later: 20, firstEvery: 60 } as const;

/** Looks at the tables, one look at a time, and remembers what they came to. */
export class Looks {
  /** By name, in the order of the configuration. */
  readonly tables = new Map<string, TableMemory>();
  /** The last one that ended. */
  last: Look | undefined;
  /** When the one that is under way began, epoch milliseconds. */
  askingSince: number | undefined;
  /** Why the last one failed. */
  failure: string | undefined;
  readonly #options: LooksOptions;
  readonly now: () => number;
  #askedAt = Number.NEGATIVE_INFINITY;
  #looks = 0;

  constructor(options: LooksOptions) {
    this.#options = options;
    this.now = options.now ?? Date.now;
  }

  /** Begins a look, unless the last one began a short time ago or has not ended. */
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
