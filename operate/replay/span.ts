import { checkSpan, readSweepInput, type TickSettings } from '../../functions/plan-sweep/sweep-input.ts';
import type { InvalidExecutionInputError } from '../../functions/runtime/errors.ts';
import { MAX_PAIRS } from '../../statemachine/contract/limits.ts';
import { InputError } from '../input-error.ts';

/** Expiry times in [from, to), whole epoch seconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Settings of a table that limit what one execution can sweep. */
export type SpanSettings = TickSettings & Parameters<typeof checkSpan>[1];

/**
 * Reads a span and checks it by the rules of the state machine, so that no execution starts only to be refused.
 *
 * @param nowMs epoch milliseconds
 * @throws {InputError}
 */
export function readSpan(
  { from, to }: { readonly from: string | undefined; readonly to: string | undefined },
  nowMs: number,
  settings: TickSettings,
): Span {
  for (const [field, value] of Object.entries({ from, to })) {
    if (value !== undefined) continue;
    throw new InputError(
      field,
      'expected a time in ISO-8601 with a zone, got nothing; give one such as 2026-11-20T09:00:00Z',
    );
  }
  const request = asInput(() => readSweepInput({ from, to }, nowMs, settings));
  if (Date.parse(String(to)) > nowMs) {
    throw new InputError(
      'to',
      `expected a time that has passed, got "${to}"; items that expire later are alive, and the replay would ` +
        'count that part as done',
    );
  }
  return { from: request.from, to: request.before };
}

/** The most minutes that one execution can sweep: the product of windows and shards is limited. */
export const longestMinutes = ({ windowSeconds, shards }: SpanSettings): number =>
  ((MAX_PAIRS / shards) * windowSeconds) / 60;

/**
 * Refuses pieces that the state machine would refuse.
 *
 * @throws {InputError}
 */
export function checkPieces(pieces: readonly Span[], settings: SpanSettings): void {
  for (const { from, to } of pieces) {
    const request = { windowsFrom: from, windowsBefore: to };
    asInput(() => checkSpan(request, settings), 'splitMinutes');
  }
}

function asInput<T>(read: () => T, field?: string): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error && 'problem' in error)) throw error;
    const { problem } = error as InvalidExecutionInputError;
    throw new InputError(
      field ?? problem.field,
      `expected ${problem.expected}, got ${JSON.stringify(problem.got)}`,
    );
  }
}
