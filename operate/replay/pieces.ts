import { randomBytes } from 'node:crypto';
import { shortHash } from '../aws/executions-of-table.ts';
import type { Span } from '../changes.ts';
import { InputError } from '../errors.ts';

/** The most executions of a replay for one table: more are probably a typing error, or need longer pieces. */
export const MAX_PIECES = 10_000;

/** Minutes that one execution sweeps, and the number of executions above which each one sweeps more. */
const PIECE_MINUTES = 60;
const FEW_PIECES = 1_000;

/** Default length of a piece in minutes: an hour, or more for a long span, to limit the number of pieces. */
export function usualSplit({ from, to }: Span): number {
  return Math.max(PIECE_MINUTES, Math.ceil((to - from) / 60 / (FEW_PIECES - 1)));
}

/**
 * Cuts a span at multiples of `splitMinutes` on the clock, so that the same span always has the same pieces.
 *
 * @throws {InputError} when there would be too many pieces
 */
export function splitSpan({ from, to }: Span, splitMinutes: number): Span[] {
  const length = splitMinutes * 60;
  const count = Math.ceil(to / length) - Math.floor(from / length);
  if (count > MAX_PIECES) {
    const fits = Math.ceil((to - from) / 60 / (MAX_PIECES - 1));
    throw new InputError(
      'splitMinutes',
      `expected at most ${MAX_PIECES} executions for a table, got ${count}; raise it to ${fits}`,
    );
  }
  const pieces: Span[] = [];
  for (let start = from; start < to; ) {
    const end = Math.min(to, (Math.floor(start / length) + 1) * length);
    pieces.push({ from: start, to: end });
    start = end;
  }
  return pieces;
}

/** Allowed labels: short enough to leave room for the rest of an execution's name. */
export const LABEL = /^[A-Za-z0-9_-]{1,20}$/;

/** The default label of a replay: always the same for the same span. */
export function defaultLabel({ from, to }: Span): string {
  return shortHash(`${from}/${to}`);
}

/** The label of a dry run: always a new one, otherwise Step Functions would return the result of an earlier run. */
export function freshLabel(nowMs: number): string {
  return `${compactTime(Math.floor(nowMs / 1000))}-${randomBytes(2).toString('hex').slice(0, 3)}`;
}

export interface NamedPiece {
  readonly tableName: string;
  readonly piece: Span;
  readonly dryRun: boolean;
  readonly label: string;
  /** Attempts count from 1. */
  readonly attempt: number;
}

/**
 * The name of the execution that sweeps a piece. Step Functions accepts a name only once in 90 days, so an interrupted replay can
 * continue: pieces that were swept are not started again. Names have at most 80 characters, all of which CloudWatch Logs accepts.
 *
 * The name contains the table, because a state machine with the same name may have swept another one before.
 */
export function executionName({ tableName, piece, dryRun, label, attempt }: NamedPiece): string {
  const parts = [
    dryRun ? 'dryrun' : 'replay',
    compactTime(piece.from),
    compactTime(piece.to),
    label,
    shortHash(tableName),
    ...(attempt === 1 ? [] : [String(attempt)]),
  ];
  return parts.join('-');
}

/** `20261120T090000Z` */
function compactTime(epochSeconds: number): string {
  return `${new Date(epochSeconds * 1000).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}
