import { toEpochSeconds } from '../../expiry/ttl.ts';
import type { PlanSweepInput, PlanSweepOutput } from '../../statemachine/contract.ts';
import { lambdaRuntime, type Runtime } from '../runtime/runtime.ts';
import { earliestTtl, windowReader } from '../table/window-query.ts';
import { nextRound } from './next-round.ts';
import { plan } from './plan.ts';
import { checkSpan, readSweepInput } from './sweep-input.ts';

/** Probes in flight: enough to probe a day of minutes within seconds. */
const PROBE_CONCURRENCY = 32;

/** A round of probes must be able to end before the function's time does: three attempts of up to six seconds. */
const RESERVED_MS = 40_000;

/**
 * Decides what an execution does next: checks its input, freezes the cutoff, and finds out which windows and shards hold
 * something due; later adds up what their children came to and goes on. It reads one index entry a window and never returns
 * keys of what is due.
 *
 * @throws InvalidExecutionInputError, DynamoDbBusyError
 */
export async function planSweep(
  { executionInput, startedAt, soFar }: PlanSweepInput,
  { settings, documents, logger }: Runtime,
  remainingMs: () => number,
): Promise<PlanSweepOutput> {
  const startedAtMs = Date.parse(startedAt);
  const request = readSweepInput(executionInput, startedAtMs, settings);
  checkSpan(request, settings.model);
  const readWindow = windowReader(documents, settings);
  const next = await nextRound(soFar, {
    dryRun: request.dryRun,
    plan: async (cursor, maxDue) => {
      const { oldestOverdue, ...planned } = await plan(request, cursor, {
        model: settings.model,
        probe: target => earliestTtl(readWindow, target),
        concurrency: PROBE_CONCURRENCY,
        maxDue,
        watchAlways: settings.pollSeconds > 0,
        outOfTime: () => remainingMs() < RESERVED_MS,
      });
      const oldestOverdueSeconds =
        oldestOverdue === undefined ? 0 : toEpochSeconds(startedAtMs) - Math.floor(oldestOverdue);
      return { ...planned, oldestOverdueSeconds };
    },
  });
  const { cursor, totals } = next.progress;
  const { oldestOverdueSeconds } = totals;
  logger.info('planned', {
    request,
    next: next.next,
    due: next.due.length,
    cursor,
    oldestOverdueSeconds,
  });
  return next;
}

const runtime = lambdaRuntime({ maxAttempts: 3 });

export const handler = (
  event: PlanSweepInput,
  context: { getRemainingTimeInMillis(): number },
): Promise<PlanSweepOutput> => planSweep(event, runtime(), () => context.getRemainingTimeInMillis());
