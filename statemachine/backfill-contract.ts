/**
 * Names of the backfill's states and the values that they pass on, as `contract/` has them for the sweep. The
 * backfill is deployed only where the prop `backfill` asks for it.
 */

import type { BackfillCounts } from './backfill-counts.ts';
import type { ItemKey } from './contract/keys.ts';

/** The functions of the backfill, by the name of the state that calls them. */
export const BACKFILL_TASKS = {
  PlanBackfill: 'plan-backfill',
  BackfillSegment: 'backfill-segment',
} as const;

export type BackfillTaskName = keyof typeof BACKFILL_TASKS;

/** The error an execution ends with when segments or items are left; its cause is a {@link BackfillReport} as JSON. */
export const BACKFILL_INCOMPLETE = 'BackfillIncompleteError';

/** Segments whose children run at once. */
export const SEGMENTS_AT_ONCE = 10;

export const DEFAULT_SEGMENTS = 100;

/** A Map Run's output holds one result a segment, below 700 characters each, and must stay below 256 KiB. A test adds it up. */
export const MAX_SEGMENTS = 350;

/** Writes a second: half of what a window takes in one shard, so that the table's own writers have the other half. */
export const DEFAULT_RATE_PER_SECOND = 500;
export const MAX_RATE_PER_SECOND = 10_000;

/** Items that are read for each write that the rate allows, so that a low rate spares the table's readers too. */
export const READS_PER_WRITE = 10;

/** Seconds after which a call begins nothing more: what a crash of a call makes the next one do again. */
export const CALL_SECONDS = 60;

/**
 * Seconds after which a call waits for nothing more. What is then refused for being busy counts as failed. Between the two a
 * write has time for all its attempts with the default backoff: 155 seconds on average.
 */
export const MAX_CALL_SECONDS = 270;

export const BACKFILL_TIMEOUT_SECONDS: Readonly<Record<BackfillTaskName, number>> = {
  PlanBackfill: 15,
  BackfillSegment: 300,
};

/**
 * Most steps of a child: calls, and one more for every two retries. A call with the choice that follows writes 7 events to the
 * history and each retry 3; a Standard execution may have 25,000. At a minute a call they are 50 hours for one segment. Source:
 * Step Functions quotas.
 */
export const MAX_SEGMENT_STEPS = 3000;

/** Input of an execution of the backfill. */
export interface BackfillInput {
  /** Into how many parts the table is cut, 1 to {@link MAX_SEGMENTS}. @default {@link DEFAULT_SEGMENTS} */
  readonly segments?: number;
  /** Most writes a second, of all segments together. @default {@link DEFAULT_RATE_PER_SECOND} */
  readonly ratePerSecond?: number;
  /** Read and count, write nothing. @default false */
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
  /** Retries of the call before. */
  readonly retries: number;
}

/** The progress of BackfillSegment from call to call. */
export interface SegmentProgress {
  /** From 0 on. */
  readonly segment: number;
  readonly segments: number;
  readonly dryRun: boolean;
  /** Most writes a second of this segment. */
  readonly writesPerSecond: number;
  /** Key of the last item that is done with; null: none is. */
  readonly position: ItemKey | null;
  readonly steps: number;
  readonly counts: BackfillCounts;
}

export type BackfillSegmentInput = SegmentStart;

export interface BackfillSegmentOutput {
  readonly next: 'scan' | 'end';
  readonly progress: SegmentProgress;
  /** `next: 'end'`: null else. */
  readonly result: SegmentResult | null;
}

/** The result of a child. */
export interface SegmentResult {
  /** The segment was read to its end. */
  readonly complete: boolean;
  readonly counts: BackfillCounts;
  /** Why it was not, an error's name. */
  readonly interruptedBy?: string;
}

/** The outcome of an execution: its output, or the cause of its failure. */
export interface BackfillReport extends BackfillCounts {
  readonly dryRun: boolean;
  readonly segments: number;
  /** Segments that were not read to their end. Above 0 the execution fails. */
  readonly segmentsIncomplete: number;
}
