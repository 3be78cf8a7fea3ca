import { INDEX_SECONDS } from '../../functions/journal/layout.ts';
import { type Checked, seenOf } from '../../operate/deployment/check.ts';
import {
  childTimeouts,
  FUNCTION_TIMEOUT_SECONDS,
  type TaskName,
} from '../../statemachine/contract/machines.ts';
import type { Seen, SeenExpiry } from './seen.ts';

/** The result of an experiment. */
export interface Finding {
  /** Measured numbers; each name contains the unit. */
  readonly measured: Readonly<Record<string, number>>;
  readonly kept: boolean;
  /** An explanation for a person. */
  readonly because?: string;
}

/** A question that only a real account can answer. */
export interface Experiment {
  readonly id: string;
  readonly question: string;
  /** The condition that must hold: what the project assumes or promises. */
  readonly criterion: string;
  /** The consequence of a failure for the user, and for the project. */
  readonly otherwise: string;
  readonly judge: (seen: Seen) => Checked<Finding>;
}

/** Express executions are billed in steps of 64 MB, and a tick should need one step. */
const MAX_MEMORY_MB = 64;
const MAX_LAG = { p99: 2, max: 5 } as const;
const MAX_SKEW_MS = 1000;
const MAX_START_SECONDS = 50;
const MAX_CALCULATED = 1.25;
const MAX_INDEX_P99_MS = 1000;
/** This includes one second, because DynamoDB rounds a record's time down. */
const MAX_STREAM_P99_SECONDS = 3;
const MIN_DEPTH = 99;

/** Timeout for a call of each function, seconds: the shortest that any state has. */
const LIMITS: Readonly<Record<TaskName, number>> = {
  ...FUNCTION_TIMEOUT_SECONDS,
  ...childTimeouts(0),
};
const LIMITS_IN_WORDS = Object.entries(LIMITS)
  .map(([task, seconds]) => `${task} ${seconds} s`)
  .join(', ');

/** All experiments in the order of the report. The table in docs/contributing/verify-on-aws.md is generated from this list. */
export const EXPERIMENTS: readonly Experiment[] = [
  {
    id: 'deployer-permissions',
    question: 'Terraform creates everything in one run',
    criterion: 'it succeeds, and a second plan is empty',
    otherwise: 'what Terraform printed names the action, or the attribute that AWS fills in: report it',
    judge: seen =>
      of(seen.deployment, ({ unchanged }) => ({
        measured: { emptyPlan: Number(unchanged) },
        kept: unchanged,
      })),
  },
  {
    id: 'function-permissions',
    question: 'the roles of the functions and of the state machine allow all that a sweep calls',
    criterion: 'no execution fails, and no key is refused',
    otherwise:
      'the reason that is printed names the action: report it, and add it to the role until it is mended',
    judge: ({ rows, metrics }) =>
      of(rows, all => {
        const counted = seenOf(metrics)?.unsuccessful ?? 0;
        const failedKeys = sum(all.map(({ report }) => report.failed));
        const failedSweeps = all.filter(
          ({ report }) => report.failure || report.shardsFailed + report.tablesFailed > 0,
        );
        const reasons = [
          ...all.flatMap(({ report }) => report.failedKeys.map(({ reason }) => reason)),
          ...all.flatMap(({ report }) => report.failure?.error ?? []),
        ];
        return {
          measured: { unsuccessfulExecutions: counted, failedSweeps: failedSweeps.length, failedKeys },
          kept: counted + failedKeys + failedSweeps.length === 0 && all.length > 0,
          ...(reasons.length > 0 && { because: [...new Set(reasons)].join(', ') }),
          ...(all.length === 0 && { because: 'the journal has no sweep' }),
        };
      }),
  },
  {
    id: 'deleted',
    question: 'what expires goes, and what was renewed in its last second stays',
    criterion:
      'nothing that was due is left, each has one event, and all that was renewed is there and has none',
    otherwise:
      '`precise-ttl doctor` and docs/reference/alarms.md, "executions-failed"; a renewed item that is gone is a fault of ours: report it',
    judge: ({ items, expiries }) =>
      of(items, counted => {
        const { due, left, renewed, renewedLeft } = counted;
        const told = seenOf(expiries)?.length ?? 0;
        return {
          measured: { due, left, renewed, renewedLeft, events: told },
          kept: left === 0 && renewedLeft === renewed && told === due && due > 0,
        };
      }),
  },
  {
    id: 'lag',
    question:
      'how long after its TTL an item is deleted, by the time of its record in the stream, which AWS rounds down to the second',
    criterion: `p99 at most ${MAX_LAG.p99} s, the longest at most ${MAX_LAG.max} s`,
    otherwise:
      'see which of the experiments below is not kept either: the index, the clocks, Scheduler, cold starts or throttling',
    judge: ({ expiries }) =>
      ofExpiries(expiries, all => {
        const lag = spread(all.map(({ deletedAt, expiredAt }) => (deletedAt - expiredAt) / 1000));
        return {
          measured: { p50Seconds: lag.p50, p99Seconds: lag.p99, maxSeconds: lag.max },
          kept: lag.p99 <= MAX_LAG.p99 && lag.max <= MAX_LAG.max,
        };
      }),
  },
  {
    id: 'never-early',
    question:
      'whether the clock of the `Date` that sweeps go by and that of the records of the stream go together',
    criterion: 'no record is older than the TTL of its item',
    otherwise:
      '`isExpiry` takes such a delete for one of somebody else, and its margin is too small: report it',
    judge: ({ expiries }) =>
      ofExpiries(expiries, all => {
        const early = all.filter(({ deletedAt, expiredAt }) => deletedAt < expiredAt);
        const least = Math.min(...all.map(({ deletedAt, expiredAt }) => deletedAt - expiredAt)) / 1000;
        return { measured: { early: early.length, leastSeconds: least }, kept: early.length === 0 };
      }),
  },
  {
    id: 'clock-skew',
    question: 'how far the clock of Step Functions is ahead of that of DynamoDB',
    criterion: `less than ${MAX_SKEW_MS} ms`,
    otherwise:
      'ahead: a sweep asks once more for nothing; behind: each item is so much later. Nothing is deleted early. Report it',
    judge: ({ skew }) =>
      of(skew, ({ ms, uncertaintyMs }) => ({
        measured: { aheadMs: ms, uncertaintyMs },
        kept: Math.abs(ms) < MAX_SKEW_MS,
      })),
  },
  {
    id: 'scheduler',
    question: 'when in its minute EventBridge Scheduler starts a tick',
    criterion: `each minute has its tick, and none starts later than ${MAX_START_SECONDS} s into it`,
    otherwise:
      'a tick that starts after its minute leaves the first seconds of the next to the lookback: those items are up to two minutes late. Report it',
    judge: ({ rows, metrics }) =>
      of(rows, all => {
        const counted = seenOf(metrics);
        const missed = counted === null ? 0 : Math.max(0, counted.minutes - counted.started);
        const starts = all
          .filter(({ kind }) => kind === 'tick')
          .map(({ startedAt }) => (Date.parse(startedAt) / 1000) % 60);
        if (starts.length === 0)
          return { measured: { missed }, kept: false, because: 'the journal has no tick' };
        const { min, p50, max } = spread(starts);
        return {
          measured: { missed, earliestSeconds: min, p50Seconds: p50, latestSeconds: max },
          kept: missed === 0 && max <= MAX_START_SECONDS,
        };
      }),
  },
  {
    id: 'ran-twice',
    question: 'how often an execution of the tick, which AWS runs at least once, runs twice',
    criterion: 'as many starts as minutes',
    otherwise:
      'no harm: deletes are guarded, and the journal has one row for both. It costs twice in such a minute. Report how often',
    judge: ({ metrics }) =>
      of(metrics, ({ minutes, started }) => ({
        measured: { minutes, started },
        kept: started > 0 && started <= minutes,
      })),
  },
  {
    id: 'express-memory',
    question: 'what memory an execution of the tick, with its nested Maps, is billed for',
    criterion: `${MAX_MEMORY_MB} MB, as the calculator has it`,
    otherwise:
      '`precise-ttl cost` says too little: twice the memory is twice what "Express executions: time" says. Report it',
    judge: ({ metrics }) =>
      ofSome(metrics, ({ billedMemoryMb: megabytes }) =>
        megabytes === undefined ? undefined : { measured: { megabytes }, kept: megabytes <= MAX_MEMORY_MB },
      ),
  },
  {
    id: 'express-cost',
    question: 'the time and the memory that Express executions are billed for, against the calculator',
    criterion: `in GB-seconds at most ${MAX_CALCULATED} times what \`precise-ttl cost\` says`,
    otherwise:
      'the line "Express executions: time" of `precise-ttl cost` is too low by that factor. Report it',
    judge: ({ metrics, calculatedGbSeconds }) =>
      ofSome(metrics, ({ gbSeconds }) =>
        gbSeconds === undefined
          ? undefined
          : {
              measured: { billed: gbSeconds, calculated: calculatedGbSeconds },
              kept: gbSeconds <= calculatedGbSeconds * MAX_CALCULATED,
            },
      ),
  },
  {
    id: 'function-time',
    question: 'how long the longest call of each function takes, without its cold start',
    criterion: `less than the limit of its state: ${LIMITS_IN_WORDS}`,
    otherwise:
      'raise `memory_size` by `overrides`; a call that is cut off is made again, and its items are seconds late',
    judge: ({ metrics }) =>
      ofSome(metrics, ({ longest }) =>
        Object.keys(longest).length === 0 ? undefined : withinLimits(longest),
      ),
  },
  {
    id: 'cold-starts',
    question: 'how long the first call of each function takes, with the way from this machine to AWS',
    criterion: `less than the limit of its state: ${LIMITS_IN_WORDS}`,
    otherwise:
      'run it again near the region. If it stays so, raise `memory_size` by `overrides`: the first items after a pause are late',
    judge: ({ coldStarts }) => of(coldStarts, withinLimits),
  },
  {
    id: 'index-lag',
    question: 'how long after its put an item shows in the index',
    criterion: `p99 at most ${MAX_INDEX_P99_MS} ms, none longer than ${INDEX_SECONDS} s`,
    otherwise:
      'items that are written shortly before they expire are so much later; beyond the second bound the watermark of `status` is not safe: report it',
    judge: ({ indexLags }) =>
      ofSome(indexLags, lags => {
        if (lags.length === 0) return undefined;
        const { p50, p99, max } = spread(lags);
        return {
          measured: { p50Ms: p50, p99Ms: p99, maxMs: max },
          kept: p99 <= MAX_INDEX_P99_MS && max <= INDEX_SECONDS * 1000,
        };
      }),
  },
  {
    id: 'stream-to-function',
    question:
      'how long after a delete its event is in the queue, by way of the stream and the function that it calls',
    criterion: `p99 at most ${MAX_STREAM_P99_SECONDS} s`,
    otherwise: 'events and the archive come later than docs/archive-and-events.md says: report it',
    judge: ({ expiries }) =>
      ofExpiries(expiries, all => {
        const { p50, p99, max } = spread(all.map(({ sentAt, deletedAt }) => (sentAt - deletedAt) / 1000));
        return {
          measured: { p50Seconds: p50, p99Seconds: p99, maxSeconds: max },
          kept: p99 <= MAX_STREAM_P99_SECONDS,
        };
      }),
  },
  {
    id: 'throttling',
    question: 'whether DynamoDB throttles one delete a second',
    criterion: 'no key is throttled',
    otherwise:
      'the account is near its limits of DynamoDB, or a new index takes less than documented: report it',
    judge: ({ rows }) =>
      of(rows, all => {
        const throttled = sum(all.map(({ report }) => report.throttled));
        return {
          measured: { throttled, retries: sum(all.map(({ report }) => report.retries)) },
          kept: throttled === 0,
        };
      }),
  },
  {
    id: 'jsonata-depth',
    question: 'how deep an expression in JSONata may go: a group-by goes as deep as it has keys',
    criterion: `at least ${MIN_DEPTH} keys`,
    otherwise:
      'the expressions of the definition are held to a depth that AWS does not take: report it, with the number',
    judge: ({ depth }) => of(depth, keys => ({ measured: { keys }, kept: keys >= MIN_DEPTH })),
  },
  {
    id: 'replay',
    question: 'whether the Standard machine runs a replay, and how long one takes that finds nothing',
    criterion: 'each of them succeeds',
    otherwise: '`precise-ttl status --history --failed` says why: report it',
    judge: ({ replays }) =>
      of(replays, ({ started, succeeded, slowestMs }) => ({
        measured: { started, succeeded, slowestMs },
        kept: started > 0 && succeeded === started,
      })),
  },
];

function of<Part>(part: Checked<Part>, judge: (seen: Part) => Finding): Checked<Finding> {
  return 'seen' in part ? { seen: judge(part.seen) } : part;
}

/** @param judge returns undefined if there was nothing to measure */
function ofSome<Part>(part: Checked<Part>, judge: (seen: Part) => Finding | undefined): Checked<Finding> {
  if (!('seen' in part)) return part;
  const seen = judge(part.seen);
  return seen === undefined
    ? { notChecked: { reason: 'there is no datapoint of it', isLocal: false } }
    : { seen };
}

/** Without events nothing was measured, which counts as failed. */
function ofExpiries(
  expiries: Checked<readonly SeenExpiry[]>,
  judge: (all: readonly SeenExpiry[]) => Finding,
): Checked<Finding> {
  return of(expiries, all =>
    all.length === 0 ? { measured: { events: 0 }, kept: false, because: 'no event has come' } : judge(all),
  );
}

/** @param longest milliseconds */
function withinLimits(longest: Readonly<Partial<Record<TaskName, number>>>): Finding {
  const all = Object.entries(longest) as [TaskName, number][];
  return {
    measured: Object.fromEntries(all.map(([task, ms]) => [`${task}Ms`, ms])),
    kept: all.every(([task, ms]) => ms < LIMITS[task] * 1000),
  };
}

function spread(values: readonly number[]): Readonly<Record<'min' | 'p50' | 'p99' | 'max', number>> {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
  return { min: at(0), p50: at(0.5), p99: at(0.99), max: at(1) };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
