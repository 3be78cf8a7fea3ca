import type { ChildLimit, ChildStart, InitialProgress } from '../../statemachine/contract/child.ts';
import { CHILD_LISTED_KEYS_BYTES, ROUND_LISTED_KEYS_BYTES } from '../../statemachine/contract/limits.ts';
import type { SweepTarget } from '../../statemachine/contract/targets.ts';
import { queryTimeoutSeconds } from '../child/query-timeout.ts';
import { waitUntil } from '../retry/backoff.ts';
import { childLimits } from './child-limits.ts';
import { limitedTargets } from './limited-targets.ts';
import type { SweepLimit } from './sweep-input.ts';

export interface StartOptions {
  readonly dryRun: boolean;
  readonly limit: SweepLimit | null;
  /** Children that run at once; 0 = no limit. */
  readonly concurrency: number;
  /** Seconds by which the times of the targets are earlier than those of the clock. */
  readonly behindSeconds: number;
  /** Number of children whose results are collected together. @default the number of these targets' children */
  readonly collected?: number;
  /** Age at which children of the lookback without a limit hand on what they have not read. @default MAX_CHILD_SECONDS */
  readonly handsOnAfter?: number;
}

/**
 * Makes the inputs of the children that sweep these targets of a table: one for each target, or with a limit only as many as the limit
 * keeps busy.
 */
export function startChildren(
  targets: readonly SweepTarget[],
  { limit, concurrency, ...options }: StartOptions,
): PlannedStart[] {
  const due = limit === null ? unlimited(targets) : limited(targets, limit, concurrency);
  const { collected = due.length } = options;
  return due.map(child => startOf(child, { ...options, collected, from: limit?.from ?? null }));
}

export type PlannedStart = Omit<ChildStart, 'table'>;

interface PlannedChild {
  readonly target: SweepTarget;
  readonly limit: ChildLimit | null;
}

function unlimited(targets: readonly SweepTarget[]): PlannedChild[] {
  return targets.map(target => ({ target, limit: null }));
}

function limited(targets: readonly SweepTarget[], limit: SweepLimit, concurrency: number): PlannedChild[] {
  const shared = limitedTargets(targets, limit, concurrency);
  const limits = childLimits(limit, shared, concurrency);
  return shared.map(({ target }, index) => ({ target, limit: limits[index] ?? null }));
}

interface OneStart extends Omit<StartOptions, 'limit' | 'concurrency'> {
  readonly collected: number;
  /** Start of the deletes, epoch seconds; null: at once. */
  readonly from: number | null;
}

/** The input of a child. All children of a minute start to delete at its beginning, and each has its own shard. */
function startOf(
  { target, limit }: PlannedChild,
  { dryRun, collected, from, behindSeconds, handsOnAfter }: OneStart,
): PlannedStart {
  const begins = Math.max(target.upcomingFrom ?? 0, from ?? 0);
  const listedKeysBytes = Math.min(CHILD_LISTED_KEYS_BYTES, Math.floor(ROUND_LISTED_KEYS_BYTES / collected));
  const handsOn = handsOnAfter !== undefined && limit === null && target.upcomingFrom === null;
  const progress: InitialProgress = {
    ...{ target, dryRun, listedKeysBytes, limit },
    ...(handsOn && { handsOnAfter }),
  };
  return {
    next: begins === 0 ? 'query' : 'wait',
    until: begins === 0 ? null : waitUntil(begins + behindSeconds),
    timeoutSeconds: queryTimeoutSeconds(progress),
    results: [],
    progress,
  };
}
