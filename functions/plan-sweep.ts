import { type PlanSweepInput, type PlanSweepOutput, ROUND_PAIRS } from '../statemachine/contract.ts';
import { queryExpired } from './lib/expired-query.ts';
import { plan } from './lib/plan.ts';
import { lambdaRuntime, type Runtime } from './lib/runtime.ts';
import { readSweepInput } from './lib/sweep-input.ts';

/** Probes in flight: enough to look into a day of minutes within seconds. */
const PROBE_CONCURRENCY = 32;

/** A round of probes must be able to end before the function's time does. */
const RESERVED_MS = 15_000;

/**
 * Decides what an execution sweeps: checks its input, freezes the cutoff, and looks which (window, shard) pairs hold
 * something due. It reads one index entry a pair and never returns keys.
 *
 * @throws InvalidExecutionInputError, DynamoDbBusyError
 */
export async function planSweep(
  { executionInput, startedAt, cursor }: PlanSweepInput,
  { settings, documents, logger }: Runtime,
  remainingMs: () => number,
): Promise<PlanSweepOutput> {
  const request = readSweepInput(executionInput, Date.parse(startedAt), settings.lookbackMinutes);
  const { due, cursor: next } = await plan(request, cursor ?? null, {
    model: settings.model,
    probe: async target => (await queryExpired(documents, settings, target, null, 1)).keys.length > 0,
    concurrency: PROBE_CONCURRENCY,
    mostDue: ROUND_PAIRS,
    outOfTime: () => remainingMs() < RESERVED_MS,
  });
  logger.info('planned', { request, due: due.length, cursor: next });
  return { due, cursor: next, dryRun: request.dryRun };
}

const runtime = lambdaRuntime({ maxAttempts: 3 });

export const handler = (
  event: PlanSweepInput,
  context: { getRemainingTimeInMillis(): number },
): Promise<PlanSweepOutput> => planSweep(event, runtime(), () => context.getRemainingTimeInMillis());
