import { toEpochSeconds } from '../expiry/ttl.ts';
import { type PlanSweepInput, type PlanSweepOutput, ROUND_TARGETS } from '../statemachine/contract.ts';
import { plan } from './lib/plan.ts';
import { lambdaRuntime, type Runtime } from './lib/runtime.ts';
import { checkSpan, readSweepInput } from './lib/sweep-input.ts';
import { earliestTtl, windowReader } from './lib/window-query.ts';

/** Probes in flight: enough to look into a day of minutes within seconds. */
const PROBE_CONCURRENCY = 32;

/** A round of probes must be able to end before the function's time does: three attempts of up to six seconds. */
const RESERVED_MS = 40_000;

/**
 * Decides what an execution sweeps: checks its input, freezes the cutoff, and looks which windows and shards hold
 * something due. It reads one index entry a window and never returns keys.
 *
 * @throws InvalidExecutionInputError, DynamoDbBusyError
 */
export async function planSweep(
  { executionInput, startedAt, cursor }: PlanSweepInput,
  { settings, documents, logger }: Runtime,
  remainingMs: () => number,
): Promise<PlanSweepOutput> {
  const startedAtMs = Date.parse(startedAt);
  const request = readSweepInput(executionInput, startedAtMs, settings);
  checkSpan(request, settings.model);
  const readWindow = windowReader(documents, settings);
  const {
    due,
    cursor: next,
    oldestOverdue,
  } = await plan(request, cursor ?? null, {
    model: settings.model,
    probe: target => earliestTtl(readWindow, target),
    concurrency: PROBE_CONCURRENCY,
    mostDue: ROUND_TARGETS,
    watchAlways: settings.pollSeconds > 0,
    outOfTime: () => remainingMs() < RESERVED_MS,
  });
  const oldestOverdueSeconds =
    oldestOverdue === undefined ? 0 : toEpochSeconds(startedAtMs) - Math.floor(oldestOverdue);
  logger.info('planned', { request, due: due.length, cursor: next, oldestOverdueSeconds });
  return { due, cursor: next, dryRun: request.dryRun, oldestOverdueSeconds };
}

const runtime = lambdaRuntime({ maxAttempts: 3 });

export const handler = (
  event: PlanSweepInput,
  context: { getRemainingTimeInMillis(): number },
): Promise<PlanSweepOutput> => planSweep(event, runtime(), () => context.getRemainingTimeInMillis());
