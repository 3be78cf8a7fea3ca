import type { ReplayInput } from '../../statemachine/contract/inputs.ts';
import { type Executions, untilEnd } from '../aws/executions.ts';
import type { PieceResult } from '../changes.ts';
import { executionName, type NamedPiece } from './pieces.ts';
import { addTotals, carriedOver, NO_TOTALS, readKeys, readLagP99, readTotals } from './totals.ts';

export interface PieceToRun extends Omit<NamedPiece, 'attempt'> {
  /** Delete limit of its execution; undefined: no limit. */
  readonly maxDeletesPerSecond?: number | undefined;
}

/** Failed attempts at a piece after which no new one is started: the cause has to be mended first. */
const MAX_ATTEMPTS = 99;

/**
 * Ensures that a piece is swept: uses an execution that succeeded, follows one that is running, or starts a new one. If an earlier
 * execution failed, the next name is used; if this one fails, the next run of the command tries again.
 *
 * @param signal stops the waiting; the execution continues
 */
export async function runPiece(
  { maxDeletesPerSecond, ...named }: PieceToRun,
  executions: Executions,
  signal: AbortSignal,
): Promise<PieceResult> {
  const { piece, tableName, dryRun } = named;
  const input: ReplayInput = {
    table: tableName,
    from: iso(piece.from),
    to: iso(piece.to),
    ...(dryRun && { dryRun }),
    ...(maxDeletesPerSecond !== undefined && { maxDeletesPerSecond }),
  };
  let earlier = NO_TOTALS;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    signal.throwIfAborted();
    const name = executionName({ ...named, attempt });
    const started = await executions.start(name, input);
    const before = started ? undefined : await executions.describe(name);
    // The name is taken, but the execution is no longer stored: the next name is used, because sweeping again does no harm.
    if (!started && before === undefined) continue;
    const state = await untilEnd(name, executions, signal);
    const totals = readTotals(state) ?? NO_TOTALS;
    if (started || state.status === 'SUCCEEDED') {
      const { status, startedAt, error, cause } = state;
      const doneBefore = !started && before?.status === 'SUCCEEDED';
      return {
        piece,
        tableName,
        execution: name,
        status,
        startedAt: startedAt?.toISOString(),
        doneBefore,
        totals: addTotals(earlier, totals),
        lagP99Ms: readLagP99(state),
        ...readKeys(state),
        error,
        cause,
      };
    }
    earlier = addTotals(earlier, carriedOver(totals, dryRun));
  }
  return {
    piece,
    tableName,
    execution: executionName({ ...named, attempt: MAX_ATTEMPTS }),
    status: 'FAILED',
    doneBefore: false,
    totals: earlier,
    sampleKeys: [],
    failedKeys: [],
    error: 'TooManyAttempts',
    cause: `${MAX_ATTEMPTS} executions failed; look at the last one, then start over with another label for the run`,
  };
}

const iso = (epochSeconds: number): string => new Date(epochSeconds * 1000).toISOString();
