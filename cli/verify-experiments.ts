/** The experiments of `verify`, which need a real account. */
import { INDEX_SECONDS } from '../functions/journal/layout.ts';
import { childTimeouts, FUNCTION_TIMEOUT_SECONDS, type TaskName } from '../statemachine/contract/machines.ts';
import type { Seen } from './verify-observe.ts';

export interface Finding {
  readonly measured: Readonly<Record<string, number>>;
  readonly kept: boolean;
  readonly because?: string;
}

export interface Experiment {
  readonly id: string;
  readonly criterion: string;
  readonly otherwise: string;
  readonly judge: (seen: Seen) => Finding;
}

const MAX_LAG = { p99: 2, max: 5 } as const;
const MAX_START_SECONDS = 50;
const MAX_CALCULATED = 1.25;
const MAX_INDEX_P99_MS = 1_000;
/** Maximum p99 of the time from a delete to its event. Up to a second of it is rounding: AWS rounds a delete's time down to seconds. */
const MAX_EVENT_P99_SECONDS = 3;
const MIN_DEPTH = 99;

const LIMITS: Readonly<Record<TaskName, number>> = { ...FUNCTION_TIMEOUT_SECONDS, ...childTimeouts(0) };
const LIMITS_IN_WORDS = Object.entries(LIMITS)
  .map(([task, seconds]) => `${task} ${seconds} s`)
  .join(', ');

export const EXPERIMENTS: readonly Experiment[] = [
  {
    id: 'deployer-permissions',
    criterion: 'it succeeds, and a second plan is empty',
    otherwise: 'what Terraform printed names the action, or the attribute that AWS fills in: report it',
    judge: ({ deployment: { unchanged } }) => ({
      measured: { emptyPlan: Number(unchanged) },
      kept: unchanged,
    }),
  },
  {
    id: 'function-permissions',
    criterion: 'no execution fails, and no key is refused or throttled',
    otherwise: 'the reason names the action: report it, and add it to the role until it is mended',
    judge: seen => {
      const { rows: all } = seen;
      const reports = all.map(({ report }) => report);
      const failed = reports.filter(each => each.failure || each.shardsFailed + each.tablesFailed > 0);
      const reported = {
        failedSweeps: failed.length,
        failedKeys: sum(reports.map(each => each.failed)),
        throttled: sum(reports.map(each => each.throttled)),
      };
      // Reading `seen.metrics` throws if CloudWatch did not answer, so these metrics are read only if the criterion may still be kept.
      const isSound = all.length > 0 && sum(Object.values(reported)) === 0;
      const measured = isSound
        ? { unsuccessfulExecutions: seen.metrics.unsuccessful, ...reported }
        : reported;
      const reasons = reports.flatMap(each =>
        [...each.failedKeys.map(({ reason }) => reason), each.failure?.error ?? []].flat(),
      );
      const because = all.length === 0 ? 'the journal has no sweep' : [...new Set(reasons)].join(', ');
      const kept = isSound && sum(Object.values(measured)) === 0;
      return { measured, kept, ...(because !== '' && { because }) };
    },
  },
  {
    id: 'deleted',
    criterion:
      'nothing that was due is left, each has one event, and all that was renewed is there and has none',
    otherwise:
      '`precise-ttl doctor` and docs/reference/alarms.md; a renewed item that is gone is a fault of ours: report it',
    judge: seen => {
      const { due, left, renewed, renewedLeft } = seen.items;
      const measured = { due, left, renewed, renewedLeft };
      // The items alone can break the criterion. `seen.expiries` is then not read: reading it throws if SQS did not answer.
      if (due === 0 || left > 0 || renewedLeft !== renewed) return { measured, kept: false };
      const events = seen.expiries.length;
      return { measured: { ...measured, events }, kept: events === due };
    },
  },
  {
    id: 'lag',
    criterion: `p99 at most ${MAX_LAG.p99} s, the longest at most ${MAX_LAG.max} s, none below 0`,
    otherwise:
      'the experiments below say why: the index, Scheduler, calls; below 0, `isExpiry` takes such a delete for that of somebody else: report it',
    judge: ({ expiries: all }) => {
      const { min, p50, p99, max } = spread(
        all.map(({ deletedAt, expiredAt }) => (deletedAt - expiredAt) / 1_000),
      );
      const measured = { leastSeconds: min, p50Seconds: p50, p99Seconds: p99, maxSeconds: max };
      return { measured, kept: min >= 0 && p99 <= MAX_LAG.p99 && max <= MAX_LAG.max };
    },
  },
  {
    id: 'scheduler',
    criterion: `each minute has its tick, none starts later than ${MAX_START_SECONDS} s into it, and none twice`,
    otherwise:
      'late: items of the first seconds are up to two minutes late; twice: it costs twice and does no harm, since deletes are guarded. Report it',
    judge: ({ metrics: { minutes, started }, rows }) => {
      const ticks = rows.filter(({ kind }) => kind === 'tick');
      const { min, p50, max } = spread(ticks.map(({ startedAt }) => (Date.parse(startedAt) / 1_000) % 60));
      const measured = { minutes, started, earliestSeconds: min, p50Seconds: p50, latestSeconds: max };
      return { measured, kept: started === minutes && max <= MAX_START_SECONDS };
    },
  },
  {
    id: 'express-cost',
    criterion: `in GB-seconds at most ${MAX_CALCULATED} times what \`precise-ttl cost\` says, which takes 64 MB`,
    otherwise:
      'the line "Express executions: time" of `precise-ttl cost` is too low by that factor. Report it',
    judge: ({ metrics: { gbSeconds: billed, billedMemoryMb }, calculatedGbSeconds: calculated }) => {
      const measured = { billed, calculated, memoryMegabytes: billedMemoryMb };
      return { measured, kept: billed <= calculated * MAX_CALCULATED };
    },
  },
  {
    id: 'function-time',
    criterion: `less than the limit of its state: ${LIMITS_IN_WORDS}`,
    otherwise:
      'raise `memory_size` by `overrides`; a call that is cut off is made again, and its items are seconds late',
    judge: ({ metrics: { longest } }) => {
      const all = Object.entries(longest) as [TaskName, number][];
      const measured = Object.fromEntries(all.map(([task, ms]) => [`${task}Ms`, ms]));
      return { measured, kept: all.every(([task, ms]) => ms < LIMITS[task] * 1_000) };
    },
  },
  {
    id: 'index-lag',
    criterion: `p99 at most ${MAX_INDEX_P99_MS} ms, none longer than ${INDEX_SECONDS} s`,
    otherwise:
      'items that are written shortly before they expire are so much later; beyond the second bound the watermark of `status` is not safe: report it',
    judge: ({ indexLags: lags }) => {
      const { p50, p99, max } = spread(lags);
      const kept = p99 <= MAX_INDEX_P99_MS && max <= INDEX_SECONDS * 1_000;
      return { measured: { p50Ms: p50, p99Ms: p99, maxMs: max }, kept };
    },
  },
  {
    id: 'event-lag',
    criterion: `p99 at most ${MAX_EVENT_P99_SECONDS} s`,
    otherwise: 'events and the archive come later than docs/archive-and-events.md says: report it',
    judge: ({ expiries: all }) => {
      const { p50, p99, max } = spread(all.map(({ sentAt, deletedAt }) => (sentAt - deletedAt) / 1_000));
      const measured = { p50Seconds: p50, p99Seconds: p99, maxSeconds: max };
      return { measured, kept: p99 <= MAX_EVENT_P99_SECONDS };
    },
  },
  {
    id: 'jsonata-depth',
    criterion: `at least ${MIN_DEPTH} keys`,
    otherwise:
      'the expressions of the definition are held to a depth that AWS does not take: report it, with the number',
    judge: ({ depth: keys }) => ({ measured: { keys }, kept: keys >= MIN_DEPTH }),
  },
  {
    id: 'replay',
    criterion: 'it succeeds',
    otherwise: '`precise-ttl status --history` says why: report it',
    judge: ({ replay: { succeeded, tookMs } }) => ({ measured: { tookMs }, kept: succeeded }),
  },
];

function spread(values: readonly number[]): Readonly<Record<'min' | 'p50' | 'p99' | 'max', number>> {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
  return { min: at(0), p50: at(0.5), p99: at(0.99), max: at(1) };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
