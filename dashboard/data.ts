import { type ResolvedProps, resolveProps } from '../config/props.ts';
import { localEndpoint } from '../operate/aws/endpoint.ts';
import { describeSdkError } from '../operate/aws/errors.ts';
import { chooseTables } from '../operate/deployment/subject.ts';
import type { SweepReport } from '../operate/deployment/sweep.ts';
import { readHistory } from '../operate/history/history.ts';
import type { HistoryReport } from '../operate/history/report.ts';
import type { OperateOptions } from '../operate/options.ts';
import { lateAfterSeconds } from '../operate/status/lateness.ts';
import type { StatusReport, TableReport } from '../operate/status/report.ts';
import { type StatusJob, statusJob } from '../operate/status/status.ts';
import { statusReport } from '../operate/status/to-report.ts';
import type {
  Aged,
  DashboardReport,
  KnownParts,
  LastKnown,
  Link,
  Minute,
  SweepLag,
  TableData,
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
  #sweeps = new Map<string, SweepReport>();

  /** Adds sweeps; some may be there already. @param nowMs epoch milliseconds */
  add(sweeps: readonly SweepReport[], nowMs: number): void {
    for (const sweep of sweeps) this.#sweeps.set(sweep.name, sweep);
    const since = new Date(nowMs - SHOWN_MINUTES * MINUTE_MS).toISOString();
    const kept = [...this.#sweeps.values()]
      .filter(({ stoppedAt }) => stoppedAt >= since)
      .sort((one, other) => Date.parse(one.stoppedAt) - Date.parse(other.stoppedAt))
      .slice(-MAX_SWEEPS);
    this.#sweeps = new Map(kept.map(sweep => [sweep.name, sweep]));
  }

  /** The minutes in which the table was swept, the oldest first. */
  get minutes(): Minute[] {
    const byMinute = Map.groupBy(this.#sweeps.values(), sweptMinute);

    return [...byMinute].map(([at, sweeps]) => minuteOf(at, sweeps));
  }

  /** The lag of each sweep that deleted something, the oldest first. */
  get lags(): SweepLag[] {
    return [...this.#sweeps.values()].flatMap(({ stoppedAt: at, kind, outcome: { lagMs } }) =>
      lagMs === null ? [] : [{ at, kind, p50: lagMs.p50, p99: lagMs.p99, max: lagMs.max }],
    );
  }

  /** The newest sweeps, the newest first. */
  newest(most: number): SweepReport[] {
    return [...this.#sweeps.values()].slice(-most).reverse();
  }
}

/** The minute that a tick swept. A tick ends shortly before or after the end of that minute. */
function sweptMinute({ stoppedAt }: SweepReport): string {
  const middle = new Date(Date.parse(stoppedAt) - MINUTE_MS / 2);
  return `${middle.toISOString().slice(0, 16)}:00.000Z`;
}

function minuteOf(at: string, sweeps: readonly SweepReport[]): Minute {
  const sum = (of: (outcome: SweepReport['outcome']) => number) =>
    sweeps.reduce((all, { outcome }) => all + of(outcome), 0);
  return {
    at,
    due: sum(({ found }) => found),
    deleted: sum(({ deleted }) => deleted),
    kept: sum(({ renewed }) => renewed),
    notFound: sum(({ notFound }) => notFound),
    left: sum(({ failed }) => failed),
  };
}

/** The state before the first answer. */
export const NOTHING_KNOWN: LastKnown = {
  journal: null,
  gone: null,
  overdue: null,
  schedules: null,
  open: null,
  deadLetters: null,
  alarms: null,
};

/** Takes the known parts from a report, and keeps the earlier values of the others. @param at ISO-8601 */
export function lastKnown(before: LastKnown, report: TableReport, at: string): LastKnown {
  const known = partsOf(report);
  const keep = <Part extends keyof KnownParts>(part: Part): Aged<KnownParts[Part]> | null => {
    const value = known[part];
    return value === null ? (before[part] as Aged<KnownParts[Part]> | null) : { value, at };
  };
  return {
    journal: keep('journal'),
    gone: keep('gone'),
    overdue: keep('overdue'),
    schedules: keep('schedules'),
    open: keep('open'),
    deadLetters: keep('deadLetters'),
    alarms: keep('alarms'),
  };
}

/** The parts of a report; null for those that are not known. */
function partsOf(report: TableReport): { readonly [Part in keyof KnownParts]: KnownParts[Part] | null } {
  const { tick, watermark, pause, lastFailure } = report;
  const { gone, overdue, schedules, open, deadLetters, alarms } = report;
  return {
    // The sweeps come from the journal, and are a list only if it could be read.
    journal: report.sweeps === null ? null : { tick, watermark, pause, lastFailure },
    schedules: schedules.some(({ state }) => state === null) ? null : schedules,
    ...{ gone, overdue, open, deadLetters, alarms },
  };
}

/** The functions of `operate/` from which the page gets its data. */
export interface Reads {
  readonly status: (signal: AbortSignal) => Promise<StatusReport>;
  readonly history: (sinceMs: number, signal: AbortSignal) => Promise<HistoryReport>;
}

export interface DashboardOptions extends Omit<OperateOptions, 'signal'> {
  /** Cancels all requests. */
  readonly signal: AbortSignal;
  /** Other pages about the same deployment. @default none */
  readonly links?: readonly Link[];
  /** For tests. @default those of `operate/` */
  readonly reads?: Partial<Reads>;
}

/**
 * How often each source is asked while the page is open, and how long an answer may take; milliseconds. A status asks each service once or
 * twice and takes at most 13 seconds for ten tables; a history of a quarter of an hour reads about 15 rows of the journal per table.
 */
const PACE = {
  status: { everyMs: 10_000, limitMs: 30_000 },
  history: { everyMs: 30_000, limitMs: 30_000 },
} as const;

/**
 * Every 60th history is of a whole day: it finds replays that took long. The others only add new sweeps.
 */
const WHOLE_HISTORY_EVERY = 60;
const DAY_MS = 86_400_000;
const FOLLOW_UP_MS = 15 * 60_000;

const SHOWN_SWEEPS = 12;

/** Everything that the page shows. It asks AWS only while somebody requests the report, and not more often than {@link PACE}. */
export interface DashboardData {
  /** The latest known report; it never waits. @param shown the table whose minutes are shown. @default the first one */
  report(shown?: string): DashboardReport;
  /** Stops all requests. */
  destroy(): void;
}

/**
 * Combines the reports of `status` and of its history on the tables of a configuration.
 * @throws {InputError}
 */
export function dashboardData(options: DashboardOptions): DashboardData {
  const { config, now = Date.now, signal, links = [], environment = process.env } = options;
  const configured = chooseTables(config, options.table);
  const tables = configured.map(props => new TableMemory(resolveProps(props)));
  const [first] = tables;
  if (first === undefined) throw new TypeError('checkConfig refuses a configuration without tables');
  const own = ownReads(options);
  const reads = { ...own, ...options.reads };
  const describe = (error: unknown): string =>
    describeSdkError(error, localEndpoint(environment, 'DYNAMODB'), 'DYNAMODB') ??
    (error instanceof Error ? error.message : String(error));
  const known: { status?: StatusReport } = {};
  let histories = 0;

  const status = new Source({
    ...{ name: 'status', ...PACE.status, read: reads.status, describe, now, signal },
    onAnswer(report, atMs) {
      known.status = report;
      for (const [index, table] of report.tables.entries())
        tables[index]?.addStatus(table, report.checkedAt, atMs);
    },
  });
  const history = new Source({
    ...{ name: 'history', ...PACE.history, describe, now, signal },
    async read(until) {
      const isWhole = histories % WHOLE_HISTORY_EVERY === 0;
      const report = await reads.history(isWhole ? DAY_MS : FOLLOW_UP_MS, until);
      histories += 1;
      return report;
    },
    onAnswer(report, atMs) {
      for (const [index, { sweeps }] of report.tables.entries()) tables[index]?.series.add(sweeps, atMs);
    },
  });

  return {
    report(shown) {
      status.ask();
      history.ask();
      const selected = tables.find(({ props }) => props.tableName === shown) ?? first;
      const asked = [status.report, history.report];
      return {
        now: new Date(now()).toISOString(),
        region: config.region,
        isLocal: known.status?.isLocal ?? null,
        links,
        sources: asked.filter(({ answeredAt, askedAt, failure }) => answeredAt ?? askedAt ?? failure),
        statusAt: known.status?.checkedAt ?? null,
        verdict: known.status?.verdict ?? null,
        tables: tables.map(table => table.data),
        shown: selected.shown,
      };
    },
    destroy: () => own.destroy(),
  };
}

/** The functions of `operate/`, with one job of status for all looks: so it can compare the overdue items of two looks. */
function ownReads(options: DashboardOptions): Reads & { destroy(): void } {
  let job: StatusJob | undefined;
  const end = () => {
    job?.destroy();
    job = undefined;
  };
  return {
    async status(signal) {
      // A cancelled request may still use the clients.
      signal.addEventListener('abort', end, { once: true });
      job ??= statusJob(options);
      try {
        return statusReport(await job.look());
      } finally {
        signal.removeEventListener('abort', end);
      }
    },
    history: (sinceMs, signal) => readHistory({ ...options, sinceMs, signal }),
    destroy: end,
  };
}

/** The data of one table that is kept between requests. */
class TableMemory {
  readonly props: ResolvedProps;
  readonly series = new SweepSeries();
  #status: TableReport | undefined;
  #known: LastKnown = NOTHING_KNOWN;

  constructor(props: ResolvedProps) {
    this.props = props;
  }

  addStatus(report: TableReport, at: string, nowMs: number): void {
    this.#status = report;
    this.#known = lastKnown(this.#known, report, at);
    this.series.add(report.sweeps ?? [], nowMs);
  }

  get data(): TableData {
    const { tableName, sweep: name } = this.props;
    const { verdict = null, cause = null, remarks = [] } = this.#status ?? {};
    return {
      ...{ tableName, name, lateAfterSeconds: lateAfterSeconds(this.props), verdict, cause, remarks },
      ...this.#known,
      lastMinute: this.series.minutes.at(-1) ?? null,
    };
  }

  get shown(): DashboardReport['shown'] {
    const { minutes, lags } = this.series;
    return { tableName: this.props.tableName, minutes, lags, sweeps: this.series.newest(SHOWN_SWEEPS) };
  }
}
