/**
 * Names of the backfill's states and the values that they pass on, like `contract/` for the sweep. The backfill is deployed only if the
 * prop `backfill` is set.
 */

import type { BackfillCounts } from './backfill-counts.ts';
import type { ItemKey } from './contract/keys.ts';

/** The functions of the backfill, by the name of the state that calls them. */
export const BACKFILL_TASKS = {
  PlanBackfill: 'plan-backfill',
  BackfillSegment: 'backfill-segment',
} as const;

export type BackfillTaskName = keyof typeof BACKFILL_TASKS;

/** Name of the error of an execution that leaves segments or items; its cause is a {@link BackfillReport} as JSON. */
export const BACKFILL_INCOMPLETE = 'BackfillIncompleteError';

/** Segments whose children run at once. */
export const SEGMENTS_AT_ONCE = 10;

export const DEFAULT_SEGMENTS = 100;

/**
 * Most segments. A Map Run's output has one result per segment, each below 700 characters, and must stay below 256 KiB. A test adds it up.
 */
export const MAX_SEGMENTS = 350;

/** Writes per second: half of what a window allows in one shard, so that the table's own writers have the other half. */
export const DEFAULT_RATE_PER_SECOND = 500;
export const MAX_RATE_PER_SECOND = 10_000;

/** Items that are read for each write that the rate allows, so that a low rate limits the reads of the table too. */
export const READS_PER_WRITE = 10;

/** Seconds after which a call begins no further batch. This limits the work that is repeated after a crash. */
export const CALL_SECONDS = 60;

/**
 * Seconds after which a call waits no more. A write that DynamoDB is too busy for then counts as failed. The time from CALL_SECONDS is
 * enough for all attempts of a write with the default backoff: 155 seconds on average.
 */
export const MAX_CALL_SECONDS = 270;

export const BACKFILL_TIMEOUT_SECONDS: Readonly<Record<BackfillTaskName, number>> = {
  PlanBackfill: 15,
  BackfillSegment: 300,
};

/**
 * Most steps of a child: calls, and one more for every two retries. A call with its choice writes 7 events to the history and each retry
 * 3; a Standard execution may have 25,000. At a minute per call this is 50 hours for one segment. Source: Step Functions quotas.
 */
export const MAX_SEGMENT_STEPS = 3000;

/** Input of an execution of the backfill. */
export interface BackfillInput {
  /** Number of segments, 1 to {@link MAX_SEGMENTS}. @default {@link DEFAULT_SEGMENTS} */
  readonly segments?: number;
  /** Most writes per second, of all segments together. @default {@link DEFAULT_RATE_PER_SECOND} */
  readonly ratePerSecond?: number;
  /** Whether it only reads and counts, and writes nothing. @default false */
  readonly dryRun?: boolean;
}

export interface PlanBackfillInput {
  readonly executionInput: unknown;
}

export interface PlanBackfillOutput {
  readonly dryRun: boolean;
  /** The inputs of the children. */
  readonly segments: readonly SegmentStart[];
}

/** The input of a child. */
export interface SegmentStart {
  readonly progress: SegmentProgress;
  /** Retries of the previous call. */
  readonly retries: number;
}

/** The progress that BackfillSegment passes from call to call. */
export interface SegmentProgress {
  /** Number of the segment, from 0. */
  readonly segment: number;
  readonly segments: number;
  readonly dryRun: boolean;
  /** Most writes per second of this segment. */
  readonly writesPerSecond: number;
  /** Key of the last item that is done; null: none is. */
  readonly position: ItemKey | null;
  readonly steps: number;
  readonly counts: BackfillCounts;
}

export type BackfillSegmentInput = SegmentStart;

export interface BackfillSegmentOutput {
  readonly next: 'scan' | 'end';
  readonly progress: SegmentProgress;
  /** Set for `next: 'end'`, otherwise null. */
  readonly result: SegmentResult | null;
}

/** The result of a child. */
export interface SegmentResult {
  /** Whether the segment was read to its end. */
  readonly complete: boolean;
  readonly counts: BackfillCounts;
  /** Name of the error that interrupted it. */
  readonly interruptedBy?: string;
}

/** The result of an execution: its output, or the cause of its failure. */
export interface BackfillReport extends BackfillCounts {
  readonly dryRun: boolean;
  readonly segments: number;
  /** Segments that were not read to their ends. The execution fails if this is above 0. */
  readonly segmentsIncomplete: number;
}
