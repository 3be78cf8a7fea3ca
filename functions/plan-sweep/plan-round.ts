import type { Logger } from '@aws-lambda-powertools/logger';
import { toEpochSeconds } from '../../expiry/ttl.ts';
import type { PlanCursor, RoundPlan, TableRound } from '../../statemachine/contract/execution.ts';
import { MAX_CHILD_SECONDS, ROUND_TARGETS } from '../../statemachine/contract/limits.ts';
import { secondsBehind } from '../child/swept-range.ts';
import { RENEWED_SECONDS } from '../journal/layout.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { RequestOptions } from '../table/dynamodb.ts';
import { indexLayout } from '../table/index-layout.ts';
import { earliestTtl, indexReader, type ReadIndex } from '../table/index-query.ts';
import { nextRound, type PlannedRound } from './next-round.ts';
import { plan } from './plan.ts';
import { checkSpan, isHandOver, readSweepInput, type SweepRequest } from './sweep-input.ts';

/** Concurrent probes: enough to probe a day of minutes within seconds. */
const PROBE_CONCURRENCY = 32;

/** Milliseconds reserved at the end of the function: a round of probes must be able to end in them. */
export const RESERVED_MS = 40_000;

/** Milliseconds reserved for a single probe: three attempts of up to six seconds. */
const PROBE_RESERVED_MS = 20_000;

/** The input of an execution for one table. */
export interface RoundInput {
  readonly executionInput: unknown;
  /** When the execution started, ISO-8601. */
  readonly startedAt: string;
  /** Progress of earlier rounds; null in the first one. */
  readonly soFar: TableRound | null;
}

/** A table as a plan queries it. */
export interface AskedTable {
  readonly settings: SweepSettings;
  readonly readIndex: ReadIndex;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

export function askedTable(
  { settings, documents, logger }: Pick<Runtime, 'settings' | 'documents' | 'logger'>,
  options: RequestOptions = {},
): AskedTable {
  return {
    settings,
    readIndex: indexReader(documents, settings, options),
    logger,
  };
}

/**
 * Decides what an execution does next for its table: checks its input, fixes the cutoff, and finds the windows and shards in which items
 * are due. Later it adds up the results of the children and plans the next round. It reads one entry of an index key. It never returns keys
 * of due items.
 *
 * @throws InvalidExecutionInputError, DynamoDbBusyError
 */
export async function planRound(
  { executionInput, startedAt, soFar }: RoundInput,
  table: AskedTable,
  remainingMs: () => number,
): Promise<RoundPlan> {
  const { settings, logger } = table;
  const startedAtMs = Date.parse(startedAt);
  const request = readSweepInput(executionInput, startedAtMs, settings);
  checkSpan(request, indexLayout(settings.model));
  const next = await nextRound(soFar, {
    dryRun: request.dryRun,
    limit: request.limit,
    concurrency: settings.shardConcurrency,
    behindSeconds: secondsBehind(settings),
    ...(isHandOver(executionInput) && { mostTargets: handOverTargets(settings) }),
    plan: (cursor, maxDue) => askTable(request, cursor, maxDue, { ...table, startedAtMs, remainingMs }),
  });
  const { cursor, totals } = next.progress;
  const { oldestOverdueSeconds } = totals;
  // Most sweeps find nothing due at the first call. Their executions report that, and a log line for each would only cost money.
  if (soFar !== null || next.due.length > 0) {
    logger.info('planned', {
      request,
      next: next.next,
      due: next.due.length,
      cursor,
      oldestOverdueSeconds,
    });
  }
  return next;
}

/** Most targets of a round: a hand-over is renewed once per round, which must end before the hand-over expires. */
function handOverTargets({ shardConcurrency }: SweepSettings): number {
  const atOnce = shardConcurrency === 0 ? ROUND_TARGETS : shardConcurrency;
  return Math.min(ROUND_TARGETS, atOnce * Math.floor(RENEWED_SECONDS / (MAX_CHILD_SECONDS + 10)));
}

interface AskOptions extends AskedTable {
  /** Epoch milliseconds. */
  readonly startedAtMs: number;
  /** Milliseconds that the function has left. */
  readonly remainingMs: () => number;
}

/** Probes a table for due items, from a cursor (null: from the beginning), with at most `maxDue` targets. */
export async function askTable(
  request: SweepRequest,
  cursor: PlanCursor | null,
  maxDue: number,
  { startedAtMs, remainingMs, ...table }: AskOptions,
): Promise<PlannedRound> {
  const { settings, readIndex } = table;
  const layout = indexLayout(settings.model);
  const probeOutOfTime = () => remainingMs() < PROBE_RESERVED_MS;
  const { oldestOverdue, ...planned } = await plan(request, cursor, {
    layout,
    // For an upcoming minute the probe only decides whether there is a child.
    probe: target => earliestTtl(readIndex, layout, target, probeOutOfTime),
    concurrency: PROBE_CONCURRENCY,
    maxDue,
    watchAlways: settings.pollSeconds > 0,
    outOfTime: () => remainingMs() < RESERVED_MS,
  });
  const oldestOverdueSeconds =
    oldestOverdue === undefined ? 0 : toEpochSeconds(startedAtMs) - Math.floor(oldestOverdue);
  return { ...planned, oldestOverdue, oldestOverdueSeconds };
}
