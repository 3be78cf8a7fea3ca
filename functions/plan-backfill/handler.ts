import {
  type PlanBackfillInput,
  type PlanBackfillOutput,
  SEGMENTS_AT_ONCE,
} from '../../statemachine/backfill-contract.ts';
import { NO_BACKFILL_COUNTS } from '../../statemachine/backfill-counts.ts';
import { readBackfillInput } from './backfill-input.ts';

/**
 * Checks the input of a backfill and cuts the table into segments. The rate is divided among the segments that run concurrently.
 *
 * @throws InvalidExecutionInputError
 */
export async function planBackfill({ executionInput }: PlanBackfillInput): Promise<PlanBackfillOutput> {
  const { segments, ratePerSecond, dryRun } = readBackfillInput(executionInput);
  const writesPerSecond = ratePerSecond / Math.min(segments, SEGMENTS_AT_ONCE);
  return {
    dryRun,
    segments: Array.from({ length: segments }, (_unused, segment) => ({
      progress: {
        segment,
        segments,
        dryRun,
        writesPerSecond,
        position: null,
        steps: 0,
        counts: NO_BACKFILL_COUNTS,
      },
      retries: 0,
    })),
  };
}

export const handler = planBackfill;
