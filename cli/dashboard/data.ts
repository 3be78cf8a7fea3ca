import { lateMs } from '../../functions/record-metrics/metrics.ts';
import type { DeploymentConfig } from '../../stacks/config/config.ts';
import { resolveProps } from '../../stacks/config/props.ts';
import type { CountName } from '../../statemachine/counts.ts';
import type { Facts, Sweep } from '../facts.ts';
import type {
  Aged,
  DashboardReport,
  KnownParts,
  LastKnown,
  Link,
  Look,
  Looked,
  Minute,
  SweepLag,
  TableData,
  Verdict,
} from './report.ts';
import { Source } from './source.ts';

/** Minutes that the page shows. */
export const SHOWN_MINUTES = 180;

const MINUTE_MS = 60_000;

/** Most sweeps of a table that are kept: a busy one has a few per minute. */
const MAX_SWEEPS = 2_000;

/** The sweeps of a table in the last {@link SHOWN_MINUTES} minutes, in bounded memory. */
export class SweepSeries {
  /** Sweeps by their names. */
  #sweeps = new Map<string, Sweep>();

  /** Adds sweeps; some may be there already. @param nowMs epoch milliseconds */
  add(sweeps: readonly Sweep[], nowMs: number): void {
    for (const sweep of sweeps) this.#sweeps.set(sweep.execution, sweep);
    const since = new Date(nowMs - SHOWN_MINUTES * MINUTE_MS).toISOString();
    const kept = [...this.#sweeps.values()]
      .filter(({ endedAt }) => endedAt >= since)
      .sort((one, other) => Date.parse(one.endedAt) - Date.parse(other.endedAt))
      .slice(-MAX_SWEEPS);
    this.#sweeps = new Map(kept.map(sweep => [sweep.execution, sweep]));
  }

  /** The minutes in which the table was swept, the oldest first. */
  get minutes(): Minute[] {
    const byMinute = Map.groupBy(this.#sweeps.values(), sweptMinute);

    return [...byMinute].map(([at, sweeps]) => minuteOf(at, sweeps));
  }

  /** The lag of each sweep that deleted something, the oldest first. */
  get lags(): SweepLag[] {
    return [...this.#sweeps.values()].flatMap(({ endedAt: at, kind, lagMs }) =>
      lagMs === null ? [] : [{ at, kind, p50: lagMs.p50, p99: lagMs.p99, max: lagMs.max }],
    );
  }

  /** The newest sweeps, the newest first. */
  newest(most: number): Sweep[] {
    return [...this.#sweeps.values()].slice(-most).reverse();
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
    at,
    due: sum('found'),
    deleted: sum('deleted'),
    kept: sum('renewed'),
    notFound: sum('notFound'),
    left: sum('failed'),
  };
}

/** The state before the first answer. */
export const NOTHING_KNOWN: LastKnown = {
  journal: null,
  gone: null,
  overdue: null,
  schedule: null,
  alarms: null,
};

/** Takes the known parts from a look, and keeps the earlier values of the others. @param at ISO-8601 */
export function lastKnown(before: LastKnown, facts: Facts, at: string): LastKnown {
  const known = partsOf(facts);
  const keep = <Part extends keyof KnownParts>(part: Part): Aged<KnownParts[Part]> | null => {
    const value = known[part];
    return value === null ? (before[part] as Aged<KnownParts[Part]> | null) : { value, at };
  };
  return {
    journal: keep('journal'),
    gone: keep('gone'),
    overdue: keep('overdue'),
    schedule: keep('schedule'),
    alarms: keep('alarms'),
  };
}

/** The parts of a look; null for those that are not known. */
function partsOf(facts: Facts): { readonly [Part in keyof KnownParts]: KnownParts[Part] | null } {
  const { gone, overdue, left, tick, watermark, pause, isScheduled: schedule, alarms } = facts;
  const isRead = !facts.notKnown.some(each => each.startsWith('the journal'));
  return {
    journal: isRead ? { tick, watermark: watermark && iso(watermark.gone), pause } : null,
    gone: gone && {
      since: iso(gone.since),
      by: iso(gone.by),
      unseen: (left?.unseen ?? 0) + (left?.recent ?? 0),
    },
    overdue: overdue && {
      items: overdue.items,
      oldest: overdue.oldest === null ? null : iso(overdue.oldest),
      short: overdue.short,
    },
    ...{ schedule, alarms },
  };
}

const iso = (seconds: number): string => new Date(seconds * 1_000).toISOString();

export interface DashboardOptions {
  readonly config: DeploymentConfig;
  /** Only this one. @default all of them */
  readonly table?: string | undefined;
  /** Looks at them, as `status` does. @param most sweeps of each table */
  readonly look: (most: number, signal: AbortSignal) => Promise<Look>;
  /** Cancels all requests. */
  readonly signal: AbortSignal;
  /** Other pages about the same deployment. @default none */
  readonly links?: readonly Link[];
  /** Epoch milliseconds. @default the real clock */
  readonly now?: () => number;
}

/** How often it looks while the page is open, and how long a look may take; milliseconds. */
const PACE = { everyMs: 10_000, limitMs: 30_000 } as const;

/** Sweeps that a look reads: each 60th one, so each tenth minute, those of the hours that are shown. */
const MOST = { first: 400, later: 20, firstEvery: 60 } as const;

const SHOWN_SWEEPS = 12;

/** Everything that the page shows. It asks AWS only while somebody requests the report, and not more often than {@link PACE}. */
export interface DashboardData {
  /** The latest known report; it never waits. @param shown the table whose minutes are shown. @default the first one */
  report(shown?: string): DashboardReport;
}

export function dashboardData(options: DashboardOptions): DashboardData {
  const { config, now = Date.now, signal, links = [], look, table: only } = options;
  const names = config.tables.map(({ tableName }) => tableName);
  const configured = config.tables.filter((_table, index) => only === undefined || names[index] === only);
  const tables = configured.map(table => {
    const { tableName, pollSeconds, ...props } = resolveProps(table);
    return new TableMemory(tableName, lateMs(props) / 1_000 + pollSeconds);
  });
  const [first] = tables;
  if (first === undefined) throw new TypeError('checkConfig refuses a configuration without tables');
  let known: Look | undefined;
  let looks = 0;
  const source = new Source<Look>({
    ...PACE,
    ...{ now, signal },
    async read(until) {
      const most = looks % MOST.firstEvery === 0 ? MOST.first : MOST.later;
      const seen = await look(most, until);
      looks += 1;
      return seen;
    },
    onAnswer(seen, atMs) {
      known = seen;
      for (const [index, table] of seen.tables.entries()) tables[index]?.add(table, seen.at, atMs);
    },
  });
  return {
    report(shown) {
      source.ask();
      const selected = tables.find(({ tableName }) => tableName === shown) ?? first;
      const verdicts = known?.tables.map(({ verdict }) => verdict) ?? [];
      return {
        now: new Date(now()).toISOString(),
        region: config.region,
        isLocal: known?.isLocal ?? null,
        links,
        source: source.report,
        statusAt: known?.at ?? null,
        verdict: WORST.find(each => verdicts.includes(each)) ?? null,
        tables: tables.map(table => table.data),
        shown: selected.shown,
      };
    },
  };
}

const WORST: readonly Verdict[] = ['broken', 'unknown', 'warnings', 'fine'];

/** The data of one table that is kept between requests. */
class TableMemory {
  readonly tableName: string;
  readonly #lateAfterSeconds: number;
  readonly #series = new SweepSeries();
  #looked: Looked | undefined;
  #known: LastKnown = NOTHING_KNOWN;

  constructor(tableName: string, lateAfterSeconds: number) {
    this.tableName = tableName;
    this.#lateAfterSeconds = lateAfterSeconds;
  }

  add(looked: Looked, at: string, nowMs: number): void {
    this.#looked = looked;
    this.#known = lastKnown(this.#known, looked.facts, at);
    this.#series.add(looked.facts.sweeps ?? [], nowMs);
  }

  get data(): TableData {
    return {
      tableName: this.tableName,
      lateAfterSeconds: this.#lateAfterSeconds,
      verdict: this.#looked?.verdict ?? null,
      remarks: this.#looked?.remarks ?? [],
      ...this.#known,
      lastMinute: this.#series.minutes.at(-1) ?? null,
    };
  }

  get shown(): DashboardReport['shown'] {
    const { minutes, lags } = this.#series;
    return { tableName: this.tableName, minutes, lags, sweeps: this.#series.newest(SHOWN_SWEEPS) };
  }
}
